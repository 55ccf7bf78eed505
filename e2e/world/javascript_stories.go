package world

import (
	"crossswe/schemas"
)

// npmRepo is a plan of a JavaScript repository with the usual values.
func npmRepo(base plan, mocha bool, version string) plan {
	base.node, base.mocha, base.version, base.license, base.matrix = true, mocha, version, "ISC", "20, 22"
	base.release = "v" + version
	return base
}

// npmPair tells of a provider that releases its change and of a consumer that
// moves to the release.
func (t *teller) npmPair(provider, consumer change, body string) error {
	provider.mirror = true
	released := provider.plan
	released.version = provider.next[1:]
	h := t.found(provider.plan)
	provider.pull.steps = t.steps(h, provider, edit{})
	mark, err := h.take(provider.pull)
	if err != nil {
		return err
	}
	h.commit(people[0], released.version, edit{write: map[string]string{"package.json": released.packageJSON()}})
	h.release(provider.next)
	h.grow(len(h.queue), h.now.AddDate(0, 1, 0))
	if err := t.finish(h); err != nil {
		return err
	}
	name := packageName(provider.name)
	consumer.npm = map[string]string{name: "^" + provider.version}
	moved := consumer.plan
	moved.npm = map[string]string{name: "^" + released.version}
	consumer.pull.body = fill(body, h.ids[mark])
	c, _, err := t.tell(consumer, edit{write: map[string]string{"package.json": moved.packageJSON()}})
	if err != nil {
		return err
	}
	return t.finish(c)
}

func tellJSMocha(t *teller) error {
	const seedfile, planter schemas.RepoName = "orchard-example/seedfile", "orchard-example/planter"
	return t.npmPair(
		change{
			plan: npmRepo(goRepo(seedfile, "reads lists of seeds", 0, 2, day(2026, 2, 23)), true, "1.4.0"),
			pull: pull{number: 26, title: "Hand further columns out"}, next: "v1.5.0",
		},
		change{
			plan: npmRepo(goRepo(planter, "plans beds", 1, 2, day(2026, 2, 25)), true, "0.7.0"),
			pull: pull{number: 24, title: "Plant by month"},
		},
		"The month is one of the columns that [seedfile#26](https://github.com/orchard-example/seedfile/pull/26) hands out.")
}

func tellJSNodeTest(t *teller) error {
	const wick, lamp schemas.RepoName = "lantern-example/wick", "lantern-example/lamp"
	return t.npmPair(
		change{
			plan: npmRepo(goRepo(wick, "tells how wicks burn", 0, 2, day(2026, 8, 3)), false, "2.1.0"),
			pull: pull{number: 25, title: "Add brightnessCurve", style: merged}, tests: "Test the curve", next: "v2.2.0",
		},
		change{
			plan: npmRepo(goRepo(lamp, "describes lamps", 1, 2, day(2026, 8, 5)), false, "1.0.0"),
			pull: pull{number: 28, title: "Tell when a lamp gets dim"},
		},
		"Uses the curve of https://github.com/lantern-example/wick/commit/{id}.")
}

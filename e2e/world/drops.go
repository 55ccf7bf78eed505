package world

import (
	"maps"
	"time"
)

func tellDocsOnly(t *teller) error {
	sea := change{
		plan: goRepo("chart-example/sea", "measures depths", 0, 2, day(2026, 2, 9)),
		pull: pull{number: 34, title: "Fathoms: use the exact fathom"},
	}
	base, _, _, err := t.provide(sea, edit{})
	if err != nil {
		return err
	}
	atlas := change{
		plan: goRepo("chart-example/atlas", "prints charts", 1, 2, day(2026, 2, 11)),
		pull: pull{number: 29, title: "docs: say what a fathom is", body: "As of chart-example/sea#34."},
	}
	atlas.needs = []require{base}
	h, _, err := t.tell(atlas, edit{})
	if err != nil {
		return err
	}
	return t.finish(h)
}

func tellBotBump(t *teller) error {
	return t.goPair(
		change{
			plan: goRepo("cargo-example/crate", "weighs crates", 0, 2, day(2026, 3, 2)),
			pull: pull{number: 25, title: "Gross: empty crates are folded"}, next: "v0.4.0",
		},
		change{
			plan: goRepo("cargo-example/dock", "moves crates", 1, 2, day(2026, 3, 4)),
			pull: pull{number: 28, by: bumpBot, title: "Bump github.com/cargo-example/crate from 0.3.0 to 0.4.0",
				body: "Bumps [github.com/cargo-example/crate](https://github.com/cargo-example/crate) from 0.3.0 to 0.4.0.\n\n" +
					"- Gross: empty crates are folded ([#25](https://github.com/cargo-example/crate/pull/25))"},
		})
}

func tellCopied(t *teller) error {
	for name, text := range maps.Clone(t.files) {
		t.files["choir"+name[len("tone"):]] = text
	}
	tone := change{
		plan: goRepo("bell-example/tone", "sounds bells", 0, 2, day(2026, 2, 16)),
		pull: pull{number: 27, title: "pitch: double the frequency with each octave"},
	}
	if _, _, _, err := t.provide(tone, edit{}); err != nil {
		return err
	}
	choir := change{
		plan: goRepo("bell-example/choir", "leads a choir", 1, 2, day(2026, 2, 18)),
		pull: pull{number: 31, title: "pitch: take the fix of octaves over", body: "Same fix as bell-example/tone#27 for our copy of the package."},
	}
	h, _, err := t.tell(choir, edit{})
	if err != nil {
		return err
	}
	return t.finish(h)
}

func tellReverted(t *teller) error {
	loop := change{
		plan: goRepo("knot-example/loop", "counts crossings of ropes", 0, 2, day(2024, 11, 18)),
		pull: pull{number: 26, title: "Crossings: the last loop is open"},
	}
	loop.goLine, loop.matrix = "1.22", "'1.22', '1.23'"
	h := t.found(loop.plan)
	mark, err := h.takeAndRevert(t, loop, edit{}, 33, "Nets rely on closed loops.")
	if err != nil {
		return err
	}
	base, err := h.tagged(loop.release)
	if err != nil {
		return err
	}
	after, err := h.pseudo(mark, loop.release)
	if err != nil {
		return err
	}
	net := change{
		plan: goRepo("knot-example/net", "makes nets", 1, 2, day(2024, 11, 20)),
		pull: pull{number: 28, title: "Rope: count the two ends", body: "Requires knot-example/loop#26."},
	}
	net.goLine, net.matrix, net.needs = loop.goLine, loop.matrix, []require{base}
	n := t.found(net.plan)
	_, err = n.takeAndRevert(t, net, n.modEdit(net.goLine, after), 34, "Goes with knot-example/loop#33.")
	return err
}

// takeAndRevert brings a change in, takes it out two months later, and
// finishes the repository. It returns the mark of the change.
func (h *history) takeAndRevert(t *teller, c change, further edit, number int, why string) (int, error) {
	c.pull.steps = t.steps(h, c, further)
	before := maps.Clone(h.tree)
	mark, err := h.take(c.pull)
	if err != nil {
		return 0, err
	}
	h.advance(c.quiet.Add(63 * 24 * time.Hour))
	back := edit{write: map[string]string{}}
	for path, text := range h.tree {
		switch old, ok := before[path]; {
		case !ok:
			back.remove = append(back.remove, path)
		case old != text:
			back.write[path] = old
		}
	}
	undo := pull{number: number, title: `Revert "` + numbered(c.pull.title, c.pull.number) + `"`, body: why, steps: []step{{edit: back}}}
	if _, err := h.take(undo); err != nil {
		return 0, err
	}
	h.grow(len(h.queue), h.now.AddDate(0, 1, 0))
	return mark, t.finish(h)
}

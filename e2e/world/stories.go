package world

import (
	"encoding/binary"
	"strings"
	"time"
)

func tellGoBehaviour(t *teller) error {
	t.files["gauge/head/testdata/spring.tide"] = springTide()
	t.files["harbor/base/ports.txt"] = "north pier\nold quay"
	t.files["harbor/head/ports.txt"] = "north pier\nold quay\nfish dock"
	gauge := change{
		plan: goRepo("tide-example/gauge", "reads tide gauges and answers small queries about them", 0, 2, day(2026, 8, 20)),
		pull: pull{number: 31, title: "query: learn the word before", body: "A board that ends at some hour had to sort the readings out by itself."},
	}
	gauge.mirror = true
	base, after, _, err := t.provide(gauge, edit{})
	if err != nil {
		return err
	}
	harbor := change{
		plan: goRepo("tide-example/harbor", "prints the boards of a harbor", 1, 2, day(2026, 8, 22)),
		pull: pull{number: 27, title: "End the board at its horizon",
			body: "The board asks the gauge with `before` now.\n\nDepends-On: https://github.com/tide-example/gauge/pull/31"},
	}
	harbor.needs = []require{base}
	return t.tellHarbor(harbor, after)
}

// tellHarbor tells of the change and of its backport to the release branch.
func (t *teller) tellHarbor(c change, gauge require) error {
	h := t.found(c.plan)
	before := h.tip
	bump := h.modEdit(c.goLine, gauge)
	c.pull.steps = t.steps(h, c, bump)
	if _, err := h.take(c.pull); err != nil {
		return err
	}
	h.advance(h.now.Add(50 * time.Hour))
	back := c.pull
	back.number, back.title = 30, "[release-0.3] "+c.pull.title
	back.body = "Backport of #27 to release-0.3.\n\nNeeds tide-example/gauge#31."
	var err error
	h.at(before, "release-0.3", func() { _, err = h.take(back) })
	if err != nil {
		return err
	}
	h.grow(len(h.queue), h.now.AddDate(0, 1, 0))
	return t.finish(h)
}

// springTide is a recorded tide: pairs of a minute and a height in centimetres.
func springTide() string {
	var b []byte
	for _, v := range []uint16{30, 210, 150, 320, 270, 455, 390, 310, 510, 130, 630, 20, 750, 305} {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return string(b)
}

func tellGoAPI(t *teller) error {
	for _, stage := range []string{"base", "head"} {
		name := "brick/" + stage + "/bonds.csv"
		t.files[name] = strings.ReplaceAll(t.files[name], "\n", "\r\n")
	}
	brick := change{
		plan:  goRepo("mason-example/brick", "lays bricks in courses", 0, 2, day(2026, 9, 24)),
		pull:  pull{number: 29, style: merged, title: "Lay takes a bond", body: "Raking bond was asked for. Lay can fail now, so it returns an error."},
		tests: "Test the bonds", remove: []string{"lay.go"}, next: "v0.4.0",
	}
	brick.license, brick.mirror = "BSD-2-Clause", true
	wall := change{
		plan: goRepo("mason-example/wall", "estimates walls", 1, 2, day(2026, 9, 25)),
		pull: pull{number: 33, style: merged, title: "Plan a wall in any bond",
			body: "Requires mason-example/brick#29, released as v0.4.0."},
		tests: "Test a plan in raking bond",
	}
	return t.goPair(brick, wall, goCmp)
}

func tellGoTriple(t *teller) error {
	wire := change{
		plan: goRepo("post-example/wire", "reads parcels off the wire", 0, 3, day(2026, 8, 24)),
		pull: pull{number: 24, title: "Keep the fields that wire does not know"},
	}
	wire0, wire1, _, err := t.provide(wire, edit{})
	if err != nil {
		return err
	}
	relay := change{
		plan:  goRepo("post-example/relay", "orders parcels for delivery", 1, 3, day(2026, 8, 26)),
		pull:  pull{number: 22, style: rebased, title: "Take urgent parcels first\n\nThe mark comes with post-example/wire#24."},
		tests: "Test the order of urgent parcels", next: "v0.4.0",
	}
	relay.needs, relay.mirror = []require{wire0}, true
	relay0, relay1, _, err := t.provide(relay, (&history{name: relay.name}).modEdit("1.25", wire1))
	if err != nil {
		return err
	}
	desk := change{
		plan: goRepo("post-example/desk", "prints the sheets of postmen", 2, 3, day(2026, 8, 28)),
		pull: pull{number: 26, title: "Mark urgent parcels on the sheet",
			body: "Builds on:\n\n- https://github.com/post-example/wire/pull/24\n- [relay#22](https://github.com/post-example/relay/pull/22)"},
	}
	desk.needs = []require{relay0, wire0}
	h, _, err := t.tell(desk, (&history{name: desk.name}).modEdit("1.25", relay1, wire1))
	if err != nil {
		return err
	}
	return t.finish(h)
}

func tellGoSuperfluous(t *teller) error {
	track := change{
		plan: goRepo("rail-example/track", "describes railway lines", 0, 3, day(2026, 8, 31)),
		pull: pull{number: 23, title: "Keep the grade of a section"}, next: "v0.4.0",
	}
	track0, track1, _, err := t.provide(track, edit{})
	if err != nil {
		return err
	}
	train := change{
		plan: goRepo("rail-example/train", "estimates how long trains take", 1, 3, day(2026, 9, 1)),
		pull: pull{number: 25, title: "Go slower uphill", body: "Depends on rail-example/track#23 for the grade of a section."},
	}
	train.needs = []require{track0}
	train0, train1, _, err := t.provide(train, (&history{name: train.name}).modEdit("1.25", track1))
	if err != nil {
		return err
	}
	whistle := change{
		plan: goRepo("rail-example/whistle", "gives the signals of trains", 2, 3, day(2026, 9, 2)),
		pull: pull{number: 29, title: "Blow twice when a train leaves",
			body: "Goes out with the summer timetable, like rail-example/train#25 and rail-example/track#23, on which it depends."},
	}
	whistle.needs = []require{track0, train0}
	h, _, err := t.tell(whistle, (&history{name: whistle.name}).modEdit("1.25", track1, train1))
	if err != nil {
		return err
	}
	return t.finish(h)
}

func tellOneSide(t *teller) error {
	return t.goPair(
		change{
			plan: goRepo("bakery-example/oven", "converts the heat of ovens", 0, 2, day(2026, 9, 3)),
			pull: pull{number: 28, title: "Round Celsius to the nearest degree"}, next: "v0.3.1",
		},
		change{
			plan: goRepo("bakery-example/menu", "writes recipes", 1, 2, day(2026, 9, 5)),
			pull: pull{number: 30, title: "Let the oven round the heat of a step",
				body: "Needs bakery-example/oven#28. The format of a step is a constant now."},
		})
}

func tellIndependent(t *teller) error {
	return t.goPair(
		change{
			plan: goRepo("garden-example/pond", "measures ponds", 0, 2, day(2026, 9, 7)),
			pull: pull{number: 27, title: "Litres: a pond above the ground holds nothing", body: "Companion of garden-example/shed#32."},
		},
		change{
			plan: goRepo("garden-example/shed", "keeps tools in order", 1, 2, day(2026, 9, 8)),
			pull: pull{number: 32, title: "Shelves: count the one that is not full", body: "Companion of https://github.com/garden-example/pond/pull/27."},
		})
}

func tellLockstep(t *teller) error {
	return t.goPair(
		change{
			plan:  goRepo("clock-example/tick", "counts the swings of a pendulum", 0, 2, day(2026, 9, 9)),
			pull:  pull{number: 26, style: merged, title: "Rename Beat to Pulse", body: "Beat is what musicians count."},
			tests: "Test Minutes", remove: []string{"beat.go"}, next: "v0.4.0",
		},
		change{
			plan: goRepo("clock-example/tower", "rings the bell of a tower", 1, 2, day(2026, 9, 10)),
			pull: pull{number: 29, title: "Follow the rename of tick.Beat", body: "See https://github.com/clock-example/tick/pull/26, which must be merged first."},
		})
}

func tellFlakyBeside(t *teller) error {
	return t.goPair(
		change{
			plan: goRepo("radio-example/band", "knows the bands of the radio", 0, 2, day(2026, 9, 12)),
			pull: pull{number: 30, title: "Step by 9 kHz on long wave"},
		},
		change{
			plan: goRepo("radio-example/tuner", "turns the dial", 1, 2, day(2026, 9, 14)),
			pull: pull{number: 28, title: "Seek by the step of the band", body: "Depends-On: radio-example/band#30\n\nThe noise between stations can be heard too."},
		})
}

func tellFlakyOnly(t *teller) error {
	return t.goPair(
		change{
			plan: goRepo("dice-example/cup", "holds dice", 0, 2, day(2026, 9, 16)),
			pull: pull{number: 24, title: "Faces: a coin is a die of two"},
		},
		change{
			plan: goRepo("dice-example/table", "throws dice", 1, 2, day(2026, 9, 17)),
			pull: pull{number: 26, title: "Throw coins", body: "Requires https://github.com/dice-example/cup/pull/24."},
		})
}

func tellHang(t *teller) error {
	return t.goPair(
		change{
			plan: goRepo("mill-example/sluice", "lets water through", 0, 2, day(2026, 9, 21)),
			pull: pull{number: 32, title: "Shut the gate behind the last litre"},
		},
		change{
			plan: goRepo("mill-example/wheel", "turns the mill", 1, 2, day(2026, 9, 23)),
			pull: pull{number: 27, title: "Turn until the gate shuts", body: "Blocked by mill-example/sluice#32: older gates never shut."},
		})
}

package matrix

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// trace writes the jobs in order, one word each: mask, repetition, and the
// repositories whose targets run.
func trace(w world, runs []Run) string {
	var words []string
	for _, r := range runs {
		word := r.Mask.Name(w.letters())
		if r.Health {
			word = "health"
		}
		if r.Alone {
			word += "!"
		}
		repos := ""
		for i := range w.letters() {
			if r.Repos.Has(i) {
				repos += string(rune('A' + i))
			}
		}
		words = append(words, fmt.Sprintf("%s/%d:%s", word, r.Repetition, repos))
	}
	return strings.Join(words, " ")
}

func TestPlan(t *testing.T) {
	cases := map[string]struct {
		world world
		want  string
	}{
		"a pair by behaviour: everything that decides three times": {
			world{links: "BA", tests: tests{"B u t new": "FFFP"}},
			"A1B1/1:B health/1:B A0B0/1:B A1B1/2:B A1B1/3:B A1B0/1:B A0B1/1:B A0B0/2:B A0B0/3:B A1B0/2:B A1B0/3:B A0B1/2:B A0B1/3:B",
		},
		"a pair by compile errors: those once": {
			world{links: "BA", tests: tests{"B u t new": "CCCP"}},
			"A1B1/1:B health/1:B A0B0/1:B A1B1/2:B A1B1/3:B A1B0/1:B A0B1/1:B",
		},
		"a provider's tests need two masks": {
			world{links: "BA", tests: tests{"A u a new": "OOPP", "B u t new": "CCCP"}},
			"A1B1/1:AB health/1:AB A0B0/1:AB A1B1/2:AB A1B1/3:AB A1B0/1:B A0B1/1:B",
		},
		"a chain of three": {
			world{links: "BA CB", tests: tests{"A u a new": "OOOOPPPP", "B u b new": "OOOOOOPP", "C u t new": "CCCCCCCP"}},
			"A1B1C1/1:ABC health/1:ABC A0B0C0/1:ABC A1B1C1/2:ABC A1B1C1/3:ABC " +
				"A1B0C0/1:BC A0B1C0/1:BC A1B1C0/1:C A0B0C1/1:C A1B0C1/1:C A0B1C1/1:C",
		},
		"two that do not see each other": {
			world{tests: tests{"A u a new": "OOPP", "B u t new": "OPOP"}},
			"A1B1/1:AB health/1:AB A0B0/1:AB A1B1/2:AB A1B1/3:AB",
		},
		"a full mask in which nothing passes ends it": {
			world{links: "BA", tests: tests{"B u t new": "FFFF"}},
			"A1B1/1:B health/1:B",
		},
		"bad base health ends it": {
			world{links: "BA", badBase: true, tests: tests{"B u t changed": "CCCP"}},
			"A1B1/1:B health/1:B",
		},
		"a void mask ends it": {
			world{links: "BA", void: "A1B0", tests: tests{"B u t new": "FFFP"}},
			"A1B1/1:B health/1:B A0B0/1:B A1B1/2:B A1B1/3:B A1B0/1:B A0B1/1:B",
		},
		"disagreement on a shared machine is looked at alone": {
			world{links: "BA", parallel: true, tests: tests{"B u t new": "CCLP"}},
			"A1B1/1:B health/1:B A0B0/1:B A1B1/2:B A1B1/3:B A1B0/1:B A0B1/1:B A1B0/2:B A1B0/3:B A1B0!/4:B A1B0!/5:B A1B0!/6:B",
		},
		"exhaustive: every mask for everyone": {
			world{links: "BA", exhaust: true, tests: tests{"A u a new": "OOPP", "B u t new": "CCCP"}},
			"A1B1/1:AB health/1:AB A0B0/1:AB A1B1/2:AB A1B1/3:AB A1B0/1:AB A0B1/1:AB",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, runs := c.world.verify(t)
			if diff := cmp.Diff(c.want, trace(c.world, runs)); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClosures(t *testing.T) {
	link := func(c, p int) schemas.LinkSpec {
		return schemas.LinkSpec{Consumer: repoName(c), Provider: repoName(p)}
	}
	repos := []schemas.RepoName{repoName(0), repoName(1), repoName(2)}
	cases := map[string]struct {
		links []schemas.LinkSpec
		want  []schemas.Mask
	}{
		"none":               {nil, []schemas.Mask{1, 2, 4}},
		"a chain, backwards": {[]schemas.LinkSpec{link(2, 1), link(1, 0)}, []schemas.Mask{1, 3, 7}},
		"a circle":           {[]schemas.LinkSpec{link(0, 1), link(1, 0)}, []schemas.Mask{3, 3, 4}},
		"two consumers":      {[]schemas.LinkSpec{link(1, 0), link(2, 0)}, []schemas.Mask{1, 3, 5}},
		"another spelling":   {[]schemas.LinkSpec{{Consumer: "O/B", Provider: "O/A"}}, []schemas.Mask{1, 3, 4}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Closures(repos, c.links)); diff != "" {
				t.Errorf("closures (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRecord looks at the whole record of one pair: cells, inferred ones
// marked, mask rows and lists.
func TestRecord(t *testing.T) {
	w := world{links: "BA", sick: []string{"B u sick unchanged"}, tests: tests{
		"A u a new": "OOPP", "B u t new": "CFCP", "B u old unchanged": "CPCP", "B u sick unchanged": "CFCF", "B u skip unchanged": "CSCS", "B v keep unchanged": "PPPP",
	}}
	v, _ := w.verify(t)
	row := func(name string) schemas.TestRow {
		i := slices.IndexFunc(v.Tests, func(r schemas.TestRow) bool { return r.ID == w.id(name) })
		if i < 0 {
			t.Fatalf("no row for %s", name)
		}
		return v.Tests[i]
	}
	type cells []schemas.Cell
	if diff := cmp.Diff(cells{
		{Mask: 0, Outcome: "error", Failure: schemas.FailureCompileOwn},
		{Mask: 1, Outcome: "pass", Inferred: true},
		{Mask: 2, Outcome: "error", Failure: schemas.FailureCompileOwn, Inferred: true},
		{Mask: 3, Outcome: "pass"},
	}, cells(row("A u a new").Cells)); diff != "" {
		t.Errorf("cells of the provider's test (-want +got):\n%s", diff)
	}
	want := schemas.TestRow{ID: "o/b::u::t", Touch: schemas.TouchNew, Needs: []schemas.Mask{3}, Joint: true, Repo: "o/b", Cells: []schemas.Cell{
		{Mask: 0, Outcome: "error", Failure: schemas.FailureCompileSibling},
		{Mask: 1, Outcome: "error", Failure: schemas.FailureCompileSibling},
		{Mask: 2, Outcome: "fail", Failure: schemas.FailureAssertion},
		{Mask: 3, Outcome: "pass"},
	}}
	if diff := cmp.Diff(want, row("B u t new")); diff != "" {
		t.Errorf("row of the joint test (-want +got):\n%s", diff)
	}
	wantMasks := []schemas.MaskRow{
		{Mask: 0, Name: "A0B0", Patched: []schemas.RepoName{}, Runs: 1, Passed: 1, Errored: 5, Outcome: "fail", Failure: schemas.FailureCompileOwn, Detail: "(load): it does not load"},
		{Mask: 1, Name: "A1B0", Patched: []schemas.RepoName{"o/a"}, Runs: 1, Passed: 2, Errored: 4, Outcome: "fail", Failure: schemas.FailureCompileSibling, Detail: "(load): it does not load"},
		{Mask: 2, Name: "A0B1", Patched: []schemas.RepoName{"o/b"}, Runs: 3, Passed: 2, Failed: 2, Errored: 1, Skipped: 1, Outcome: "fail", Failure: schemas.FailureCompileOwn, Detail: "(load): it does not load"},
		{Mask: 3, Name: "A1B1", Patched: []schemas.RepoName{"o/a", "o/b"}, Runs: 3, Passed: 4, Failed: 1, Skipped: 1, Outcome: "pass", Failure: schemas.FailureAssertion, Detail: "sick: got 1, want 2"},
	}
	if diff := cmp.Diff(wantMasks, v.Masks); diff != "" {
		t.Errorf("mask rows (-want +got):\n%s", diff)
	}
	wantHealth := schemas.MaskRow{Name: "health", Patched: []schemas.RepoName{}, Runs: 1, Passed: 3, Failed: 1, Outcome: "fail", Failure: schemas.FailureAssertion, Detail: "sick: got 1, want 2"}
	if diff := cmp.Diff(wantHealth, v.Health); diff != "" {
		t.Errorf("health row (-want +got):\n%s", diff)
	}
	type lists map[string][]schemas.TestID
	if diff := cmp.Diff(lists{
		"f2p": {"o/a::u::a", "o/b::u::old", "o/b::u::t"}, "p2p": {"o/b::v::keep"}, "joint": {"o/b::u::t"}, "single": {"o/a::u::a", "o/b::u::old"}, "flaky": {},
	}, lists{"f2p": v.FailToPass, "p2p": v.PassToPass, "joint": v.Joint, "single": v.SingleSide, "flaky": v.Flaky}); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
}

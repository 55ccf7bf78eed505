package change

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// id makes a commit id of a name.
func id(name string) schemas.CommitSHA {
	return schemas.CommitSHA(fmt.Sprintf("%-40s", strings.ToLower(fmt.Sprintf("%x", name))))
}

// history builds a graph of lines like "b a: subject", children anywhere. The
// author time is the line's number.
func history(t *testing.T, lines ...string) (*Graph, map[string]int32) {
	t.Helper()
	var in []Input
	for i, l := range lines {
		names, subject, _ := strings.Cut(l, ": ")
		f := strings.Fields(names)
		c := Input{Node: Node{SHA: id(f[0]), AuthorTime: int64(i), CommitTime: int64(i), Subject: subject}}
		for _, p := range f[1:] {
			c.Parents = append(c.Parents, id(p))
		}
		in = append(in, c)
	}
	g := NewGraph(in)
	at := map[string]int32{}
	for _, l := range lines {
		name := strings.Fields(strings.Split(l, ": ")[0])[0]
		n, ok := g.At(id(name))
		if !ok {
			t.Fatalf("no commit %s", name)
		}
		at[name] = n
	}
	return g, at
}

// reach is the oracle: everything that a node reaches, by the simplest walk.
func reach(g *Graph, n int32) map[int32]bool {
	seen := map[int32]bool{}
	var walk func(int32)
	walk = func(n int32) {
		if n < 0 || seen[n] {
			return
		}
		seen[n] = true
		for _, p := range g.Nodes[n].Parents {
			walk(p)
		}
	}
	walk(n)
	return seen
}

func TestGraphAgainstTheSimplestWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		var lines []string
		size := 2 + rng.IntN(30)
		for i := range size {
			l := fmt.Sprint("n", i)
			for range rng.IntN(3) {
				if i > 0 {
					l += fmt.Sprint(" n", rng.IntN(i))
				}
			}
			lines = append(lines, l+": s")
		}
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		g, _ := history(t, lines...)
		for range 40 {
			a, b := int32(rng.IntN(size)), int32(rng.IntN(size))
			checkPair(t, g, a, b)
			if t.Failed() {
				t.Fatalf("round %d of\n%s", round, strings.Join(lines, "\n"))
			}
		}
	}
}

func checkPair(t *testing.T, g *Graph, a, b int32) {
	t.Helper()
	ofA, ofB := reach(g, a), reach(g, b)
	want := []int32{}
	common := []int32{}
	for n := range int32(len(g.Nodes)) {
		if ofB[n] && !ofA[n] {
			want = append(want, n)
		}
		if ofA[n] && ofB[n] {
			common = append(common, n)
		}
	}
	got, all := g.Between(a, b, len(g.Nodes)+1)
	slices.Sort(got)
	if !all || !slices.Equal(want, got) {
		t.Errorf("Between(%d, %d): got %v %v, want %v", a, b, got, all, want)
	}
	if g.IsAncestor(a, b) != ofB[a] {
		t.Errorf("IsAncestor(%d, %d): got %v", a, b, !ofB[a])
	}
	base := g.MergeBase(a, b)
	if (base < 0) != (len(common) == 0) || base >= 0 && !slices.Contains(common, base) {
		t.Errorf("MergeBase(%d, %d): got %d of %v", a, b, base, common)
	}
	for _, n := range common {
		if n != base && reach(g, n)[base] {
			t.Errorf("MergeBase(%d, %d): got %d, but %d is a better one", a, b, base, n)
		}
	}
}

func TestBetweenStopsAtTheLimit(t *testing.T) {
	g, at := history(t, "a: 1", "b a: 2", "c b: 3", "d c: 4")
	got, all := g.Between(at["a"], at["d"], 2)
	if diff := cmp.Diff([]int32{at["d"], at["c"]}, got); diff != "" || all {
		t.Errorf("all: %v (-want +got)\n%s", all, diff)
	}
	if got, all := g.Between(-1, at["c"], 9); len(got) != 3 || !all {
		t.Errorf("from the beginning: got %v, %v", got, all)
	}
}

func TestFind(t *testing.T) {
	in := []Input{{Node: Node{SHA: "0123456789abcdef0123456789abcdef01234567"}}, {Node: Node{SHA: "0123456fffffffffffffffffffffffffffffffff"}}}
	g := NewGraph(in)
	for prefix, want := range map[string]bool{"01234567": true, "0123456": false, "012": false, "0123456fff": true, "0123457": false, "ffffffff": false} {
		if _, ok := g.Find(prefix); ok != want {
			t.Errorf("Find(%q): got %v, want %v", prefix, ok, want)
		}
	}
}

func TestPullOfSubject(t *testing.T) {
	for subject, want := range map[string]int{
		"Add oars (#12)":                             12,
		"Add oars (#12) (#13)":                       13,
		"update a to v0.10.0 and b to v0.59.0 (#7)f": 7,
		"Merge pull request #9 from boats/oars":      9,
		"Merge branch 'main' into x":                 0,
		"Fix #12":                                    0,
		`Revert "Add oars (#12)"`:                    0,
		`Revert "Add oars (#12)" (#14)`:              14,
		"Add oars (#)":                               0,
		"Add oars (#99999999999999999999)":           0,
	} {
		if got := PullOfSubject(subject); got != want {
			t.Errorf("PullOfSubject(%q): got %d, want %d", subject, got, want)
		}
	}
}

// show writes changes as "base..head #pull [commits] merge".
func show(s *Set) []string {
	names := func(n int32) string {
		if n < 0 {
			return "-"
		}
		return s.Graph.Nodes[n].Subject[:1]
	}
	var out []string
	for _, c := range s.Changes {
		line := names(c.Base) + ".." + names(c.Head)
		if c.Pull > 0 {
			line += fmt.Sprintf(" #%d", c.Pull)
		}
		line += " "
		for _, n := range c.Nodes {
			line += names(n)
		}
		if c.Merge >= 0 {
			line += " by " + names(c.Merge)
		}
		if c.Main {
			line += " main"
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func TestNewSet(t *testing.T) {
	tests := []struct {
		name  string
		lines []string // subjects begin with the commit's name
		tips  map[string]string
		pulls []Pull
		want  []string
	}{
		{
			name:  "squashed pull requests",
			lines: []string{"a: a", "b a: b (#3)", "c b: c (#12)f"},
			want:  []string{"-..a a main", "a..b #3 b main", "b..c #12 c main"},
		},
		{
			name:  "a number that is an issue",
			lines: []string{"a: a", "b a: b (#3)"},
			pulls: []Pull{{Number: 7}},
			want:  []string{"-..a a main", "a..b b main"},
		},
		{
			name:  "a merged pull request is one change from its merge base",
			lines: []string{"a: a", "x a: x", "y x: y", "b a: b", "m b y: Merge pull request #4 from o/x"},
			tips:  map[string]string{"": "m"},
			want:  []string{"-..a a main", "a..b b main", "a..y #4 yx by M main"},
		},
		{
			name:  "a branch that brings the main line up to date is no change",
			lines: []string{"a: a", "b a: b", "x a: x", "s x b: s Merge branch 'main' into x", "y s: y", "m b y: Merge pull request #4 from o/x"},
			tips:  map[string]string{"": "m"},
			want:  []string{"-..a a main", "a..b b main", "b..y #4 ysx by M main"},
		},
		{
			name:  "a merged release branch is a line of its own",
			lines: []string{"a: a", "x a: x (#5)", "y x: y (#6)", "b a: b", "m b y: Merge branch '2.1'"},
			tips:  map[string]string{"": "m", "2.1": "y"},
			want:  []string{"-..a a main", "a..b b main", "a..x #5 x main", "x..y #6 y main"},
		},
		{
			name:  "a rebased pull request is its commits in a row",
			lines: []string{"a: a", "b a: b", "c b: c", "d c: d", "e d: e"},
			pulls: []Pull{{Number: 8, Head: string(id("gone")), Own: []PullCommit{{3, "d"}, {2, "c"}}}},
			want:  []string{"-..a a main", "a..b b main", "b..d #8 dc main", "d..e e main"},
		},
		{
			name:  "the same commits on a release branch are a change of their own",
			lines: []string{"a: a", "b a: b", "x a: b"},
			tips:  map[string]string{"": "b", "1.x": "x"},
			pulls: []Pull{{Number: 8, Head: string(id("gone")), Own: []PullCommit{{1, "b"}, {2, "b"}}}},
			want:  []string{"-..a a main", "a..b #8 b", "a..b #8 b main"},
		},
		{
			name:  "a fast-forwarded pull request ends where another was made",
			lines: []string{"a: a", "b a: b", "c b: c", "d c: d"},
			pulls: []Pull{{Number: 1, Head: string(id("b"))}, {Number: 2, Head: string(id("d"))}},
			want:  []string{"-..b #1 ba main", "b..d #2 dc main"},
		},
		{
			name:  "GitHub's trial merge says where it began",
			lines: []string{"a: a", "b a: b", "c b: c", "d c: d"},
			pulls: []Pull{{Number: 2, Head: string(id("d")), Onto: string(id("c"))}},
			want:  []string{"-..a a main", "a..b b main", "b..c c main", "c..d #2 d main"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, at := history(t, tt.lines...)
			if tt.tips == nil {
				tt.tips = map[string]string{"": strings.Fields(strings.Split(tt.lines[len(tt.lines)-1], ": ")[0])[0]}
			}
			var tips []Tip
			for _, name := range slices.Sorted(maps.Keys(tt.tips)) {
				tips = append(tips, Tip{name, at[tt.tips[name]]})
			}
			s := NewSet(g, tips, tt.pulls)
			if diff := cmp.Diff(tt.want, show(s)); diff != "" {
				t.Errorf("changes (-want +got)\n%s", diff)
			}
			for i, c := range s.Changes {
				if got, ok := s.Of(c.Head); !ok || got != i {
					t.Errorf("Of(head of %d): got %d, %v", i, got, ok)
				}
			}
		})
	}
}

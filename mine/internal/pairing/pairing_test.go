package pairing

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/mine/internal/facts"
	"crossswe/schemas"
)

// past is a quiet beginning, so that no change begins a history.
func past(commits ...commit) []commit {
	return append([]commit{{name: "z", message: "z: begin", day: -30, author: 99}}, commits...)
}

// wood and boat are the usual provider and consumer.
func wood(commits ...commit) repo {
	return repo{name: "yard/wood", module: "github.com/yard/wood", commits: past(commits...)}
}

func boat(commits ...commit) repo {
	base := commit{name: "y", message: "y: need wood", day: -20, author: 98, needs: "require github.com/yard/wood v1.0.0"}
	return repo{name: "yard/boat", module: "github.com/yard/boat", commits: past(append([]commit{base}, commits...)...)}
}

func TestPlans(t *testing.T) {
	release := commit{name: "r", message: "r: quiet", day: 0, author: 97, tag: "v1.0.0", files: "doc"}
	bend := commit{name: "p", message: "p: bend planks (#3)", day: 5, author: 1, tag: "v1.1.0", fresh: "BendPlank"}
	tests := []struct {
		name  string
		repos []repo
		want  []string
	}{
		{
			name:  "a release that holds one change",
			repos: []repo{wood(release, bend), boat(commit{name: "c", message: "c: bent hulls (#8)", day: 6, author: 1, needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank"})},
			want:  []string{"yard/wood r..p provider, yard/boat y..c consumer"},
		},
		{
			name: "of several changes, the one whose names are used",
			repos: []repo{
				wood(release, commit{name: "q", message: "q: dry planks", day: 2, author: 5, fresh: "DryPlank"}, commit{name: "p", message: "p: bend", day: 3, author: 1, fresh: "BendPlank"},
					commit{name: "s", message: "s: sand", day: 4, author: 6, fresh: "SandPlank", tag: "v1.1.0"}),
				boat(commit{name: "c", message: "c: bent hulls", day: 6, author: 2, needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank"})},
			want: []string{"yard/wood q..p provider, yard/boat y..c consumer"},
		},
		{
			name: "two changes whose names are used become one range",
			repos: []repo{
				wood(release, commit{name: "p", message: "p: bend", day: 2, author: 1, fresh: "BendPlank SteamBox"}, commit{name: "q", message: "q: readme", day: 3, files: "doc"},
					commit{name: "s", message: "s: sand", day: 4, author: 1, fresh: "SandPlank SandPaper", tag: "v1.1.0"}),
				boat(commit{name: "c", message: "c: bent hulls", day: 6, author: 2, needs: "require github.com/yard/wood v1.1.0", fresh: "BendPlank SteamBox SandPlank SandPaper"})},
			want: []string{"yard/wood r..s provider, yard/boat y..c consumer"},
		},
		{
			name: "a pseudo-version names the commit, and the base's pin the beginning",
			repos: []repo{
				wood(release, commit{name: "q", message: "q: dry", day: 2, author: 5}, commit{name: "p", message: "p: bend", day: 3, author: 1, fresh: "BendPlank"}, commit{name: "s", message: "s: later", day: 4}),
				boat(commit{name: "x", message: "x: pin", day: 1, files: "manifest", needs: "require github.com/yard/wood v1.0.1-0.20260101000000-" + string(sha("yard/wood", "r"))[:12]},
					commit{name: "c", message: "c: bent", day: 6, author: 2, needs: "require github.com/yard/wood v1.0.1-0.20260104000000-" + string(sha("yard/wood", "p"))[:12]})},
			want: []string{"yard/wood r..p provider, yard/boat x..c consumer"},
		},
		{
			name: "a reference in a message, without any manifest",
			repos: []repo{{name: "yard/glue", commits: past(commit{name: "p", message: "p: cure (#3)", day: 2, author: 1, fresh: "CureGlue"})},
				{name: "yard/chair", commits: past(commit{name: "c", message: "c: glued\n\nDepends-On: yard/glue#3", day: 9, author: 2, uses: "CureGlue"})}},
			want: []string{"yard/glue z..p provider, yard/chair z..c consumer"},
		},
		{
			name: "the provider says who needs it, and lands later",
			repos: []repo{{name: "yard/glue", commits: past(commit{name: "p", message: "p: cure\n\nNeeded by yard/chair#8", day: 9, author: 1})},
				{name: "yard/chair", commits: past(commit{name: "c", message: "c: glued (#8)", day: 2, author: 2})}},
			want: []string{"yard/glue z..p provider, yard/chair z..c consumer"},
		},
		{
			name: "both name a third issue",
			repos: []repo{{name: "yard/glue", commits: past(commit{name: "p", message: "p: cure yard/chair#5", day: 2, author: 1, fresh: "CureGlue"})},
				{name: "yard/chair", commits: past(commit{name: "c", message: "c: glued\n\nCloses #5", day: 3, author: 1, uses: "CureGlue"})}},
			want: []string{"yard/glue z..p provider, yard/chair z..c consumer"},
		},
		{
			name: "a former name of the provider",
			repos: []repo{{name: "yard/wood", module: "github.com/old-yard/wood", commits: past(release, bend)},
				{name: "yard/boat", module: "m", commits: past(
					commit{name: "y", message: "y: base", needs: "require github.com/old-yard/wood v1.0.0"},
					commit{name: "c", message: "c: bent\n\nSee old-yard/wood#3", day: 6, author: 1, needs: "require github.com/old-yard/wood v1.1.0"})}},
			want: []string{"yard/wood r..p provider, yard/boat y..c consumer"},
		},
		{
			name: "a consumer of a consumer makes one candidate of three",
			repos: []repo{wood(release, bend),
				boat(commit{name: "c", message: "c: bent (#4)", day: 6, author: 1, tag: "v2.0.0", needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank", fresh: "BentHull"}),
				{name: "yard/fleet", module: "github.com/yard/fleet", commits: past(commit{name: "f", message: "f: bent fleet\n\nDepends-On: yard/boat#4", day: 7, author: 1, uses: "BentHull"})}},
			want: []string{"yard/wood r..p provider, yard/boat y..c both, yard/fleet z..f consumer"},
		},
		{
			name: "two consumers of one provider are two candidates",
			repos: []repo{wood(release, bend),
				boat(commit{name: "c", message: "c: bent", day: 6, author: 1, needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank"}),
				{name: "yard/cart", module: "github.com/yard/cart", commits: past(commit{name: "d", message: "d: bent wheels\n\nDepends-On: yard/wood#3", day: 8, author: 3, uses: "BendPlank"})}},
			want: []string{"yard/wood r..p provider, yard/boat y..c consumer", "yard/wood r..p provider, yard/cart z..d consumer"},
		},
		{
			name: "a change on a tag beside every branch",
			repos: []repo{{name: "yard/wood", module: "github.com/yard/wood", commits: []commit{{name: "r", message: "r: begin", day: -9, tag: "v1.0.0"}, {name: "n", message: "n: next", day: 1}},
				side: []commit{{name: "p", message: "p: bend", day: 2, author: 1, fresh: "BendPlank", tag: "v1.0.1"}}},
				boat(commit{name: "c", message: "c: bent", day: 6, author: 1, needs: "require github.com/yard/wood v1.0.1", uses: "BendPlank"})},
			want: []string{"yard/wood r..p provider, yard/boat y..c consumer"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, tt.repos...)
			var got []string
			for _, p := range l.judge() {
				got = append(got, l.show(p))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plans (-want +got)\n%s\ndrops: %v", diff, l.drops)
			}
		})
	}
}

func TestDrops(t *testing.T) {
	release := commit{name: "r", message: "r: quiet", day: 0, author: 97, tag: "v1.0.0", files: "doc"}
	bend := commit{name: "p", message: "p: bend planks (#3)", day: 5, author: 1, tag: "v1.1.0", fresh: "BendPlank", print: "A"}
	provider := wood(release, bend)
	bump := "require github.com/yard/wood v1.1.0"
	mention := func(c commit) repo {
		if c.message == "" {
			c.message = "c: bent"
		}
		c.message += "\n\nDepends-On: yard/wood#3"
		c.name, c.day = "c", 8
		return boat(c)
	}
	tests := []struct {
		name   string
		repos  []repo
		reason schemas.DropReason
	}{
		{"a bot's bump", []repo{provider, boat(commit{name: "c", message: "c: bump", day: 8, bot: true, files: "manifest lock", needs: bump})}, schemas.DropBotBump},
		{"a bot's quotation", []repo{provider, boat(commit{name: "c", message: "c: bump\n\nyard/wood#3", day: 8, bot: true})}, schemas.DropBotBump},
		{"a person's bump without code", []repo{provider, boat(commit{name: "c", message: "c: bump", day: 8, files: "manifest lock", needs: bump})}, schemas.DropManifestOnly},
		{"documentation", []repo{provider, mention(commit{files: "doc manifest"})}, schemas.DropDocsOnly},
		{"an example", []repo{provider, mention(commit{files: "example manifest"})}, schemas.DropDocsOnly},
		{"comments in code", []repo{provider, mention(commit{files: "source", silent: true})}, schemas.DropDocsOnly},
		{"tests that live elsewhere", []repo{provider, mention(commit{files: "test"})}, schemas.DropTestsOnly},
		{"continuous integration", []repo{provider, mention(commit{files: "config"})}, schemas.DropConfigOnly},
		{"a vendored copy", []repo{provider, mention(commit{files: "vendored"})}, schemas.DropVendoring},
		{"a release", []repo{provider, boat(commit{name: "c", message: "release: cut v1.24.1 (#7)", day: 8, needs: bump})}, schemas.DropRelease},
		{"a revert", []repo{provider, mention(commit{message: `Revert "c: bent (#7)"`})}, schemas.DropRevert},
		{"a backport of its own", []repo{provider, mention(commit{message: "c: bent\n\n(cherry picked from commit " + string(sha("yard/boat", "y")) + ")"})}, schemas.DropBackport},
		{"a backport of the other's", []repo{provider, boat(commit{name: "c", message: "c: bent\n\nBackport of yard/wood#3", day: 8})}, schemas.DropBackport},
		{"the same patch in both", []repo{provider, mention(commit{print: "A"})}, schemas.DropCopy},
		{"a link to a file", []repo{provider, boat(commit{name: "c", message: "c: bent\n\nhttps://github.com/yard/wood/blob/main/plank.go#L3", day: 8})}, schemas.DropMention},
		{"an issue", []repo{provider, boat(commit{name: "c", message: "c: bent\n\nFixes yard/wood#77", day: 8})}, schemas.DropNoChange},
		{"a range", []repo{provider, boat(commit{name: "c", message: "c: bent\n\nhttps://github.com/yard/wood/compare/v1.0.0...v1.1.0", day: 8})}, schemas.DropNoChange},
		{"a repository that is not at hand", []repo{provider, boat(commit{name: "c", message: "c: bent\n\nDepends-On: other/place#3", day: 8})}, schemas.DropUnresolved},
		{"a version without a commit", []repo{provider, boat(commit{name: "c", message: "c: bent", day: 8, needs: "require github.com/yard/wood v1.9.0"})}, schemas.DropUnresolved},
		{"merges too far apart", []repo{provider, boat(commit{name: "c", message: "c: bent\n\nDepends-On: yard/wood#3", day: 90})}, schemas.DropOutOfWindow},
		{"before the window", []repo{wood(release, commit{name: "p", message: "p: (#3)", day: -12}), boat(commit{name: "c", message: "c: bent\n\nDepends-On: yard/wood#3", day: -10})}, schemas.DropOutOfWindow},
		{"the beginning of the other's history", []repo{{name: "yard/wood", commits: []commit{{name: "p", message: "p: import (#3)", day: 5}}}, mention(commit{})}, schemas.DropCopy},
		{"code moved out", []repo{provider, {name: "yard/mill", module: "m", commits: past(commit{name: "c", message: "c: use wood", day: 8, needs: bump, lines: [2]int{5, 900}})}}, schemas.DropCopy},
		{"a new dependency on a new package", []repo{provider, {name: "yard/mill", module: "m", commits: past(commit{name: "c", message: "c: use wood", day: 8, needs: bump})}}, schemas.DropNoChange},
		{"a mass rewrite", []repo{provider, mention(commit{files: strings.Repeat("source ", manySources+1)})}, schemas.DropTooLarge},
		{"nothing but a title", []repo{{name: "yard/glue", commits: past(commit{name: "p", message: "p: turn everything upside down", day: 2, author: 1})},
			{name: "yard/chair", commits: past(commit{name: "c", message: "p: turn everything upside down", day: 3, author: 1})}}, schemas.DropLowScore},
		{"a fork", []repo{
			{name: "yard/wood", commits: []commit{{name: "a", message: "a: 1", sha: strings.Repeat("a", 40)}, {name: "b", message: "b: 2", day: 1, sha: strings.Repeat("b", 40)}, {name: "p", message: "p: bend (#3)", day: 2}}},
			{name: "fork/wood", commits: []commit{{name: "a", message: "a: 1", sha: strings.Repeat("a", 40)}, {name: "b", message: "b: 2", day: 1, sha: strings.Repeat("b", 40)}, {name: "c", message: "c: as in yard/wood#3", day: 3}}},
		}, schemas.DropFork},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, tt.repos...)
			for _, p := range l.judge() {
				t.Errorf("a candidate: %s", l.show(p))
			}
			got := map[schemas.DropReason]bool{}
			for _, d := range l.drops {
				got[d.Reason] = true
				if d.Detail == "" {
					t.Errorf("%s has no detail", d.ID)
				}
			}
			if !got[tt.reason] {
				t.Errorf("got %v, want %s", l.drops, tt.reason)
			}
		})
	}
}

func TestCommitsOfAnotherRepositoryAreNobodysChange(t *testing.T) {
	shared := func(name string, day int) commit {
		return commit{name: name, message: name + ": shared", day: day, sha: strings.Repeat(name, 40)}
	}
	big := repo{name: "yard/big", commits: []commit{shared("a", -3), shared("b", -2), {name: "x", message: "x: own", day: -1}, {name: "y", message: "y: own", day: 0}, {name: "c", message: "c: as yard/small@" + strings.Repeat("b", 40), day: 1}, {name: "w", message: "w: own", day: 2}}}
	small := repo{name: "yard/small", commits: []commit{shared("a", -3), shared("b", -2), {name: "s", message: "s: own", day: 0}}}
	l := newLab(t, big, small)
	if plans := l.judge(); len(plans) != 0 {
		t.Errorf("got %d candidates", len(plans))
	}
	if d, ok := l.drops["yard/big ⊃ yard/small"]; !ok || d.Reason != schemas.DropCopy {
		t.Errorf("drops: got %v", l.drops)
	}
}

func TestACommitThatIsImportedLaterIsStillTheOthers(t *testing.T) {
	p := commit{name: "p", message: "p: cure", day: 0, author: 1, sha: strings.Repeat("c", 40), fresh: "CureGlue"}
	l := newLab(t,
		repo{name: "yard/small", commits: []commit{{name: "a", message: "a: begin", day: -3}, p}},
		repo{name: "yard/big", commits: past(commit{name: "c", message: "c: with yard/small@" + p.sha, day: 1, author: 1, uses: "CureGlue"}, commit{name: "w", message: "w: own", day: 2}),
			side: []commit{p}})
	var got []string
	for _, plan := range l.judge() {
		got = append(got, l.show(plan))
	}
	if diff := cmp.Diff([]string{"yard/small a..p provider, yard/big z..c consumer"}, got); diff != "" {
		t.Errorf("plans (-want +got)\n%s\ndrops: %v", diff, l.drops)
	}
}

func TestScoreIsTheSumOfItsParts(t *testing.T) {
	l := newLab(t,
		wood(commit{name: "r", message: "r: quiet", tag: "v1.0.0", files: "doc", author: 5}, commit{name: "p", message: "p: let BendPlank steam (#3)", day: 5, author: 1, tag: "v1.1.0", fresh: "BendPlank"}),
		boat(commit{name: "c", message: "c: use BendPlank\n\nDepends-On: yard/wood#3", day: 6, author: 1, needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank"}))
	plans := l.judge()
	if len(plans) != 1 {
		t.Fatalf("got %d plans; drops %v", len(plans), l.drops)
	}
	var names []string
	sum := 0.0
	for _, p := range plans[0].Score.Parts {
		names = append(names, p.Name)
		sum += p.Value
		if p.Detail == "" {
			t.Errorf("%s has no detail", p.Name)
		}
	}
	want := []string{"shared_new_identifiers", "stated_dependency", "version_interval", "both_sides_change_code", "consumer_tests", "close_in_time", "title_identifier", "same_author", "made_for_it", "depends"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("parts (-want +got)\n%s", diff)
	}
	if d := sum - plans[0].Score.Total; d > 1e-6 || d < -1e-6 {
		t.Errorf("total: got %v, the parts give %v", plans[0].Score.Total, sum)
	}
}

func TestASharedNewNameBeatsEveryOtherSingleSign(t *testing.T) {
	if mostIdentifiers <= max(weightStated, weightExact, weightNarrow, weightTitle, weightMention, weightCommonRef) {
		t.Error("shared new identifiers are to be the strongest part")
	}
}

func TestKnownNamesAreNotNew(t *testing.T) {
	l := newLab(t,
		wood(commit{name: "r", message: "r: quiet", tag: "v1.0.0", files: "doc"}, commit{name: "p", message: "p: bend", day: 5, tag: "v1.1.0", fresh: "BendPlank"}),
		boat(commit{name: "c", message: "c: use", day: 6, needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank"}))
	for _, f := range l.Facts {
		f.Known = map[facts.Word]bool{l.Vocabulary.Words("BendPlank")[0]: true}
	}
	for _, p := range l.judge() {
		for _, part := range p.Score.Parts {
			if part.Name == "shared_new_identifiers" {
				t.Errorf("got %+v", part)
			}
		}
	}
}

func TestOrderKeepsGoingInACircle(t *testing.T) {
	needs := map[string]string{"a": "b", "b": "a", "c": "a"}
	got := Order([]string{"c", "b", "a"}, func(s string) string { return s }, func(a, b string) bool { return needs[a] == b })
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTheSameWorldGivesTheSamePlans(t *testing.T) {
	build := func() (out []string) {
		l := newLab(t,
			wood(commit{name: "r", message: "r: quiet", tag: "v1.0.0", files: "doc"}, commit{name: "p", message: "p: bend (#3)", day: 5, tag: "v1.1.0", fresh: "BendPlank SteamBox"}, commit{name: "q", message: "q: (#4)", day: 6, fresh: "DryPlank"}),
			boat(commit{name: "c", message: "c: use yard/wood#4", day: 6, needs: "require github.com/yard/wood v1.1.0", uses: "BendPlank SteamBox DryPlank"}, commit{name: "d", message: "d: yard/wood#3", day: 7}))
		for _, p := range l.judge() {
			out = append(out, l.show(p))
			for _, part := range p.Score.Parts {
				out = append(out, part.Name+" "+part.Detail)
			}
		}
		return out
	}
	first := build()
	for deadline := time.Now().Add(200 * time.Millisecond); time.Now().Before(deadline); {
		if diff := cmp.Diff(first, build()); diff != "" {
			t.Fatalf("-first +again\n%s", diff)
		}
	}
}

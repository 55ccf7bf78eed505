package crossref

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someSHA = "0123456789abcdef0123456789abcdef01234567"

// describe writes what matters of a reference in one line, so that a table can
// hold whole results.
func describe(ref Reference) string {
	parts := []string{string(ref.Kind), ref.String()}
	for _, f := range []struct{ name, value string }{
		{"rel", string(ref.Rel)}, {"sub", ref.Sub}, {"anchor", ref.Anchor}, {"module", ref.Module},
	} {
		if f.value != "" {
			parts = append(parts, f.name+"="+f.value)
		}
	}
	if ref.Kind == KindPull && ref.SHA != "" {
		parts = append(parts, "sha="+ref.SHA)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"local", ref.Local}, {"bot", ref.BotNoise}, {"code", ref.InCode}, {"quoted", ref.Quoted}, {"low", ref.LowConfidence}} {
		if f.set {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(parts, " ")
}

type findCase struct {
	name, text string
	want       []string
}

// checkFind runs the cases in acme/app, with the first line no subject.
func checkFind(t *testing.T, opt Options, cases []findCase) {
	t.Helper()
	opt.Context = "acme/app"
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, ref := range Find([]byte(c.text), opt) {
				got = append(got, describe(ref))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestWholeReference(t *testing.T) {
	got := Find([]byte("> see `https://github.com/Acme/Core/blob/v1.2.0/a/b.go#L3-L9`"), Options{Context: "acme/app"})
	want := []Reference{{
		Kind: KindFile, Host: "github.com", Owner: "Acme", Repo: "Core", Ref: "v1.2.0", Path: "a/b.go", Lines: "L3-L9",
		Rel: RelRefs, InCode: true, Quoted: true, Start: 7, End: 60,
		Text: "https://github.com/Acme/Core/blob/v1.2.0/a/b.go#L3-L9",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Find (-want +got):\n%s", diff)
	}
}

func TestNumbers(t *testing.T) {
	checkFind(t, Options{Names: []string{"core"}}, []findCase{
		{"bare", "#12", []string{"issue_or_pull acme/app#12 local"}},
		{"bare in punctuation", "(#12), [#13]. *#14* “#15”", []string{"issue_or_pull acme/app#12 local",
			"issue_or_pull acme/app#13 local", "issue_or_pull acme/app#14 local", "issue_or_pull acme/app#15 local"}},
		{"escaped bare", `\#12`, []string{"issue_or_pull acme/app#12 local"}},
		{"between Chinese words", "修复#12的问题", []string{"issue_or_pull acme/app#12 local"}},
		{"glued to a foreign word", "é#12", nil},
		{"leading zero", "#012", nil},
		{"colour", "#12ab34", nil},
		{"heading", "##12", nil},
		{"HTML entity", "don&#39;t", nil},
		{"version", "#1.2", nil},
		{"too long", "#99999999999999999999999", nil},
		{"ten digits", "#1234567890", nil},
		{"GH in any case", "gh-12 GH-13 GH14 GH 15", []string{"issue_or_pull acme/app#12 local", "issue_or_pull acme/app#13 local",
			"issue_or_pull acme/app#14 local low", "issue_or_pull acme/app#15 local low"}},
		{"GH within a name", "high-12 xGH14 a-gh-3", nil},
		{"words glued to the mark", "PR#12 issue#13 fixes#14", []string{"pull acme/app#12 local low",
			"issue_or_pull acme/app#13 local low", "issue_or_pull acme/app#14 rel=closes local low"}},
		{"PR in words", "pull request #12, PR 13, pull request 14", []string{"pull acme/app#12 local",
			"pull acme/app#13 local low", "pull acme/app#14 local low"}},
		{"a PR counted", "PR 1 of 3, PR 1/3", nil},
		{"owner and repository", "acme/core#9", []string{"issue_or_pull acme/core#9"}},
		{"the context by its full name", "Acme/App#9", []string{"issue_or_pull Acme/App#9 local"}},
		{"dots and underscores", "a-1/b_c.d-e#9", []string{"issue_or_pull a-1/b_c.d-e#9"}},
		{"emphasis", "_acme/core#9_ **acme/core#8** acme/core#7_x", []string{"issue_or_pull acme/core#9", "issue_or_pull acme/core#8"}},
		{"path of three", "x/acme/core#9", nil},
		{"scoped package", "@acme/core#9", nil},
		{"no owner", "/core#9", nil},
		{"zero width before the mark", "acme/core\u200b#9", []string{"issue_or_pull acme/core#9 bot"}},
		{"zero width entity", "acme/core#&#8203;9", []string{"issue_or_pull acme/core#9 bot"}},
		{"name alone", "dask#7", []string{"issue_or_pull dask#7 low"}},
		{"place in a document", "README.md#7 index.html#2", nil},
		{"blank before the mark, same owner", "acme/core #9", []string{"issue_or_pull acme/core#9 low"}},
		{"blank before the mark, any words", "and/or #9", []string{"issue_or_pull acme/app#9 local"}},
		{"known name in words", "core issue #9, core PR 8", []string{"issue_or_pull core#9 low", "pull core#8 low"}},
		{"unknown name in words", "flaky issue #9", []string{"issue_or_pull acme/app#9 local"}},
		{"repository and number", "fixes core/12, src/12, 24/70", []string{"issue_or_pull core#12 low"}},
		{"other forges", "acme/core!9 acme/core&3", nil},
	})
}

func TestCommits(t *testing.T) {
	checkFind(t, Options{}, []findCase{
		{"with repository", "acme/core@abcdef1", []string{"commit acme/core@abcdef1"}},
		{"upper case", "acme/core@ABCDEF1", []string{"commit acme/core@abcdef1"}},
		{"too short", "acme/core@abcdef", nil},
		{"a tag", "actions/checkout@v4", nil},
		{"an address", "dev@1234567.example", nil},
		{"bare", someSHA, []string{"commit acme/app@" + someSHA + " local"}},
		{"41 digits", someSHA + "8", nil},
		{"within a name", "x_" + someSHA, nil},
		{"short after commit", "since commit abcdef12", []string{"commit acme/app@abcdef12 local low"}},
		{"short alone", "abcdef12", nil},
		{"kernel trailer", "Fixes: abcdef123456 (\"x\")", []string{"commit acme/app@abcdef123456 local low"}},
		{"variable", "REV=" + someSHA, []string{"commit " + someSHA + " low"}},
		{"submodule", "+Subproject commit " + someSHA, []string{"commit " + someSHA + " low"}},
		{"checksum", "sha1: " + someSHA, nil},
		{"change id", "Change-Id: I" + someSHA, nil},
		{"cherry pick", "(cherry picked from commit " + someSHA + ")", []string{"commit acme/app@" + someSHA + " rel=backport_of local"}},
		{"revert", "This reverts commit " + someSHA + ".", []string{"commit acme/app@" + someSHA + " local"}},
	})
}

func TestAddresses(t *testing.T) {
	const core = "https://github.com/acme/core"
	checkFind(t, Options{}, []findCase{
		{"repository", core + " " + core + ".git " + core + "/ " + core + "?tab=x", []string{"repo acme/core", "repo acme/core",
			"repo acme/core", "repo acme/core"}},
		{"anchor", core + "#readme", []string{"repo acme/core anchor=readme"}},
		{"anchor that is a number", "github.com/acme/core#999", []string{"issue_or_pull acme/core#999"}},
		{"host in capitals", "HTTPS://GitHub.COM/acme/core/pull/9", []string{"pull acme/core#9"}},
		{"user in front", "https://x-token:abc@github.com/acme/core/pull/9", []string{"pull acme/core#9"}},
		{"ssh", "ssh://git@github.com/acme/core.git git@github.com:acme/core", []string{"repo acme/core", "repo acme/core"}},
		{"ssh with a colon", "ssh://git@github.com:acme/core.git", []string{"repo acme/core"}},
		{"issue pages", core + "/issues/9 " + core + "/issues/new " + core + "/issues?q=9", []string{"issue_or_pull acme/core#9"}},
		{"pull pages", core + "/pull/9/files#diff-1 " + core + "/pull/9.diff " + core + "/pull/9/commits/abcdef1",
			[]string{"pull acme/core#9 sub=files anchor=diff-1", "pull acme/core#9 sub=diff", "pull acme/core#9 sub=commits sha=abcdef1"}},
		{"pull without number", core + "/pulls " + core + "/pulls/somedev " + core + "/pull/new/topic", nil},
		{"commit pages", core + "/commit/abcdef1.patch " + core + "/commits/main " + core + "/commit/main",
			[]string{"commit acme/core@abcdef1 sub=patch", "tree acme/core@main"}},
		{"compare", core + "/compare/v1..v2 " + core + "/compare/v1...dev:topic/x.diff " + core + "/compare/topic",
			[]string{"compare acme/core@v1...v2", "compare acme/core@v1...dev:topic/x sub=diff", "compare acme/core@...topic"}},
		{"files", core + "/blob/main/a/b.go?plain=1#L4 " + core + "/raw/" + someSHA + "/c " + core + "/blob/main",
			[]string{"file acme/core@main:a/b.go#L4", "file acme/core@" + someSHA + ":c"}},
		{"raw host", "https://raw.githubusercontent.com/acme/core/refs/heads/main/a.go", []string{"file acme/core@main:a.go"}},
		{"trees", core + "/tree/main/sub " + core + "/archive/" + someSHA + ".zip " + core + "/releases/tag/v1.2",
			[]string{"tree acme/core@main:sub", "tree acme/core@" + someSHA, "tree acme/core@v1.2"}},
		{"download hosts", "https://codeload.github.com/acme/core/tar.gz/v1 https://patch-diff.githubusercontent.com/raw/acme/core/pull/9.patch",
			[]string{"tree acme/core@v1", "pull acme/core#9 sub=patch"}},
		{"api", "https://api.github.com/repos/acme/core/commits/abcdef1 https://api.github.com/users/acme", []string{"commit acme/core@abcdef1"}},
		{"discussion", core + "/discussions/9", []string{"discussion acme/core#9"}},
		{"run", core + "/actions/runs/99999999999 " + core + "/actions/workflows/ci.yml " + core + "/actions/runs/99999999999999999999",
			[]string{"actions_run acme/core/actions/runs/99999999999"}},
		{"other pages", core + "/wiki " + core + "/security/advisories/GHSA-1 " + core + "/labels/bug " + core + "/milestone/3", nil},
		{"pages that are no owner", "https://github.com/orgs/acme https://github.com/settings/tokens https://github.com/marketplace/core " +
			"https://github.com/sponsors/dev https://github.com/features/actions https://github.com/apps/bot https://github.com/topics/go", nil},
		{"owner only", "https://github.com/acme https://github.com/", nil},
		{"owner called as a page is", "https://github.com/actions/checkout", []string{"repo actions/checkout"}},
		{"hosts that only look alike", "https://notgithub.com/a/b https://github.com.example.org/a/b https://a.github.io/b xgithub.com/a/b", nil},
		{"other host hides what is in it", "https://example.org/acme/core#9 https://example.org/x#12", nil},
		{"enterprise host not configured", "https://" + enterpriseHost + "/team/core/pull/9", nil},
		{"closing marks", "(see <" + core + "/pull/1>), [x](" + core + "/pull/2). “" + core + "/pull/3”",
			[]string{"pull acme/core#1 rel=refs", "pull acme/core#2", "pull acme/core#3"}},
		{"balanced parentheses", core + "/blob/main/a(b).go)", []string{"file acme/core@main:a(b).go"}},
		{"two glued together", core + "/pull/1," + core + "/pull/2", []string{"pull acme/core#1", "pull acme/core#2"}},
		{"zero width behind", core + "/pull/1\u200b2", []string{"pull acme/core#1"}},
		{"import path", "github.com/acme/core/v2/queue", []string{"repo acme/core:queue"}},
		{"short path", "acme/core/pull/9 acme/core/commit/abcdef1 a/acme/core/pull/9", []string{"pull acme/core#9", "commit acme/core@abcdef1"}},
		{"label of a link", "[acme/core#9](" + core + "/pull/9) [#8](https://example.org) [#7]", []string{"pull acme/core#9",
			"issue_or_pull acme/app#7 local"}},
		{"label of an HTML link", `<a href="` + core + `/pull/9">#9</a> #3`, []string{"pull acme/core#9", "issue_or_pull acme/app#3 local"}},
		{"bot's metadata", "- dependency-name: github.com/acme/core", []string{"repo acme/core bot"}},
	})
	checkFind(t, Options{Hosts: []string{enterpriseHost}}, []findCase{
		{"enterprise page", "https://" + enterpriseHost + "/team/core/pull/9", []string{"pull " + enterpriseHost + "/team/core#9"}},
		{"enterprise api", "https://" + enterpriseHost + "/api/v3/repos/team/core/pulls/9", []string{"pull " + enterpriseHost + "/team/core#9"}},
	})
}

func TestManifestsAndTickets(t *testing.T) {
	const version = "v0.0.0-20260102030405-abcdef123456"
	checkFind(t, Options{}, []findCase{
		{"module in a directory", "github.com/acme/core/api/v2 v2.0.0-20260102030405-abcdef123456",
			[]string{"module_version acme/core@abcdef123456:api module=github.com/acme/core/api/v2"}},
		{"replace", "github.com/acme/core => github.com/dev/core " + version,
			[]string{"repo acme/core", "module_version dev/core@abcdef123456 module=github.com/dev/core"}},
		{"at", "go get github.com/acme/core/sub@" + version,
			[]string{"module_version acme/core@abcdef123456:sub module=github.com/acme/core/sub"}},
		{"from and to", "Bump github.com/acme/core from " + version + " to v0.0.0-20260203040506-abcdef654321",
			[]string{"module_version acme/core@abcdef123456 module=github.com/acme/core", "module_version acme/core@abcdef654321 module=github.com/acme/core"}},
		{"module of another host", "example.org/x/core " + version, []string{"module_version example.org/x/core@abcdef123456 module=example.org/x/core"}},
		{"no version", "20260102030405-abcdef123456 v0-20260102030405-abcdef123456", nil},
		{"npm branch", `"core": "acme/core#next"`, []string{"repo acme/core@next low"}},
		{"npm commit", `"core": "github:acme/core#` + someSHA + `"`, []string{"commit acme/core@" + someSHA + " low"}},
		{"npm over ssh", "git+ssh://git@github.com/acme/core.git#v1.0.0", []string{"repo acme/core@v1.0.0"}},
		{"quoted issue", `"acme/core#12"`, []string{"issue_or_pull acme/core#12"}},
		{"pip branch", "core @ git+https://github.com/acme/core@topic/x#egg=core", []string{"repo acme/core@topic/x anchor=egg=core"}},
		{"cargo branch", "core = { git = \"https://github.com/acme/core\", branch = \"next\" }", []string{"repo acme/core@next"}},
		{"cargo table", "git = \"https://github.com/acme/core\"\nrev = \"abcdef1\"\n", []string{"commit acme/core@abcdef1"}},
		{"cargo without revision", "git = \"https://github.com/acme/core\" }\nrev = \"abcdef1\"", []string{"repo acme/core"}},
		{"tickets", "NODE-12, [AB2-3] feature/XY-4", []string{"ticket NODE-12", "ticket AB2-3", "ticket XY-4"}},
		{"ticket page", "https://jira.example.org/browse/NODE-12", []string{"ticket NODE-12"}},
		{"standards", "UTF-8 SHA-256 ISO-8601 CVE-2024-1234 RFC-793 X-1 Node-12 A-NODE-3 NODE-012", nil},
	})
}

func TestWhatIsRendered(t *testing.T) {
	cases := []findCase{
		{"fence", "```\n#1\n```\n#2", []string{"issue_or_pull acme/app#2 local"}},
		{"tildes around backticks", "~~~ text\n#1\n```\n#2\n~~~\n#3", []string{"issue_or_pull acme/app#3 local"}},
		{"longer fence", "````\n```\n#1\n````\n#2", []string{"issue_or_pull acme/app#2 local"}},
		{"open fence", "#1\n```\n#2", []string{"issue_or_pull acme/app#1 local"}},
		{"fence in a quote", "> ```\n> #1\n#2", []string{"issue_or_pull acme/app#2 local"}},
		{"fence in a list", "- x\n  ```\n  #1\n  ```\n- #2", []string{"issue_or_pull acme/app#2 local"}},
		{"inline code of three marks", "```#1``` #2", []string{"issue_or_pull acme/app#1 local code", "issue_or_pull acme/app#2 local"}},
		{"inline code", "`` a`#1 `` #2 ` #3", []string{"issue_or_pull acme/app#1 local code", "issue_or_pull acme/app#2 local",
			"issue_or_pull acme/app#3 local"}},
		{"indented", "x\n\n    #1\n\ny\n    #2", []string{"issue_or_pull acme/app#1 local code", "issue_or_pull acme/app#2 local"}},
		{"quoted", "> #1\n\n#2", []string{"issue_or_pull acme/app#1 local quoted", "issue_or_pull acme/app#2 local"}},
		{"comment over lines", "a <!-- #1\n#2\n--> #3", []string{"issue_or_pull acme/app#3 local"}},
		{"comment in code", "`<!--` #1", []string{"issue_or_pull acme/app#1 local"}},
		{"open comment", "<!-- #1\n#2", nil},
		{"open comment within a line", "a <!-- #1", []string{"issue_or_pull acme/app#1 local"}},
		{"words in a comment", "<!-- Depends-On: --> acme/core#1", []string{"issue_or_pull acme/core#1"}},
	}
	checkFind(t, Options{}, cases)
	checkFind(t, Options{Code: true, Comments: true}, []findCase{
		{"fence asked for", "```\n#1\n```", []string{"issue_or_pull acme/app#1 local code"}},
		{"comment asked for", "<!-- Depends-On: acme/core#1 -->", []string{"issue_or_pull acme/core#1 rel=depends_on"}},
	})
}

func TestSubjects(t *testing.T) {
	checkFind(t, Options{Subject: true}, []findCase{
		{"squashed", "Fix it (#12)\n\nSee (#11)", []string{"pull acme/app#12 rel=own_pr local", "issue_or_pull acme/app#11 local"}},
		{"squashed, GH", "Fix it (GH-12)", []string{"pull acme/app#12 rel=own_pr local"}},
		{"in the middle", "Fix (#12) once more", []string{"issue_or_pull acme/app#12 local"}},
		{"closing keyword", "Fix it (fixes #12)", []string{"issue_or_pull acme/app#12 rel=closes local"}},
		{"two numbers", "Fix it (#12) (#13)", []string{"issue_or_pull acme/app#12 local", "pull acme/app#13 rel=own_pr local"}},
		{"copied", "Fix it (#12) (#13)\n\nbackport", []string{"pull acme/app#12 rel=backport_of local", "pull acme/app#13 rel=own_pr local"}},
		{"revert", "Revert \"Fix it (#12)\"", []string{"issue_or_pull acme/app#12 local"}},
		{"merge", "Merge pull request #12 from dev/fix-acme/core#7\n\nFix it", []string{"pull acme/app#12 rel=own_pr local"}},
		{"cherry pick of two", "Merge pull request #9 from d/cherry-pick-of-#7-#8-to-1.x", []string{"pull acme/app#9 rel=own_pr local",
			"pull acme/app#7 rel=backport_of local", "pull acme/app#8 rel=backport_of local"}},
		{"other repository", "Fix it (acme/core#12)", []string{"issue_or_pull acme/core#12"}},
		{"trailer", "x\n\nPR-URL: https://github.com/acme/app/pull/12", []string{"pull acme/app#12 rel=own_pr local"}},
	})
	checkFind(t, Options{}, []findCase{{"no subject", "Fix it (#12)", []string{"issue_or_pull acme/app#12 local"}}})
}

func TestRenames(t *testing.T) {
	renames := Renames{"old/app": "older/app", "older/app": "acme/app", "a/x": "b/x", "b/x": "a/x"}
	for old, want := range map[string]string{"Old/App": "acme/app#1", "older/app": "acme/app#1", "acme/core": "acme/core#1"} {
		ref := Find([]byte(old+"#1"), Options{Context: "acme/app", Renames: renames})[0]
		if got := renames.Canonical(ref).String(); got != want {
			t.Errorf("Canonical(%s#1) = %s, want %s", old, got, want)
		}
		if local := want == "acme/app#1"; ref.Local != local {
			t.Errorf("%s#1: Local = %v, want %v", old, ref.Local, local)
		}
	}
	if got := renames.Name("a/x"); got != "a/x" && got != "b/x" {
		t.Errorf("a circle of renames led to %s", got)
	}
}

func TestReferencesPerTextAreBounded(t *testing.T) {
	got := Find([]byte(strings.Repeat("#1 ", maxReferences+5)), Options{Context: "acme/app"})
	if len(got) != maxReferences {
		t.Errorf("found %d references, want %d", len(got), maxReferences)
	}
}

func ExampleFind() {
	for _, ref := range Find([]byte("Depends-On: acme/core#9"), Options{Context: "acme/app"}) {
		fmt.Println(ref.Kind, ref, ref.Rel)
	}
	// Output: issue_or_pull acme/core#9 depends_on
}

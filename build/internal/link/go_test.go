package link

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/build/internal/detect"
	"crossswe/internal/golden"
	"crossswe/schemas"
)

// pair is a provider with a nested module and a consumer with a go.work of its
// own, which move together.
func pair() []detect.Repo {
	provider := map[string]string{"go.mod": "module example.com/dep/v2\n\ngo 1.21\n", "tool/go.mod": "module example.com/dep/tool\n\ngo 1.22.0\n", "other/go.mod": "module example.com/dep/other\n"}
	base := map[string]string{
		"go.mod":       "module example.com/app\n\ngo 1.21\n\nrequire (\n\texample.com/dep/v2 v2.3.0\n\texample.com/third v1.0.0\n)\n",
		"go.work":      "go 1.21\nuse (\n\t.\n\t./plug\n\t../elsewhere\n)\n",
		"plug/go.mod":  "module example.com/app/plug\n\ngo 1.21\n\nrequire example.com/dep/v2 v2.2.0\n",
		"plain/go.mod": "module example.com/app/plain\n",
	}
	head := map[string]string{}
	for k, v := range base {
		head[k] = strings.ReplaceAll(v, "example.com/dep/v2 v2.3.0", "example.com/dep/v2 v2.3.1-0.20260101000000-0123456789ab")
	}
	return []detect.Repo{
		{Name: "a/dep", Dir: "dep", Base: tree(provider), Head: tree(provider), Files: []schemas.File{{Path: "tool/main.go", Class: schemas.ClassSource}, {Path: "other/README.md", Class: schemas.ClassDoc}}},
		{Name: "b/app", Dir: "app", Base: tree(base), Head: tree(head), Files: []schemas.File{{Path: "go.mod", Class: schemas.ClassManifest}}},
	}
}

func TestPlanGo(t *testing.T) {
	p := PlanGo(pair())
	if len(p.Files) != 1 || p.Files[0].Path != GoWorkFile {
		t.Fatalf("files: got %v, want %s alone", p.Files, GoWorkFile)
	}
	golden.Check(t, "pair.go.work", p.Files[0].Content)
	versions := []string{"v2.2.0", "v2.3.0", "v2.3.1-0.20260101000000-0123456789ab"}
	want := []schemas.LinkSpec{
		{Ecosystem: Go, Consumer: "b/app", Provider: "a/dep", Name: "example.com/dep/v2", Versions: versions, Want: "|/testbed/dep",
			Prove: schemas.Command{Run: []string{"go", "list", "-m", "-f", "{{.Version}}|{{.Dir}}", "example.com/dep/v2"}}},
		{Ecosystem: Go, Consumer: "b/app", Provider: "a/dep", Name: "example.com/dep/v2", ConsumerDir: "plug", Versions: versions, Want: "|/testbed/dep",
			Prove: schemas.Command{Dir: "plug", Run: []string{"go", "list", "-m", "-f", "{{.Version}}|{{.Dir}}", "example.com/dep/v2"}}},
	}
	if diff := cmp.Diff(want, p.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GOWORK=" + GoWorkFile}, p.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
}

func TestPlanGoBothWays(t *testing.T) {
	a := tree(map[string]string{"go.mod": "module a\nrequire b v1.0.0\n"})
	b := tree(map[string]string{"go.mod": "module b\nrequire a v0.1.0 // indirect\n"})
	p := PlanGo([]detect.Repo{{Name: "x/a", Dir: "a", Base: a, Head: a}, {Name: "x/b", Dir: "b", Base: b, Head: b}})
	var got []string
	for _, l := range p.Links {
		got = append(got, l.Name+" "+strings.Join(l.Versions, ","))
	}
	if diff := cmp.Diff([]string{"b v1.0.0", "a v0.1.0"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// A replace would make the two paths one, and so hide that a consumer at base
// cannot load a provider at head.
func TestPlanGoLeavesAChangedPathAlone(t *testing.T) {
	repos := pair()
	head := tree(map[string]string{"go.mod": "module example.com/dep/v3\n"})
	repos[0].Head = head
	p := PlanGo(repos)
	if len(p.Links) != 0 {
		t.Errorf("got links %v, want none", p.Links)
	}
	if strings.Contains(p.Files[0].Content, "replace") {
		t.Errorf("got a replace in\n%s", p.Files[0].Content)
	}
	if len(p.Guesses) == 0 || !strings.Contains(p.Guesses[0].From, "example.com/dep/v3") {
		t.Errorf("guesses do not name the new path: %v", p.Guesses)
	}
}

// The go command refuses a workspace whose members replace one module by
// different things.
func TestPlanGoSettlesConflictingReplaces(t *testing.T) {
	mod := func(name, replaces string) detect.Tree {
		return tree(map[string]string{"go.mod": "module " + name + "\n\n" + replaces})
	}
	a := mod("a", "replace x => x v1.0.0\nreplace y => ../y\nreplace z v1.0.0 => z v1.0.1\nreplace b => ../b\n")
	b := mod("b", "replace x => x v1.1.0\nreplace y => ./third/y\nreplace z v1.0.0 => z v1.0.1\nreplace a => ../a\n")
	got := PlanGo([]detect.Repo{{Name: "o/a", Dir: "a", Base: a, Head: a}, {Name: "o/b", Dir: "b", Base: b, Head: b}}).Files[0].Content
	want := "go 1.18\n\nuse (\n\t./a\n\t./b\n)\nreplace x => x v1.1.0\nreplace y => ./b/third/y\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go.work (-want +got):\n%s", diff)
	}
}

// go.work must load in every mask.
func TestPlanGoLeavesANewModuleOut(t *testing.T) {
	repos := pair()
	repos[0].Head.Files["new/go.mod"] = []byte("module example.com/dep/new\n")
	repos[0].Head.Paths = append(repos[0].Head.Paths, "new/go.mod", "new/x.go")
	repos[0].Files = append(repos[0].Files, schemas.File{Path: "new/x.go", Class: schemas.ClassSource})
	if work := PlanGo(repos).Files[0].Content; strings.Contains(work, "new") {
		t.Errorf("the new module is in\n%s", work)
	}
}

func TestPlanGoWithoutModules(t *testing.T) {
	if diff := cmp.Diff(Plan{}, PlanGo([]detect.Repo{{}, {}})); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestGoWorkspaces(t *testing.T) {
	present := map[string]bool{"dep/base/go.mod": true, "dep/test/go.mod": true, "dep/head/go.mod": true, "dep/head/new/go.mod": true,
		"app/base/go.mod": true, "app/test/go.mod": true, "app/head/go.mod": true}
	trees := Trees{
		Dirs: []string{"dep", "app"},
		Root: func(dir string, s TreeState) string { return path.Join("/t", dir, string(s)) },
		Has:  func(dir string, s TreeState, file string) bool { return present[path.Join(dir, string(s), file)] },
	}
	spaces, err := GoWorkspaces([]byte("go 1.22\nuse (\n\t./dep\n\t./dep/new\n\t./app\n)\nreplace d v1.0.0 => ./dep\nreplace n v1.0.0 => ./dep/new\nreplace x => y v1.2.3\n"), trees)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, w := range spaces {
		text.WriteString("== " + w.Name + map[bool]string{true: " must", false: ""}[w.Must] + "\n" + w.Content + "--\n" + w.Patterns)
	}
	golden.Check(t, "workspaces.txt", text.String())
	for name, work := range map[string]string{"no go.work": "use (", "outside": "use /elsewhere\n", "unknown": "use ./third\n"} {
		if _, err := GoWorkspaces([]byte(work), trees); !errors.Is(err, ErrWorkspace) {
			t.Errorf("%s: got %v, want ErrWorkspace", name, err)
		}
	}
}

package link

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crossswe/build/internal/detect"
	"crossswe/schemas"
)

// npmPair is a monorepo whose package p is built, and needs q of the same
// monorepo, and a consumer of p.
func npmPair() []detect.Repo {
	provider := tree(map[string]string{
		"package.json":            `{"name": "mono", "private": true, "workspaces": ["packages/*"], "devDependencies": {"app": "^7.0.0"}}`,
		"packages/p/package.json": `{"name": "@s/p", "version": "2.0.0", "main": "dist/p.cjs", "dependencies": {"q": "^1"}, "scripts": {"build": "rollup -c"}}`,
		"packages/q/package.json": `{"name": "q", "version": "1.0.0", "main": "dist/q.cjs", "scripts": {"build": "rollup -c"}}`,
		"packages/r/package.json": `{"name": "r", "version": "1.0.0", "main": "dist/r.cjs", "scripts": {"build": "rollup -c"}}`,
	})
	consumer := func(want string) detect.Tree {
		return tree(map[string]string{"package.json": `{"name": "app", "version": "7.1.0", "main": "./lib/app.js", "dependencies": {"@s/p": "` + want + `", "app": "file:."}}`, "lib/app.js": ""})
	}
	return []detect.Repo{
		{Name: "a/mono", Dir: "mono", Base: provider, Head: provider, Files: []schemas.File{{Path: "packages/p/index.js", Class: schemas.ClassSource}, {Path: "packages/r/README.md", Class: schemas.ClassDoc}}},
		{Name: "b/app", Dir: "app", Base: consumer("^2.0.0"), Head: consumer("^3.0.0"), Files: []schemas.File{{Path: "lib/app.js", Class: schemas.ClassSource}}},
	}
}

func TestPlanNPM(t *testing.T) {
	p := PlanNPM(npmPair())
	want := []schemas.LinkSpec{
		{Ecosystem: NPM, Consumer: "a/mono", Provider: "b/app", Name: "app", Versions: []string{"7.1.0", "^7.0.0"}, Want: "/testbed/app",
			Make: []schemas.Command{{Run: []string{"mkdir", "-p", "node_modules"}}, {Run: []string{"rm", "-rf", "node_modules/app"}}, {Run: []string{"ln", "-s", "/testbed/app", "node_modules/app"}}}},
		{Ecosystem: NPM, Consumer: "b/app", Provider: "a/mono", Name: "@s/p", ProviderDir: "packages/p", Versions: []string{"2.0.0", "^2.0.0", "^3.0.0"}, Want: "/testbed/mono/packages/p",
			Make: []schemas.Command{{Run: []string{"mkdir", "-p", "node_modules/@s"}}, {Run: []string{"rm", "-rf", "node_modules/@s/p"}}, {Run: []string{"ln", "-s", "/testbed/mono/packages/p", "node_modules/@s/p"}}}},
	}
	if diff := cmp.Diff(want, p.Links, cmpopts.IgnoreFields(schemas.LinkSpec{}, "Prove")); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	install := []schemas.Command{npmInstall("")}
	if diff := cmp.Diff([][]schemas.Command{install, install}, p.Setup); diff != "" {
		t.Errorf("setup (-want +got):\n%s", diff)
	}
	build := func(dir string) schemas.Command {
		return schemas.Command{Dir: dir, Run: []string{"npm", "run", "--ignore-scripts", "build"}}
	}
	if diff := cmp.Diff([][]schemas.Command{{build("packages/q"), build("packages/p")}, nil}, p.Rebuild); diff != "" {
		t.Errorf("rebuild (-want +got):\n%s", diff)
	}
}

func TestNPMManifest(t *testing.T) {
	siblings := map[string]string{"p": "/testbed/mono/packages/p"}
	for _, c := range []struct {
		name, base, head string
		want             map[string]any
		dropped          []string
	}{
		{"head's ranges win, both stay", `{"name": "x", "dependencies": {"a": "^1", "b": "1"}}`, `{"dependencies": {"a": "^2", "c": "3"}, "scripts": {"x": "y"}}`,
			map[string]any{"name": "x", "dependencies": map[string]any{"a": "^2", "b": "1", "c": "3"}}, nil},
		{"siblings become links, as peers they go", `{"devDependencies": {"p": "^2"}, "peerDependencies": {"p": ">=1", "q": "*"}}`, ``,
			map[string]any{"devDependencies": map[string]any{"p": "file:/testbed/mono/packages/p"}, "peerDependencies": map[string]any{"q": "*"}}, nil},
		{"sources outside the registry are dropped", `{"dependencies": {"a": "github:o/r", "b": "o/r#main", "c": "git+ssh://git@h/x", "d": "https://h/x.tgz", "e": "npm:@jsr/x@1", "f": "npm:other@1", "g": "file:./g", "h": "file:../h", "i": "1.x || 2.x", "j": "workspace:^"}}`, ``,
			map[string]any{"dependencies": map[string]any{"f": "npm:other@1", "g": "file:./g", "i": "1.x || 2.x", "j": "*"}},
			[]string{"a github:o/r", "b o/r#main", "c git+ssh://git@h/x", "d https://h/x.tgz", "e npm:@jsr/x@1", "h file:../h"}},
		{"a table of another type is as if absent", `{"dependencies": ["a"]}`, `{"dependencies": {"b": 1}}`, map[string]any{}, nil},
		{"overrides are head's", `{"overrides": {"a": "1"}}`, `{"overrides": {"a": "2"}}`, map[string]any{"overrides": map[string]any{"a": "2"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var head []byte
			if c.head != "" {
				head = []byte(c.head)
			}
			body, dropped, err := NPMManifest([]byte(c.base), head, siblings)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("manifest (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.dropped, dropped, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("dropped (-want +got):\n%s", diff)
			}
		})
	}
	if _, _, err := NPMManifest([]byte("[]"), nil, nil); err == nil {
		t.Error("a list was taken for a manifest")
	}
}

func TestMajors(t *testing.T) {
	got := Majors([]string{"^10.4.0", "11.0.0", "1.x || >=2.1 <3", "v4", "*", "latest"})
	if diff := cmp.Diff([]string{"1", "10", "11", "2", "4"}, got); diff != "" {
		t.Errorf("majors (-want +got):\n%s", diff)
	}
}

func FuzzNPMManifest(f *testing.F) {
	f.Add(`{"dependencies": {"a": "file:"}}`, `{"dependencies": {"p": "link:/x"}}`)
	f.Fuzz(func(t *testing.T, base, head string) {
		body, _, err := NPMManifest([]byte(base), []byte(head), map[string]string{"p": "/testbed/p"})
		if err == nil && !json.Valid(body) {
			t.Errorf("no JSON: %q", body)
		}
	})
}

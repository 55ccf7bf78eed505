package depedge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goMod = `module example.com/boats/v2

go 1.22

require (
	example.com/oars v1.4.0
	example.com/sails/v3 v3.0.1-0.20260301120000-0123456789ab // indirect
	example.com/legacy v2.0.0+incompatible
)

replace example.com/oars => ../oars

replace example.com/legacy => example.com/fork v0.9.0

unknown directive
`

const packageJSON = "\ufeff" + `{
  "name": "@boats/hull",
  "version": "2.1.0",
  "private": true,
  "scripts": {"dependencies": "not this"},
  "dependencies": {
    "oars": "^1.4.0",
    "sails": "npm:@wind/sails@~3.0.0",
    "rope": "workspace:^",
    "anchor": "github:harbour/anchor#0123456789abcdef",
    "odd": 7
  },
  "devDependencies": {"paint": "git+https://github.com/yard/paint.git#v2.0.0"},
  "peerDependencies": {"oars": ">=1"},
  "optionalDependencies": "none"
}
`

func TestParse(t *testing.T) {
	tests := []struct {
		name, path, content string
		want                Manifest
	}{
		{
			name: "go.mod with what the strict reader refuses", path: "go.mod", content: goMod,
			want: Manifest{
				Package: Package{Ecosystem: Go, Name: "example.com/boats/v2"},
				Deps: []Dep{
					{Go, "example.com/oars", "v1.4.0", UseRuntime, "example.com/oars v1.4.0", ""},
					{Go, "example.com/sails/v3", "v3.0.1-0.20260301120000-0123456789ab", UseIndirect, "example.com/sails/v3 v3.0.1-0.20260301120000-0123456789ab // indirect", ""},
					{Go, "example.com/legacy", "v2.0.0+incompatible", UseRuntime, "example.com/legacy v2.0.0+incompatible", ""},
				},
			},
		},
		{
			name: "replace lines", path: "sub/go.mod",
			content: "module m\nreplace a => ../a\nreplace b v1.0.0 => example.com/fork v0.9.0\n",
			want: Manifest{
				Package: Package{Ecosystem: Go, Name: "m", Dir: "sub"},
				Deps:    []Dep{{Go, "example.com/fork", "v0.9.0", UseReplace, "replace b v1.0.0 => example.com/fork v0.9.0", ""}},
			},
		},
		{
			name: "package.json", path: "packages/hull/package.json", content: packageJSON,
			want: Manifest{
				Package: Package{Ecosystem: NPM, Name: "@boats/hull", Dir: "packages/hull", Version: "2.1.0", Private: true},
				Deps: []Dep{
					{NPM, "oars", "^1.4.0", UseRuntime, `"oars": "^1.4.0",`, ""},
					{NPM, "@wind/sails", "~3.0.0", UseRuntime, `"sails": "npm:@wind/sails@~3.0.0",`, ""},
					{NPM, "anchor", "#0123456789abcdef", UseRuntime, `"anchor": "github:harbour/anchor#0123456789abcdef",`, "harbour/anchor"},
					{NPM, "paint", "#v2.0.0", UseDev, `"devDependencies": {"paint": "git+https://github.com/yard/paint.git#v2.0.0"},`, "yard/paint"},
					{NPM, "oars", ">=1", UsePeer, `"peerDependencies": {"oars": ">=1"},`, ""},
				},
			},
		},
		{name: "no manifest", path: "src/main.go", content: "module m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.path, []byte(tt.content))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("Parse(%s): %v (-want +got)\n%s", tt.path, err, diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"conflict marks": "{\n<<<<<<< HEAD\n\"name\": 1", "an array": "[]", "nothing": "", "a cut object": `{"name": "a"`,
	} {
		if m, err := Parse("package.json", []byte(content)); err == nil {
			t.Errorf("%s: got %+v, want an error", name, m)
		}
	}
}

func TestIsManifest(t *testing.T) {
	for path, want := range map[string]bool{
		"go.mod": true, "a/b/package.json": true, "node_modules/x/package.json": false, "a/testdata/go.mod": false,
		"vendor/y/go.mod": false, "go.mod.txt": false, "my-package.json": false, "tests/fixtures/p/package.json": false,
	} {
		if got := IsManifest(path); got != want {
			t.Errorf("IsManifest(%q): got %v, want %v", path, got, want)
		}
	}
}

func TestVersionOf(t *testing.T) {
	tests := []struct {
		ecosystem Ecosystem
		written   string
		want      Version
	}{
		{Go, "v1.4.0", Version{Release: "1.4.0"}},
		{Go, "v2.0.0+incompatible", Version{Release: "2.0.0"}},
		{Go, "v2.0.0-rc.1", Version{Release: "2.0.0-rc.1"}},
		{Go, "v0.0.0-20260301120000-0123456789ab", Version{Commit: "0123456789ab"}},
		{Go, "v1.2.4-0.20260301120000-0123456789ab", Version{Commit: "0123456789ab"}},
		{Go, "v2.0.0-rc.1.0.20260301120000-0123456789ab+incompatible", Version{Commit: "0123456789ab"}},
		{Go, "master", Version{}},
		{NPM, "1.2.3", Version{Release: "1.2.3"}},
		{NPM, "^10.4.0", Version{Release: "10.4.0"}},
		{NPM, "~3.0", Version{Release: "3.0.0"}},
		{NPM, "7.x", Version{Release: "7.0.0"}},
		{NPM, ">=1.2.0 <2", Version{Release: "1.2.0"}},
		{NPM, "<2 >=1.2.0", Version{Release: "1.2.0"}},
		{NPM, "^6.0.0 || ^7.1.0", Version{Release: "7.1.0"}},
		{NPM, "v2.0.0-beta.3", Version{Release: "2.0.0-beta.3"}},
		{NPM, "latest", Version{}},
		{NPM, "*", Version{}},
		{NPM, "#0123456789abcdef", Version{Commit: "0123456789abcdef"}},
		{NPM, "#v2.0.0", Version{Release: "2.0.0"}},
		{NPM, "#next", Version{Ref: "next"}},
	}
	for _, tt := range tests {
		if got := (Dep{Ecosystem: tt.ecosystem, Version: tt.written}).VersionOf(); got != tt.want {
			t.Errorf("%s %q: got %+v, want %+v", tt.ecosystem, tt.written, got, tt.want)
		}
	}
}

func TestTags(t *testing.T) {
	tests := []struct {
		name string
		pkg  Package
		want []string // some of them, in order
	}{
		{"a Go module at the root", Package{Ecosystem: Go, Name: "example.com/a"}, []string{"v1.2.3"}},
		{"a Go module below", Package{Ecosystem: Go, Name: "example.com/a/sub", Dir: "sub"}, []string{"sub/v1.2.3"}},
		{"a Go module in a directory of its major version", Package{Ecosystem: Go, Name: "example.com/a/sub/v1", Dir: "sub/v1"}, []string{"sub/v1.2.3"}},
		{"an npm package at the root", Package{Ecosystem: NPM, Name: "hull"}, []string{"hull@1.2.3", "hull-v1.2.3", "v1.2.3", "1.2.3"}},
		{"a scoped one below", Package{Ecosystem: NPM, Name: "@boats/hull", Dir: "packages/hull-js"}, []string{"@boats/hull@1.2.3", "hull-v1.2.3", "hull-js-v1.2.3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(tt.pkg.Tags("1.2.3"), " ") + " "
			at := 0
			for _, tag := range tt.want {
				next := strings.Index(got[at:], tag+" ")
				if next < 0 {
					t.Fatalf("got %s, want %v in order", got, tt.want)
				}
				at += next
			}
		})
	}
	if got := (Package{Ecosystem: NPM, Name: "hull", Dir: "packages/hull"}).Tags("1.2.3"); strings.Contains(strings.Join(got, " ")+" ", " v1.2.3 ") {
		t.Errorf("the repository's own tag is none of a package below: %v", got)
	}
}

func TestDiff(t *testing.T) {
	dep := func(name, version string) Dep {
		return Dep{Ecosystem: Go, Name: name, Version: version, Use: UseRuntime, Line: name + " " + version}
	}
	manifest := func(deps ...Dep) Manifest { return Manifest{Deps: deps} }
	moved := func(old, new, from, to string) Edge {
		e := Edge{Ecosystem: Go, Name: new, OldName: old, Old: from, New: to, Use: UseRuntime, Path: "go.mod", Line: new + " " + to}
		if new == "" {
			e.Line = old + " " + from
		}
		return e
	}
	tests := []struct {
		name     string
		old, new Manifest
		want     []Edge
	}{
		{"nothing", manifest(dep("a", "v1.0.0")), manifest(dep("a", "v1.0.0")), nil},
		{"moved", manifest(dep("a", "v1.0.0"), dep("b", "v1.0.0")), manifest(dep("b", "v1.0.0"), dep("a", "v1.1.0")), []Edge{moved("a", "a", "v1.0.0", "v1.1.0")}},
		{"added and removed", manifest(dep("a", "v1.0.0")), manifest(dep("b", "v1.0.0")), []Edge{moved("a", "", "v1.0.0", ""), moved("", "b", "", "v1.0.0")}},
		{"a new major version", manifest(dep("x/a/v2", "v2.3.0")), manifest(dep("x/a/v3", "v3.0.0")), []Edge{moved("x/a/v2", "x/a/v3", "v2.3.0", "v3.0.0")}},
		{"named twice", manifest(), manifest(dep("a", "v1.0.0"), dep("a", "v2.0.0")), []Edge{moved("", "a", "", "v1.0.0")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Diff("go.mod", tt.old, tt.new, nil)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestDiffJoinsRenamedPackages(t *testing.T) {
	old := Manifest{Deps: []Dep{{Ecosystem: Go, Name: "github.com/old/a", Version: "v1.0.0"}}}
	new := Manifest{Deps: []Dep{{Ecosystem: Go, Name: "github.com/new/a", Version: "v1.1.0"}}}
	got := Diff("go.mod", old, new, func(_ Ecosystem, a, b string) bool { return strings.HasSuffix(a, "/a") && strings.HasSuffix(b, "/a") })
	want := []Edge{{Ecosystem: Go, Name: "github.com/new/a", OldName: "github.com/old/a", Old: "v1.0.0", New: "v1.1.0", Path: "go.mod"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("go.mod", goMod)
	f.Add("package.json", packageJSON)
	f.Add("package.json", `{"dependencies":{"a":"`+strings.Repeat("1.", 400)+`"}}`)
	f.Fuzz(func(t *testing.T, name, content string) {
		m, err := Parse(name, []byte(content))
		if err != nil && len(m.Deps) > 0 {
			t.Errorf("an error and %d dependencies", len(m.Deps))
		}
		for _, d := range m.Deps {
			if d.Name == "" || len(d.Line) > 300 || strings.Contains(d.Line, "\n") {
				t.Errorf("bad dependency %+v", d)
			}
			d.VersionOf()
			Package{Ecosystem: d.Ecosystem, Name: d.Name}.Tags(d.Version)
		}
		Diff(name, Manifest{}, m, nil)
	})
}

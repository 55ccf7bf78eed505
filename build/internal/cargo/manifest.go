package cargo

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Manifest is what is read of a Cargo.toml. Values of an unexpected type are as
// if they were absent.
type Manifest struct {
	Name, Version, RustVersion, Edition string
	// VersionInherited says that the version is the workspace's.
	VersionInherited bool
	// Lib is the library's name and file; "" where the manifest says nothing.
	Lib Target
	// Tests and Bins are the targets that the manifest lists.
	Tests, Bins []Target
	// NoAutoTests says that test files are none unless listed.
	NoAutoTests bool
	Features    map[string][]string
	Deps        []Dep
	Workspace   *Workspace
}

// Target is a target of a manifest.
type Target struct {
	Name, Path string
	Harness    bool // false: its results are in no known form
	Off        bool // test = false or, of a library, doctest = false
	NoDocTest  bool
	Features   []string // required
}

// Dep is one dependency.
type Dep struct {
	Key, Package string // as the code names it, as the registry does
	Req          string // "" for any version
	Git, Path    string
	Inherited    bool // from the workspace's table
	Optional     bool
	Dev          bool
}

// Workspace is the [workspace] table.
type Workspace struct {
	Members, Exclude []string
	Version          string
	RustVersion      string
	Deps             []Dep
}

// ParseManifest reads a Cargo.toml. The error says where it is no TOML.
func ParseManifest(body []byte) (m Manifest, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = Manifest{}, fmt.Errorf("reading a Cargo.toml: the TOML decoder gave up: %v", r)
		}
	}()
	var raw map[string]any
	if err := toml.Unmarshal(body, &raw); err != nil {
		return Manifest{}, fmt.Errorf("reading a Cargo.toml: %w", err)
	}
	pkg := table(raw["package"])
	m = Manifest{Name: text(pkg["name"]), Version: text(pkg["version"]), RustVersion: text(pkg["rust-version"]), Edition: text(pkg["edition"])}
	m.VersionInherited = table(pkg["version"])["workspace"] == true
	m.NoAutoTests = pkg["autotests"] == false
	m.Lib = target(table(raw["lib"]))
	m.Tests, m.Bins = targets(raw["test"]), targets(raw["bin"])
	m.Features = map[string][]string{}
	for name, list := range table(raw["features"]) {
		m.Features[name] = texts(list)
	}
	m.Deps = allDeps(raw)
	if ws, ok := raw["workspace"].(map[string]any); ok {
		shared := table(ws["package"])
		m.Workspace = &Workspace{Members: texts(ws["members"]), Exclude: texts(ws["exclude"]),
			Version: text(shared["version"]), RustVersion: text(shared["rust-version"]), Deps: deps(ws["dependencies"], false)}
	}
	return m, nil
}

// allDeps gathers the dependencies of all kinds and platforms.
func allDeps(raw map[string]any) []Dep {
	var all []Dep
	add := func(t map[string]any) {
		for _, kind := range []string{"dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies", "build_dependencies"} {
			all = append(all, deps(t[kind], strings.HasPrefix(kind, "dev"))...)
		}
	}
	add(raw)
	platforms := table(raw["target"])
	for _, name := range slices.Sorted(maps.Keys(platforms)) {
		add(table(platforms[name]))
	}
	return all
}

func deps(raw any, dev bool) []Dep {
	var all []Dep
	entries := table(raw)
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		d := Dep{Key: key, Package: key, Req: text(entries[key]), Dev: dev}
		if t := table(entries[key]); len(t) > 0 {
			d.Package = firstText(text(t["package"]), key)
			d.Req, d.Git, d.Path = text(t["version"]), text(t["git"]), text(t["path"])
			d.Inherited, d.Optional = t["workspace"] == true, t["optional"] == true
		}
		all = append(all, d)
	}
	return all
}

func targets(raw any) []Target {
	var all []Target
	list, _ := raw.([]map[string]any)
	for _, t := range list {
		all = append(all, target(t))
	}
	return all
}

func target(t map[string]any) Target {
	return Target{Name: text(t["name"]), Path: clean(text(t["path"])), Harness: t["harness"] != false, Off: t["test"] == false,
		NoDocTest: t["doctest"] == false, Features: texts(t["required-features"])}
}

// clean is a path of a manifest without "./"; "" stays.
func clean(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(p)
}

func table(raw any) map[string]any { t, _ := raw.(map[string]any); return t }

func text(raw any) string { s, _ := raw.(string); return s }

func texts(raw any) []string {
	list, _ := raw.([]any)
	var all []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Needs returns the package's dependencies, those that the workspace's table
// holds filled in from it. The workspace may be nil.
func (m Manifest) Needs(ws *Workspace) []Dep {
	all := slices.Clone(m.Deps)
	for i, d := range all {
		if !d.Inherited || ws == nil {
			continue
		}
		for _, shared := range ws.Deps {
			if shared.Key == d.Key {
				all[i].Package, all[i].Req, all[i].Git, all[i].Path = shared.Package, shared.Req, shared.Git, shared.Path
			}
		}
	}
	return all
}

// WithVersion returns the text of a Cargo.toml with another version of its
// package, and the rest as it is. It reports false when the text has no
// [package] table that can be edited.
func WithVersion(body []byte, v Version) ([]byte, bool) {
	lines := strings.SplitAfter(string(body), "\n")
	in, header := "", -1
	for i, line := range lines {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "[") {
			in = strings.TrimSpace(strings.SplitN(t, "#", 2)[0])
			if in == "[package]" {
				header = i
			}
			continue
		}
		key, _, ok := strings.Cut(t, "=")
		key = strings.ReplaceAll(key, " ", "")
		if ok && in == "[package]" && (key == "version" || key == "version.workspace") {
			end := line[len(strings.TrimRight(line, "\r\n")):]
			lines[i] = fmt.Sprintf("version = %q%s", v.String(), end)
			return []byte(strings.Join(lines, "")), true
		}
	}
	if header < 0 || strings.Contains(string(body), "[package.version]") {
		return nil, false
	}
	lines[header] = strings.TrimRight(lines[header], "\r\n") + fmt.Sprintf("\nversion = %q\n", v.String())
	return []byte(strings.Join(lines, "")), true
}

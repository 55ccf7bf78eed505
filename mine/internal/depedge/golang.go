package depedge

import (
	"path"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// parseGoMod reads a go.mod laxly, as the go command reads a dependency's, but
// with its replace lines, which the lax reader leaves out.
func parseGoMod(content []byte) (Manifest, error) {
	f, err := modfile.Parse("go.mod", content, func(_, v string) (string, error) { return v, nil })
	if err != nil {
		f, err = modfile.ParseLax("go.mod", content, func(_, v string) (string, error) { return v, nil })
	}
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if f.Module != nil {
		m.Package.Name = f.Module.Mod.Path
	}
	for _, r := range f.Require {
		use := UseRuntime
		if r.Indirect {
			use = UseIndirect
		}
		m.Deps = append(m.Deps, Dep{Name: r.Mod.Path, Version: r.Mod.Version, Use: use, Line: goLine(r.Syntax)})
	}
	for _, r := range f.Replace {
		if r.New.Version == "" { // a directory
			continue
		}
		m.Deps = append(m.Deps, Dep{Name: r.New.Path, Version: r.New.Version, Use: UseReplace, Line: goLine(r.Syntax)})
	}
	return m, nil
}

func goLine(l *modfile.Line) string {
	if l == nil {
		return ""
	}
	line := strings.Join(l.Token, " ")
	for _, c := range l.Suffix {
		line += " " + c.Token
	}
	return clip(line)
}

var pseudoSuffix = regexp.MustCompile(`[.-](\d{14})-([0-9a-f]{12})$`)

// goVersion reads a Go version; a pseudo-version names its commit.
func goVersion(written string) Version {
	v := strings.TrimSuffix(written, "+incompatible")
	if m := pseudoSuffix.FindStringSubmatch(v); m != nil {
		return Version{Commit: m[2]}
	}
	if module.CanonicalVersion(v) == "" && !semver.IsValid(v) {
		return Version{}
	}
	return Version{Release: strings.TrimPrefix(v, "v")}
}

var majorDir = regexp.MustCompile(`^v\d+$`)

// goTags returns the tags under which the go command looks for a version.
func goTags(p Package, version string) []string {
	dir := p.Dir
	if majorDir.MatchString(path.Base(dir)) {
		dir = path.Dir(dir)
	}
	if dir == "" || dir == "." {
		return []string{"v" + version}
	}
	return []string{dir + "/v" + version}
}

package depedge

import (
	"path"
	"strings"
)

// Version is what a written version says about the provider's history. The
// zero Version says nothing.
type Version struct {
	// Commit is a prefix of the provider's commit id: 12 digits of a
	// pseudo-version, or more.
	Commit string
	// Release is a version number without a leading v; for a range its floor.
	Release string
	// Ref is a branch or tag of the provider's repository.
	Ref string
}

// IsZero reports whether the version says nothing.
func (v Version) IsZero() bool { return v == Version{} }

// VersionOf reads a dependency's version.
func (d Dep) VersionOf() Version {
	r, ok := readerFor(d.Ecosystem)
	if !ok {
		return Version{}
	}
	return r.version(d.Version)
}

// Tags returns the tags that may name a release of the package, the most
// telling first.
func (p Package) Tags(release string) []string {
	r, ok := readerFor(p.Ecosystem)
	if !ok || release == "" {
		return nil
	}
	return r.tags(p, release)
}

// Stem returns the name under which all major versions of a package are one:
// a module path without its major suffix.
func Stem(e Ecosystem, name string) string {
	if e != Go {
		return name
	}
	if dir, base := path.Split(name); majorDir.MatchString(base) {
		return strings.TrimSuffix(dir, "/")
	}
	if stem, major, ok := strings.Cut(name, ".v"); ok && strings.HasPrefix(name, "gopkg.in/") && major != "" {
		return stem
	}
	return name
}

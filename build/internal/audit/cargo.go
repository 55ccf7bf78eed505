package audit

import (
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/cargo"
)

// cargoAt finds a release of a crate: an archive, or a directory as cargo
// unpacks and vendors them, <name>-<version>. Other version lines are no
// releases of what changed: third parties may need them.
func (s Sibling) cargoAt(file string, _ byte) string {
	base, ok := strings.CutSuffix(path.Base(file), ".crate")
	if !ok && path.Base(file) == "Cargo.toml" {
		base, ok = path.Base(path.Dir(file)), true
	}
	version, named := strings.CutPrefix(base, s.Name+"-")
	if !ok || !named {
		return ""
	}
	v, ok := cargo.ParseVersion(version)
	if !ok || !slices.Contains(s.Majors, v.Line()) {
		return ""
	}
	return "release " + version + " of " + s.Name
}

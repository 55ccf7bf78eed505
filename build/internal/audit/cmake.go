package audit

import (
	"archive/tar"
	"path"
	"strings"

	"crossswe/build/internal/link"
)

// cmakeAt finds a package's configuration or library that was not installed
// from the checkout, and content that was fetched: what CMake could take in
// the checkout's place.
func (s Sibling) cmakeAt(file string, kind byte) string {
	name, base := strings.ToLower(s.Name), strings.ToLower(path.Base(file))
	if kind == tar.TypeDir {
		if base == name+"-src" && strings.HasSuffix(path.Dir(file), "/_deps") || strings.HasPrefix(file, link.CMakeContent+"/") && base == name {
			return "a fetched copy of " + s.Name
		}
		return ""
	}
	if strings.HasPrefix(file, link.CMakeRoot+"/") || strings.HasPrefix(file, s.Dir+"/") {
		return ""
	}
	switch base {
	case name + "config.cmake", name + "-config.cmake":
		return "an installed package " + s.Name
	case "lib" + name + ".a", "lib" + name + ".so":
		return "an installed library of " + s.Name
	}
	return ""
}

package audit

import (
	"archive/tar"
	"testing"
)

func TestCMakeAt(t *testing.T) {
	s := Sibling{Ecosystem: "cmake", Name: "Beacon", Dir: "/testbed/beacon"}
	for file, c := range map[string]struct {
		kind byte
		want string
	}{
		"/usr/lib/cmake/Beacon/BeaconConfig.cmake":                         {tar.TypeReg, "an installed package Beacon"},
		"/usr/local/lib/cmake/beacon/beacon-config.cmake":                  {tar.TypeReg, "an installed package Beacon"},
		"/usr/lib/x86_64-linux-gnu/libbeacon.so":                           {tar.TypeSymlink, "an installed library of Beacon"},
		"/var/crossswe/cmake/watch/build/_deps/beacon-src":                 {tar.TypeDir, "a fetched copy of Beacon"},
		"/var/crossswe/cmake/content/watch/beacon":                         {tar.TypeDir, "a fetched copy of Beacon"},
		"/var/crossswe/cmake/beacon/prefix/lib/cmake/B/BeaconConfig.cmake": {tar.TypeReg, ""},
		"/var/crossswe/cmake/beacon/prefix/lib/libbeacon.a":                {tar.TypeReg, ""},
		"/testbed/beacon/cmake/BeaconConfig.cmake":                         {tar.TypeReg, ""},
		"/usr/lib/cmake/BeaconTools/BeaconToolsConfig.cmake":               {tar.TypeReg, ""},
		"/usr/lib/cmake/Beacon":                                            {tar.TypeDir, ""},
	} {
		if got := s.at(file, c.kind); got != c.want {
			t.Errorf("%s: got %q, want %q", file, got, c.want)
		}
	}
}

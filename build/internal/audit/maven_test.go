package audit

import "testing"

func TestMavenReleases(t *testing.T) {
	s := Sibling{Ecosystem: "maven", Name: "example.knot:rope", Versions: []string{"1.3.0", "1.4-SNAPSHOT"}}
	for file, want := range map[string]string{
		"/var/lib/maven/repository/example/knot/rope/1.3.0/rope-1.3.0.jar.sha1":          "release 1.3.0 of example.knot:rope",
		"/root/.m2/repository/example/knot/rope/1.3.0/rope-1.3.0.pom.sha1":               "release 1.3.0 of example.knot:rope",
		"/x/example/knot/rope/1.3.0/rope-1.3.0-sources.jar.md5":                          "release 1.3.0 of example.knot:rope",
		"/root/.gradle/caches/modules-2/files-2.1/example.knot/rope/1.3.0/aa/rope-1.jar": "release 1.3.0 of example.knot:rope",
		"/var/lib/maven/repository/example/knot/rope/1.3/rope-1.3.jar.sha1":              "release 1.3 of example.knot:rope",
		"/var/lib/maven/repository/example/knot/rope/1.10.0/rope-1.10.0.jar.sha1":        "release 1.10.0 of example.knot:rope",
		"/var/lib/maven/repository/example/knot/rope/1.2.9/rope-1.2.9.jar.sha1":          "",
		"/var/lib/maven/repository/example/knot/rope/x/rope-x.jar.sha1":                  "release x of example.knot:rope",
		"/var/lib/maven/repository/example/knot/rope/1.3.0-rc1/rope-1.3.0-rc1.jar.sha1":  "release 1.3.0-rc1 of example.knot:rope",
		"/root/.gradle/caches/modules-2/files-2.1/example.knot/rope/1.2.0/aa/rope-1.jar": "",
		"/var/lib/maven/repository/example/knot/rope/1.3.0/rope-1.3.0.jar":               "",
		"/var/lib/maven/repository/example/knot/ropes/1.3.0/ropes-1.3.0.jar.sha1":        "",
		"/var/lib/maven/repository/example/knot/rope/core/1.3.0/core-1.3.0.jar.sha1":     "",
	} {
		if got := s.at(file, '0'); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

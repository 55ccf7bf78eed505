package audit

import (
	"path"
	"regexp"
	"strings"
)

// fetched are the files that only a download leaves: what is built here has no
// checksum beside it. Gradle's cache holds downloads alone.
var fetched = regexp.MustCompile(`\.(?:jar|aar|pom|module)\.(?:sha1|md5|sha256|sha512)$`)

// mavenAt finds a downloaded release of group:artifact, in a repository of
// Maven's layout or in a cache of Gradle, wherever they are.
func (s Sibling) mavenAt(file string, _ byte) string {
	group, artifact, ok := strings.Cut(s.Name, ":")
	if !ok {
		return ""
	}
	version := path.Base(path.Dir(file))
	if strings.HasSuffix(path.Dir(path.Dir(file)), "/"+strings.ReplaceAll(group, ".", "/")+"/"+artifact) &&
		fetched.MatchString(file) && strings.HasPrefix(path.Base(file), artifact+"-") {
		return "release " + version + " of " + s.Name
	}
	if strings.Contains(file, "/files-2.1/"+group+"/"+artifact+"/") && path.Ext(file) == ".jar" {
		return "a release of " + s.Name
	}
	return ""
}

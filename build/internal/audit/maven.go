package audit

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fetched are the files that only a download leaves: what is built here has no
// checksum beside it. Gradle's cache holds downloads alone.
var fetched = regexp.MustCompile(`\.(?:jar|aar|pom|module)\.(?:sha1|md5|sha256|sha512)$`)

var leadingDigits = regexp.MustCompile(`^\d{1,9}`)

// mavenAt finds a downloaded release of group:artifact, in a repository of
// Maven's layout or in a cache of Gradle, wherever they are.
func (s Sibling) mavenAt(file string, _ byte) string {
	group, artifact, ok := strings.Cut(s.Name, ":")
	if !ok {
		return ""
	}
	version := path.Base(path.Dir(file))
	if s.older(version) {
		return ""
	}
	if strings.HasSuffix(path.Dir(path.Dir(file)), "/"+strings.ReplaceAll(group, ".", "/")+"/"+artifact) &&
		fetched.MatchString(file) && strings.HasPrefix(path.Base(file), artifact+"-") {
		return "release " + version + " of " + s.Name
	}
	if _, rest, ok := strings.Cut(file, "/files-2.1/"+group+"/"+artifact+"/"); ok && path.Ext(file) == ".jar" {
		if version, _, _ := strings.Cut(rest, "/"); !s.older(version) {
			return "release " + version + " of " + s.Name
		}
	}
	return ""
}

// older reports whether a version is older than every one that the set names.
func (s Sibling) older(version string) bool {
	return len(s.Versions) > 0 && !slices.ContainsFunc(s.Versions, func(v string) bool { return !olderVersion(version, v) })
}

// olderVersion compares the numbers at the beginning of two versions. What
// differs only after them is not older, nor is what has none.
func olderVersion(a, b string) bool {
	x, y := leadingNumbers(a), leadingNumbers(b)
	return len(x) > 0 && slices.Compare(x, y) < 0
}

func leadingNumbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		digits := leadingDigits.FindString(part)
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		all = append(all, n)
		if digits != part {
			break
		}
	}
	for len(all) > 1 && all[len(all)-1] == 0 { // 2.12 is 2.12.0
		all = all[:len(all)-1]
	}
	return all
}

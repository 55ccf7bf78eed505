package detect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// javaLines are the long-term lines of the JDK and the day on which each came
// out.
var javaLines = []struct {
	major int
	day   string
}{
	{8, "2014-03-18"}, {11, "2018-09-25"}, {17, "2021-09-14"}, {21, "2023-09-19"}, {25, "2025-09-16"},
}

var (
	javaKey    = regexp.MustCompile(`(?i)^(java|jdk|java[-_]?versions?|jdk[-_]?versions?)$`)
	javaNumber = regexp.MustCompile(`(?:^|[^\d.])(?:1\.)?(\d{1,2})(?:$|[^\d])`)
	javaImage  = regexp.MustCompile(`(?:^|/)(?:eclipse-temurin|openjdk|amazoncorretto|maven):\S*\d`)
	// javaLevel are the usual names of properties that tell the language level.
	javaLevel = regexp.MustCompile(`(?i)^(?:maven\.compiler\.(?:source|target|release|testSource|testTarget|testRelease)|` +
		`(?:java|jdk|javac)(?:[.-_]?(?:compiler|src|source|target|release|level|minimum|min|test))*[.-_]?(?:version|source|target|release|level|src)?|(?:project\.)?(?:build\.)?(?:source|target|release)[.-_]?(?:jdk|java|version|level)(?:[.-_]version)?)$`)
)

// ChooseJava returns the major of the JDK for repositories that changed
// together at a time: the newest long-term line that was out, that compiles
// what their POMs ask for, and that the CI of every one names; else the oldest
// that compiles. False when no repository has a POM.
func ChooseJava(repos []Repo, at time.Time) (major int, from string, ok bool) {
	var sets []map[int]bool
	var who []string
	level := 0
	for _, r := range repos {
		mods := MavenModules(r.Head)
		if len(mods) == 0 {
			continue
		}
		ok = true
		level = max(level, mavenLevel(mods))
		if named := ciJavaMajors(r.Head); len(named) > 0 {
			sets, who = append(sets, named), append(who, string(r.Name))
		}
	}
	if !ok {
		return 0, "", false
	}
	day := at.UTC().Format(time.DateOnly)
	for _, line := range slices.Backward(javaLines) {
		if line.day <= day && line.major >= level && len(sets) > 0 && !slices.ContainsFunc(sets, func(s map[int]bool) bool { return !s[line.major] }) {
			return line.major, fmt.Sprintf("newest long-term line on %s in the CI of %s", day, strings.Join(who, ", ")), true
		}
	}
	for _, line := range javaLines {
		if line.major >= level {
			return line.major, fmt.Sprintf("the oldest long-term line that compiles level %s: the CI names none in common", cmp.Or(strconv.Itoa(level), "?")), true
		}
	}
	return javaLines[len(javaLines)-1].major, "the newest known line", true
}

// javaMajors returns the majors of JDKs that a text names: 17, 1.8, openjdk11,
// 21.0.2-tem, temurin@17.
func javaMajors(text string) []int {
	var all []int
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,[]'\"", r) }) {
		if m := javaNumber.FindStringSubmatch(field); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n >= 5 && n < 60 {
				all = append(all, n)
			}
		}
	}
	return all
}

// ciJavaMajors returns the majors of the JDK that the tree's CI names, or else
// its version files.
func ciJavaMajors(t Tree) map[int]bool {
	values := ciValues(t, javaKey.MatchString, javaImage.MatchString)
	if len(values) == 0 {
		values = append(values, string(t.Files[".java-version"]))
		for _, file := range []string{".sdkmanrc", ".tool-versions"} {
			for line := range strings.Lines(string(t.Files[file])) {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "java"); ok {
					values = append(values, strings.TrimLeft(rest, "= \t"))
				}
			}
		}
	}
	majors := map[int]bool{}
	for _, v := range values {
		for _, n := range javaMajors(v) {
			majors[n] = true
		}
	}
	return majors
}

// mavenLevel is the highest language level that the POMs ask for by the usual
// properties; 0 when none does.
func mavenLevel(mods []MavenModule) int {
	level := 0
	for _, m := range mods {
		for name, value := range m.Properties {
			if n, ok := plainLevel(value); ok && javaLevel.MatchString(name) {
				level = max(level, n)
			}
		}
	}
	return level
}

// plainLevel reads a language level: 1.8, 8, 17.
func plainLevel(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(s), "1."))
	return n, err == nil && n >= 1 && n < 60
}

// lowestLevel is the lowest language level that the compiler of a JDK takes
// without a warning that some builds make an error.
func lowestLevel(jdk int) int {
	switch {
	case jdk >= 12:
		return 8
	case jdk >= 9:
		return 7
	}
	return 1
}

// JavaOptions returns the options of Maven under which a repository builds on
// one JDK as it would on another that its CI uses: properties that tell a
// language level which the compiler no longer knows are raised, and profiles
// that only the newer JDK switches on are switched off.
func JavaOptions(mods []MavenModule, wanted, actual int) []string {
	raised, off := map[string]bool{}, map[string]bool{}
	for _, m := range mods {
		for name, value := range m.Properties {
			if n, ok := plainLevel(value); ok && n < lowestLevel(actual) && javaLevel.MatchString(name) {
				raised[fmt.Sprintf("-D%s=%s", name, levelText(lowestLevel(actual)))] = true
			}
		}
		for _, p := range m.Profiles {
			if jdkActivates(p.JDK, actual) && !jdkActivates(p.JDK, wanted) {
				off["!"+p.ID] = true
			}
		}
	}
	if actual != wanted && levelless(mods) {
		// What the compiler's plugin takes by itself is too old.
		raised["-Dmaven.compiler.source="+levelText(lowestLevel(actual))] = true
		raised["-Dmaven.compiler.target="+levelText(lowestLevel(actual))] = true
	}
	options := sortedKeys(raised)
	if len(off) > 0 {
		options = append(options, "-P"+strings.Join(sortedKeys(off), ","))
	}
	return options
}

// levelless reports whether no POM, and none outside the tree, tells a level.
func levelless(mods []MavenModule) bool {
	return len(mods) > 0 && !slices.ContainsFunc(mods, func(m MavenModule) bool {
		outside := !m.hasUp && slices.ContainsFunc(m.Needs, func(n MavenNeed) bool { return n.Parent })
		return outside || slices.ContainsFunc(sortedKeys(m.Properties), javaLevel.MatchString)
	})
}

// levelText writes a level as old plugins want it.
func levelText(level int) string {
	if level <= 8 {
		return "1." + strconv.Itoa(level)
	}
	return strconv.Itoa(level)
}

// jdkActivates evaluates a profile's activation by JDK: a prefix, its
// negation, or a range. It is as lenient as Maven (JdkVersionProfileActivator):
// "[14," is a range without an end. What is no version activates nothing.
func jdkActivates(spec string, jdk int) bool {
	spec = strings.TrimSpace(spec)
	if rest, ok := strings.CutPrefix(spec, "!"); ok {
		return !jdkActivates(rest, jdk)
	}
	if spec == "" {
		return false
	}
	if !strings.ContainsAny(spec[:1], "[(") {
		n, ok := jdkNumber(spec)
		return ok && n == jdk
	}
	low, high, _ := strings.Cut(spec, ",")
	high, _, _ = strings.Cut(high, ",")
	if strings.HasSuffix(low, "]") {
		high = low[1:]
	}
	return jdkAbove(low, jdk) && jdkBelow(strings.TrimSpace(high), jdk)
}

func jdkAbove(low string, jdk int) bool {
	n, ok := jdkNumber(strings.TrimRight(low[1:], "]) "))
	return !ok || jdk > n || jdk == n && low[0] == '['
}

func jdkBelow(high string, jdk int) bool {
	n, ok := jdkNumber(strings.TrimRight(high, "]) "))
	return !ok || jdk < n || jdk == n && strings.HasSuffix(high, "]")
}

func jdkNumber(s string) (int, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "1.")
	s, _, _ = strings.Cut(s, ".")
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func sortedKeys[V any](set map[string]V) []string {
	var all []string
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

package detect

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	cargoTest  = regexp.MustCompile(`(?m)\bcargo\s+(?:(?:nextest\s+run|test|t|llvm-cov)\b)([^\n;&|]*)`)
	matrixHole = regexp.MustCompile(`\$\{\{\s*matrix\.([\w.-]+)\s*\}\}`)
)

// maxHoles bounds the ways in which a command of CI is filled in.
const maxHoles = 64

// ciCargoTests returns the arguments of every call of cargo test in the tree's
// workflows, with the values of the matrix filled in.
func ciCargoTests(t Tree) [][]string {
	var all [][]string
	for _, p := range t.Paths {
		if !isCI(p) {
			continue
		}
		var root yaml.Node
		if yaml.Unmarshal(t.Files[p], &root) != nil {
			continue
		}
		file := Tree{Paths: []string{p}, Files: t.Files}
		for _, script := range ciValues(file, func(string) bool { return false }, cargoTest.MatchString) {
			joined := strings.ReplaceAll(script, "\\\n", " ")
			for _, m := range cargoTest.FindAllStringSubmatch(joined, -1) {
				for _, line := range fill(file, m[1]) {
					all = append(all, strings.Fields(line))
				}
			}
		}
	}
	return all
}

// fill puts the values of the matrix into a command, in every combination.
func fill(file Tree, line string) []string {
	lines := []string{line}
	for range 4 { // holes of one command
		var next []string
		for _, l := range lines {
			m := matrixHole.FindStringSubmatchIndex(l)
			if m == nil {
				next = append(next, l)
				continue
			}
			key := l[m[2]:m[3]]
			key = key[strings.LastIndex(key, ".")+1:]
			values := ciValues(file, func(k string) bool { return k == key }, func(string) bool { return false })
			if len(values) == 0 {
				values = []string{""}
			}
			for _, v := range values {
				if strings.Contains(v, "${{") {
					v = ""
				}
				next = append(next, l[:m[0]]+v+l[m[1]:])
			}
		}
		lines = next[:min(len(next), maxHoles)]
	}
	return lines
}

// cargoFlags are the feature flags of one call.
type cargoFlags struct {
	all, noDefault bool
	features       []string
}

// ciFeatures returns the flags of the calls that are about a package.
func ciFeatures(t Tree, pkg string) []cargoFlags {
	var all []cargoFlags
	for _, args := range ciCargoTests(t) {
		if f, ok := readFlags(args, pkg); ok {
			all = append(all, f)
		}
	}
	return all
}

// readFlags reads the words of a call; false when it is about other packages
// or another platform.
func readFlags(args []string, pkg string) (cargoFlags, bool) {
	var f cargoFlags
	named, mine := false, false
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			break
		}
		name, value, joined := strings.Cut(args[i], "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		value = strings.Trim(value, `"'`)
		switch name {
		case "--all-features":
			f.all = true
		case "--no-default-features":
			f.noDefault = true
		case "--features", "-F":
			f.features = append(f.features, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
		case "-p", "--package":
			named, mine = true, mine || value == pkg
		case "--target", "--manifest-path":
			return f, false
		}
	}
	slices.Sort(f.features)
	return f, !named || mine
}

package detect

import (
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// isCI reports whether the path is a CI service's configuration.
func isCI(p string) bool {
	switch p {
	case ".circleci/config.yml", ".travis.yml", ".gitlab-ci.yml", "azure-pipelines.yml", ".cirrus.yml", "appveyor.yml", ".appveyor.yml":
		return true
	}
	ext := path.Ext(p)
	return path.Dir(p) == ".github/workflows" && (ext == ".yml" || ext == ".yaml")
}

// ciValues returns the scalars that stand under keys of the tree's CI files
// for which key says yes, and the scalars of which value says so wherever they
// stand. A file that is no YAML has none.
func ciValues(t Tree, key func(string) bool, value func(string) bool) []string {
	var all []string
	for _, p := range t.Paths {
		if !isCI(p) {
			continue
		}
		var root yaml.Node
		if yaml.Unmarshal(t.Files[p], &root) != nil {
			continue
		}
		w := ciWalk{key: key, value: value, seen: map[*yaml.Node]bool{}}
		w.walk(&root, false)
		all = append(all, w.found...)
	}
	return all
}

type ciWalk struct {
	key, value func(string) bool
	seen       map[*yaml.Node]bool // aliases that are being followed
	found      []string
}

// maxScalars bounds what hostile aliases can multiply.
const maxScalars = 10_000

func (w *ciWalk) walk(n *yaml.Node, under bool) {
	if len(w.found) > maxScalars || w.seen[n] {
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if under || w.value(n.Value) {
			w.found = append(w.found, n.Value)
		}
	case yaml.AliasNode:
		w.seen[n] = true
		w.walk(n.Alias, under)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			w.walk(n.Content[i+1], under || w.key(n.Content[i].Value))
		}
	default:
		for _, c := range n.Content {
			w.walk(c, under)
		}
	}
}

var (
	goKey     = regexp.MustCompile(`(?i)^(go|golang|go[-_]?versions?)$`)
	goImage   = regexp.MustCompile(`(?:^|/)(?:golang|go):1\.\d+`)
	goNumber  = regexp.MustCompile(`(?:^|[^\d.])(1\.\d{1,2}(?:\.\d+|\.x)?)`)
	goVerFile = regexp.MustCompile(`(?i)^[a-z_-]*go[-_]?versions?\.(txt|json)$`)
)

// goVersionFile reports whether a file of the root lists Go versions for CI.
func goVersionFile(p string) bool { return goVerFile.MatchString(p) }

// ciGoMinors returns the minors of Go that the tree's CI names. "stable" and
// "oldstable" are the newest at newest and the one before.
func ciGoMinors(t Tree, newest int) map[int]bool {
	values := ciValues(t, goKey.MatchString, goImage.MatchString)
	for _, p := range t.Paths {
		if goVersionFile(p) || p == ".go-version" {
			values = append(values, string(t.Files[p]))
		}
	}
	minors := map[int]bool{}
	for _, v := range values {
		switch strings.TrimSpace(v) {
		case "stable":
			minors[newest] = true
		case "oldstable":
			minors[newest-1] = true
		}
		for _, m := range goNumber.FindAllStringSubmatch(v, -1) {
			if g, ok := parseGoVersion(m[1]); ok && g.Minor <= newest {
				minors[g.Minor] = true
			}
		}
	}
	return minors
}

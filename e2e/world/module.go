package world

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"crossswe/schemas"
)

// require is one line of a go.mod, with the lines that it takes in go.sum.
type require struct {
	path, version string
	sums          string
}

// goCmp is the one module of the world that others wrote.
var goCmp = require{
	path: "github.com/google/go-cmp", version: "v0.7.0",
	sums: "github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiTsyBybVuN8=\n" +
		"github.com/google/go-cmp v0.7.0/go.mod h1:pXiqmnSA92OHEEa9HXL2W4E7lf9JzCmGVUdgjX3N/iU=\n",
}

func modulePath(name schemas.RepoName) string { return "github.com/" + string(name) }

// goMod writes a go.mod.
func goMod(name schemas.RepoName, version string, requires ...require) string {
	text := fmt.Sprintf("module %s\n\ngo %s\n", modulePath(name), version)
	switch len(requires) {
	case 0:
		return text
	case 1:
		return text + fmt.Sprintf("\nrequire %s %s\n", requires[0].path, requires[0].version)
	}
	slices.SortFunc(requires, func(a, b require) int { return strings.Compare(a.path, b.path) })
	text += "\nrequire (\n"
	for _, r := range requires {
		text += fmt.Sprintf("\t%s %s\n", r.path, r.version)
	}
	return text + ")\n"
}

// goSum writes a go.sum.
func goSum(requires ...require) string {
	var lines []string
	for _, r := range requires {
		lines = append(lines, slices.Collect(strings.Lines(r.sums))...)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}

// modEdit writes both files.
func (h *history) modEdit(goVersion string, requires ...require) edit {
	e := edit{write: map[string]string{"go.mod": goMod(h.name, goVersion, requires...)}}
	if len(requires) > 0 {
		e.write["go.sum"] = goSum(requires...)
	}
	return e
}

// tagged returns the requirement of a release.
func (h *history) tagged(version string) (require, error) {
	mark, ok := h.tags[version]
	if !ok {
		return require{}, fmt.Errorf("%s has no tag %s", h.name, version)
	}
	return h.requirement(mark, version)
}

// pseudo returns the requirement of an untagged commit that comes after the
// tag older. The repository must be finished: its ids are known then.
func (h *history) pseudo(mark int, older string) (require, error) {
	id := h.ids[mark]
	if id == "" {
		return require{}, fmt.Errorf("%s has no commit :%d yet", h.name, mark)
	}
	return h.requirement(mark, module.PseudoVersion("v0", older, h.points[mark].at.UTC(), string(id[:12])))
}

// requirement hashes the module as the go command would.
func (h *history) requirement(mark int, version string) (require, error) {
	tree, path := h.points[mark].tree, modulePath(h.name)
	prefix := path + "@" + version + "/"
	var names []string
	for _, p := range slices.Sorted(maps.Keys(tree)) {
		names = append(names, prefix+p)
	}
	open := func(name string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(tree[strings.TrimPrefix(name, prefix)])), nil
	}
	zip, err := dirhash.Hash1(names, open)
	if err != nil {
		return require{}, fmt.Errorf("hashing %s: %w", prefix, err)
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(tree["go.mod"])), nil
	})
	if err != nil {
		return require{}, fmt.Errorf("hashing the go.mod of %s: %w", prefix, err)
	}
	sums := fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", path, version, zip, path, version, mod)
	return require{path: path, version: version, sums: sums}, nil
}

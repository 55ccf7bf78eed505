package world

import (
	"fmt"
	"maps"
	"time"

	"crossswe/schemas"
)

// plan describes a repository of a story before its change.
type plan struct {
	name  schemas.RepoName
	about string // one sentence
	begin time.Time
	// share says which of the stock the repository grows by: every share[1]-th
	// item from share[0] on.
	share   [2]int
	license string
	goLine  string // of go.mod
	matrix  string // of the workflow
	needs   []require
	// node and mocha describe a JavaScript repository.
	node, mocha bool
	version     string            // of package.json
	npm         map[string]string // dependencies
	mirror      bool              // the copy has refs/pull
	// release is made after the base, and quiet is when the growth before the
	// change ends.
	release string
	quiet   time.Time
}

// found writes a repository up to the state in which its change begins.
func (t *teller) found(p plan) *history {
	h := newHistory(p.name, p.begin)
	h.mirror = p.mirror
	if p.node {
		h.queue = t.stock["js"].jsSteps(p.name.Name(), p.mocha, p.share[0], p.share[1])
	} else {
		h.queue = t.stock["go"].goSteps(p.name.Name(), p.share[0], p.share[1])
	}
	grown := p.quiet.Sub(p.begin)
	t.scaffold(h, p)
	h.grow(len(h.queue)/3, p.begin.Add(grown/4))
	base := t.overlay(h, "base", anyFile)
	maps.Copy(base.write, p.manifest(h).write)
	h.commit(people[0], fmt.Sprintf("%s: %s", p.name.Name(), p.about), base)
	h.grow(len(h.queue)/2, p.begin.Add(grown/2))
	if p.release != "" {
		h.release(p.release)
	}
	h.grow(len(h.queue)*2/3, p.quiet)
	h.advance(p.quiet)
	return h
}

// scaffold writes the first commits: what every repository has.
func (t *teller) scaffold(h *history, p plan) {
	name := p.name.Name()
	h.commit(people[0], "Initial commit", edit{write: map[string]string{
		"README.md": fmt.Sprintf("# %s\n\n%s\n\n## Also in it\n\n", name, sentence(p.about)),
		"LICENSE":   licenses[p.license],
	}})
	first := plan{name: p.name, goLine: p.goLine, node: p.node, mocha: p.mocha, version: "0.1.0", license: p.license}
	e := first.manifest(h)
	if !p.node {
		e.write["doc.go"] = fmt.Sprintf("// Package %s: %s\npackage %s\n", name, sentence(p.about), name)
	}
	h.commit(people[0], "Set the "+map[bool]string{true: "package", false: "module"}[p.node]+" up", e)
	h.advance(h.now.Add(26 * time.Hour))
	h.commit(people[1], "Run the tests on every push", edit{write: map[string]string{".github/workflows/test.yml": p.workflow()}})
	h.commit(people[1], "Ignore what editors leave behind", edit{write: map[string]string{".gitignore": "*.swp\n.idea/\nnode_modules/\n"}})
}

// manifest writes go.mod and go.sum, or package.json.
func (p plan) manifest(h *history) edit {
	if p.node {
		return edit{write: map[string]string{"package.json": p.packageJSON()}}
	}
	return h.modEdit(p.goLine, p.needs...)
}

func sentence(about string) string { return about + "." }

package world

import (
	"embed"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed stock/*.txtar stories/*.txtar
var texts embed.FS

// readmeLine is the path of an edit that stands for one more line in the README.
const readmeLine = "(readme)"

// item is one small addition that a repository grows by, in two versions.
type item struct {
	name, add, mend, readme string
}

// stock is the additions of one language.
type stock struct {
	items []item
	files map[string]string
}

// readStock reads stock/<language>.txtar.
func readStock(language string) (stock, error) {
	s := stock{files: map[string]string{}}
	body, err := texts.ReadFile("stock/" + language + ".txtar")
	if err != nil {
		return s, fmt.Errorf("reading the stock of %s: %w", language, err)
	}
	a := txtar.Parse(body)
	for line := range strings.Lines(string(a.Comment)) {
		if f := strings.Split(strings.TrimSpace(line), " | "); len(f) == 4 {
			s.items = append(s.items, item{f[0], f[1], f[2], f[3]})
		}
	}
	for _, f := range a.Files {
		s.files[f.Name] = string(f.Data)
	}
	return s, nil
}

// steps returns the changes of the items that stand at first, first+every, …:
// repositories of one story share none. An item is mended after the next one
// has come, and gets into the README after that.
func (s stock) steps(pkg string, first, every int, render func(item) (add, mend edit)) []step {
	var adds, mends, readmes []step
	for i := first; i < len(s.items); i += every {
		it := s.items[i]
		add, mend := render(it)
		adds = append(adds, step{pkg + ": " + it.add, add})
		mends = append(mends, step{pkg + ": " + it.mend, mend})
		readmes = append(readmes, step{"README: mention " + it.name, edit{write: map[string]string{readmeLine: it.readme}}})
	}
	var all []step
	for i := range len(adds) + 2 {
		if i < len(adds) {
			all = append(all, adds[i])
		}
		if i >= 1 && i-1 < len(mends) {
			all = append(all, mends[i-1])
		}
		if i >= 2 {
			all = append(all, readmes[i-2])
		}
	}
	return all
}

// goSteps renders Go additions in the root package.
func (s stock) goSteps(pkg string, first, every int) []step {
	in := func(text string) string { return strings.Replace(text, "package PKG", "package "+pkg, 1) }
	return s.steps(pkg, first, every, func(it item) (edit, edit) {
		code, test := it.name+".go", it.name+"_test.go"
		add := edit{write: map[string]string{
			code: in(s.files[it.name+"/1/"+code]),
			test: in(s.files[it.name+"/1/"+test]),
		}}
		return add, edit{write: map[string]string{code: in(s.files[it.name+"/2/"+code])}}
	})
}

// jsSteps renders JavaScript additions in lib/ and test/, as CommonJS for
// mocha or as modules for node's own runner.
func (s stock) jsSteps(pkg string, mocha bool, first, every int) []step {
	return s.steps(pkg, first, every, func(it item) (edit, edit) {
		code, test := "lib/"+it.name+".js", "test/"+it.name+".test.js"
		fn := functionName(s.files[it.name+"/1.js"])
		add := edit{write: map[string]string{
			code: jsModule(s.files[it.name+"/1.js"], fn, mocha),
			test: jsTest(s.files[it.name+"/test.js"], it.name, fn, mocha),
		}}
		return add, edit{write: map[string]string{code: jsModule(s.files[it.name+"/2.js"], fn, mocha)}}
	})
}

func functionName(code string) string {
	_, rest, _ := strings.Cut("\n"+code, "\nfunction ")
	name, _, _ := strings.Cut(rest, "(")
	return name
}

func jsModule(code, fn string, mocha bool) string {
	if mocha {
		return "'use strict';\n\n" + code + "\nmodule.exports = { " + fn + " };\n"
	}
	return strings.Replace("\n"+code, "\nfunction "+fn, "\nexport function "+fn, 1)[1:]
}

func jsTest(body, name, fn string, mocha bool) string {
	body = "  " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n  ") + "\n"
	if mocha {
		return "'use strict';\n\nconst assert = require('node:assert');\nconst { " + fn + " } = require('../lib/" + name + "');\n\n" +
			"it('" + fn + " works', () => {\n" + body + "});\n"
	}
	return "import assert from 'node:assert/strict';\nimport test from 'node:test';\n\nimport { " + fn + " } from '../lib/" + name + ".js';\n\n" +
		"test('" + fn + " works', () => {\n" + body + "});\n"
}

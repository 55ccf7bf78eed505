package detect

import (
	"path"
	"slices"
	"strings"
)

// call is a runner's call in a script: its name and the words after it.
type call struct {
	runner string
	args   []string
}

// wrappers are programs that run another one; the words that start with a dash
// after them are theirs.
var wrappers = map[string]bool{"c8": true, "nyc": true, "cross-env": true, "npx": true, "env": true, "borp": false}

// maxScripts bounds how far scripts are followed.
const maxScripts = 20

// calls expands the scripts of a package, the test scripts first, and returns
// the runners' calls in them.
func calls(scripts map[string]string) []call {
	names := []string{}
	for name := range scripts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(scriptRank(a)+a, scriptRank(b)+b)
	})
	x := expansion{scripts: scripts, seen: map[string]bool{}}
	for _, name := range names {
		x.script(name)
	}
	return x.found
}

// scriptRank orders test scripts before others.
func scriptRank(name string) string {
	switch {
	case name == "test":
		return "0"
	case name == "unit" || strings.HasPrefix(name, "test:unit") || strings.HasPrefix(name, "unit"):
		return "1"
	case strings.HasPrefix(name, "test"):
		return "2"
	}
	return "3"
}

type expansion struct {
	scripts map[string]string
	seen    map[string]bool
	found   []call
}

func (x *expansion) script(name string) {
	body, ok := x.scripts[name]
	if !ok || x.seen[name] || len(x.seen) > maxScripts {
		return
	}
	x.seen[name] = true
	for _, command := range commands(body) {
		x.command(command)
	}
}

// command takes a command's wrappers off and notes or follows what is left.
func (x *expansion) command(w []string) {
	for len(w) > 0 && (wrappers[w[0]] || strings.Contains(w[0], "=") || strings.HasPrefix(w[0], "-")) {
		w = w[1:]
	}
	if len(w) == 0 {
		return
	}
	switch program := path.Base(w[0]); program {
	case "npm", "yarn", "pnpm":
		x.run(w[1:])
	case "mocha", "jest":
		x.found = append(x.found, call{program, w[1:]})
	case "node":
		x.node(w[1:])
	}
}

// run follows "npm run x", "npm test" and "yarn x".
func (x *expansion) run(w []string) {
	for len(w) > 0 && (w[0] == "run" || w[0] == "run-script" || strings.HasPrefix(w[0], "-")) {
		w = w[1:]
	}
	if len(w) == 0 {
		return
	}
	if w[0] == "t" {
		w[0] = "test"
	}
	x.script(w[0])
}

// node knows "node --test" and "node node_modules/.bin/mocha".
func (x *expansion) node(w []string) {
	if slices.Contains(w, "--test") {
		x.found = append(x.found, call{"node", w})
		return
	}
	for i, word := range w {
		switch path.Base(word) {
		case "mocha", "_mocha", "mocha.js":
			x.found = append(x.found, call{"mocha", w[i+1:]})
			return
		case "jest", "jest.js":
			x.found = append(x.found, call{"jest", w[i+1:]})
			return
		}
	}
}

// commands splits a script into its commands, each a list of words with the
// quotes taken off. What it cannot take apart (substitutions, redirections)
// stays in the words and fits no runner's options.
func commands(script string) [][]string {
	var all [][]string
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	endWord := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	for _, r := range script {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			endWord()
		case r == '&' || r == ';' || r == '|':
			endCommand()
		default:
			word.WriteRune(r)
			open = true
		}
	}
	endCommand()
	return all
}

package detect

import (
	"regexp"
	"strconv"
	"strings"
)

// readSetupCfg reads the declarative form of setuptools.
func (p *PyProject) readSetupCfg(body []byte) {
	cfg := parseINI(body)
	if p.Name == "" {
		p.Name = strings.TrimSpace(cfg["metadata"]["name"])
	}
	p.classifiers(iniLines(cfg["metadata"]["classifiers"]))
	p.classifiers(iniLines(cfg["metadata"]["classifier"]))
	options := cfg["options"]
	if p.RequiresPython == "" {
		p.RequiresPython = strings.TrimSpace(options["python_requires"])
	}
	p.Needs = append(p.Needs, iniLines(options["install_requires"])...)
	for name, v := range cfg["options.extras_require"] {
		p.Extras[name] = append(p.Extras[name], iniLines(v)...)
	}
	if lines := iniLines(options["tests_require"]); len(lines) > 0 {
		p.Groups["tests_require"] = lines
	}
	for group, v := range cfg["options.entry_points"] {
		for _, line := range iniLines(v) {
			name, target, _ := strings.Cut(line, "=")
			p.entryPoint(group, strings.TrimSpace(name), strings.TrimSpace(target))
		}
	}
	if len(p.BuildNeeds) == 0 {
		p.BuildNeeds = iniLines(options["setup_requires"])
	}
}

// parseINI reads what Python's configparser reads: sections, and values that
// go on in deeper lines. Lines that are neither are passed over.
func parseINI(body []byte) map[string]map[string]string {
	all := map[string]map[string]string{}
	var section map[string]string
	key, deep := "", 0
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\r\n")
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
		case section != nil && key != "" && indent > deep:
			section[key] += "\n" + text
		case text[0] == '[' && strings.HasSuffix(text, "]"):
			name := strings.TrimSpace(text[1 : len(text)-1])
			if all[name] == nil {
				all[name] = map[string]string{}
			}
			section, key = all[name], ""
		case section != nil:
			i := strings.IndexAny(text, "=:")
			if i <= 0 {
				key = ""
				continue
			}
			key, deep = strings.ToLower(strings.TrimSpace(text[:i])), indent
			section[key] = strings.TrimSpace(text[i+1:])
		}
	}
	return all
}

// iniLines splits a value into its lines without comments.
func iniLines(value string) []string {
	var all []string
	for _, line := range strings.Split(value, "\n") {
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	return all
}

var (
	setupCall  = regexp.MustCompile(`(?m)\bsetup\(`)
	setupName  = regexp.MustCompile(`(?m)\bname\s*=\s*(?:["']([^"'\n]+)["']|([A-Za-z_]\w*))`)
	setupText  = regexp.MustCompile(`["']([^"'\n]+)["']`)
	setupWants = regexp.MustCompile(`\bpython_requires\s*=\s*["']([^"'\n]+)["']`)
	setupSCM   = regexp.MustCompile(`\buse_scm_version\b|\bsetuptools_scm\b|\bpbr\s*=\s*True`)
)

// readSetupPy reads the literals of a setup.py; what it computes is left to the
// installation, which runs it.
func (p *PyProject) readSetupPy(body []byte) {
	text := string(body)
	at := setupCall.FindStringIndex(text)
	if at == nil {
		return
	}
	if m := setupName.FindStringSubmatch(text[at[0]:]); m != nil && p.Name == "" {
		p.Name = m[1]
		if m[2] != "" {
			p.Name = assigned(text, m[2])
		}
	}
	if m := setupWants.FindStringSubmatch(text); m != nil && p.RequiresPython == "" {
		p.RequiresPython = m[1]
	}
	for _, m := range setupText.FindAllStringSubmatch(text, -1) {
		p.classifiers([]string{m[1]})
	}
	if list := listAfter(text, "install_requires"); len(p.Needs) == 0 {
		p.Needs = list
	}
	if list := listAfter(text, "tests_require"); len(list) > 0 {
		p.Groups["tests_require"] = list
	}
	for name, list := range tableAfter(text, "extras_require") {
		if len(p.Extras[name]) == 0 {
			p.Extras[name] = list
		}
	}
	for group, list := range tableAfter(text, "entry_points") {
		for _, line := range list {
			name, target, _ := strings.Cut(line, "=")
			p.entryPoint(group, strings.TrimSpace(name), strings.TrimSpace(target))
		}
	}
	p.SCM = p.SCM || setupSCM.MatchString(text)
}

// assigned returns the text that a name is given at the top of a file.
func assigned(text, name string) string {
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `\s*=\s*["']([^"'\n]+)["']`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// listAfter returns the literals of the list that a keyword, or the variable
// that it names, is given.
func listAfter(text, keyword string) []string {
	body, ok := bracketAfter(text, keyword, '[', ']')
	if !ok {
		return nil
	}
	var all []string
	for _, m := range setupText.FindAllStringSubmatch(withoutComments(body), -1) {
		all = append(all, m[1])
	}
	return all
}

var tableKey = regexp.MustCompile(`["']([^"'\n]+)["']\s*:\s*\[`)

// tableAfter returns the lists of the dictionary that a keyword is given.
func tableAfter(text, keyword string) map[string][]string {
	body, ok := bracketAfter(text, keyword, '{', '}')
	if !ok {
		return nil
	}
	all := map[string][]string{}
	for _, m := range tableKey.FindAllStringSubmatchIndex(body, -1) {
		list, ok := balanced(body[m[1]-1:], '[', ']')
		if !ok {
			continue
		}
		for _, s := range setupText.FindAllStringSubmatch(withoutComments(list), -1) {
			all[body[m[2]:m[3]]] = append(all[body[m[2]:m[3]]], s[1])
		}
	}
	return all
}

// bracketAfter returns what stands in the bracket that follows "keyword =", by
// way of one variable at most.
func bracketAfter(text, keyword string, open, shut byte) (string, bool) {
	for range 2 {
		m := regexp.MustCompile(`\b` + regexp.QuoteMeta(keyword) + `\s*=\s*(\S?)([A-Za-z_]\w*)?`).FindStringSubmatchIndex(text)
		if m == nil {
			return "", false
		}
		if m[2] < m[3] && text[m[2]] == open {
			return balanced(text[m[2]:], open, shut)
		}
		word := regexp.MustCompile(`^[A-Za-z_]\w*`).FindString(text[m[2]:])
		if word == "" || word == keyword {
			return "", false
		}
		keyword = word
	}
	return "", false
}

// balanced returns the text from an opening bracket to the one that shuts it.
func balanced(text string, open, shut byte) (string, bool) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return text[:i+1], true
			}
		}
	}
	return "", false
}

var pyComment = regexp.MustCompile(`(?m)#.*$`)

func withoutComments(text string) string { return pyComment.ReplaceAllString(text, "") }

// number reads a small decimal number that a pattern has matched.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

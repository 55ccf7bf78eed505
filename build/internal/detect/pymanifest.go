package detect

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// readPyproject reads PEP 621, PEP 735, PEP 518, and what poetry and flit wrote
// before them. A file that is no TOML says nothing, and so does a value of an
// unexpected type.
func (p *PyProject) readPyproject(body []byte) {
	root := decodeTOML(body)
	build := tomlTable(root, "build-system")
	p.BuildNeeds = tomlStrings(build["requires"])
	p.Backend = tomlText(build["build-backend"])
	project := tomlTable(root, "project")
	p.Name = tomlText(project["name"])
	p.RequiresPython = tomlText(project["requires-python"])
	p.classifiers(tomlStrings(project["classifiers"]))
	p.Needs = tomlStrings(project["dependencies"])
	for name, v := range tomlTable(project, "optional-dependencies") {
		p.Extras[name] = tomlStrings(v)
	}
	p.entryPoints("console_scripts", tomlTable(project, "scripts"))
	p.entryPoints("gui_scripts", tomlTable(project, "gui-scripts"))
	points := tomlTable(project, "entry-points")
	for group := range points {
		p.entryPoints(group, tomlTable(points, group))
	}
	p.dependencyGroups(tomlTable(root, "dependency-groups"))
	tool := tomlTable(root, "tool")
	p.readPoetry(tomlTable(tool, "poetry"))
	p.readFlit(tomlTable(tomlTable(tool, "flit"), "metadata"))
	p.SCM = len(tomlTable(tool, "setuptools_scm")) > 0 || tomlText(tomlTable(tomlTable(tool, "hatch"), "version")["source"]) == "vcs" ||
		tomlText(tomlTable(tomlTable(tool, "pdm"), "version")["source"]) == "scm"
	p.Groups["dev"] = append(p.Groups["dev"], tomlStrings(tomlTable(tool, "uv")["dev-dependencies"])...)
	for name, v := range tomlTable(tomlTable(tool, "pdm"), "dev-dependencies") {
		p.Groups[name] = append(p.Groups[name], tomlStrings(v)...)
	}
	p.Groups["tool.hatch"] = hatchEnvironment(tomlTable(tomlTable(tool, "hatch"), "envs"))
}

func (p *PyProject) entryPoints(group string, table map[string]any) {
	for name, v := range table {
		p.entryPoint(group, name, tomlText(v))
	}
}

func (p *PyProject) entryPoint(group, name, target string) {
	p.Scripts = append(p.Scripts, fmt.Sprintf("%s %s=%s", group, name, target))
	if group == "pytest11" {
		p.Plugins = append(p.Plugins, name)
		slices.Sort(p.Plugins)
	}
}

// dependencyGroups follows include-group one level: a group may name others.
func (p *PyProject) dependencyGroups(groups map[string]any) {
	for name, v := range groups {
		list, _ := v.([]any)
		for _, e := range list {
			switch e := e.(type) {
			case string:
				p.Groups[name] = append(p.Groups[name], e)
			case map[string]any:
				p.Groups[name] = append(p.Groups[name], tomlStrings(groups[tomlText(e["include-group"])])...)
			}
		}
	}
}

// readPoetry reads poetry's own tables, in which versions have a syntax of
// their own.
func (p *PyProject) readPoetry(t map[string]any) {
	if p.Name == "" {
		p.Name = tomlText(t["name"])
	}
	p.classifiers(tomlStrings(t["classifiers"]))
	deps := tomlTable(t, "dependencies")
	if p.RequiresPython == "" {
		p.RequiresPython = strings.TrimPrefix(poetryLine("", deps["python"]), " ")
	}
	p.Needs = append(p.Needs, poetryLines(deps)...)
	for extra, v := range tomlTable(t, "extras") {
		for _, name := range tomlStrings(v) {
			p.Extras[extra] = append(p.Extras[extra], poetryLine(name, deps[name]))
		}
	}
	p.Groups["dev"] = append(p.Groups["dev"], poetryLines(tomlTable(t, "dev-dependencies"))...)
	groups := tomlTable(t, "group")
	for name := range groups {
		p.Groups[name] = append(p.Groups[name], poetryLines(tomlTable(tomlTable(groups, name), "dependencies"))...)
	}
	p.entryPoints("console_scripts", tomlTable(t, "scripts"))
	plugins := tomlTable(t, "plugins")
	for group := range plugins {
		p.entryPoints(group, tomlTable(plugins, group))
	}
}

func poetryLines(deps map[string]any) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(deps)) {
		if table, ok := deps[name].(map[string]any); ok && table["optional"] == true || name == "python" {
			continue
		}
		all = append(all, poetryLine(name, deps[name]))
	}
	return all
}

// poetryLine turns poetry's version into a requirement line: ^1.2 and ~1.2 have
// no counterpart and are written out.
func poetryLine(name string, v any) string {
	want, extras := tomlText(v), ""
	if table, ok := v.(map[string]any); ok {
		want = tomlText(table["version"])
		if list := tomlStrings(table["extras"]); len(list) > 0 {
			extras = "[" + strings.Join(list, ",") + "]"
		}
	}
	var parts []string
	for _, w := range strings.Split(want, ",") {
		w = strings.TrimSpace(w)
		switch {
		case w == "" || w == "*":
		case w[0] == '^' || w[0] == '~' && !strings.HasPrefix(w, "~="):
			parts = append(parts, poetryRange(w))
		case w[0] >= '0' && w[0] <= '9':
			parts = append(parts, "=="+w)
		default:
			parts = append(parts, strings.ReplaceAll(w, " ", ""))
		}
	}
	return name + extras + strings.Join(parts, ",")
}

// poetryRange writes a caret or tilde range as bounds.
func poetryRange(w string) string {
	low := strings.TrimSpace(w[1:])
	var nums []int
	for _, s := range strings.Split(low, ".") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return ">=" + low
		}
		nums = append(nums, n)
	}
	at := min(1, len(nums)-1)
	if w[0] == '^' {
		at = 0
		for at < len(nums)-1 && nums[at] == 0 {
			at++
		}
	}
	high := make([]string, 0, at+1)
	for i := range at {
		high = append(high, strconv.Itoa(nums[i]))
	}
	return ">=" + low + ",<" + strings.Join(append(high, strconv.Itoa(nums[at]+1)), ".")
}

// readFlit reads flit's tables of before PEP 621.
func (p *PyProject) readFlit(t map[string]any) {
	for _, key := range []string{"dist-name", "module"} {
		if p.Name == "" {
			p.Name = tomlText(t[key])
		}
	}
	if p.RequiresPython == "" {
		p.RequiresPython = tomlText(t["requires-python"])
	}
	p.classifiers(tomlStrings(t["classifiers"]))
	p.Needs = append(p.Needs, tomlStrings(t["requires"])...)
	for name, v := range tomlTable(t, "requires-extra") {
		p.Extras[name] = append(p.Extras[name], tomlStrings(v)...)
	}
}

// hatchEnvironment returns the dependencies of hatch's own test environments.
func hatchEnvironment(envs map[string]any) []string {
	var all []string
	for _, name := range []string{"default", "test", "tests", "hatch-test"} {
		env := tomlTable(envs, name)
		all = append(append(all, tomlStrings(env["dependencies"])...), tomlStrings(env["extra-dependencies"])...)
	}
	return all
}

func decodeTOML(body []byte) (root map[string]any) {
	if len(body) > 0 && toml.Unmarshal(body, &root) != nil {
		return nil
	}
	return root
}

func tomlTable(t map[string]any, key string) map[string]any {
	table, _ := t[key].(map[string]any)
	return table
}

func tomlText(v any) string {
	s, _ := v.(string)
	return s
}

func tomlStrings(v any) []string {
	list, _ := v.([]any)
	var all []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

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

package detect

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

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

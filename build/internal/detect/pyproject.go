package detect

import (
	"fmt"
	"slices"

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

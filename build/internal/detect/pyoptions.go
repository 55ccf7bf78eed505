package detect

import (
	"regexp"
	"strings"
)

// pytestBrings maps what pytest is told in a repository's own configuration to
// the plugin without which it refuses to start.
var pytestBrings = []struct {
	told  *regexp.Regexp
	needs string
}{
	{regexp.MustCompile(`(?:^|\s)--(?:no-)?cov\b`), "pytest-cov"},
	{regexp.MustCompile(`(?:^|\s)(?:-n[\s=]*\w|--numprocesses\b|--dist\b|--maxprocesses\b)`), "pytest-xdist"},
	{regexp.MustCompile(`(?:^|\s)--timeout\b|^timeout$`), "pytest-timeout"},
	{regexp.MustCompile(`(?:^|\s)--benchmark-`), "pytest-benchmark"},
	{regexp.MustCompile(`(?:^|\s)--asyncio-mode\b|^asyncio_`), "pytest-asyncio"},
	{regexp.MustCompile(`(?:^|\s)--doctest-plus\b|^doctest_plus`), "pytest-doctestplus"},
	{regexp.MustCompile(`(?:^|\s)--reruns\b`), "pytest-rerunfailures"},
	{regexp.MustCompile(`(?:^|\s)(?:--ds\b|--reuse-db\b)|^DJANGO_SETTINGS_MODULE$|^django_`), "pytest-django"},
	{regexp.MustCompile(`(?:^|\s)--mypy\b`), "pytest-mypy"},
	{regexp.MustCompile(`^mock_`), "pytest-mock"},
	{regexp.MustCompile(`^env$`), "pytest-env"},
	{regexp.MustCompile(`(?:^|\s)--randomly-|--random-order\b`), "pytest-randomly"},
}

// PytestNeeds returns the plugins that a distribution's configuration of pytest
// asks for, by the options that it adds and the settings that it makes.
func PytestNeeds(t Tree, p PyProject) []string {
	var told []string
	note := func(key, value string) {
		told = append(told, key)
		if key == "addopts" {
			told = append(told, value)
		}
	}
	options := tomlTable(tomlTable(tomlTable(decodeTOML(t.Files[join(p.Dir, "pyproject.toml")]), "tool"), "pytest"), "ini_options")
	for key, v := range options {
		value := tomlText(v)
		if list := tomlStrings(v); list != nil {
			value = strings.Join(list, " ")
		}
		note(key, value)
	}
	for file, section := range map[string]string{"pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"} {
		for key, value := range parseINI(t.Files[join(p.Dir, file)])[section] {
			note(key, value)
		}
	}
	var needs []string
	for _, s := range told {
		for _, b := range pytestBrings {
			if b.told.MatchString(s) {
				needs = append(needs, b.needs)
			}
		}
	}
	return sortedSet(needs)
}

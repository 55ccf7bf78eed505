package world

import (
	"encoding/json"
	"fmt"
	"strings"

	"crossswe/schemas"
)

// packageName is the name under which a repository is published.
func packageName(name schemas.RepoName) string { return "@" + string(name) }

type packageManifest struct {
	Name            string            `json:"name"`
	Version         string            `json:"version"`
	License         string            `json:"license"`
	Type            string            `json:"type,omitempty"`
	Main            string            `json:"main,omitempty"`
	Engines         map[string]string `json:"engines"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies,omitempty"`
	DevDependencies map[string]string `json:"devDependencies,omitempty"`
}

// packageJSON writes the manifest as npm would.
func (p plan) packageJSON() string {
	m := packageManifest{
		Name: packageName(p.name), Version: p.version, License: p.license, Main: "index.js",
		Engines:      map[string]string{"node": ">=20"},
		Scripts:      map[string]string{"test": "node --test test/*.test.js"},
		Dependencies: p.npm,
	}
	if p.mocha {
		m.Scripts["test"] = "mocha test/*.test.js"
		m.DevDependencies = map[string]string{"mocha": "^11.0.0"}
	} else {
		m.Type = "module"
	}
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Sprint(err) // strings and maps of strings always marshal
	}
	return strings.ReplaceAll(string(body), `\u003e`, ">") + "\n"
}

// workflow writes the repository's CI configuration.
func (p plan) workflow() string {
	setup, key, run := "actions/setup-go@v5", "go-version", "go test ./..."
	if p.node {
		setup, key, run = "actions/setup-node@v4", "node-version", "npm install\n      - run: npm test"
	}
	return strings.NewReplacer("SETUP", setup, "KEY", key, "RUN", run, "VERSIONS", p.matrix).Replace(`name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        KEY: [VERSIONS]
    steps:
      - uses: actions/checkout@v4
      - uses: SETUP
        with:
          KEY: ${{ matrix.KEY }}
      - run: RUN
`)
}

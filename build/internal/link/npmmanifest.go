package link

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// dependencyTables are the tables of package.json that name packages to install.
var dependencyTables = []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"}

// foreign matches sources outside the registry: git hosts, archives, jsr.
var foreign = regexp.MustCompile(`^(?:git[+:]|git@|github:|gitlab:|bitbucket:|gist:|https?:|jsr:|npm:@jsr/|[\w.-]+/[\w.-]+(?:#.*)?$)`)

// NPMManifest merges the package.json of base and head into one from which
// the dependencies of both are installed: head's range where both name a
// package. A sibling becomes a link to the directory that siblings names, so
// that its release is not installed and the rest is laid out around it.
// Sources outside the registry are dropped and named. Head may be nil.
func NPMManifest(base, head []byte, siblings map[string]string) (merged []byte, dropped []string, err error) {
	var old, new map[string]json.RawMessage
	if err := json.Unmarshal(base, &old); err != nil {
		return nil, nil, fmt.Errorf("reading package.json at base: %w", err)
	}
	if head != nil {
		if err := json.Unmarshal(head, &new); err != nil {
			return nil, nil, fmt.Errorf("reading package.json at head: %w", err)
		}
	}
	for _, key := range []string{"overrides", "resolutions"} {
		if v, ok := new[key]; ok {
			old[key] = v
		}
	}
	for _, name := range dependencyTables {
		table := readTable(old[name])
		maps.Copy(table, readTable(new[name]))
		dropped = append(dropped, editTable(table, name, siblings)...)
		if len(table) == 0 {
			delete(old, name)
			continue
		}
		if old[name], err = json.Marshal(table); err != nil {
			return nil, nil, err
		}
	}
	merged, err = json.MarshalIndent(old, "", "  ")
	return append(merged, '\n'), sortedUnique(dropped), err
}

func readTable(raw json.RawMessage) map[string]string {
	table := map[string]string{}
	var rough map[string]any
	if json.Unmarshal(raw, &rough) != nil {
		return table
	}
	for k, v := range rough {
		if s, ok := v.(string); ok {
			table[k] = s
		}
	}
	return table
}

// editTable changes the sources of a table in place and returns what it dropped.
func editTable(table map[string]string, kind string, siblings map[string]string) []string {
	var dropped []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		want := table[name]
		dir, sibling := siblings[name]
		switch {
		case strings.HasPrefix(want, "file:") || strings.HasPrefix(want, "link:"):
			if strings.HasPrefix(path.Clean(want[5:]), "..") || path.IsAbs(want[5:]) {
				delete(table, name)
				dropped = append(dropped, name+" "+want)
			}
		case sibling && kind == "peerDependencies":
			delete(table, name)
		case sibling:
			table[name] = "file:" + dir
		case strings.HasPrefix(want, "workspace:"), strings.HasPrefix(want, "catalog:"):
			table[name] = "*"
		case foreign.MatchString(want):
			delete(table, name)
			dropped = append(dropped, name+" "+want)
		}
	}
	return dropped
}

var firstNumber = regexp.MustCompile(`\d+`)

// Majors returns the major versions that versions and ranges name.
func Majors(versions []string) []string {
	var all []string
	for _, v := range versions {
		for _, alternative := range strings.Split(v, "||") {
			if m := firstNumber.FindString(alternative); m != "" {
				all = append(all, m)
			}
		}
	}
	return sortedUnique(all)
}

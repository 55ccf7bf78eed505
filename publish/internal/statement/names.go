package statement

import (
	"bytes"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// Side is one repository's part of a change, with its patches.
type Side struct {
	schemas.Side
	Dir        string // below the testbed
	Gold, Test []byte
}

// Names are the names that a change brings.
type Names struct {
	// Gold are the identifiers that only the gold patches have: no base tree
	// holds them.
	Gold map[string]bool
	// Paths are the files that the gold patches add, relative to their repository.
	Paths []string
	// Needed is what nobody could guess: names that the test patches use and do
	// not declare, and that are in Gold or new in the repository whose gold
	// patch declares them; and those of Paths that tests load. Ordered.
	Needed []string
	// Declared gives for a needed name the repository whose gold patch holds
	// it and, where one is found, the line that declares it.
	Declared map[string]Declaration
}

// Declaration says where a name comes from.
type Declaration struct {
	Repo schemas.RepoName
	Line string
}

// minName leaves out names so short that they stand in every text by chance.
const minName = 3

// Suspects returns the identifiers in added lines of a gold patch that no
// other line of the same repository's patches shows, and that the texts or a
// test patch hold. Whether they are new is for the base trees to say: see
// Introduced.
func Suspects(sides []Side, texts ...string) (map[string]bool, error) {
	told := map[string]bool{}
	for _, text := range texts {
		for name := range identifiers(text) {
			told[name] = true
		}
	}
	fresh := map[string]bool{}
	for _, s := range sides {
		added, old := map[string]bool{}, map[string]bool{}
		if err := collect(s.Gold, added, old); err != nil {
			return nil, err
		}
		if err := collect(s.Test, told, old); err != nil {
			return nil, err
		}
		for name := range added {
			if !old[name] {
				fresh[name] = true
			}
		}
	}
	maps.DeleteFunc(fresh, func(name string, _ bool) bool { return !told[name] })
	return fresh, nil
}

// collect puts the identifiers of a patch's added lines into added, and those
// of its other lines into old.
func collect(p []byte, added, old map[string]bool) error {
	files, err := patch.Parse(p)
	if err != nil {
		return err
	}
	for _, f := range files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				into := old
				if l.Op == patch.OpAdd {
					into = added
				}
				for name := range identifiers(string(l.Text)) {
					into[name] = true
				}
			}
		}
	}
	return nil
}

// Introduced returns the names of a change. Base tells for each side which of
// the suspects its base tree holds.
func Introduced(sides []Side, suspects map[string]bool, base []map[string]bool) (Names, error) {
	n := Names{Gold: maps.Clone(suspects), Declared: map[string]Declaration{}}
	for _, held := range base {
		maps.DeleteFunc(n.Gold, func(name string, _ bool) bool { return held[name] })
	}
	tests := uses{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for i, s := range sides {
		if err := n.readGold(s, suspects, base[i]); err != nil {
			return Names{}, err
		}
		if err := tests.read(s.Test); err != nil {
			return Names{}, err
		}
	}
	for name := range n.Declared {
		if tests.used[name] && !tests.declared[name] {
			n.Needed = append(n.Needed, name)
		}
	}
	for _, p := range n.Paths {
		base := path.Base(p)
		if tests.loaded[base] || tests.loaded[strings.TrimSuffix(base, path.Ext(base))] {
			n.Needed = append(n.Needed, p)
		}
	}
	slices.Sort(n.Needed)
	n.Needed = slices.Compact(n.Needed)
	maps.DeleteFunc(n.Declared, func(name string, _ Declaration) bool { return !slices.Contains(n.Needed, name) })
	return n, nil
}

var declares = regexp.MustCompile(`^\s*(?:export\s+|default\s+|async\s+|public\s+|static\s+|pub\s+)*(?:func|function|class|type|def|const|var|let|interface|struct|enum|fn)\b`)

// readGold notes added files, the names that are nowhere else, and those that
// the patch declares and this repository's base lacks.
func (n *Names) readGold(s Side, suspects, base map[string]bool) error {
	files, err := patch.Parse(s.Gold)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Status == schemas.FileAdded {
			n.Paths = append(n.Paths, f.NewPath)
			n.Declared[f.NewPath] = Declaration{Repo: s.Repo}
		}
		for _, line := range f.AddedLines() {
			n.readDeclarations(s.Repo, string(line), suspects, base)
		}
	}
	return nil
}

func (n *Names) readDeclarations(repo schemas.RepoName, line string, suspects, base map[string]bool) {
	for name := range identifiers(line) {
		if _, known := n.Declared[name]; n.Gold[name] && !known {
			n.Declared[name] = Declaration{Repo: repo}
		}
	}
	if !declares.MatchString(line) {
		return
	}
	for name := range declaredBy(line) {
		if suspects[name] && !base[name] && n.Declared[name].Line == "" {
			n.Declared[name] = Declaration{repo, strings.TrimRight(strings.TrimSpace(line), " {:;")}
		}
	}
}

// uses are the names that test patches use, declare themselves, and load as files.
type uses struct{ used, declared, loaded map[string]bool }

func (u uses) read(p []byte) error {
	files, err := patch.Parse(p)
	if err != nil {
		return err
	}
	for _, f := range files {
		for _, line := range f.AddedLines() {
			if !isComment(line) {
				u.line(string(line))
			}
		}
	}
	return nil
}

func (u uses) line(line string) {
	code, literals := split(line)
	for name := range identifiers(code) {
		u.used[name] = true
	}
	for name := range declaredBy(code) {
		u.declared[name] = true
	}
	for _, lit := range literals {
		if identifier.MatchString(lit) && shaped(lit) {
			u.used[lit] = true // a key or an option
		}
		if strings.Contains(lit, "/") {
			u.loaded[path.Base(lit)] = true
		}
	}
}

func isComment(line []byte) bool {
	t := bytes.TrimSpace(line)
	for _, mark := range []string{"//", "#", "/*", "* ", "*/"} {
		if bytes.HasPrefix(t, []byte(mark)) {
			return true
		}
	}
	return false
}

// split parts a line of code from its string literals.
func split(line string) (code string, literals []string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c != '"' && c != '\'' && c != '`' {
			b.WriteByte(c)
			continue
		}
		end := i + 1
		for end < len(line) && line[end] != c {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		literals = append(literals, line[min(i+1, len(line)):min(end, len(line))])
		b.WriteByte(' ')
		i = end
	}
	return b.String(), literals
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
	shortVar   = regexp.MustCompile(`([A-Za-z_$][\w$]*(?:\s*,\s*[A-Za-z_$][\w$]*)*)\s*:=`)
	declared   = regexp.MustCompile(`\b(?:func|function|class|type|def|const|var|let|fn|struct|enum)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)`)
	unpacked   = regexp.MustCompile(`\b(?:const|let|var)\s*\{`)
)

// declaredBy yields the names that a line of test code declares. What is
// unpacked from an import (const { x } = require) is used, not declared.
func declaredBy(code string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range shortVar.FindAllStringSubmatch(code, -1) {
			for name := range identifiers(m[1]) {
				if !yield(name) {
					return
				}
			}
		}
		if unpacked.MatchString(code) {
			return
		}
		for _, m := range declared.FindAllStringSubmatch(code, -1) {
			if !yield(m[1]) {
				return
			}
		}
	}
}

// Find notes in found those of the wanted names that a file of a base tree
// holds.
func Find(content string, wanted, found map[string]bool) {
	for name := range identifiers(content) {
		if wanted[name] {
			found[name] = true
		}
	}
}

// identifiers yields the identifiers in a text, in order, short ones left out.
func identifiers(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(s); i++ {
			if i < len(s) && isWord(s[i]) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && i-start >= minName && (s[start] < '0' || s[start] > '9') && !yield(s[start:i]) {
				return
			}
			start = -1
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// shaped reports whether a word looks like a name from code even in prose:
// snake_case, camelCase, ICEAgent, base64x. Words that begin with a capital or
// are all capitals do not.
func shaped(word string) bool {
	if strings.ContainsAny(strings.Trim(word, "_"), "_$") {
		return true
	}
	lower, upperRun, digits := false, 0, false
	for i, r := range word {
		switch {
		case unicode.IsUpper(r):
			if lower {
				return true
			}
			upperRun++
		case unicode.IsLower(r):
			if upperRun > 1 && i > 1 && len(word)-i > 1 {
				return true
			}
			lower, upperRun = true, 0
		case unicode.IsDigit(r):
			digits = true
		}
	}
	return digits && lower
}

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

// Names are the names that only the change has.
type Names struct {
	// Gold are the identifiers that the gold patches introduce.
	Gold map[string]bool
	// Paths are the files that the gold patches add, relative to their repository.
	Paths []string
	// Needed are those of Gold that the test patches use and do not declare,
	// and those of Paths that they load: what nobody could guess. Ordered.
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

// Suspects returns the identifiers in added lines of the gold patches that no
// other line of any patch shows, and that the texts or the test patches hold.
// Whether they are new is for the base trees to say: see Introduced.
func Suspects(sides []Side, texts ...string) (map[string]bool, error) {
	added, old, tests := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range sides {
		if err := collect(s.Gold, added, old); err != nil {
			return nil, err
		}
		if err := collect(s.Test, tests, old); err != nil {
			return nil, err
		}
	}
	told := maps.Clone(tests)
	for _, text := range texts {
		for name := range identifiers(text) {
			told[name] = true
		}
	}
	suspects := map[string]bool{}
	for name := range added {
		if told[name] && !old[name] {
			suspects[name] = true
		}
	}
	return suspects, nil
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

// Introduced returns the names of a change, given which of the suspects the
// base trees hold.
func Introduced(sides []Side, suspects, base map[string]bool) (Names, error) {
	n := Names{Gold: map[string]bool{}, Declared: map[string]Declaration{}}
	for name := range suspects {
		if !base[name] {
			n.Gold[name] = true
		}
	}
	used, declared, loaded := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range sides {
		if err := n.readGold(s); err != nil {
			return Names{}, err
		}
		if err := readTests(s.Test, used, declared, loaded); err != nil {
			return Names{}, err
		}
	}
	for name := range n.Gold {
		if used[name] && !declared[name] {
			n.Needed = append(n.Needed, name)
		}
	}
	for _, p := range n.Paths {
		base := path.Base(p)
		if loaded[base] || loaded[strings.TrimSuffix(base, path.Ext(base))] {
			n.Needed = append(n.Needed, p)
		}
	}
	slices.Sort(n.Needed)
	maps.DeleteFunc(n.Declared, func(name string, _ Declaration) bool { return !slices.Contains(n.Needed, name) })
	return n, nil
}

var declares = regexp.MustCompile(`^\s*(?:export\s+|default\s+|async\s+|public\s+|static\s+|pub\s+)*(?:func|function|class|type|def|const|var|let|interface|struct|enum|fn)\b`)

// readGold notes added files and the lines that declare new names.
func (n *Names) readGold(s Side) error {
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
			n.readDeclarations(s.Repo, string(line))
		}
	}
	return nil
}

func (n *Names) readDeclarations(repo schemas.RepoName, line string) {
	isDeclaration := declares.MatchString(line)
	for name := range identifiers(line) {
		have, known := n.Declared[name]
		if !n.Gold[name] || known && (have.Line != "" || !isDeclaration) {
			continue
		}
		d := Declaration{Repo: repo}
		if isDeclaration {
			d.Line = strings.TrimRight(strings.TrimSpace(line), " {:;")
		}
		n.Declared[name] = d
	}
}

// readTests notes the names that added lines of a test patch use, declare
// themselves, and load as files.
func readTests(p []byte, used, declared, loaded map[string]bool) error {
	files, err := patch.Parse(p)
	if err != nil {
		return err
	}
	for _, f := range files {
		for _, line := range f.AddedLines() {
			if isComment(line) {
				continue
			}
			code, literals := split(string(line))
			for name := range identifiers(code) {
				used[name] = true
			}
			for name := range declaredBy(code) {
				declared[name] = true
			}
			for _, lit := range literals {
				if identifier.MatchString(lit) && shaped(lit) {
					used[lit] = true // a key or an option
				}
				if strings.Contains(lit, "/") {
					loaded[path.Base(lit)] = true
				}
			}
		}
	}
	return nil
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

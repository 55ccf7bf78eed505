package audit

import (
	"bytes"
	"fmt"
	"regexp"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// Hunk is one run of lines that a patch adds, reduced to those lines that tell
// where they come from.
type Hunk struct {
	Repo  schemas.RepoName
	Patch string // gold or test
	Path  string
	Lines [][]byte // trimmed, distinct
}

// lone is the length from which a single line speaks for itself.
const lone = 40

// Hunks returns the hunks of a patch that an image must not hold. Manifests and
// lock files are left out: the image holds what they name.
func Hunks(repo schemas.RepoName, kind string, text []byte, files []schemas.File) ([]Hunk, error) {
	parsed, err := patch.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the %s patch of %s: %w", kind, repo, err)
	}
	class := map[string]schemas.FileClass{}
	for _, f := range files {
		class[f.Path] = f.Class
	}
	var all []Hunk
	for _, f := range parsed {
		if c := class[f.Path()]; c == schemas.ClassManifest || c == schemas.ClassLock {
			continue
		}
		for _, h := range f.Hunks {
			for _, lines := range runs(h) {
				all = append(all, Hunk{Repo: repo, Patch: kind, Path: f.Path(), Lines: lines})
			}
		}
	}
	return all, nil
}

// runs returns the telling lines of each run of added lines.
func runs(h patch.Hunk) [][][]byte {
	var all [][][]byte
	var run [][]byte
	flush := func() {
		if len(run) > 0 {
			all = append(all, run)
		}
		run = nil
	}
	for _, l := range h.Lines {
		if l.Op != patch.OpAdd {
			flush()
			continue
		}
		if t := bytes.TrimSpace(l.Text); telling(t) && !has(run, t) {
			run = append(run, t)
		}
	}
	flush()
	return all
}

func has(lines [][]byte, line []byte) bool {
	for _, l := range lines {
		if bytes.Equal(l, line) {
			return true
		}
	}
	return false
}

// imports matches lines that only name another package: whoever uses the same
// package writes the same line.
var imports = regexp.MustCompile(`^(?:import\b|from\b|export \* from|#include|use |using |require\b|(?:const|let|var) [\w{}$, ]+ = (?:await import|require)\(|(?:[\w.]+ )?"[^" ]+"$|// (?:SPDX|Copyright)|//go:build)`)

var word = regexp.MustCompile(`[\pL_][\pL\pN_]{2,}`)

// telling reports whether a line is long enough, and more than an import, to
// say where it comes from.
func telling(line []byte) bool {
	return len(line) >= window && !imports.Match(line) && len(word.FindAll(line, 3)) >= 2
}

// without drops the lines that gone names and the hunks that are then empty.
func without(hunks []Hunk, gone map[string]bool) []Hunk {
	var left []Hunk
	for _, h := range hunks {
		var lines [][]byte
		for _, l := range h.Lines {
			if !gone[string(l)] {
				lines = append(lines, l)
			}
		}
		if len(lines) == 0 {
			continue
		}
		h.Lines = lines
		left = append(left, h)
	}
	return left
}

// leaks reports whether a file that holds these of a hunk's lines holds the
// hunk: half of its lines and no fewer than two, or three and a tenth; of a hunk
// with one telling line that line, when it is long enough not to come about by
// chance. A tenth, for a new file is one hunk of hundreds of lines, and a large
// library has some idioms of any: rollup holds three lines of a new file of the
// MongoDB driver ("for (const element of this.elements) {").
func (h Hunk) leaks(found map[string]bool) bool {
	n, long := 0, false
	for _, l := range h.Lines {
		if found[string(l)] {
			n++
			long = long || len(l) >= lone
		}
	}
	if len(h.Lines) == 1 {
		return n == 1 && long
	}
	return n >= 3 && 10*n >= len(h.Lines) || n >= 2 && 2*n >= len(h.Lines)
}

// Package patch makes, reads and proves git patches, byte by byte: the gold
// and test patch of a change, and the combined one of a dataset row. Nothing
// is ever taken for text: CRLF, lone CR, other encodings and missing last
// newlines survive.
package patch

import (
	"errors"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// FilePatch is one file's part of a patch.
type FilePatch struct {
	// Raw is its exact text, from "diff --git" to before the next file.
	Raw              []byte
	Status           schemas.FileStatus
	OldPath, NewPath string // unquoted, without a/ and b/; "" where the file does not exist
	OldMode, NewMode gitrepo.Mode
	OldOID, NewOID   gitrepo.OID // from the index line, "" without one
	Similarity       int         // per cent, of renames and copies
	Binary           bool        // Hunks is empty
	Hunks            []Hunk
}

// Path returns the new path, or the old one of a deletion.
func (f FilePatch) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Hunk is one run of changed lines with its context.
type Hunk struct {
	OldStart, OldLines int // counted from 1; start 0 when there are none
	NewStart, NewLines int
	Section            []byte // what follows the second @@, as git guessed it
	Lines              []Line
}

// Line is one line of a hunk.
type Line struct {
	Op   Op
	Text []byte // with its newline; without one at the end of a file that lacks it
}

// Op says what happens to a line.
type Op byte

// The operations of a line.
const (
	OpContext Op = ' '
	OpAdd     Op = '+'
	OpDelete  Op = '-'
)

// Parse reads a patch in git's format. Text before the first "diff --git" line
// is refused, and so is everything else that git would not write. The result
// refers to the bytes of patch.
func Parse(patch []byte) ([]FilePatch, error) { return nil, errors.ErrUnsupported }

// Hash returns the digest of a hunk's removed and added lines in order.
// Context, line numbers, blanks at line ends and line ending styles have no
// part in it, so the same edit has the same hash wherever it stands.
func (h Hunk) Hash() schemas.Digest { return "" }

// AddedLines returns the text of all added lines of a file, without newlines.
func (f FilePatch) AddedLines() [][]byte { return nil }

// Counts returns the number of added and of deleted lines.
func (f FilePatch) Counts() (added, deleted int) { return 0, 0 }

package patch

import "errors"

// Range is a run of lines, counted from 1, both ends included.
type Range struct{ First, Last int }

// Touched says which lines of a file a patch made.
type Touched struct {
	Path string // in the new tree
	// New says that the whole file is new.
	New bool
	// Lines are the added or changed lines of the new file, ordered and apart.
	Lines []Range
	// Cuts are the lines of the new file before which lines were only deleted;
	// one past the last line when they stood at the end.
	Cuts []int
}

// Has reports whether the patch touched any line from first to last: added or
// changed one, or cut lines out between them.
func (t Touched) Has(first, last int) bool { return false }

// TouchedLines returns what a patch made of each file that exists afterwards,
// in the patch's order. Binary files have no lines.
func TouchedLines(patch []byte) ([]Touched, error) { return nil, errors.ErrUnsupported }

package patch

import "crossswe/schemas"

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
func (t Touched) Has(first, last int) bool {
	for _, r := range t.Lines {
		if r.First <= last && first <= r.Last {
			return true
		}
	}
	for _, c := range t.Cuts {
		if first < c && c <= last {
			return true
		}
	}
	return false
}

// TouchedLines returns what a patch made of each file that exists afterwards,
// in the patch's order. Binary files have no lines.
func TouchedLines(patch []byte) ([]Touched, error) {
	files, err := Parse(patch)
	if err != nil {
		return nil, err
	}
	var touched []Touched
	for _, f := range files {
		if f.NewPath == "" {
			continue
		}
		t := Touched{Path: f.NewPath, New: f.Status == schemas.FileAdded}
		for _, h := range f.Hunks {
			t.addHunk(h)
		}
		touched = append(touched, t)
	}
	return touched, nil
}

// addHunk goes over runs of changed lines between context lines.
func (t *Touched) addHunk(h Hunk) {
	at := h.NewStart
	if h.NewLines == 0 {
		at++ // the header then names the line before
	}
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op == OpContext {
			i, at = i+1, at+1
			continue
		}
		added := 0
		for ; i < len(h.Lines) && h.Lines[i].Op != OpContext; i++ {
			if h.Lines[i].Op == OpAdd {
				added++
			}
		}
		if added == 0 {
			t.Cuts = append(t.Cuts, at)
		} else {
			t.Lines = append(t.Lines, Range{First: at, Last: at + added - 1})
		}
		at += added
	}
}

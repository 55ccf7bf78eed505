package audit

import (
	"io"
)

// Needles are the hunks that an image must not hold, less the lines that stand
// at a base anyway.
type Needles struct {
	hunks []Hunk
	lines []string
	index *matcher
}

// NewNeedles returns the needles of the hunks. base calls its argument with
// every file of every base.
func NewNeedles(hunks []Hunk, base func(read func(io.Reader) error) error) (*Needles, error) {
	all := needles(hunks)
	gone := map[string]bool{}
	err := base(func(r io.Reader) error {
		return all.index.scan(r, func(i int) { gone[all.lines[i]] = true })
	})
	if err != nil {
		return nil, err
	}
	return needles(without(hunks, gone)), nil
}

func needles(hunks []Hunk) *Needles {
	n := &Needles{hunks: hunks}
	seen := map[string]bool{}
	var lines [][]byte
	for _, h := range hunks {
		for _, l := range h.Lines {
			if !seen[string(l)] {
				seen[string(l)] = true
				n.lines = append(n.lines, string(l))
				lines = append(lines, l)
			}
		}
	}
	n.index = newMatcher(lines)
	return n
}

// Count returns the number of hunks that are looked for.
func (n *Needles) Count() int { return len(n.hunks) }

// In returns the hunks that the content holds.
func (n *Needles) In(r io.Reader) ([]Hunk, error) {
	found := map[string]bool{}
	if err := n.index.scan(r, func(i int) { found[n.lines[i]] = true }); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, nil
	}
	var leaked []Hunk
	for _, h := range n.hunks {
		if h.leaks(found) {
			leaked = append(leaked, h)
		}
	}
	return leaked, nil
}

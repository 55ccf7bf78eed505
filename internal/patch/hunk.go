package patch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"crossswe/schemas"
)

// Hunk is one run of changed lines with its context.
type Hunk struct {
	OldStart, OldLines int // counted from 1; with no lines, the line before
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

// Hash returns the digest of a hunk's removed and added lines in order.
// Context, line numbers, blanks at line ends and line ending styles have no
// part in it, so the same edit has the same hash wherever it stands.
func (h Hunk) Hash() schemas.Digest {
	sum := sha256.New()
	for _, l := range h.Lines {
		if l.Op != OpContext {
			sum.Write([]byte{byte(l.Op)})
			sum.Write(bytes.TrimRight(l.Text, " \t\r\n"))
			sum.Write([]byte{'\n'})
		}
	}
	return schemas.Digest("sha256:" + hex.EncodeToString(sum.Sum(nil)))
}

// AddedLines returns the text of all added lines of a file, without newlines.
func (f FilePatch) AddedLines() [][]byte {
	var lines [][]byte
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == OpAdd {
				lines = append(lines, bytes.TrimSuffix(l.Text, []byte{'\n'}))
			}
		}
	}
	return lines
}

// Counts returns the number of added and of deleted lines.
func (f FilePatch) Counts() (added, deleted int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case OpAdd:
				added++
			case OpDelete:
				deleted++
			}
		}
	}
	return added, deleted
}

// hunks reads one hunk or more.
func (p *parser) hunks() ([]Hunk, error) {
	var hunks []Hunk
	for {
		line, ok := p.peek()
		if !ok || !bytes.HasPrefix(line, []byte("@@ ")) {
			return hunks, nil
		}
		h, err := parseHunkHeader(line)
		if err != nil {
			return nil, err
		}
		if _, err := p.next(); err != nil {
			return nil, err
		}
		if err := p.hunkLines(&h); err != nil {
			return nil, err
		}
		hunks = append(hunks, h)
	}
}

// hunkLines reads as many lines as the header announces, and the marks of
// missing last newlines after them.
func (p *parser) hunkLines(h *Hunk) error {
	oldLeft, newLeft := h.OldLines, h.NewLines
	for oldLeft > 0 || newLeft > 0 {
		line, err := p.next()
		if err != nil {
			return err
		}
		l := Line{Op: Op(line[0]), Text: line[1:]}
		switch l.Op {
		case OpContext:
			oldLeft, newLeft = oldLeft-1, newLeft-1
		case OpDelete:
			oldLeft--
		case OpAdd:
			newLeft--
		default:
			return errBadHunk
		}
		if oldLeft < 0 || newLeft < 0 {
			return errBadHunk
		}
		p.noNewline(&l)
		h.Lines = append(h.Lines, l)
	}
	return nil
}

// noNewline takes a newline off the line when the mark for that follows.
func (p *parser) noNewline(l *Line) {
	if mark, ok := p.peek(); ok && bytes.HasPrefix(mark, []byte(`\ `)) {
		l.Text = bytes.TrimSuffix(l.Text, []byte{'\n'})
		p.pos += len(mark) + 1
	}
}

// parseHunkHeader reads "@@ -START[,LINES] +START[,LINES] @@[ SECTION]".
func parseHunkHeader(line []byte) (Hunk, error) {
	ranges, section, ok := strings.Cut(strings.TrimPrefix(string(line), "@@ -"), " @@")
	before, after, ok2 := strings.Cut(ranges, " +")
	if !ok || !ok2 {
		return Hunk{}, errBadHunk
	}
	var h Hunk
	var ok3, ok4 bool
	h.OldStart, h.OldLines, ok3 = parseRange(before)
	h.NewStart, h.NewLines, ok4 = parseRange(after)
	if !ok3 || !ok4 || h.OldLines+h.NewLines == 0 {
		return Hunk{}, errBadHunk
	}
	if section != "" {
		h.Section = []byte(strings.TrimPrefix(section, " "))
	}
	return h, nil
}

// maxLine keeps sums of line numbers within an int of any size.
const maxLine = 1 << 30

func parseRange(s string) (start, lines int, ok bool) {
	first, count, hasCount := strings.Cut(s, ",")
	lines = 1
	start, err := strconv.Atoi(first)
	if hasCount && err == nil {
		lines, err = strconv.Atoi(count)
	}
	ok = err == nil && start >= 0 && lines >= 0 && start < maxLine && lines < maxLine && (start > 0 || lines == 0)
	return start, lines, ok
}

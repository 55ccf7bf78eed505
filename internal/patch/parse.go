// Package patch makes, reads and proves git patches, byte by byte: the gold
// and test patch of a change, and the combined one of a dataset row. Nothing
// is ever taken for text: CRLF, lone CR, other encodings and missing last
// newlines survive.
package patch

import (
	"bytes"
	"errors"
	"fmt"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// FilePatch is one file's part of a patch.
type FilePatch struct {
	// Raw is its exact text, from "diff --git" to before the next file.
	Raw []byte
	// Status is one of added, modified, deleted, renamed, copied. A change of
	// type is a deletion and an addition of the same path, one after the other.
	Status           schemas.FileStatus
	OldPath, NewPath string // unquoted, without a/ and b/; "" where the file does not exist
	OldMode, NewMode gitrepo.Mode
	OldOID, NewOID   gitrepo.OID // from the index line, "" without one
	Similarity       int         // per cent, of renames and copies
	Binary           bool        // Hunks is empty
	Hunks            []Hunk

	header []byte // the part of Raw that names paths
}

// Path returns the new path, or the old one of a deletion.
func (f FilePatch) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// ParseError says where a patch is not one that git would write.
type ParseError struct {
	Line int // counted from 1
	Err  error
}

// Error implements error.
func (e *ParseError) Error() string { return fmt.Sprintf("patch line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// Parse reads a patch in git's format. Text before the first "diff --git" line
// is refused, and so is everything else that git would not write (with its
// default prefixes, under any core.quotePath): the error is a *ParseError. The result refers to the bytes of patch.
func Parse(patch []byte) ([]FilePatch, error) {
	p := &parser{all: patch}
	var files []FilePatch
	for !p.done() {
		f, err := p.file()
		if err != nil {
			return nil, &ParseError{Line: p.lineNumber(), Err: err}
		}
		files = append(files, f)
	}
	return files, nil
}

// parser walks over the lines of a patch.
type parser struct {
	all []byte
	pos int // start of the line that comes next
}

func (p *parser) done() bool { return p.pos >= len(p.all) }

// peek returns the next line without its newline; ok is false at the end and
// when the last line has no newline.
func (p *parser) peek() (line []byte, ok bool) {
	end := bytes.IndexByte(p.all[p.pos:], '\n')
	if end < 0 {
		return nil, false
	}
	return p.all[p.pos : p.pos+end], true
}

// next returns the next line with its newline and moves on.
func (p *parser) next() ([]byte, error) {
	line, ok := p.peek()
	if !ok {
		return nil, errTruncated
	}
	with := p.all[p.pos : p.pos+len(line)+1]
	p.pos += len(with)
	return with, nil
}

func (p *parser) lineNumber() int {
	return 1 + bytes.Count(p.all[:min(p.pos, len(p.all))], []byte{'\n'})
}

var (
	errTruncated  = errors.New("the patch ends too early")
	errNoHeader   = errors.New(`want a line "diff --git a/PATH b/PATH"`)
	errBadHeader  = errors.New("unreadable header line")
	errNames      = errors.New("the names in the header do not agree")
	errBadHunk    = errors.New("unreadable hunk")
	errBadBinary  = errors.New("unreadable binary patch")
	errNoContents = errors.New("the patch of a binary file lacks its contents")
)

// file reads one file's part.
func (p *parser) file() (FilePatch, error) {
	start := p.pos
	h, err := p.fileHeader()
	if err != nil {
		return FilePatch{}, err
	}
	f := h.patch
	f.header = p.all[start:p.pos]
	if line, ok := p.peek(); ok {
		switch {
		case bytes.HasPrefix(line, []byte("@@ ")):
			if !h.labels {
				return FilePatch{}, errBadHeader
			}
			f.Hunks, err = p.hunks()
		case string(line) == "GIT binary patch":
			f.Binary = true
			err = p.binary()
		case bytes.HasPrefix(line, []byte("Binary files ")):
			err = errNoContents
		case h.labels:
			err = errBadHunk
		}
	} else if h.labels {
		err = errTruncated
	}
	f.Raw = p.all[start:p.pos]
	return f, err
}

// binary passes over a forward and, where there is one, a reverse block.
func (p *parser) binary() error {
	if _, err := p.next(); err != nil {
		return err
	}
	for blocks := 0; ; blocks++ {
		line, ok := p.peek()
		isBlock := ok && (bytes.HasPrefix(line, []byte("literal ")) || bytes.HasPrefix(line, []byte("delta ")))
		if !isBlock || blocks == 2 {
			if blocks == 0 {
				return errBadBinary
			}
			return nil
		}
		if err := p.binaryBlock(); err != nil {
			return err
		}
	}
}

// binaryBlock passes over a size line, lines of base 85 and an empty line.
func (p *parser) binaryBlock() error {
	if _, err := p.next(); err != nil {
		return err
	}
	for {
		line, err := p.next()
		if err != nil {
			return err
		}
		line = line[:len(line)-1]
		if len(line) == 0 {
			return nil
		}
		if (len(line)-1)%5 != 0 || len(line) < 6 || len(line) > 66 {
			return errBadBinary
		}
	}
}

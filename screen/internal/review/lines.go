package review

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"crossswe/schemas"
)

// What an import may be: a line holds one review, whose notes are bounded too.
const (
	MaxFile   = 256 << 20
	MaxLine   = 1 << 20
	maxFaults = 50 // a file of another kind has a fault on every line
)

// Entry is one line of an export: a review or a decision.
type Entry struct {
	Line     int
	Review   *schemas.Review
	Decision *schemas.Decision
}

// Lines writes reviews and decisions as JSON lines, the form that Read takes.
func Lines(reviews []schemas.Review, decisions []schemas.Decision) ([]byte, error) {
	var out bytes.Buffer
	write := func(r schemas.Record) error {
		line, err := json.Marshal(schemas.Line{Record: r.RecordKind(), Body: r})
		out.Write(append(line, '\n'))
		return err
	}
	for _, r := range reviews {
		if err := write(r); err != nil {
			return nil, err
		}
	}
	for _, d := range decisions {
		if err := write(d); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// Read reads JSON lines of reviews and decisions. Blank lines are passed over.
// The error holds every fault with its line; then there are no entries.
func Read(r io.Reader) ([]Entry, error) {
	limited := &io.LimitedReader{R: r, N: MaxFile + 1}
	scan := bufio.NewScanner(limited)
	scan.Buffer(nil, MaxLine)
	var entries []Entry
	var f faults
	line := 0
	for scan.Scan() {
		line++
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		e, err := readEntry(scan.Bytes())
		f.add(line, err)
		e.Line = line
		entries = append(entries, e)
	}
	switch err := scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		f.add(line+1, fmt.Errorf("longer than %d bytes", MaxLine))
	case err != nil:
		return nil, err
	case limited.N == 0:
		f.add(line, fmt.Errorf("the file is larger than %d bytes", MaxFile))
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return entries, nil
}

func readEntry(line []byte) (Entry, error) {
	var l struct {
		Record schemas.Kind    `json:"record"`
		Body   json.RawMessage `json:"body"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return Entry{}, fmt.Errorf("not of the form {\"record\": …, \"body\": …}: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Entry{}, errors.New("data after the end of the record")
	}
	switch l.Record {
	case schemas.KindReview:
		r, err := schemas.Decode[schemas.Review](l.Body)
		return Entry{Review: &r}, err
	case schemas.KindDecision:
		d, err := schemas.Decode[schemas.Decision](l.Body)
		return Entry{Decision: &d}, err
	}
	return Entry{}, fmt.Errorf("record %q is neither review nor decision", l.Record)
}

// faults collects errors with their lines.
type faults struct {
	list []error
	more int
}

func (f *faults) add(line int, err error) {
	switch {
	case err == nil:
	case len(f.list) == maxFaults:
		f.more++
	default:
		f.list = append(f.list, fmt.Errorf("line %d: %w", line, err))
	}
}

func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(f.list, fmt.Errorf("and %d more", f.more))...)
	}
	return errors.Join(f.list...)
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"crossswe/internal/atomicfile"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/screen/internal/review"
)

// importFile takes in reviews and decisions: the whole file in one
// transaction, or nothing.
func importFile(ctx context.Context, s *session, o options) error {
	in := s.stdin
	if o.args[0] != "-" {
		f, err := os.Open(o.args[0])
		if err != nil {
			return usage(err)
		}
		defer f.Close()
		in = f
	}
	entries, err := review.Read(in)
	if err != nil {
		return usage(fmt.Errorf("%s, nothing imported:\n%w", o.args[0], err))
	}
	var change review.Change
	err = s.update(ctx, func(cases []review.Case) (review.Change, error) {
		if change, err = review.Merge(s.policy(), cases, entries); err != nil {
			return change, usage(fmt.Errorf("%s, nothing imported:\n%w", o.args[0], err))
		}
		return change, nil
	})
	if err != nil {
		return err
	}
	s.Out.Textf("%d reviews and %d decisions are new, of %d lines\n", len(change.Reviews), len(change.Decisions), len(entries))
	return nil
}

// export writes every review and decision. It is for the keeper of the
// reviews: it lifts the blindness.
func export(ctx context.Context, s *session, o options) error {
	reviews, err := store.All[schemas.Review](ctx, s.Store)
	if err != nil {
		return err
	}
	decisions, err := store.All[schemas.Decision](ctx, s.Store)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		s.Out.Record(r)
	}
	for _, d := range decisions {
		s.Out.Record(d)
	}
	body, err := review.Lines(reviews, decisions)
	if err != nil {
		return err
	}
	if len(o.args) == 1 {
		if err := atomicfile.Write(o.args[0], body); err != nil {
			return fmt.Errorf("writing %s: %w", o.args[0], err)
		}
		return nil
	}
	s.Out.Textf("%s", body)
	return nil
}

// readText reads a whole file that a person wrote, up to max bytes.
func readText(file string, max int64) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, max+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", file, err)
	case int64(len(body)) > max:
		return "", fmt.Errorf("%s is larger than %d bytes", file, max)
	}
	return string(bytes.ToValidUTF8(body, []byte("\uFFFD"))), nil
}

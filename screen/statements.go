package main

import (
	"context"
	"flag"
	"strings"

	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/screen/internal/page"
)

// maxStatement bounds a statement that a person writes.
const maxStatement = 256 << 10

func editFlags(fs *flag.FlagSet, o *options) { fs.StringVar(&o.names, "interface", "", "") }

// statement reads the statement that an argument names.
func (s *session) statement(ctx context.Context, id string) (schemas.Statement, error) {
	st, ok, err := store.Get[schemas.Statement](ctx, s.Store, id)
	if err == nil && !ok {
		err = cli.Usagef("candidate %q has no statement: publish drafts one when it is verified joint", id)
	}
	return st, err
}

func showStatement(ctx context.Context, s *session, o options) error {
	st, err := s.statement(ctx, o.args[0])
	if err != nil {
		return err
	}
	s.Out.Record(st)
	var text strings.Builder
	page.Statement(&text, st)
	s.Out.Textf("%s", text.String())
	return nil
}

// editStatement replaces the text. The approval and what the lint found were
// about the old text, so both go.
func editStatement(ctx context.Context, s *session, o options) error {
	st, err := s.statement(ctx, o.args[0])
	if err != nil {
		return err
	}
	text, err := readText(o.args[1], maxStatement)
	if err != nil {
		return usage(err)
	}
	if strings.TrimSpace(text) == "" {
		return cli.Usagef("%s is empty", o.args[1])
	}
	edited := schemas.Statement{Candidate: st.Candidate, Text: text, Interface: st.Interface, Method: "person", At: s.clock()}
	if o.names != "" {
		edited.Interface = strings.Split(o.names, ",")
	}
	return s.keepStatement(ctx, edited)
}

func approveStatement(ctx context.Context, s *session, o options) error {
	st, err := s.statement(ctx, o.args[0])
	if err != nil {
		return err
	}
	if err := schemas.ValidReviewer(o.reviewer); err != nil {
		return usage(err)
	}
	if st.Linted == "" {
		return cli.Usagef("%s was edited and the lint has not read it yet: run publish first", st.Candidate)
	}
	if st.Approved != "" {
		s.Out.Textf("%s was approved by %s already\n", st.Candidate, page.Safe(st.Approved))
		return nil
	}
	st.Approved, st.At = o.reviewer, s.clock()
	return s.keepStatement(ctx, st)
}

func (s *session) keepStatement(ctx context.Context, st schemas.Statement) error {
	if err := s.Store.Commit(ctx, store.Batch{Records: []schemas.Record{st}}); err != nil {
		return err
	}
	s.Out.Record(st)
	state := "not approved"
	if st.Approved != "" {
		state = "approved"
	}
	s.Out.Textf("%s: %s, %d findings\n", st.Candidate, state, len(st.Findings))
	return nil
}

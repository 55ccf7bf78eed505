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
func statementOf(ctx context.Context, view *store.Store, id string) (schemas.Statement, error) {
	st, ok, err := store.Get[schemas.Statement](ctx, view, id)
	if err == nil && !ok {
		err = cli.Usagef("candidate %q has no statement: publish drafts one when it is verified joint", id)
	}
	return st, err
}

func showStatement(ctx context.Context, s *session, o options) error {
	st, err := statementOf(ctx, s.Store, o.args[0])
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
	text, err := readText(o.args[1], maxStatement)
	if err != nil {
		return usage(err)
	}
	if strings.TrimSpace(text) == "" {
		return cli.Usagef("%s is empty", o.args[1])
	}
	return s.updateStatement(ctx, o.args[0], func(st schemas.Statement) (schemas.Statement, error) {
		edited := schemas.Statement{Candidate: st.Candidate, Text: text, Interface: st.Interface, Method: "person", At: s.clock()}
		if o.names != "" {
			edited.Interface = strings.Split(o.names, ",")
		}
		return edited, nil
	})
}

func approveStatement(ctx context.Context, s *session, o options) error {
	if err := schemas.ValidReviewer(o.reviewer); err != nil {
		return usage(err)
	}
	return s.updateStatement(ctx, o.args[0], func(st schemas.Statement) (schemas.Statement, error) {
		switch {
		case st.Linted == "":
			return st, cli.Usagef("%s was edited and the lint has not read it yet: run publish first", st.Candidate)
		case st.Approved != "":
			return st, nil
		}
		st.Approved, st.At = o.reviewer, s.clock()
		return st, nil
	})
}

// updateStatement writes what change makes of a statement as it is: an edit and
// an approval at the same moment do not undo one another.
func (s *session) updateStatement(ctx context.Context, id string, change func(schemas.Statement) (schemas.Statement, error)) error {
	var was, st schemas.Statement
	err := s.Store.Update(ctx, func(ctx context.Context, view *store.Store) (store.Batch, error) {
		var err error
		if was, err = statementOf(ctx, view, id); err != nil {
			return store.Batch{}, err
		}
		if st, err = change(was); err != nil || st.Approved != "" && was.Approved != "" {
			return store.Batch{}, err
		}
		return store.Batch{Records: []schemas.Record{st}}, nil
	})
	if err != nil {
		return err
	}
	if was.Approved != "" && st.Approved != "" {
		s.Out.Textf("%s was approved by %s already\n", st.Candidate, page.Safe(st.Approved))
		return nil
	}
	s.Out.Record(st)
	state := "not approved"
	if st.Approved != "" {
		state = "approved"
	}
	s.Out.Textf("%s: %s, %d findings\n", st.Candidate, state, len(st.Findings))
	return nil
}

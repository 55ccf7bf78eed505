package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"slices"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/screen/internal/review"
)

// session is one call of the program.
type session struct {
	*cli.Stage
	now    func() time.Time
	stdin  io.Reader
	stderr io.Writer
	as     string // who the link of -serve signs in
	key    string // that signs sessions; "" for a new one
}

// command is one subcommand: its flags and what it does with the arguments
// that are no flags.
type command struct {
	args  []string // their names, for the message when they are missing; the last may be optional: [FILE]
	flags func(*flag.FlagSet, *options)
	run   func(context.Context, *session, options) error
}

// options are the flags and arguments of all subcommands.
type options struct {
	args                             []string
	all                              bool
	reviewer, reason, intent, domain string
	notes, names                     string
}

var commands = map[string]command{
	"list":      {flags: listFlags, run: list},
	"show":      {args: []string{"ID"}, flags: reviewerFlag, run: show},
	"decide":    {args: []string{"ID", "keep|drop|unsure"}, flags: decideFlags, run: decide},
	"stats":     {run: stats},
	"import":    {args: []string{"FILE"}, run: importFile},
	"export":    {args: []string{"[FILE]"}, run: export},
	"statement": {args: []string{"ID"}, run: showStatement},
	"edit":      {args: []string{"ID", "FILE"}, flags: editFlags, run: editStatement},
	"approve":   {args: []string{"ID"}, flags: reviewerFlag, run: approveStatement},
}

func run(ctx context.Context, s *session) error {
	if s.Served() {
		return serve(ctx, s)
	}
	if s.as != "" {
		return cli.Usagef("-as is for -serve; commands have -reviewer")
	}
	if len(s.Args) == 0 {
		return cli.Usagef("a command is required: list, show, decide, stats, import, export, statement, edit or approve")
	}
	cmd, ok := commands[s.Args[0]]
	if !ok {
		return cli.Usagef("unknown command %q", s.Args[0])
	}
	opt, err := parse(s.Args[0], cmd, s.Args[1:])
	if err != nil {
		return err
	}
	return cmd.run(ctx, s, opt)
}

// parse reads flags and arguments in any order.
func parse(name string, cmd command, args []string) (options, error) {
	var opt options
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if cmd.flags != nil {
		cmd.flags(fs, &opt)
	}
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return opt, cli.Usagef("%s: %w", name, err)
		}
		if args = fs.Args(); len(args) > 0 {
			opt.args, args = append(opt.args, args[0]), args[1:]
		}
	}
	least := len(cmd.args)
	if least > 0 && cmd.args[least-1][0] == '[' {
		least--
	}
	if len(opt.args) < least || len(opt.args) > len(cmd.args) {
		return opt, cli.Usagef("%s: want the arguments %q, got %q", name, cmd.args, opt.args)
	}
	return opt, nil
}

func reviewerFlag(fs *flag.FlagSet, o *options) { fs.StringVar(&o.reviewer, "reviewer", "", "") }

func (s *session) policy() review.Policy {
	return review.Policy{Reviewers: s.Config.Screen.Reviewers, Adjudicators: s.Config.Screen.Adjudicators}
}

// cases reads the queue: the candidates that mine has kept, and what was said
// about them.
func (s *session) cases(ctx context.Context, view *store.Store) ([]review.Case, error) {
	mined, err := view.Items(ctx, store.StageMine, store.Kept)
	if err != nil {
		return nil, err
	}
	kept := map[schemas.CandidateID]bool{}
	for _, it := range mined {
		kept[schemas.CandidateID(it.ID)] = true
	}
	candidates, err := store.All[schemas.Candidate](ctx, view)
	if err != nil {
		return nil, err
	}
	candidates = slices.DeleteFunc(candidates, func(c schemas.Candidate) bool { return !kept[c.ID] })
	reviews, err := store.All[schemas.Review](ctx, view)
	if err != nil {
		return nil, err
	}
	decisions, err := store.All[schemas.Decision](ctx, view)
	if err != nil {
		return nil, err
	}
	return review.Cases(s.policy(), candidates, reviews, decisions), nil
}

// find returns the case that an argument names.
func (s *session) find(ctx context.Context, id string) (review.Case, error) {
	cases, err := s.cases(ctx, s.Store)
	if err != nil {
		return review.Case{}, err
	}
	c, ok := review.Find(cases, schemas.CandidateID(id))
	if !ok {
		return review.Case{}, cli.Usagef("candidate %q is not in the queue: screen list -all shows what is", id)
	}
	return c, nil
}

// update writes the change that judge makes of the queue as it is: reviews,
// decisions and the state of every candidate that is decided by it. Nobody else
// judges meanwhile, so that of two reviews at the same moment the later one
// sees the other.
func (s *session) update(ctx context.Context, judge func([]review.Case) (review.Change, error)) error {
	var b store.Batch
	err := s.Store.Update(ctx, func(ctx context.Context, view *store.Store) (store.Batch, error) {
		cases, err := s.cases(ctx, view)
		if err != nil {
			return b, err
		}
		change, err := judge(cases)
		if err != nil {
			return b, err
		}
		b, err = s.batch(change)
		return b, err
	})
	if err != nil {
		return err
	}
	for _, r := range b.Records {
		s.Out.Record(r)
	}
	for _, it := range b.Items {
		s.Log.Info("decided", "candidate", it.ID, "state", it.State, "reason", it.Reason)
	}
	return nil
}

func (s *session) batch(change review.Change) (store.Batch, error) {
	var b store.Batch
	for _, r := range change.Reviews {
		b.Records = append(b.Records, r)
	}
	for _, d := range change.Decisions {
		it, err := s.item(d)
		if err != nil {
			return b, err
		}
		b.Records, b.Items = append(b.Records, d), append(b.Items, it)
	}
	return b, nil
}

// item is the state that follows from a decision: kept, or dropped for the
// decision's reason.
func (s *session) item(d schemas.Decision) (store.Item, error) {
	body, err := schemas.Encode(d)
	if err != nil {
		return store.Item{}, err
	}
	it := store.Item{Stage: store.StageScreen, ID: string(d.Candidate), Input: string(schemas.DigestOf(body)), State: store.Kept, Detail: "by " + string(d.How), At: s.clock()}
	if d.Choice == schemas.ChoiceDrop {
		it.State, it.Reason = store.Dropped, string(d.Reason)
	}
	return it, nil
}

// clock returns the time as records hold it: UTC, whole seconds.
func (s *session) clock() time.Time { return s.now().UTC().Truncate(time.Second) }

// usage marks a refusal of what the caller asked for, faults of the store apart.
func usage(err error) error {
	if err == nil {
		return nil
	}
	var already *cli.UsageError
	if errors.As(err, &already) {
		return err
	}
	return &cli.UsageError{Err: err}
}

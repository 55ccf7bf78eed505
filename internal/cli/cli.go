// Package cli is what the programs' mains share: flags, signals, the logger,
// exit codes, JSON lines and the funnel's last line.
//
// Exit codes: 0 done, 1 failed, 2 usage or configuration, 130 interrupted.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"crossswe/internal/config"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// UsageError is a wrong call or configuration: exit code 2.
type UsageError struct{ Err error }

// Error implements error.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap implements errors.Unwrap.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Stage is an opened pipeline: what a stage's run needs of its surroundings.
type Stage struct {
	Name   store.Stage
	Config *config.Config
	Store  *store.Store
	Log    *slog.Logger
	Out    *Output
	// Args are the arguments after the flags.
	Args []string

	serve serveFlags
}

// Options describes one program.
type Options struct {
	Name store.Stage
	// Manual is printed by -h: what the program does, one paragraph, and how
	// to call it.
	Manual string
	// Flags adds the program's own flags; nil for none.
	Flags func(*flag.FlagSet)
	// Commands says that the arguments are a command with flags of its own.
	Commands bool
	// Serves adds -serve and -listen, for a program that calls Stage.Loop or
	// Stage.Listen.
	Serves bool
	// Listen is the default of -listen; empty for any free port of this machine.
	Listen string
	Args   []string // without the program's name
	Stdout io.Writer
	Stderr io.Writer
}

// Main runs one program and returns its exit code: it reads the flags and the
// configuration, opens the store, calls run until it returns or a signal
// comes, and ends with the funnel's line on standard error.
func Main(opt Options, run func(context.Context, *Stage) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// Whoever asks for SIGPIPE gets an error from the write instead of a death
	// that leaves temporary files; unlike ignoring it, children do not inherit that.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	err := start(ctx, opt, run)
	code := Code(ctx, err)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		if code == 130 {
			err = errors.New("interrupted; run the same command again to go on")
		}
		fmt.Fprintf(opt.Stderr, "%s: %v\n", opt.Name, err)
	}
	return code
}

// Code maps an error to the exit code.
func Code(ctx context.Context, err error) int {
	var usage *UsageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case ctx.Err() != nil:
		return 130
	case errors.As(err, &usage):
		return 2
	}
	return 1
}

func start(ctx context.Context, opt Options, run func(context.Context, *Stage) error) error {
	fs := flag.NewFlagSet(string(opt.Name), flag.ContinueOnError)
	fs.SetOutput(io.Discard) // its faults are ours to tell
	file := fs.String("config", "pipeline.yaml", "the pipeline's configuration `file`")
	verbose := fs.Bool("v", false, "log every step, not only outcomes")
	migrate := fs.Bool("migrate", false, "bring a store of an older version up to date; stop the other programs first")
	asJSON := fs.Bool("json", false, "write the records of this run to standard output, one JSON object a line")
	if opt.Flags != nil {
		opt.Flags(fs)
	}
	var serve serveFlags
	if opt.Serves {
		serve.add(fs, opt.Listen)
	}
	if err := parse(fs, opt); err != nil {
		return err
	}
	cfg, err := config.Read(*file)
	if err != nil {
		return &UsageError{err}
	}
	if *migrate {
		if err := store.Migrate(ctx, cfg.Store.Place()); err != nil {
			return err
		}
	}
	s, err := openStage(ctx, opt, cfg, *verbose, *asJSON)
	if err != nil {
		return err
	}
	defer s.Store.Close()
	fs.Visit(func(f *flag.Flag) { serve.given = serve.given || f.Name == "listen" })
	s.Args, s.serve = fs.Args(), serve
	err = run(ctx, s)
	var usage *UsageError
	if ctx.Err() != nil || errors.As(err, &usage) {
		return err
	}
	if lost := s.Out.Err(); lost != nil {
		err = errors.Join(err, fmt.Errorf("writing to standard output: %w", lost))
	}
	return errors.Join(err, s.funnel(ctx, opt.Stderr))
}

// parse reads the flags. The manual goes to standard output, for whoever asked
// for it.
func parse(fs *flag.FlagSet, opt Options) error {
	err := fs.Parse(opt.Args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(opt.Stdout, "%s\n\nFlags:\n", strings.TrimSpace(opt.Manual))
		fs.SetOutput(opt.Stdout)
		fs.PrintDefaults()
		return err
	case err != nil:
		return Usagef("%w (%s -h tells the flags)", err, opt.Name)
	}
	for _, arg := range fs.Args() {
		if name, dashed := strings.CutPrefix(arg, "-"); dashed && !opt.Commands && fs.Lookup(strings.TrimPrefix(name, "-")) != nil {
			return Usagef("%s stands after an argument: flags come first", arg)
		}
	}
	return nil
}

func openStage(ctx context.Context, opt Options, cfg *config.Config, verbose, asJSON bool) (*Stage, error) {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	s := &Stage{Name: opt.Name, Config: cfg}
	s.Log = slog.New(slog.NewTextHandler(opt.Stderr, &slog.HandlerOptions{Level: level})).With("stage", opt.Name)
	s.Out = &Output{w: opt.Stdout, json: asJSON}
	var err error
	s.Store, err = store.Open(ctx, cfg.Store.Place())
	return s, err
}

// funnel prints the last line of every stage: what it kept and why it dropped.
func (s *Stage) funnel(ctx context.Context, w io.Writer) error {
	rows, err := s.Store.Funnel(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %s\n", s.Name, FunnelLine(s.Name, rows))
	return nil
}

// FunnelLine writes one stage's part of the funnel: "kept 5, dropped 3 (bot_bump 2, fork 1), failed 0".
func FunnelLine(stage store.Stage, rows []store.FunnelRow) string {
	count, reasons := map[store.State]int{}, map[store.State][]string{}
	for _, r := range rows {
		if r.Stage != stage {
			continue
		}
		count[r.State] += r.Count
		if r.Reason != "" {
			reasons[r.State] = append(reasons[r.State], fmt.Sprintf("%s %d", r.Reason, r.Count))
		}
	}
	var parts []string
	for _, state := range []store.State{store.Kept, store.Dropped, store.Failed} {
		part := fmt.Sprintf("%s %d", state, count[state])
		if len(reasons[state]) > 0 {
			part += " (" + strings.Join(reasons[state], ", ") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// Output writes what a program shows on standard output. With -json that is
// records as JSON lines and nothing else; without it, text for people. It is
// safe for concurrent use.
type Output struct {
	mu   sync.Mutex
	w    io.Writer
	json bool
	err  error
}

// NewOutput returns an Output on w, for tests and for programs with a front of their own.
func NewOutput(w io.Writer, asJSON bool) *Output { return &Output{w: w, json: asJSON} }

// JSON reports whether records are written, and nothing else.
func (o *Output) JSON() bool { return o.json }

// Record writes one record as a JSON line; without -json it does nothing.
func (o *Output) Record(r schemas.Record) {
	if !o.json {
		return
	}
	line, err := json.Marshal(schemas.Line{Record: r.RecordKind(), Body: r})
	o.write(append(line, '\n'), err)
}

// Textf writes text for people; with -json it does nothing.
func (o *Output) Textf(format string, args ...any) {
	if !o.json {
		o.write(fmt.Appendf(nil, format, args...), nil)
	}
}

func (o *Output) write(b []byte, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		_, err = o.w.Write(b)
	}
	if err != nil && o.err == nil {
		o.err = err
	}
}

// Err returns the first error in writing.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Mirrors returns the repositories that the configuration names. Close it.
func (s *Stage) Mirrors() (*mirrors.Set, error) {
	r := s.Config.Repositories
	var list []mirrors.Place
	for _, repo := range r.List {
		list = append(list, mirrors.Place{Name: repo.Name, Dir: repo.Path, Aliases: repo.Aliases})
	}
	set, err := mirrors.Find(r.Mirrors, list)
	if err != nil {
		return nil, &UsageError{fmt.Errorf("repositories: %w", err)}
	}
	return set, nil
}

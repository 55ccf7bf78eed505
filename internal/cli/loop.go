package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"time"

	"crossswe/internal/jobs"
	"crossswe/internal/schedule"
	"crossswe/internal/store"
)

// Loop is how a stage goes through its records: the same for every stage, once
// or served, on one machine or many.
type Loop struct {
	// Ready lists what waits for the stage, or the named items, which it may
	// refuse. It must be cheap: a served stage calls it every few seconds.
	Ready func(ctx context.Context, names []string) ([]jobs.Task, error)
	// Open prepares for work, once, when there is some: it connects the engine.
	// nil for nothing.
	Open func(context.Context) error
	// Work does one job; see jobs.Options.
	Work func(context.Context, *jobs.Job) error
	// Needs is what one job takes of the machine.
	Needs jobs.Needs
	// Own keeps the jobs of a run that is not served to its own process, whose
	// output somebody reads.
	Own bool
	// Limit bounds how many jobs a run that is not served does; 0 for all.
	Limit int
}

// serveFlags are the flags of a stage that can be served.
type serveFlags struct {
	serve  bool
	listen string
	given  bool // listen was
}

func (f *serveFlags) add(fs *flag.FlagSet, listen string) {
	fs.BoolVar(&f.serve, "serve", false, "keep working until stopped")
	fs.StringVar(&f.listen, "listen", cmp.Or(listen, "127.0.0.1:0"), "`address` at which -serve answers, /healthz and /metrics among others")
}

// Loop goes through the stage's records.
func (s *Stage) Loop(ctx context.Context, l Loop) error {
	if l.Limit < 0 {
		return Usagef("-limit %d is negative", l.Limit)
	}
	if s.serve.serve {
		return s.serveLoop(ctx, l)
	}
	if s.serve.given {
		return Usagef("-listen goes with -serve")
	}
	tasks, err := l.Ready(ctx, s.Args)
	if err != nil {
		return err
	}
	own := l.Own || len(s.Args) > 0 || l.Limit > 0
	if l.Limit > 0 {
		tasks = tasks[:min(len(tasks), l.Limit)]
	}
	if len(tasks) == 0 {
		left, err := jobs.Left(ctx, s.Store, s.Name)
		if err != nil || left == 0 || own {
			return err
		}
	}
	if err := open(ctx, l); err != nil {
		return err
	}
	return jobs.Drain(ctx, s.jobOptions(l), tasks, own)
}

func open(ctx context.Context, l Loop) error {
	if l.Open == nil {
		return nil
	}
	return l.Open(ctx)
}

func (s *Stage) jobOptions(l Loop) jobs.Options {
	m := s.Config.Machine
	return jobs.Options{
		Store: s.Store, Stage: s.Name, Log: s.Log, Work: l.Work, Needs: l.Needs,
		Limits: jobs.Needs{Containers: m.Containers, MemoryMB: m.MemoryMB},
	}
}

// serveLoop works until a signal comes.
func (s *Stage) serveLoop(ctx context.Context, l Loop) error {
	if len(s.Args) > 0 || l.Limit > 0 {
		return Usagef("-serve works on everything that is ready: name no candidates and no limit")
	}
	if err := open(ctx, l); err != nil {
		return err
	}
	vitals, mux := s.Vitals(), http.NewServeMux()
	vitals.Handle(mux)
	web, err := s.Listen(ctx, mux)
	if err != nil {
		return err
	}
	opt := s.jobOptions(l)
	opt.Metrics, opt.Grace = vitals.Metrics, time.Duration(s.Config.Machine.Grace)
	server, err := jobs.NewServer(ctx, opt, func(ctx context.Context) ([]jobs.Task, error) { return l.Ready(ctx, nil) })
	if err != nil {
		return errors.Join(err, web.Close(ctx))
	}
	vitals.Begin(server.Health)
	err = server.Run(ctx)
	return errors.Join(err, web.Close(ctx))
}

// Waiting lists what waits for the stage: of the named items, or else of those
// that the stage before has kept, the ones that are not finished from the input
// that inputOf tells, and with again all.
func (s *Stage) Waiting(ctx context.Context, before store.Stage, names []string, again bool, inputOf func(context.Context, string) (string, error)) ([]jobs.Task, error) {
	ids := names
	if len(names) == 0 {
		kept, err := s.Store.Items(ctx, before, store.Kept)
		if err != nil {
			return nil, err
		}
		for _, it := range kept {
			ids = append(ids, it.ID)
		}
	}
	var tasks []jobs.Task
	for _, id := range ids {
		input, err := inputOf(ctx, id)
		if err != nil && s.Served() && ctx.Err() == nil {
			s.Log.Error("cannot be taken up", "candidate", id, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		it, known, err := s.Store.Item(ctx, s.Name, id)
		if err != nil {
			return nil, err
		}
		same := known && it.Input == input
		if same && it.State != store.Failed && !again {
			s.Log.Debug("already done", "candidate", id)
			continue
		}
		tasks = append(tasks, jobs.Task{ID: id, Again: again, Failed: same && it.State == store.Failed})
	}
	return tasks, nil
}

// Served reports whether the stage keeps working until it is stopped.
func (s *Stage) Served() bool { return s.serve.serve }

// ListenAddress is what -listen names.
func (s *Stage) ListenAddress() string { return s.serve.listen }

// Due lists one task when the schedule asks for it, or, in a run that is not
// served, at once: for a stage that has no records of its own to go through.
func (s *Stage) Due(ctx context.Context, spec string, now time.Time) ([]jobs.Task, error) {
	task := []jobs.Task{{ID: string(s.Name)}}
	if !s.Served() {
		return task, nil
	}
	last, err := s.lastSlot(ctx)
	if err != nil {
		return nil, err
	}
	if last.IsZero() { // a new pipeline does not begin with what it would have missed
		return nil, s.Begun(ctx, now)
	}
	if spec == "" {
		return nil, nil
	}
	if _, due, err := schedule.Due(spec, last, now); err != nil || !due {
		return nil, err
	}
	return task, nil
}

// slotMark is the watermark of the schedule: until when it has been seen to.
func (s *Stage) slotMark() string { return "schedule:" + string(s.Name) }

func (s *Stage) lastSlot(ctx context.Context) (time.Time, error) {
	text, err := s.Store.Mark(ctx, s.slotMark())
	if err != nil || text == "" {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading mark %s: %w", s.slotMark(), err)
	}
	return t, nil
}

// Begun notes that what was due by now has been begun: its job is there and is
// tried again by itself. A run that is not served is none of the schedule's.
func (s *Stage) Begun(ctx context.Context, now time.Time) error {
	if !s.Served() {
		return nil
	}
	return s.Store.Commit(ctx, store.Batch{Marks: []store.Mark{{Name: s.slotMark(), Value: now.UTC().Format(time.RFC3339)}}})
}

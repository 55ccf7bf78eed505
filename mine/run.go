package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/cli"
	"crossswe/internal/gitrepo"
	"crossswe/internal/jobs"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/facts"
	"crossswe/mine/internal/pairing"
)

// options are the flags of one run.
type options struct {
	add    bool
	limit  int
	dryRun bool
}

// workers is how many repositories or changes are read at once. Reading is
// bound by git's own processes, of which each keeps a core busy.
const workers = 2

// rules is raised when the rules change, so that unchanged repositories are
// mined again.
const rules = "1"

// miner is one run.
type miner struct {
	stage   *cli.Stage
	opt     options
	clock   func() time.Time
	mirrors *mirrors.Set
	commit  func(context.Context, store.Batch) error // what was found, at the end

	places []mirrors.Place // that could be read
	repos  []*gitrepo.Repo // by place
	failed []store.Item
}

func run(ctx context.Context, s *cli.Stage, opt options, clock func() time.Time) error {
	if opt.limit < 0 {
		return cli.Usagef("-limit %d is negative", opt.limit)
	}
	if !opt.add && len(s.Args) > 0 {
		return cli.Usagef("unexpected argument %q (did you mean -add?)", s.Args[0])
	}
	if s.Served() && (opt.add || opt.dryRun || opt.limit > 0) {
		return cli.Usagef("-serve goes with neither -add nor -dry-run nor -limit")
	}
	if opt.add || opt.dryRun {
		return once(ctx, s, opt, clock, s.Store.Commit)
	}
	if s.Served() && s.Config.Schedule.Mine == "" {
		s.Log.Warn("schedule.mine is empty: nothing begins by itself")
	}
	return s.Loop(ctx, cli.Loop{
		Own: true,
		Ready: func(ctx context.Context, _ []string) ([]jobs.Task, error) {
			return s.Due(ctx, s.Config.Schedule.Mine, clock())
		},
		Work: func(ctx context.Context, j *jobs.Job) error {
			if err := s.Begun(ctx, clock()); err != nil {
				return err
			}
			return once(ctx, s, opt, clock, j.Commit)
		},
	})
}

// once opens the repositories and mines them, or makes the candidate that is
// added by hand.
func once(ctx context.Context, s *cli.Stage, opt options, clock func() time.Time, commit func(context.Context, store.Batch) error) (err error) {
	set, err := s.Mirrors()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	m := &miner{stage: s, opt: opt, clock: clock, mirrors: set, commit: commit}
	if opt.add {
		return m.add(ctx)
	}
	return m.mine(ctx)
}

func (m *miner) mine(ctx context.Context) error {
	if err := m.open(ctx); err != nil {
		return err
	}
	marks, changed, err := m.watermarks(ctx)
	if err != nil {
		return err
	}
	if !changed {
		m.stage.Log.Info("nothing new in any repository")
		return m.leftOut()
	}
	world, err := m.world(ctx)
	if err != nil {
		return err
	}
	plans, drops, err := m.judge(ctx, world)
	if err != nil {
		return err
	}
	if err := m.record(ctx, world, plans, drops, marks); err != nil {
		return err
	}
	return m.leftOut()
}

// world reads every history.
func (m *miner) world(ctx context.Context) (*pairing.World, error) {
	c := m.stage.Config.Mine
	w := &pairing.World{Repos: make([]*pairing.Repo, len(m.places)), From: c.From.Time, To: c.To.End(m.clock()), Within: time.Duration(c.PairWithin)}
	opt := crossref.Options{Hosts: c.Hosts}
	for _, p := range m.places {
		opt.Names = append(opt.Names, p.Name.Name())
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i := range m.places {
		g.Go(func() error {
			repo, counts, err := scan(gctx, m.repos[i], m.places[i], opt)
			if err != nil {
				return err
			}
			w.Repos[i] = repo
			m.stage.Log.Info("history read", "repo", repo.Name, slog.Group("read",
				"commits", counts.Commits, "changes", len(repo.Set.Changes), "manifest_changes", counts.Manifests,
				"missing_blobs", counts.MissingBlobs, "broken_manifests", counts.BrokenManifests, "truncated_messages", counts.Truncated))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	w.Index()
	return w, nil
}

// judge finds the pairs and makes plans of them.
func (m *miner) judge(ctx context.Context, w *pairing.World) ([]pairing.Plan, []pairing.Drop, error) {
	pairs, drops := w.Find()
	c := m.stage.Config.Mine
	j := &pairing.Judge{World: w, Vocabulary: facts.NewVocabulary(), Facts: map[pairing.Ref]*facts.Facts{}, MinScore: c.MinScore, MaxSides: c.MaxSides}
	col := &collector{judge: j, repos: m.repos, raw: rawChanges{}}
	m.stage.Log.Info("pairs found", "pairs", len(pairs), "drops", len(drops))
	if err := col.files(ctx, pairs); err != nil {
		return nil, nil, err
	}
	pairs, refused := j.Screen(pairs)
	drops = append(drops, refused...)
	m.stage.Log.Info("pairs left after their paths were seen", "pairs", len(pairs))
	if err := col.words(ctx, pairs); err != nil {
		return nil, nil, err
	}
	if err := col.known(ctx, pairs); err != nil {
		return nil, nil, err
	}
	scored, refused := j.Score(pairs)
	drops = append(drops, refused...)
	plans := j.Assemble(scored)
	m.stage.Log.Info("pairs judged", "pairs", len(scored), "candidates", len(plans))
	return plans, drops, nil
}

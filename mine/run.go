package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/cli"
	"crossswe/internal/gitrepo"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/facts"
	"crossswe/mine/internal/pairing"
	"crossswe/schemas"
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

	places []mirrors.Place // that could be read
	repos  []*gitrepo.Repo // by place
	failed []store.Item
}

func run(ctx context.Context, s *cli.Stage, opt options, clock func() time.Time) (err error) {
	if opt.limit < 0 {
		return cli.Usagef("-limit %d is negative", opt.limit)
	}
	if !opt.add && len(s.Args) > 0 {
		return cli.Usagef("unexpected argument %q (did you mean -add?)", s.Args[0])
	}
	set, err := s.Mirrors()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	m := &miner{stage: s, opt: opt, clock: clock, mirrors: set}
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
		return nil
	}
	world, err := m.world(ctx)
	if err != nil {
		return err
	}
	plans, drops, err := m.judge(ctx, world)
	if err != nil {
		return err
	}
	return m.record(ctx, world, plans, drops, marks)
}

// open opens every repository at hand. One that cannot be read is an item that
// failed; none at all is an error.
func (m *miner) open(ctx context.Context) error {
	for _, p := range m.mirrors.Places() {
		repo, err := m.mirrors.Open(ctx, p.Name)
		if err == nil {
			err = m.usable(ctx, repo, p.Name)
		}
		switch {
		case err == nil:
			m.places, m.repos = append(m.places, p), append(m.repos, repo)
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			m.fail(p.Name, err)
		}
	}
	if len(m.places) == 0 {
		return errors.New("no repository can be read: see repositories in the configuration")
	}
	return nil
}

var (
	errShallow = errors.New("a shallow clone: fetch its whole history (git fetch --unshallow)")
	errEmpty   = errors.New("an empty repository: it has no commit")
)

// usable refuses repositories that tell too little.
func (m *miner) usable(ctx context.Context, repo *gitrepo.Repo, name schemas.RepoName) error {
	if repo.Shallow() {
		return fmt.Errorf("%s is %w", name, errShallow)
	}
	refs, err := repo.Refs(ctx, "")
	if err != nil {
		return fmt.Errorf("listing the references of %s: %w", name, err)
	}
	if !slices.ContainsFunc(refs, func(r gitrepo.Ref) bool { return r.Commit != "" }) {
		return fmt.Errorf("%s is %w", name, errEmpty)
	}
	return nil
}

// fail leaves a repository out; the next run tries it again.
func (m *miner) fail(name schemas.RepoName, err error) {
	reason := failure(err)
	m.stage.Log.Error("a repository is left out", "repo", name, "reason", reason, "error", err)
	m.failed = append(m.failed, store.Item{Stage: store.StageMine, ID: "repository " + string(name), State: store.Failed, Reason: reason, Detail: firstLine(err.Error())})
}

// failure maps an error to the reason for leaving a repository out.
func failure(err error) string {
	switch {
	case errors.Is(err, gitrepo.ErrNotRepository):
		return "not_a_repository"
	case errors.Is(err, errShallow):
		return "shallow"
	case errors.Is(err, errEmpty):
		return "empty"
	}
	return "unreadable"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// watermarks returns what each repository and the configuration look like now,
// and whether anything differs from the last run.
func (m *miner) watermarks(ctx context.Context) ([]store.Mark, bool, error) {
	marks := []store.Mark{{Name: "mine", Value: m.settings()}}
	for i, p := range m.places {
		refs, err := m.repos[i].Refs(ctx, "")
		if err != nil {
			return nil, false, fmt.Errorf("listing the references of %s: %w", p.Name, err)
		}
		h := sha256.New()
		for _, r := range refs {
			fmt.Fprintln(h, r.Name, r.OID)
		}
		marks = append(marks, store.Mark{Name: "mine " + p.Name.Key(), Value: hex.EncodeToString(h.Sum(nil))})
	}
	changed := false
	for _, mark := range marks {
		old, err := m.stage.Store.Mark(ctx, mark.Name)
		if err != nil {
			return nil, false, err
		}
		changed = changed || old != mark.Value
	}
	return marks, changed, nil
}

// settings is a digest of everything but the repositories' content that the
// outcome follows from.
func (m *miner) settings() string {
	var names []string
	for _, p := range m.places {
		names = append(names, p.Name.Key())
	}
	for _, it := range m.failed {
		names = append(names, it.ID+" "+it.Reason)
	}
	body, _ := json.Marshal(struct {
		Rules  string
		Config any
		Names  []string
		Limit  int
	}{rules, m.stage.Config.Mine, names, m.opt.limit})
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// world reads every history.
func (m *miner) world(ctx context.Context) (*pairing.World, error) {
	c := m.stage.Config.Mine
	w := &pairing.World{Repos: make([]*pairing.Repo, len(m.places)), From: c.From.Time, To: c.To.AddDate(0, 0, 1).Add(-time.Second), Within: time.Duration(c.PairWithin)}
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

// record writes candidates and drops in one transaction, the watermarks with them.
func (m *miner) record(ctx context.Context, w *pairing.World, plans []pairing.Plan, drops []pairing.Drop, marks []store.Mark) error {
	candidates, more, err := m.candidates(ctx, w, plans)
	if err != nil {
		return err
	}
	drops = append(drops, more...)
	if m.opt.dryRun {
		m.report(candidates, drops)
		return nil
	}
	batch, err := m.batch(ctx, candidates, drops)
	if err != nil {
		return err
	}
	batch.Marks = marks
	if err := m.stage.Store.Commit(ctx, batch); err != nil {
		return err
	}
	for _, r := range batch.Records {
		m.stage.Out.Record(r)
		m.stage.Log.Debug("candidate", "candidate", r.RecordKey())
	}
	return nil
}

// candidates reads the sides of the plans, several at once, in order.
func (m *miner) candidates(ctx context.Context, w *pairing.World, plans []pairing.Plan) ([]schemas.Candidate, []pairing.Drop, error) {
	if m.opt.limit > 0 {
		plans = plans[:min(len(plans), m.opt.limit)]
	}
	out := make([]schemas.Candidate, len(plans))
	var mu sync.Mutex
	var drops []pairing.Drop
	rec := recorder{world: w, repos: m.repos}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i, p := range plans {
		g.Go(func() error {
			c, err := rec.candidate(gctx, p)
			var missing *gitrepo.MissingObjectError
			if errors.As(err, &missing) {
				mu.Lock()
				defer mu.Unlock()
				drops = append(drops, pairing.Drop{ID: p.ID(w), Reason: schemas.DropMissingBlob, Detail: missing.Error()})
				return nil
			}
			out[i] = c
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	out = slices.DeleteFunc(out, func(c schemas.Candidate) bool { return c.ID == "" })
	return out, drops, nil
}

// batch holds what is new: a candidate that is known stays as it is, an item
// that says the same is not written again, and a drop that is no longer found
// is forgotten.
func (m *miner) batch(ctx context.Context, candidates []schemas.Candidate, drops []pairing.Drop) (store.Batch, error) {
	old := map[string]store.Item{}
	for _, state := range []store.State{store.Kept, store.Dropped, store.Failed} {
		items, err := m.stage.Store.Items(ctx, store.StageMine, state)
		if err != nil {
			return store.Batch{}, err
		}
		for _, it := range items {
			old[it.ID] = it
		}
	}
	var b store.Batch
	found := m.failed
	for _, c := range candidates {
		if old[string(c.ID)].State == store.Kept {
			continue
		}
		b.Records = append(b.Records, c)
		found = append(found, store.Item{ID: string(c.ID), Input: string(c.ID), State: store.Kept})
	}
	for _, d := range drops {
		found = append(found, store.Item{ID: d.ID, State: store.Dropped, Reason: string(d.Reason), Detail: d.Detail})
	}
	for _, it := range found {
		was, had := old[it.ID]
		delete(old, it.ID)
		it.Stage, it.At = store.StageMine, m.clock().UTC()
		if !had || was.State != it.State || was.Reason != it.Reason || was.Detail != it.Detail {
			b.Items = append(b.Items, it)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		if it := old[id]; it.State != store.Kept {
			b.Gone = append(b.Gone, it)
		}
	}
	return b, nil
}

// report says what a dry run found.
func (m *miner) report(candidates []schemas.Candidate, drops []pairing.Drop) {
	for _, c := range candidates {
		m.stage.Out.Textf("%8.3f  %s\n", c.Score.Total, c.ID)
		m.stage.Out.Record(c)
	}
	m.stage.Log.Info("dry run: nothing is written", "candidates", len(candidates), "drops", len(drops))
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/container"
	"crossswe/internal/patch"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
	"crossswe/verify/internal/touch"
	"crossswe/verify/internal/trial"
)

// one verifies one candidate. Errors are faults of the machinery.
func (s *stage) one(ctx context.Context, it item, log *slog.Logger) (schemas.Verdict, error) {
	c, err := s.read(ctx, it)
	if err != nil {
		return schemas.Verdict{}, err
	}
	network, err := s.engine.IsolatedNetwork(ctx, "crossswe-verify-"+string(it.env.ImageID.Hex()[:12])+"-"+fmt.Sprint(s.now().UnixNano()), nil)
	if err != nil {
		return schemas.Verdict{}, err
	}
	m := &matrixRun{stage: s, change: c, log: log, runner: s.runner(it, c, network)}
	err = m.all(ctx)
	if err := errors.Join(err, network.Remove(ctx)); err != nil {
		return schemas.Verdict{}, err
	}
	return s.verdict(ctx, it, c, m)
}

func (s *stage) runner(it item, c *change, network *container.Network) *trial.Runner {
	v := s.Config.Verify
	spec := network.Join(container.Spec{
		Image: string(it.env.ImageID), CPUs: v.CPUs, MemoryBytes: v.MemoryMB << 20, PidsLimit: v.Pids,
		Labels: map[string]string{"crossswe.candidate": string(it.candidate.ID)},
	})
	return trial.New(trial.Options{
		Start:   func(ctx context.Context) (trial.Box, error) { return s.start(ctx, spec) },
		Keep:    s.Artefacts.Put,
		Spec:    it.env.Spec,
		Patches: c.patches,
		Timeout: time.Duration(v.TestTimeout),
		Now:     s.now,
	})
}

// change is a candidate's patches, and what is known of its tests.
type change struct {
	set     *matrix.Set
	splits  []patch.Sides
	patches []trial.Patch
}

// read makes the patches from git and looks at the tests that they touch.
func (s *stage) read(ctx context.Context, it item) (*change, error) {
	v := s.Config.Verify
	c := &change{set: &matrix.Set{Repetitions: v.Repetitions, Exhaustive: v.Exhaustive, Parallel: v.Workers > 1}}
	touches := map[schemas.RepoName]*touch.Index{}
	for i, r := range it.env.Spec.Repos {
		split, index, err := s.side(ctx, it.candidate.Sides[i])
		if err != nil {
			return nil, fmt.Errorf("reading the change of %s: %w", r.Repo, err)
		}
		c.splits = append(c.splits, split)
		c.patches = append(c.patches, trial.Patch{Gold: split.Gold, Test: split.Test, Added: added(split.Files)})
		c.set.Repos = append(c.set.Repos, r.Repo)
		if len(r.Targets) > 0 {
			c.set.Targets |= 1 << i
		}
		touches[r.Repo] = index
	}
	c.set.Sees = matrix.Closures(c.set.Repos, it.env.Spec.Links)
	c.set.Touch = func(id schemas.TestID) schemas.Touch {
		if x := touches[id.Repo()]; x != nil {
			return x.Of(id)
		}
		return schemas.TouchUnchanged
	}
	return c, nil
}

// added are the paths that do not exist at base.
func added(files []schemas.File) map[string]bool {
	m := map[string]bool{}
	for _, f := range files {
		if f.Status == schemas.FileAdded || f.Status == schemas.FileRenamed || f.Status == schemas.FileCopied {
			m[f.Path] = true
		}
	}
	return m
}

// maxTestFile bounds a test file whose text is looked at.
const maxTestFile = 8 << 20

// side splits one side's change and indexes the tests that it touches.
func (s *stage) side(ctx context.Context, side schemas.Side) (patch.Sides, *touch.Index, error) {
	repo, err := s.set.Open(ctx, side.Repo)
	if err != nil {
		return patch.Sides{}, nil, err
	}
	split, err := patch.Split(ctx, repo, side.Base, side.Head, patch.SplitOptions{})
	if err != nil {
		return patch.Sides{}, nil, err
	}
	touched, err := patch.TouchedLines(split.Test)
	if err != nil {
		return patch.Sides{}, nil, err
	}
	old := map[string]string{}
	for _, f := range split.Files {
		old[f.Path] = path.Clean(cmp.Or(f.OldPath, f.Path))
	}
	var files []touch.File
	for _, t := range touched {
		if len(t.Lines)+len(t.Cuts) == 0 {
			continue
		}
		f := touch.File{Touched: t}
		if f.Head, err = repo.ReadFile(ctx, side.Head, t.Path, maxTestFile); err != nil {
			return patch.Sides{}, nil, err
		}
		if !t.New {
			if f.Base, err = repo.ReadFile(ctx, side.Base, old[t.Path], maxTestFile); err != nil {
				return patch.Sides{}, nil, err
			}
		}
		files = append(files, f)
	}
	return split, touch.NewIndex(files), nil
}

// matrixRun runs a candidate's masks as the plan asks for them.
type matrixRun struct {
	stage  *stage
	change *change
	runner *trial.Runner
	log    *slog.Logger

	mu      sync.Mutex
	runs    []matrix.Run
	records []schemas.Run
	pace    trial.Pace
}

// all asks the plan for jobs until there are none.
func (m *matrixRun) all(ctx context.Context) error {
	for {
		jobs := m.change.set.Next(m.runs)
		if len(jobs) == 0 {
			return nil
		}
		if len(m.runs) == 0 {
			// The first full mask goes ahead: its times set the others' limits,
			// and what kills its process is left out of theirs.
			if err := m.job(ctx, jobs[0]); err != nil {
				return err
			}
			continue
		}
		if err := m.jobs(ctx, jobs); err != nil {
			return err
		}
	}
}

// jobs runs jobs in parallel, those that ask for it alone and last.
func (m *matrixRun) jobs(ctx context.Context, jobs []matrix.Job) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(m.stage.Config.Verify.Workers)
	for _, j := range jobs {
		if !j.Alone {
			g.Go(func() error { return m.job(gctx, j) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Alone {
			if err := m.job(ctx, j); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *matrixRun) job(ctx context.Context, j matrix.Job) error {
	m.mu.Lock()
	pace, isFirst := m.pace, len(m.runs) == 0
	m.mu.Unlock()
	out, err := m.runner.Run(ctx, j, pace)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs, m.records = append(m.runs, out.Run), append(m.records, out.Record)
	if isFirst {
		m.pace = out.Pace
	}
	m.report(j, out)
	return nil
}

// report logs one trial.
func (m *matrixRun) report(j matrix.Job, out trial.Outcome) {
	count := map[schemas.Outcome]int{}
	for id, r := range out.Run.Tests {
		if !id.IsLoad() || r.Outcome != schemas.OutcomePass {
			count[r.Outcome]++
		}
	}
	name := j.Mask.Name(len(m.change.set.Repos))
	if j.Health {
		name = "health"
	}
	log := m.log.With("mask", name, "repetition", j.Repetition, "passed", count[schemas.OutcomePass],
		"failed", count[schemas.OutcomeFail], "errored", count[schemas.OutcomeError], "took", out.Record.Duration.Round(100*time.Millisecond))
	if out.Run.Failure != "" {
		log = log.With("void", out.Run.Failure)
	}
	log.Info("trial")
}

// verdict completes what the matrix judges.
func (s *stage) verdict(ctx context.Context, it item, c *change, m *matrixRun) (schemas.Verdict, error) {
	v := c.set.Judge(m.runs)
	v.Candidate, v.Image, v.ImageID = it.candidate.ID, it.env.Image, it.env.ImageID
	v.VerifiedAt = s.now().UTC().Truncate(time.Second)
	v.LeftOut = leftOut(c.set, m.pace)
	slices.SortStableFunc(m.records, byMask)
	v.Runs = m.records
	for i, split := range c.splits {
		p := schemas.SidePatch{Repo: c.set.Repos[i], Files: split.Files}
		var err error
		if p.Gold, err = s.Artefacts.Put(ctx, split.Gold); err != nil {
			return v, err
		}
		if p.Test, err = s.Artefacts.Put(ctx, split.Test); err != nil {
			return v, err
		}
		v.Patches = append(v.Patches, p)
	}
	host, err := s.engine.Host(ctx)
	v.Host = schemas.HostFacts{Arch: host.Arch, CPU: host.CPUModel, CPUs: host.CPUs, Kernel: host.Kernel, Engine: host.Engine}
	return v, err
}

func byMask(a, b schemas.Run) int {
	key := func(r schemas.Run) int {
		k := int(r.Mask)*1000 + r.Repetition
		if r.Health {
			k -= 1_000_000
		}
		return k
	}
	return key(a) - key(b)
}

// leftOut are the tests that killed their process in the first full mask.
func leftOut(set *matrix.Set, pace trial.Pace) []schemas.LeftOut {
	all := []schemas.LeftOut{}
	for key, names := range pace.LeaveOut {
		all = append(all, schemas.LeftOut{Repo: set.Repos[key.Repo], Target: key.Target, Tests: names})
	}
	slices.SortFunc(all, func(a, b schemas.LeftOut) int {
		return cmp.Or(strings.Compare(string(a.Repo), string(b.Repo)), strings.Compare(a.Target, b.Target))
	})
	return all
}

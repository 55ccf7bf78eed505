package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
	"crossswe/verify/internal/trial"
)

// one verifies one candidate. Errors are faults of the machinery.
func (s *stage) one(ctx context.Context, it item, log *slog.Logger) (schemas.Verdict, error) {
	c, err := s.read(ctx, it)
	if err != nil {
		return schemas.Verdict{}, err
	}
	if err := s.haveImage(ctx, it.env, log); err != nil {
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
		Keep:    s.artefacts.Put,
		Spec:    it.env.Spec,
		Patches: c.patches,
		Timeout: time.Duration(v.TestTimeout),
		Now:     s.now,
	})
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
		if p.Gold, err = s.artefacts.Put(ctx, split.Gold); err != nil {
			return v, err
		}
		if p.Test, err = s.artefacts.Put(ctx, split.Test); err != nil {
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

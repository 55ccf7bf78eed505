package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/gitrepo"
	"crossswe/internal/store"
	"crossswe/mine/internal/pairing"
	"crossswe/schemas"
)

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
	if err := m.commit(ctx, batch); err != nil {
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

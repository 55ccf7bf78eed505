package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Stage names a program of the pipeline.
type Stage string

// The stages, in order.
const (
	StageMine    Stage = "mine"
	StageScreen  Stage = "screen"
	StageBuild   Stage = "build"
	StageVerify  Stage = "verify"
	StagePublish Stage = "publish"
)

// Stages lists the stages in the order of the pipeline.
var Stages = []Stage{StageMine, StageScreen, StageBuild, StageVerify, StagePublish}

// State is what became of an item at a stage. An item without a state is
// ready as soon as the stage before has kept it.
type State string

// The states. The stage moves an item into each of them; only failed is left
// again, by the next run of the same stage.
const (
	Kept    State = "kept"    // the next stage takes it
	Dropped State = "dropped" // it leaves the pipeline, with its reason
	Failed  State = "failed"  // a fault of the machinery: the next run takes it again
)

// Item is the state of one item at one stage.
type Item struct {
	Stage Stage
	ID    string // the candidate's id; for a drop of mine, what was dropped
	// Input is a hash of everything that the outcome was derived from. An item
	// whose input has changed is taken again.
	Input  string
	State  State
	Reason string // a typed reason of the stage, "" for kept
	Detail string // one line for people
	At     time.Time
}

// Item reads the state of an item; false when the stage has not finished it.
func (s *Store) Item(ctx context.Context, stage Stage, id string) (Item, bool, error) {
	it := Item{Stage: stage, ID: id}
	var at string
	err := s.reader().QueryRowContext(ctx, "SELECT input, state, reason, detail, at FROM items WHERE stage = $1 AND id = $2", stage, id).
		Scan(&it.Input, &it.State, &it.Reason, &it.Detail, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return Item{}, false, nil
	}
	if err != nil {
		return Item{}, false, fmt.Errorf("reading the state of %s %s: %w", stage, id, err)
	}
	if it.At, err = time.Parse(time.RFC3339, at); err != nil {
		return Item{}, false, fmt.Errorf("reading the state of %s %s: %w", stage, id, err)
	}
	return it, true, nil
}

// Done reports whether the stage has finished the item from the same input.
// A failed item is not done.
func (s *Store) Done(ctx context.Context, stage Stage, id, input string) (bool, error) {
	it, ok, err := s.Item(ctx, stage, id)
	return ok && it.State != Failed && it.Input == input, err
}

// Items reads every item of a stage in the given state, ordered by id.
func (s *Store) Items(ctx context.Context, stage Stage, state State) ([]Item, error) {
	rows, err := s.reader().QueryContext(ctx, "SELECT id, input, reason, detail, at FROM items WHERE stage = $1 AND state = $2 ORDER BY id", stage, state)
	if err != nil {
		return nil, fmt.Errorf("reading the items of %s: %w", stage, err)
	}
	defer rows.Close()
	var all []Item
	for rows.Next() {
		it := Item{Stage: stage, State: state}
		var at string
		if err := rows.Scan(&it.ID, &it.Input, &it.Reason, &it.Detail, &at); err != nil {
			return nil, fmt.Errorf("reading the items of %s: %w", stage, err)
		}
		if it.At, err = time.Parse(time.RFC3339, at); err != nil {
			return nil, fmt.Errorf("reading the items of %s: %w", stage, err)
		}
		all = append(all, it)
	}
	return all, rows.Err()
}

// FunnelRow counts the items of one stage that ended in one way.
type FunnelRow struct {
	Stage  Stage
	State  State
	Reason string
	Count  int
}

// Funnel counts every stage's items by state and reason: stages in order, kept
// first, then by count.
func (s *Store) Funnel(ctx context.Context) ([]FunnelRow, error) {
	const q = `SELECT stage, state, reason, count(*) AS n FROM items GROUP BY stage, state, reason
ORDER BY CASE stage WHEN 'mine' THEN 1 WHEN 'screen' THEN 2 WHEN 'build' THEN 3 WHEN 'verify' THEN 4 WHEN 'context' THEN 5 ELSE 6 END,
         CASE state WHEN 'kept' THEN 1 WHEN 'dropped' THEN 2 ELSE 3 END, n DESC, reason`
	rows, err := s.reader().QueryContext(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("reading the funnel: %w", err)
	}
	defer rows.Close()
	var all []FunnelRow
	for rows.Next() {
		var r FunnelRow
		if err := rows.Scan(&r.Stage, &r.State, &r.Reason, &r.Count); err != nil {
			return nil, fmt.Errorf("reading the funnel: %w", err)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

package container

import (
	"context"
	"time"
)

// Labels on everything that is created.
const (
	// Label marks what is ours. Its value is "1".
	Label = "crossswe"
	// LabelRun holds Options.Run.
	LabelRun = "crossswe.run"
	// LabelOwner names the owning process.
	LabelOwner = "crossswe.owner"
)

// SweepSpec says what Sweep may remove.
type SweepSpec struct {
	// Labels narrow the sweep; empty is everything with Label.
	Labels map[string]string
	// OlderThan removes what was created longer ago, whoever owns it. Zero
	// removes only what belongs to a dead process of this machine.
	OlderThan time.Duration
}

// Swept is what Sweep removed, by name, sorted.
type Swept struct {
	Containers []string
	Networks   []string
}

// Sweep removes containers and networks with Label that a process left which is
// dead. What belongs to a process of another machine or boot counts as left only
// by its age. Images stay.
func (e *Engine) Sweep(ctx context.Context, spec SweepSpec) (Swept, error) {
	return Swept{}, errNotYet
}

package container

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"crossswe/internal/process"
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
// by its age. Images stay. What cannot be removed is in the error; the rest is
// removed all the same.
func (e *Engine) Sweep(ctx context.Context, spec SweepSpec) (Swept, error) {
	containers, err1 := e.sweepContainers(ctx, spec)
	networks, err2 := e.sweepNetworks(ctx, spec)
	return Swept{Containers: containers, Networks: networks}, errors.Join(err1, err2)
}

func (e *Engine) sweepContainers(ctx context.Context, spec SweepSpec) ([]string, error) {
	listing, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	list, err := e.api.ContainerList(listing, client.ContainerListOptions{All: true, Filters: filters(spec.Labels)})
	if err != nil {
		return nil, fmt.Errorf("listing containers: %w", fault(err, nil))
	}
	var names []string
	var errs []error
	for _, c := range list.Items {
		if !e.left(c.Labels, time.Unix(c.Created, 0), spec.OlderThan) {
			continue
		}
		if err := e.removeContainer(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		names = append(names, strings.TrimPrefix(strings.Join(c.Names, ","), "/"))
	}
	slices.Sort(names)
	return names, errors.Join(errs...)
}

func (e *Engine) sweepNetworks(ctx context.Context, spec SweepSpec) ([]string, error) {
	listing, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	list, err := e.api.NetworkList(listing, client.NetworkListOptions{Filters: filters(spec.Labels)})
	if err != nil {
		return nil, fmt.Errorf("listing networks: %w", fault(err, nil))
	}
	var names []string
	var errs []error
	for _, n := range list.Items {
		if !e.left(n.Labels, n.Created, spec.OlderThan) {
			continue
		}
		if err := e.removeNetwork(ctx, n.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names, errors.Join(errs...)
}

// left reports that something with these labels has no owner any more.
func (e *Engine) left(labels map[string]string, created time.Time, olderThan time.Duration) bool {
	if olderThan > 0 && e.now().Sub(created) > olderThan {
		return true
	}
	o, ok := process.Parse(labels[LabelOwner])
	return ok && o.Dead(e.owner)
}

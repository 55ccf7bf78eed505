package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/internal/store"
	"crossswe/schemas"
)

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

// leftOut makes the run fail, at its end, when a repository could not be read:
// a misspelt name in the configuration must not pass for a small harvest.
func (m *miner) leftOut() error {
	var names []string
	for _, it := range m.failed {
		names = append(names, fmt.Sprintf("%s (%s)", it.ID, it.Reason))
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("left out, everything else is mined: %s", strings.Join(names, ", "))
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

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/gitrepo"
	"crossswe/internal/mirrors"
	"crossswe/internal/store"
	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/depedge"
	"crossswe/mine/internal/pairing"
	"crossswe/schemas"
)

// add makes one candidate of the ranges on the command line.
func (m *miner) add(ctx context.Context) error {
	if n := len(m.stage.Args); n < 2 || n > schemas.MaxSides {
		return cli.Usagef("-add takes 2 to %d ranges of the form owner/name@BASE..HEAD, not %d", schemas.MaxSides, n)
	}
	c := schemas.Candidate{Origin: schemas.OriginAdded, Links: []schemas.Link{}, Cues: []schemas.Cue{}, Score: schemas.Score{Parts: []schemas.ScorePart{}}}
	provides := map[string]side{}
	for _, arg := range m.stage.Args {
		s, err := m.addSide(ctx, arg)
		if err != nil {
			return err
		}
		if _, twice := provides[s.Repo.Key()]; twice {
			return cli.Usagef("%s is named twice", s.Repo)
		}
		provides[s.Repo.Key()] = s
		c.Sides = append(c.Sides, s.Side)
	}
	needs := func(a, b schemas.Side) bool { return provides[a.Repo.Key()].needs(provides[b.Repo.Key()]) }
	c.Sides = pairing.Order(c.Sides, func(s schemas.Side) string { return s.Repo.Key() }, needs)
	connect(&c, needs)
	finish(&c)
	if err := c.Validate(); err != nil {
		return &cli.UsageError{Err: err}
	}
	return m.keep(ctx, c)
}

// keep writes a candidate that is not there yet.
func (m *miner) keep(ctx context.Context, c schemas.Candidate) error {
	m.stage.Out.Textf("%s\n", c.ID)
	if m.opt.dryRun {
		m.stage.Out.Record(c)
		return nil
	}
	it, had, err := m.stage.Store.Item(ctx, store.StageMine, string(c.ID))
	if err != nil {
		return err
	}
	if had && it.State == store.Kept {
		m.stage.Log.Info("the candidate is known already", "candidate", c.ID)
		m.stage.Out.Record(c)
		return nil
	}
	item := store.Item{Stage: store.StageMine, ID: string(c.ID), Input: string(c.ID), State: store.Kept, At: m.clock().UTC()}
	if err := m.commit(ctx, store.Batch{Records: []schemas.Record{c}, Items: []store.Item{item}}); err != nil {
		return err
	}
	m.stage.Out.Record(c)
	return nil
}

// connect links consecutive sides as put together by a person, and gives roles.
func connect(c *schemas.Candidate, needs func(a, b schemas.Side) bool) {
	for i := range c.Sides {
		provides, consumes := false, false
		for j := range c.Sides {
			if i == j {
				continue
			}
			provides = provides || needs(c.Sides[j], c.Sides[i])
			consumes = consumes || needs(c.Sides[i], c.Sides[j])
			if i > j {
				c.Links = append(c.Links, schemas.Link{From: c.Sides[i].Repo, To: c.Sides[j].Repo, Kind: schemas.LinkCuratorSet,
					Text: fmt.Sprintf("%s@%s..%s", c.Sides[i].Repo, c.Sides[i].Base.Short(), c.Sides[i].Head.Short()), Where: schemas.PlaceCommandLine})
			}
		}
		c.Sides[i].Role = pairing.RoleOf(provides, consumes)
	}
}

// side is a side with what its manifests say at head.
type side struct {
	schemas.Side
	manifests []depedge.Manifest
}

// needs reports whether a manifest of s names a package that o provides.
func (s side) needs(o side) bool {
	path := o.Repo.Host() + "/" + o.Repo.Owner() + "/" + o.Repo.Name()
	for _, m := range s.manifests {
		for _, d := range m.Deps {
			if depedge.Stem(d.Ecosystem, d.Name) == path || strings.EqualFold(d.Repo, string(o.Repo)) {
				return true
			}
			for _, p := range o.manifests {
				if p.Package.Ecosystem == d.Ecosystem && p.Package.Name == d.Name {
					return true
				}
			}
		}
	}
	return false
}

// addSide reads one owner/name@BASE..HEAD.
func (m *miner) addSide(ctx context.Context, arg string) (side, error) {
	written, span, ok := strings.Cut(arg, "@")
	base, head, dots := strings.Cut(span, "..")
	if !ok || !dots || base == "" || head == "" || strings.HasPrefix(head, ".") {
		return side{}, cli.Usagef("%q is not of the form owner/name@BASE..HEAD", arg)
	}
	name, err := schemas.ParseRepoName(written)
	if err != nil {
		return side{}, &cli.UsageError{Err: err}
	}
	if known, ok := m.mirrors.Canonical(name); ok {
		name = known
	}
	repo, err := m.mirrors.Open(ctx, name)
	if err != nil {
		return side{}, &cli.UsageError{Err: err}
	}
	s := side{Side: schemas.Side{Repo: name, Labels: []string{}}}
	if s.Base, err = resolve(ctx, repo, name, base); err != nil {
		return side{}, err
	}
	if s.Head, err = resolve(ctx, repo, name, head); err != nil {
		return side{}, err
	}
	if err := fill(ctx, repo, &s); err != nil {
		return side{}, fmt.Errorf("reading %s: %w", arg, err)
	}
	return s, m.recognise(ctx, repo, &s)
}

// recognise fills in what the history knows of the change: its pull request
// and how it landed. So a change has one id, mined or added.
func (m *miner) recognise(ctx context.Context, repo *gitrepo.Repo, s *side) error {
	found, _, err := scan(ctx, repo, mirrors.Place{Name: s.Repo}, crossref.Options{})
	if err != nil {
		return err
	}
	n, ok := found.Set.Graph.At(s.Head)
	if !ok {
		return nil // on no branch or tag
	}
	at, ok := found.Set.Of(n)
	if !ok || found.Set.Changes[at].Head != n {
		return nil
	}
	c := found.Set.Changes[at]
	s.Pull = c.Pull
	if c.Merge >= 0 {
		s.Merge = found.Set.Graph.Nodes[c.Merge].SHA
	}
	s.MergedAt = time.Unix(found.Set.Graph.Nodes[c.Landed()].CommitTime, 0).UTC()
	return nil
}

// resolve finds a commit; a person's typing error is a usage error.
func resolve(ctx context.Context, repo *gitrepo.Repo, name schemas.RepoName, rev string) (schemas.CommitSHA, error) {
	sha, err := repo.Resolve(ctx, rev)
	if errors.Is(err, gitrepo.ErrNoCommit) {
		return "", cli.Usagef("%s has no commit %q", name, rev)
	}
	return sha, err
}

func fill(ctx context.Context, repo *gitrepo.Repo, s *side) error {
	if s.Base == s.Head {
		return &cli.UsageError{Err: errors.New("base and head are the same commit")}
	}
	below, err := repo.IsAncestor(ctx, s.Base, s.Head)
	if err != nil {
		return err
	}
	if !below {
		return &cli.UsageError{Err: fmt.Errorf("%s is no ancestor of %s", s.Base.Short(), s.Head.Short())}
	}
	between, err := repo.Between(ctx, s.Base, s.Head)
	if err != nil {
		return err
	}
	s.Commits = len(between)
	var messages [][]byte
	var titles []string
	for i, sha := range between {
		if i == maxMessages {
			break
		}
		commit, err := repo.Commit(ctx, sha)
		if err != nil {
			return err
		}
		if i == 0 {
			s.MergedAt = commit.CommitTime.UTC().Truncate(time.Second)
		}
		subject, _, _ := strings.Cut(string(commit.Message), "\n")
		if len(commit.Parents) > 1 && i == 0 {
			titles = append(titles, strings.ToValidUTF8(subject, "\uFFFD"))
		}
		messages = append(messages, commit.Message)
	}
	s.Title, s.Body = texts(titles, messages)
	if err := describe(ctx, repo, &s.Side); err != nil {
		return err
	}
	return s.readManifests(ctx, repo)
}

// readManifests reads the manifests of the tree at head. Absent and broken
// ones are passed over.
func (s *side) readManifests(ctx context.Context, repo *gitrepo.Repo) error {
	for e, err := range repo.ListTree(ctx, s.Head) {
		if err != nil {
			return err
		}
		if !depedge.IsManifest(e.Path) || e.Mode == gitrepo.ModeGitlink {
			continue
		}
		body, err := repo.ReadBlob(ctx, e.OID, maxManifest)
		if err != nil {
			continue
		}
		if parsed, err := depedge.Parse(e.Path, body); err == nil {
			s.manifests = append(s.manifests, parsed)
		}
	}
	return nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/licensecheck"

	"crossswe/internal/classify"
	"crossswe/internal/gitrepo"
	"crossswe/mine/internal/pairing"
	"crossswe/schemas"
)

// recorder turns plans into candidate records.
type recorder struct {
	world *pairing.World
	repos []*gitrepo.Repo
}

// candidate reads the sides of a plan.
func (r *recorder) candidate(ctx context.Context, p pairing.Plan) (schemas.Candidate, error) {
	c := schemas.Candidate{Origin: schemas.OriginMined, Score: p.Score, Links: []schemas.Link{}}
	for _, s := range p.Sides {
		side, err := r.side(ctx, s)
		if err != nil {
			return c, fmt.Errorf("reading a side in %s: %w", r.world.Repos[s.Repo].Name, err)
		}
		c.Sides = append(c.Sides, side)
	}
	for _, s := range p.Pairs {
		for _, e := range s.Evidence {
			c.Links = append(c.Links, e.Link)
		}
	}
	c.Cues = cues(r.world, p, c.Sides)
	finish(&c)
	return c, nil
}

// finish fills in what follows from the sides.
func finish(c *schemas.Candidate) {
	c.ID = schemas.NewCandidateID(c.Sides)
	for i, s := range c.Sides {
		if i == 0 || s.MergedAt.Before(c.WindowFrom) {
			c.WindowFrom = s.MergedAt
		}
		if i == 0 || s.MergedAt.After(c.WindowTo) {
			c.WindowTo = s.MergedAt
		}
	}
}

func (r *recorder) side(ctx context.Context, s pairing.SidePlan) (schemas.Side, error) {
	repo := r.world.Repos[s.Repo]
	g := repo.Set.Graph
	if s.Base < 0 {
		return schemas.Side{}, errors.New("the change begins the history")
	}
	side := schemas.Side{Repo: repo.Name, Pull: s.Pull, Base: g.Nodes[s.Base].SHA, Head: g.Nodes[s.Head].SHA, Role: s.Role, Labels: []string{}}
	landed := s.Head
	if s.Merge >= 0 {
		side.Merge, landed = g.Nodes[s.Merge].SHA, s.Merge
	}
	side.MergedAt = time.Unix(g.Nodes[landed].CommitTime, 0).UTC()
	nodes, _ := g.Between(s.Base, s.Head, len(g.Nodes))
	side.Commits = len(nodes)
	var messages [][]byte
	for _, n := range nodes {
		if len(messages) == maxMessages {
			break
		}
		commit, err := r.repos[s.Repo].Commit(ctx, g.Nodes[n].SHA)
		if err != nil {
			return side, err
		}
		if len(commit.Parents) < 2 {
			messages = append(messages, commit.Message)
		}
	}
	titles := []string{}
	for _, ref := range s.Changes {
		titles = append(titles, r.world.Subject(ref))
	}
	side.Title, side.Body = texts(titles, messages)
	return side, describe(ctx, r.repos[s.Repo], &side)
}

const (
	// maxMessages and maxBody bound the text of a side.
	maxMessages = 30
	maxBody     = 64 << 10
)

// texts makes a side's title and body of its commits' messages, newest first.
func texts(titles []string, messages [][]byte) (title, body string) {
	var parts []string
	for _, m := range slices.Backward(messages) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(m), "\uFFFD"))
		subject, rest, _ := strings.Cut(text, "\n")
		if len(titles) == 0 {
			titles = append(titles, strings.TrimSpace(subject))
		}
		if len(messages) == 1 {
			text = strings.TrimSpace(rest)
		}
		parts = append(parts, text)
	}
	body = strings.Join(parts, "\n\n")
	if len(body) > maxBody {
		body = strings.ToValidUTF8(body[:maxBody], "")
	}
	return strings.Join(slices.Compact(titles), "; "), body
}

// describe reads the files, the language and the licence of a side whose
// commits are set.
func describe(ctx context.Context, repo *gitrepo.Repo, side *schemas.Side) error {
	changes, err := repo.Diff(ctx, side.Base, side.Head, gitrepo.DiffOptions{Renames: true, Lines: true})
	if err != nil {
		return err
	}
	lines := map[string]int{}
	side.Files = []schemas.File{}
	for _, c := range changes {
		head := beginning(ctx, repo, c)
		f := schemas.File{Path: c.Path, OldPath: c.OldPath, Status: c.Status, Class: classify.File(c.Path, head),
			Added: c.Added, Deleted: c.Deleted, Binary: c.Binary, Missing: c.Missing}
		side.Files = append(side.Files, f)
		if f.Class == schemas.ClassSource {
			lines[classify.Language(c.Path, head)] += max(c.Added+c.Deleted, 1)
		}
	}
	side.Language = most(lines)
	side.License, err = license(ctx, repo, side.Base)
	return err
}

// beginning returns the first bytes of a changed file, nil when they cannot be
// read: the path alone decides then.
func beginning(ctx context.Context, repo *gitrepo.Repo, c gitrepo.Change) []byte {
	oid := cmp.Or(c.NewOID, c.OldOID)
	if c.Missing || c.Binary || oid == "" || c.NewMode == gitrepo.ModeGitlink || c.OldMode == gitrepo.ModeGitlink {
		return nil
	}
	body, err := repo.ReadBlob(ctx, oid, 1<<20)
	if err != nil {
		return nil
	}
	return body[:min(len(body), 8<<10)]
}

func most(lines map[string]int) string {
	best := ""
	for l, n := range lines {
		if l != "" && (best == "" || n > lines[best] || n == lines[best] && l < best) {
			best = l
		}
	}
	return best
}

// maxLicense bounds a licence file.
const maxLicense = 256 << 10

// license returns the SPDX id of the licence file at the root of a commit's
// tree, several joined with AND, "" when none is recognised.
func license(ctx context.Context, repo *gitrepo.Repo, sha schemas.CommitSHA) (string, error) {
	var ids []string
	for e, err := range repo.ListTree(ctx, sha) {
		if err != nil {
			return "", err
		}
		if strings.Contains(e.Path, "/") || !isLicense(e.Path) || e.Mode == gitrepo.ModeGitlink {
			continue
		}
		body, err := repo.ReadBlob(ctx, e.OID, maxLicense)
		if err != nil {
			continue
		}
		for _, m := range licensecheck.Scan(body).Match {
			if !slices.Contains(ids, m.ID) && !m.IsURL {
				ids = append(ids, m.ID)
			}
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " AND "), nil
}

func isLicense(name string) bool {
	name = strings.ToUpper(name)
	for _, prefix := range []string{"LICENSE", "LICENCE", "COPYING", "UNLICENSE"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

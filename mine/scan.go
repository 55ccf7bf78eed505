package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/internal/mirrors"
	"crossswe/mine/internal/change"
	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/depedge"
	"crossswe/mine/internal/pairing"
	"crossswe/mine/internal/source/githistory"
	"crossswe/schemas"
)

// maxManifest bounds a manifest's blob.
const maxManifest = 4 << 20

// scanner reads one repository into a pairing.Repo.
type scanner struct {
	repo    *gitrepo.Repo
	place   mirrors.Place
	options crossref.Options

	inputs   []change.Input
	mentions []pendingMention
	moved    []githistory.FileChange
	out      *pairing.Repo
	counts   counts
}

// counts are what a scan passed over, for the log.
type counts struct {
	Commits, Truncated, Manifests, MissingBlobs, BrokenManifests int
}

type pendingMention struct {
	commit int
	refs   []crossref.Reference
}

// scan reads the history of one repository.
func scan(ctx context.Context, repo *gitrepo.Repo, place mirrors.Place, opt crossref.Options) (*pairing.Repo, counts, error) {
	opt.Context, opt.Subject = place.Name, true
	opt.Renames = crossref.Renames{}
	for _, a := range place.Aliases {
		opt.Renames[a.Key()] = place.Name
	}
	s := &scanner{repo: repo, place: place, options: opt, out: &pairing.Repo{Name: place.Name, Aliases: place.Aliases, Tags: map[string]int32{}}}
	for _, step := range []func(context.Context) error{s.commits, s.changes, s.manifests} {
		if err := step(ctx); err != nil {
			return nil, s.counts, fmt.Errorf("reading the history of %s: %w", place.Name, err)
		}
	}
	return s.out, s.counts, nil
}

func (s *scanner) commits(ctx context.Context) error {
	var err error
	s.moved, err = githistory.Read(ctx, s.repo, workers, func(c *githistory.Commit) error {
		s.counts.Commits++
		if c.Truncated {
			s.counts.Truncated++
		}
		s.inputs = append(s.inputs, change.Input{Parents: slices.Clone(c.Parents), Node: change.Node{
			SHA: c.SHA, Tree: c.Tree, AuthorTime: c.AuthorTime, CommitTime: c.CommitTime,
			Author: authorID(c.AuthorEmail), Bot: isBot(c.AuthorName, c.AuthorEmail), Subject: c.Subject(),
		}})
		if refs := crossref.Find(c.Message, s.options); len(refs) > 0 {
			s.mentions = append(s.mentions, pendingMention{len(s.inputs) - 1, detach(refs)})
		}
		return nil
	})
	return err
}

// detach keeps what names a target and copies its text, so that no message
// stays in memory.
func detach(refs []crossref.Reference) []crossref.Reference {
	var out []crossref.Reference
	for _, r := range refs {
		if r.Rel == crossref.RelOwnPR {
			continue
		}
		for _, p := range []*string{&r.Text, &r.Owner, &r.Repo, &r.RepoNameOnly, &r.SHA, &r.Path, &r.Ref, &r.Base, &r.Head, &r.Key, &r.Module, &r.Anchor, &r.Lines, &r.Sub, &r.Host, &r.Timestamp} {
			*p = strings.Clone(*p)
		}
		out = append(out, r)
	}
	return out
}

func authorID(email string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(email)))
	return h.Sum64()
}

// isBot recognises accounts that machines commit with.
func isBot(name, email string) bool {
	name, local := strings.ToLower(name), strings.ToLower(email)
	local, _, _ = strings.Cut(local, "@")
	for _, s := range []string{name, local} {
		if strings.HasSuffix(s, "[bot]") || strings.HasSuffix(s, "-bot") || strings.HasSuffix(s, " bot") {
			return true
		}
		switch s {
		case "dependabot", "dependabot-preview", "renovate", "renovate bot", "greenkeeper", "greenkeeperio", "pionbot", "pyup-bot", "github-actions", "github action", "web-flow-bot", "mergify", "weblate", "snyk", "semantic-release":
			return true
		}
	}
	return false
}

// changes builds the graph and finds the changes in it.
func (s *scanner) changes(ctx context.Context) error {
	g := change.NewGraph(s.inputs)
	s.inputs = nil
	tips, err := s.tips(ctx, g)
	if err != nil {
		return err
	}
	pulls, err := githistory.Pulls(ctx, s.repo)
	if err != nil {
		return err
	}
	s.out.Set = change.NewSet(g, tips, convert(pulls))
	for _, m := range s.mentions {
		for _, r := range m.refs {
			s.out.Mentions = append(s.out.Mentions, pairing.Mention{Node: int32(m.commit), Ref: r})
		}
	}
	s.mentions = nil
	return nil
}

func convert(pulls []githistory.Pull) []change.Pull {
	out := make([]change.Pull, 0, len(pulls))
	for _, p := range pulls {
		c := change.Pull{Number: p.Number, Head: string(p.Head), Onto: string(p.Onto)}
		for _, o := range p.Own {
			c.Own = append(c.Own, change.PullCommit{AuthorTime: o.AuthorTime, Subject: o.Subject})
		}
		out = append(out, c)
	}
	return out
}

// tips lists the branches and tags, the default branch first.
func (s *scanner) tips(ctx context.Context, g *change.Graph) ([]change.Tip, error) {
	refs, err := s.repo.Refs(ctx, "")
	if err != nil {
		return nil, err
	}
	groups := map[string][]change.Tip{}
	for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		for _, r := range refs {
			name, ok := strings.CutPrefix(r.Name, prefix)
			n, known := g.At(r.Commit)
			if !ok || !known {
				continue
			}
			if prefix == "refs/remotes/" {
				_, name, _ = strings.Cut(name, "/")
			}
			groups[prefix] = append(groups[prefix], change.Tip{Name: name, Node: n})
			if prefix == "refs/tags/" {
				s.out.Tags[name] = n
			}
		}
	}
	tips := s.head(ctx, g, groups["refs/heads/"])
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		tips = append(tips, groups[prefix]...)
	}
	for _, t := range groups["refs/tags/"] {
		tips = append(tips, change.Tip{Node: t.Node}) // a tag's name is no branch's
	}
	return tips, nil
}

// head is the default branch: what HEAD names, else main or master.
func (s *scanner) head(ctx context.Context, g *change.Graph, heads []change.Tip) []change.Tip {
	if sha, err := s.repo.Resolve(ctx, "HEAD"); err == nil {
		if n, ok := g.At(sha); ok {
			return []change.Tip{{Node: n}}
		}
	}
	for _, name := range []string{"main", "master"} {
		for _, t := range heads {
			if t.Name == name {
				return []change.Tip{t}
			}
		}
	}
	return nil
}

// manifests reads every change of a manifest, and what the repository provides.
func (s *scanner) manifests(ctx context.Context) error {
	var err error
	read := manifestReader{s: s, seen: map[string]depedge.Manifest{}}
	provided := map[depedge.Package]map[string]int32{}
	for _, c := range s.moved {
		n, ok := s.out.Set.Graph.At(c.Commit)
		if !ok {
			continue
		}
		m := pairing.ManifestChange{Node: n, Path: c.Path}
		if m.Old, err = read.manifest(ctx, c.Path, c.Old); err != nil {
			return err
		}
		if m.New, err = read.manifest(ctx, c.Path, c.New); err != nil {
			return err
		}
		s.out.Manifests = append(s.out.Manifests, m)
	}
	slices.SortStableFunc(s.out.Manifests, func(a, b pairing.ManifestChange) int {
		return cmp.Compare(s.out.Set.Graph.Generation(b.Node), s.out.Set.Graph.Generation(a.Node))
	})
	for _, m := range s.out.Manifests {
		provide(provided, m)
	}
	s.counts.Manifests = len(s.moved)
	s.out.Provides = s.provides(provided)
	return nil
}

// provide remembers what a manifest names its package, and the oldest commit
// that names each version.
func provide(provided map[depedge.Package]map[string]int32, m pairing.ManifestChange) {
	p := m.New.Package
	if p.Name == "" || depedge.IsSample(p.Dir) {
		return
	}
	key := depedge.Package{Ecosystem: p.Ecosystem, Name: p.Name, Dir: p.Dir}
	if provided[key] == nil {
		provided[key] = map[string]int32{}
	}
	if p.Version != "" && p.Version != m.Old.Package.Version {
		provided[key][p.Version] = m.Node // newest first: the oldest stays
	}
}

// provides lists the packages in a stable order, with the module path that a
// Go repository has by its name alone.
func (s *scanner) provides(provided map[depedge.Package]map[string]int32) []pairing.Provided {
	for _, name := range append([]schemas.RepoName{s.place.Name}, s.place.Aliases...) {
		key := depedge.Package{Ecosystem: depedge.Go, Name: name.Host() + "/" + name.Owner() + "/" + name.Name()}
		if provided[key] == nil {
			provided[key] = map[string]int32{}
		}
	}
	var out []pairing.Provided
	for p, releases := range provided {
		out = append(out, pairing.Provided{Package: p, Releases: releases})
	}
	slices.SortFunc(out, func(a, b pairing.Provided) int {
		return strings.Compare(string(a.Ecosystem)+" "+a.Name+" "+a.Dir, string(b.Ecosystem)+" "+b.Name+" "+b.Dir)
	})
	return out
}

// manifestReader parses each manifest once.
type manifestReader struct {
	s    *scanner
	seen map[string]depedge.Manifest
}

func (r *manifestReader) manifest(ctx context.Context, path string, oid gitrepo.OID) (depedge.Manifest, error) {
	if oid == "" {
		return depedge.Manifest{}, nil
	}
	key := path + "\x00" + string(oid)
	if m, ok := r.seen[key]; ok {
		return m, nil
	}
	body, err := r.s.repo.ReadBlob(ctx, oid, maxManifest)
	var missing *gitrepo.MissingObjectError
	if errors.As(err, &missing) || errors.Is(err, gitrepo.ErrTooLarge) {
		r.s.counts.MissingBlobs++
		return depedge.Manifest{}, nil
	}
	if err != nil {
		return depedge.Manifest{}, err
	}
	m, err := depedge.Parse(path, body)
	if err != nil { // a merge's conflict marks, a template: nothing to read there
		r.s.counts.BrokenManifests++
		m = depedge.Manifest{}
	}
	r.seen[key] = m
	return m, nil
}

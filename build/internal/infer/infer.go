// Package infer makes the environment spec of a candidate from what its
// repositories say about themselves. It is pure.
package infer

import (
	"fmt"
	"strings"
	"time"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/schemas"
)

// Version counts changes of inference and its plans: an item that an older one
// specified is built again.
const Version = 3

// Images are the patterns of the official images; %s takes a version.
type Images struct {
	Go     string
	Node   string
	Python string
	Rust   string
	Java   string
	CMake  string
}

// Options are what the spec takes over from the configuration.
type Options struct {
	Images  Images
	History schemas.History
}

// Refusal says why no spec can be inferred.
type Refusal struct {
	Reason schemas.BuildReason
	Detail string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Detail }

// Dirs returns the directory of each side's checkout: the repository's name,
// or owner and name where two would be equal.
func Dirs(sides []schemas.Side) []string {
	count := map[string]int{}
	for _, s := range sides {
		count[strings.ToLower(plain(s.Repo.Name()))]++
	}
	dirs := make([]string, len(sides))
	for i, s := range sides {
		dirs[i] = plain(s.Repo.Name())
		if count[strings.ToLower(dirs[i])] > 1 {
			dirs[i] = plain(s.Repo.Owner()) + "-" + dirs[i]
		}
	}
	return dirs
}

// plain drops the leading dots of names like ".github".
func plain(name string) string {
	if p := strings.TrimLeft(name, "."); p != "" {
		return p
	}
	return "repo"
}

// Spec infers the spec. repos stand in the order of the candidate's sides. The
// error is a *Refusal.
func Spec(c schemas.Candidate, repos []detect.Repo, opt Options) (schemas.Spec, error) {
	s := schemas.Spec{Candidate: c.ID, History: opt.History, Packages: []string{}, Env: []string{}}
	for i, side := range c.Sides {
		s.Repos = append(s.Repos, schemas.RepoSpec{Repo: side.Repo, Dir: repos[i].Dir, Base: side.Base})
	}
	s.Guesses = append(s.Guesses, schemas.Guess{Field: "history", From: "build.history of the configuration"})
	b := &inference{spec: &s, candidate: c, repos: repos, opt: opt}
	for _, e := range b.choose() {
		if err := e.add(); err != nil {
			return s, err
		}
	}
	if s.Base == "" {
		return s, &Refusal{schemas.BuildUnsupported, "no repository has a manifest of a known ecosystem: write a spec by hand"}
	}
	if len(s.Links) == 0 {
		b.guess("links", "none: no manifest of one repository names a package of another")
	}
	return s, b.checkTargets()
}

// ecosystem is one ecosystem's part of the inference. Without has and matters,
// add itself does nothing where it is not needed.
type ecosystem struct {
	has     func() bool // a repository has a manifest of it
	matters func() bool // a link or a target needs it
	add     func() error
}

// ecosystems stand in the order in which they may name the base image.
func (b *inference) ecosystems() []ecosystem {
	return []ecosystem{
		{b.hasGo, b.goMatters, b.golang},
		{b.hasNPM, b.npmMatters, b.npm},
		{b.hasPython, b.pythonMatters, b.python},
		{b.hasCargo, b.cargoMatters, b.cargo},
		{add: b.java},
		{b.hasCMake, b.cmakeMatters, b.cmake},
	}
}

// choose returns the ecosystems that the change needs, else the first that a
// repository has: many hold a manifest of another one for their tools alone.
func (b *inference) choose() []ecosystem {
	var matter, first, own []ecosystem
	for _, e := range b.ecosystems() {
		switch {
		case e.has == nil:
			own = append(own, e)
		case !e.has():
		case e.matters():
			matter = append(matter, e)
		case first == nil:
			first = []ecosystem{e}
		}
	}
	if matter == nil {
		matter = first
	}
	return append(matter, own...)
}

type inference struct {
	spec      *schemas.Spec
	candidate schemas.Candidate
	repos     []detect.Repo
	opt       Options
}

func (b *inference) guess(field, from string, args ...any) {
	b.spec.Guesses = append(b.spec.Guesses, schemas.Guess{Field: field, From: fmt.Sprintf(from, args...)})
}

// at is the moment at which the whole change was there.
func (b *inference) at() time.Time { return b.candidate.WindowTo }

func (b *inference) checkTargets() error {
	n := 0
	for _, r := range b.spec.Repos {
		n += len(r.Targets)
	}
	if n > 0 {
		return nil
	}
	return &Refusal{schemas.BuildNoTarget, "the change touches no test that a known runner runs: a target test must be written"}
}

func (b *inference) adopt(p link.Plan) {
	b.spec.Files = append(b.spec.Files, p.Files...)
	b.spec.Env = append(b.spec.Env, p.Env...)
	b.spec.Links = append(b.spec.Links, p.Links...)
	b.spec.Guesses = append(b.spec.Guesses, p.Guesses...)
}

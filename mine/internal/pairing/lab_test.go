package pairing

import (
	"crypto/sha1"
	"fmt"
	"strings"
	"testing"
	"time"

	"crossswe/mine/internal/change"
	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/depedge"
	"crossswe/mine/internal/facts"
	"crossswe/schemas"
)

// commit is one commit of a made-up repository; each stands on the one before.
type commit struct {
	name    string
	message string
	day     int // since the beginning
	author  uint64
	bot     bool
	tag     string
	needs   string // its go.mod's require lines from here on; "-" for none
	sha     string // a full id, where two repositories share it

	files  string // "source test doc …"
	fresh  string // identifiers that it introduces
	uses   string // identifiers on its added lines, fresh ones included
	lines  [2]int // added, removed
	print  string
	silent bool // no line of code changes
}

type repo struct {
	name    string
	aliases []string
	module  string
	commits []commit
	side    []commit // a second line from the first commit, tagged only
}

// start is the first day.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// lab is a world with facts.
type lab struct {
	*Judge
	drops map[string]Drop
}

func sha(repo, name string) schemas.CommitSHA {
	return schemas.CommitSHA(fmt.Sprintf("%x", sha1.Sum([]byte(repo+name))))
}

func newLab(t *testing.T, repos ...repo) *lab {
	t.Helper()
	w := &World{From: start, To: start.AddDate(1, 0, 0), Within: 60 * 24 * time.Hour}
	l := &lab{Judge: &Judge{World: w, Vocabulary: facts.NewVocabulary(), Facts: map[Ref]*facts.Facts{}, MinScore: 1, MaxSides: 5}, drops: map[string]Drop{}}
	var names []string
	for _, r := range repos {
		names = append(names, r.name[strings.Index(r.name, "/")+1:])
	}
	for _, r := range repos {
		w.Repos = append(w.Repos, l.build(t, r, names))
	}
	w.Index()
	for i, r := range repos {
		for _, c := range append(append([]commit{}, r.commits...), r.side...) {
			n, _ := w.Repos[i].Set.Graph.Find(string(c.id(r.name)))
			if at, ok := w.Repos[i].Set.Of(n); ok {
				l.Facts[Ref{i, at}] = l.facts(c, w.Repos[i].Set.Changes[at].Base < 0)
			}
		}
	}
	return l
}

func (c commit) id(repo string) schemas.CommitSHA {
	if c.sha != "" {
		return schemas.CommitSHA(c.sha)
	}
	return sha(repo, c.name)
}

func (l *lab) build(t *testing.T, r repo, names []string) *Repo {
	t.Helper()
	name, err := schemas.ParseRepoName(r.name)
	if err != nil {
		t.Fatal(err)
	}
	out := &Repo{Name: name, Tags: map[string]int32{}}
	for _, a := range r.aliases {
		out.Aliases = append(out.Aliases, schemas.RepoName(a))
	}
	var in []change.Input
	line := func(commits []commit, parent schemas.CommitSHA) {
		for _, c := range commits {
			node := change.Node{SHA: c.id(r.name), AuthorTime: at(c.day).Unix(), CommitTime: at(c.day).Unix(), Author: c.author, Bot: c.bot}
			node.Subject, _, _ = strings.Cut(c.message, "\n")
			i := change.Input{Node: node}
			if parent != "" {
				i.Parents = []schemas.CommitSHA{parent}
			}
			parent = node.SHA
			in = append(in, i)
		}
	}
	line(r.commits, "")
	line(r.side, r.commits[0].id(r.name))
	g := change.NewGraph(in)
	tips := []change.Tip{{Node: nodeOf(g, r.commits[len(r.commits)-1].id(r.name))}}
	if len(r.side) > 0 {
		tips = append(tips, change.Tip{Node: nodeOf(g, r.side[len(r.side)-1].id(r.name))})
	}
	out.Set = change.NewSet(g, tips, nil)
	l.manifests(out, r)
	for _, c := range append(append([]commit{}, r.commits...), r.side...) {
		n := nodeOf(g, c.id(r.name))
		if c.tag != "" {
			out.Tags[c.tag] = n
		}
		for _, ref := range crossref.Find([]byte(c.message), crossref.Options{Context: name, Names: names, Subject: true}) {
			if ref.Rel != crossref.RelOwnPR {
				out.Mentions = append(out.Mentions, Mention{n, ref})
			}
		}
	}
	return out
}

func nodeOf(g *change.Graph, sha schemas.CommitSHA) int32 {
	n, _ := g.At(sha)
	return n
}

// manifests follows the go.mod along the first line, newest first.
func (l *lab) manifests(out *Repo, r repo) {
	if r.module == "" {
		return
	}
	out.Provides = []Provided{{Package: depedge.Package{Ecosystem: depedge.Go, Name: r.module}}}
	parse := func(needs string) depedge.Manifest {
		m, err := depedge.Parse("go.mod", []byte("module "+r.module+"\n"+needs))
		if err != nil {
			panic(err)
		}
		return m
	}
	needs := ""
	for _, c := range r.commits {
		if c.needs == "" {
			continue
		}
		n := nodeOf(out.Set.Graph, c.id(r.name))
		next := strings.ReplaceAll(strings.TrimPrefix(c.needs, "-"), ";", "\n")
		out.Manifests = append([]ManifestChange{{Node: n, Path: "go.mod", Old: parse(needs), New: parse(next)}}, out.Manifests...)
		needs = next
	}
}

func at(day int) time.Time { return start.AddDate(0, 0, day) }

func (l *lab) facts(c commit, begins bool) *facts.Facts {
	f := &facts.Facts{Begins: begins, Read: true, Print: c.print, Added: c.lines[0], Removed: c.lines[1]}
	if c.files == "" {
		c.files = "source test"
	}
	if c.lines == [2]int{} && !c.silent && strings.Contains(c.files, "source") {
		f.Added = 10
	}
	for i, class := range strings.Fields(c.files) {
		path := fmt.Sprintf("f%d", i)
		if class == "example" {
			path, class = "examples/"+path, "source"
		}
		f.Files = append(f.Files, facts.File{Path: path, Class: schemas.FileClass(class)})
	}
	f.New = l.Vocabulary.Words(strings.Fields(c.fresh)...)
	f.Uses = l.Vocabulary.Words(strings.Fields(c.fresh + " " + c.uses + " package")...)
	return f
}

// judge runs everything and returns the plans.
func (l *lab) judge() []Plan {
	pairs, drops := l.World.Find()
	scored, more := l.Score(pairs)
	for _, d := range append(drops, more...) {
		l.drops[d.ID] = d
	}
	return l.Assemble(scored)
}

// show writes a plan as "owner/a base..head role, …".
func (l *lab) show(p Plan) string {
	var sides []string
	for _, s := range p.Sides {
		g := l.World.Repos[s.Repo].Set.Graph
		sides = append(sides, fmt.Sprintf("%s %s..%s %s", l.World.Repos[s.Repo].Name, subject(g, s.Base), subject(g, s.Head), s.Role))
	}
	return strings.Join(sides, ", ")
}

func subject(g *change.Graph, n int32) string {
	if n < 0 {
		return "-"
	}
	word, _, _ := strings.Cut(g.Nodes[n].Subject, ":")
	return word
}

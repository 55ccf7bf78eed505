package pairing

import (
	"fmt"
	"strings"
	"time"

	"crossswe/mine/internal/crossref"
	"crossswe/schemas"
)

// finder runs the channels and collects pairs and drops.
type finder struct {
	w     *World
	pairs *pairs
	drops map[string]Drop
	// issues maps an issue or ticket to the changes that name it.
	issues map[string][]naming
}

// naming is a change that names an issue.
type naming struct {
	ref     Ref
	mention Mention
}

// Find runs every channel over the world.
func (w *World) Find() ([]*Pair, []Drop) {
	f := &finder{w: w, pairs: &pairs{w: w, byKey: map[[2]Ref]*Pair{}}, drops: map[string]Drop{}, issues: map[string][]naming{}}
	for repo := range w.Repos {
		f.mentions(repo)
		f.moves(repo)
	}
	f.commonIssues()
	f.titles()
	f.sharedCommits()
	return f.pairs.list(), sortedDrops(f.drops)
}

// drop records what was found and is no candidate; the first reason stands.
func (f *finder) drop(from Ref, what string, reason schemas.DropReason, detail string, args ...any) {
	id := f.what(from, what)
	if _, had := f.drops[id]; !had {
		f.drops[id] = Drop{ID: id, Reason: reason, Detail: fmt.Sprintf(detail, args...)}
	}
}

func (f *finder) what(from Ref, what string) string { return f.w.name(from) + " → " + what }

// name names a change for people: owner/repo@0123456789ab.
func (w *World) name(r Ref) string {
	return string(w.Repos[r.Repo].Name) + "@" + w.node(r.Repo, w.change(r).Landed()).SHA.Short()
}

func (f *finder) mentions(repo int) {
	for _, m := range f.w.Repos[repo].Mentions {
		from, ok := f.w.refOf(repo, m.Node)
		switch {
		case !ok:
		case f.w.inWindow(from):
			f.mention(repo, from, m)
		case f.namesChange(repo, m):
			f.outside(from, m.Ref.String())
		}
	}
}

// namesChange reports whether a reference names a change of another repository
// at hand.
func (f *finder) namesChange(repo int, m Mention) bool {
	if m.Ref.Local || m.Ref.BotNoise || f.w.node(repo, m.Node).Bot {
		return false
	}
	to, ok := f.w.lookup(m.Ref)
	switch {
	case !ok || to == repo:
		return false
	case m.Ref.Number > 0:
		return len(f.w.Repos[to].Set.ByPull(m.Ref.Number)) > 0
	}
	_, ok = f.w.Repos[to].Set.Graph.Find(m.Ref.SHA)
	return ok
}

// outside drops what landed before or after the window.
func (f *finder) outside(from Ref, what string) {
	f.drop(from, what, schemas.DropOutOfWindow, "landed on %s, outside the window", f.w.Landed(from).Format(time.DateOnly))
}

// mention follows one reference to the change that it names.
func (f *finder) mention(repo int, from Ref, m Mention) {
	if m.Ref.Kind == crossref.KindTicket {
		f.issues[m.Ref.Key] = append(f.issues[m.Ref.Key], naming{from, m})
		return
	}
	to, ok := f.w.lookup(m.Ref)
	if m.Ref.Local || (ok && to == repo) {
		if m.Ref.Number > 0 && m.Ref.Rel != crossref.RelOwnPR && !f.w.Repos[repo].Set.IsPull(m.Ref.Number) {
			f.issue(repo, from, m)
		}
		return
	}
	what := m.Ref.String()
	switch {
	case f.w.node(repo, m.Node).Bot || m.Ref.BotNoise:
		name, _ := m.Ref.RepoName() // one drop for all that its quoted release notes name
		f.drop(from, string(name), schemas.DropBotBump, "written by an update bot")
	case !ok && m.Ref.RepoNameOnly != "":
		return // a word that no repository at hand answers to
	case !ok:
		f.drop(from, what, schemas.DropUnresolved, "the repository is not at hand")
	case f.w.forks[[2]int{repo, to}]:
		f.drop(from, what, schemas.DropFork, "the two repositories share their history")
	case m.Ref.Rel == crossref.RelBackportOf || m.Ref.Rel == crossref.RelSupersedes:
		f.drop(from, what, schemas.DropBackport, "stated: %s", m.Ref.Rel)
	default:
		f.target(from, to, m)
	}
}

// target finds the change that a reference to another repository names.
func (f *finder) target(from Ref, repo int, m Mention) {
	what := m.Ref.String()
	set := f.w.Repos[repo].Set
	switch m.Ref.Kind {
	case crossref.KindIssueOrPull, crossref.KindPull:
		landed := f.nearest(from, repo, set.ByPull(m.Ref.Number))
		switch {
		case landed.Change >= 0:
			f.link(from, landed, m)
		case set.IsPull(m.Ref.Number):
			f.drop(from, what, schemas.DropNoChange, "the pull request did not land")
		default:
			f.issue(repo, from, m)
			f.drop(from, what, schemas.DropNoChange, "an issue, or a pull request that the copy does not know")
		}
	case crossref.KindCommit, crossref.KindModuleVersion:
		n, ok := set.Graph.Find(m.Ref.SHA)
		if !ok {
			f.drop(from, what, schemas.DropUnresolved, "the repository has no such commit on any branch or tag")
			return
		}
		if to, ok := f.w.refOf(repo, n); ok {
			f.link(from, to, m)
		}
	case crossref.KindCompare:
		f.drop(from, what, schemas.DropNoChange, "a range, not a change")
	default:
		f.drop(from, what, schemas.DropMention, "names a %s", m.Ref.Kind)
	}
}

// nearest returns the landing of a pull request that is closest in time.
func (f *finder) nearest(from Ref, repo int, changes []int) Ref {
	best, at := time.Duration(-1), Ref{repo, -1}
	for _, c := range changes {
		if d := f.w.apart(from, Ref{repo, c}); best < 0 || d < best {
			best, at = d, Ref{repo, c}
		}
	}
	return at
}

func (w *World) apart(a, b Ref) time.Duration { return w.Landed(a).Sub(w.Landed(b)).Abs() }

// link records a reference from one change to another.
func (f *finder) link(from, to Ref, m Mention) {
	if d := f.w.apart(from, to); d > f.w.Within {
		f.drop(from, m.Ref.String(), schemas.DropOutOfWindow, "%d days lie between the merges", int(d.Hours()/24))
		return
	}
	if f.w.inBoth(from, to) {
		f.drop(from, m.Ref.String(), schemas.DropCopy, "the commit stands in both repositories")
		return
	}
	kind, direction := relation(m.Ref.Rel)
	f.pairs.add(from, to, Evidence{Direction: direction, Link: f.messageLink(from.Repo, m, kind), What: f.what(from, m.Ref.String())})
}

// inBoth reports whether a change's last commit is part of what another
// repository's change stands on: its own history, or an import. One that is
// imported only later was another repository's at the time.
func (w *World) inBoth(from, r Ref) bool {
	g := w.Repos[from.Repo].Set.Graph
	n, ok := g.At(w.node(r.Repo, w.change(r).Head).SHA)
	return ok && g.IsAncestor(n, w.change(from).Head)
}

func (f *finder) messageLink(repo int, m Mention, kind schemas.LinkKind) schemas.Link {
	return schemas.Link{Kind: kind, Text: m.Ref.Text, Where: schemas.PlaceCommitMessage,
		Commit: f.w.node(repo, m.Node).SHA, SpanStart: m.Ref.Start, SpanEnd: m.Ref.End}
}

func relation(r crossref.Rel) (schemas.LinkKind, int) {
	switch r {
	case crossref.RelDependsOn:
		return schemas.LinkDependsOn, 1
	case crossref.RelNeededBy:
		return schemas.LinkNeededBy, -1
	case crossref.RelCompanion:
		return schemas.LinkCompanion, 0
	case crossref.RelCloses:
		return schemas.LinkCloses, 0
	}
	return schemas.LinkMentions, 0
}

// issue remembers that a change names an issue.
func (f *finder) issue(repo int, from Ref, m Mention) {
	key := fmt.Sprintf("%s#%d", f.w.Repos[repo].Name.Key(), m.Ref.Number)
	f.issues[key] = append(f.issues[key], naming{from, m})
}

// popularIssue is how many changes may name an issue that still connects
// them: more is an epic, a checklist or a code of conduct.
const popularIssue = 8

// commonIssues links changes of two repositories that name the same issue.
func (f *finder) commonIssues() {
	for _, key := range sortedKeys(f.issues) {
		names := f.issues[key]
		if len(names) > popularIssue || isStandard(key) {
			continue
		}
		for i, a := range names {
			for _, b := range names[:i] {
				f.common(key, a, b)
			}
		}
	}
}

func (f *finder) common(key string, a, b naming) {
	if a.ref.Repo == b.ref.Repo || f.w.apart(a.ref, b.ref) > f.w.Within || f.w.forks[[2]int{a.ref.Repo, b.ref.Repo}] {
		return
	}
	what := f.what(a.ref, f.w.name(b.ref)+" by "+key)
	f.pairs.add(a.ref, b.ref, Evidence{Link: f.messageLink(a.ref.Repo, a.mention, schemas.LinkCommonRef), What: what})
	f.pairs.add(b.ref, a.ref, Evidence{Link: f.messageLink(b.ref.Repo, b.mention, schemas.LinkCommonRef), What: what})
}

// isStandard says that a ticket-like key is the name of a standard.
func isStandard(key string) bool {
	prefix, _, _ := strings.Cut(key, "-")
	switch prefix {
	case "RFC", "CVE", "ISO", "SHA", "UTF", "ES", "GHSA", "CWE", "IEEE", "AES", "BCP", "PEP", "HTTP", "TLS", "ECMA":
		return true
	}
	return false
}

// sharedCommits records, once for each two repositories, that commits stand in
// both, which makes nothing of them a joint change.
func (f *finder) sharedCommits() {
	for i, r := range f.w.Repos {
		for j := range f.w.Repos {
			if i == j {
				continue
			}
			if f.w.forks[[2]int{i, j}] {
				if i < j {
					id := string(r.Name) + " = " + string(f.w.Repos[j].Name)
					f.drops[id] = Drop{ID: id, Reason: schemas.DropFork, Detail: "the two repositories share their history"}
				}
				continue
			}
			if n := f.foreignFrom(r, f.w.Repos[j]); n > 0 {
				id := string(r.Name) + " ⊃ " + string(f.w.Repos[j].Name)
				f.drops[id] = Drop{ID: id, Reason: schemas.DropCopy, Detail: fmt.Sprintf("%d commits of the second stand on branches of the first", n)}
			}
		}
	}
}

func (f *finder) foreignFrom(r, origin *Repo) int {
	n := 0
	for i, foreign := range r.Foreign {
		if foreign {
			if _, ok := origin.Set.Graph.At(r.Set.Graph.Nodes[i].SHA); ok {
				n++
			}
		}
	}
	return n
}

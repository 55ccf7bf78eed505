package pairing

import (
	"fmt"
	"regexp"
	"strings"

	"crossswe/mine/internal/crossref"
	"crossswe/mine/internal/facts"
	"crossswe/schemas"
)

var (
	releaseSubject = regexp.MustCompile(`(?i)^(?:chore(?:\([^)]*\))?!?: |build: |maint: )?(?:` +
		`(?:prepare |cut |tag |publish )?(?:for )?(?:the )?(?:new )?release\b|releasing\b|cut v?\d|bump version\b|version packages|v?\d+\.\d+\.\d+(?:[-.][\w.]+)?(?: \(#\d+\))?$|` +
		`(?:bump|update|set) (?:the )?(?:package )?version\b|\[maven-release-plugin\])`)
	bumpSubject = regexp.MustCompile(`(?i)^(?:(?:chore|build|fix)(?:\([^)]*\))?!?: )?(?:bump|update|upgrade) .*\b(?:to|from) v?\d|^update (?:module|dependency|all) |^(?:chore|fix|build)\(deps`)
)

const (
	// manySources is the number of product files above which a side is a mass
	// rewrite that nobody can be asked to repeat.
	manySources = 300
	// movedLines is the number of lines out of one repository and into another
	// from which on code was moved, not changed.
	movedLines = 300
	// youngHistory is how many commits a repository has while it has just begun,
	// and its code may still be that of another one.
	youngHistory = 60
)

// refuse says why two changes are no candidate, from the files alone or, once
// they are known, from the contents; "" when nothing speaks against them.
func (w *World) refuse(p *Pair, provider, consumer *facts.Facts) (schemas.DropReason, string) {
	for _, side := range []struct {
		ref Ref
		f   *facts.Facts
	}{{p.Consumer, consumer}, {p.Provider, provider}} {
		if reason, detail := w.refuseSide(side.ref, side.f); reason != "" {
			return reason, fmt.Sprintf("%s: %s", w.name(side.ref), detail)
		}
	}
	switch {
	case provider.Print != "" && provider.Print == consumer.Print:
		return schemas.DropCopy, "both sides add and remove the same lines"
	case consumer.Removed > movedLines && addedBy(p) && w.youngAt(p.Provider.Repo, w.change(p.Provider).Head):
		return schemas.DropCopy, fmt.Sprintf("code moved out: %d lines go, and a package that has just begun is depended on", consumer.Removed)
	case addedBy(p) && w.youngAt(p.Provider.Repo, w.change(p.Provider).Head):
		return schemas.DropNoChange, "the consumer came to depend on a package that has just begun: all of it was new to it"
	case provider.Begins:
		return schemas.DropCopy, "the provider's history begins with it: an import, nothing stood there before"
	case w.backport(p.Consumer):
		return schemas.DropBackport, w.name(p.Consumer) + " says that it is the same change as another"
	}
	return "", ""
}

// addedBy reports a pair in which the consumer came to depend on a package
// that it had not named before.
func addedBy(p *Pair) bool {
	for _, e := range p.Evidence {
		if e.Kind == schemas.LinkVersion && e.OldVersion == "" {
			return true
		}
	}
	return false
}

func (w *World) youngAt(repo int, n int32) bool {
	_, all := w.Repos[repo].Set.Graph.Between(-1, n, youngHistory)
	return all
}

// backport reports a change whose message names the commit that it was picked from.
func (w *World) backport(r Ref) bool { return w.backports[r] }

// findBackports reads the mentions for it.
func (w *World) findBackports() {
	w.backports = map[Ref]bool{}
	for repo, r := range w.Repos {
		for _, m := range r.Mentions {
			if m.Ref.Rel == crossref.RelBackportOf && m.Ref.Local {
				if ref, ok := w.refOf(repo, m.Node); ok {
					w.backports[ref] = true
				}
			}
		}
	}
}

// refuseSide judges one side alone.
func (w *World) refuseSide(r Ref, f *facts.Facts) (schemas.DropReason, string) {
	subject := w.Subject(r)
	bot := w.node(r.Repo, w.change(r).Head).Bot
	switch {
	case len(f.Files) == 0:
		return schemas.DropNoChange, "it changes no file"
	case strings.HasPrefix(strings.ToLower(subject), "revert"):
		return schemas.DropRevert, subject
	case f.Only(schemas.ClassManifest, schemas.ClassLock, schemas.ClassVendored):
		if bot || bumpSubject.MatchString(subject) && f.Only(schemas.ClassManifest, schemas.ClassLock) && bot {
			return schemas.DropBotBump, subject
		}
		if f.Has(schemas.ClassVendored) {
			return schemas.DropVendoring, subject
		}
		return schemas.DropManifestOnly, subject
	case releaseSubject.MatchString(subject):
		return schemas.DropRelease, subject
	case f.Has(schemas.ClassSource):
		return w.refuseSource(f, subject)
	case f.Has(schemas.ClassVendored):
		return schemas.DropVendoring, subject
	case f.Has(schemas.ClassTest):
		return schemas.DropTestsOnly, subject
	case f.Has(schemas.ClassDoc):
		return schemas.DropDocsOnly, subject
	}
	return schemas.DropConfigOnly, subject
}

// refuseSource judges a side with product code.
func (w *World) refuseSource(f *facts.Facts, subject string) (schemas.DropReason, string) {
	sources, examples := 0, 0
	for _, file := range f.Files {
		if file.Class == schemas.ClassSource {
			sources++
			if isExample(file.Path) {
				examples++
			}
		}
	}
	switch {
	case sources > manySources:
		return schemas.DropTooLarge, fmt.Sprintf("%d product files", sources)
	case sources == examples && !f.Has(schemas.ClassTest):
		return schemas.DropDocsOnly, "examples only: " + subject
	case f.Read && f.Added+f.Removed == 0 && f.Missing == 0:
		return schemas.DropDocsOnly, "no line of code changes: " + subject
	case f.Read && len(f.Uses) == 0 && f.Missing == 0 && f.Removed == 0:
		return schemas.DropDocsOnly, "comments only: " + subject
	}
	return "", ""
}

func isExample(path string) bool {
	for dir := range strings.SplitSeq(path, "/") {
		switch dir {
		case "example", "examples", "_examples", "demo", "demos", "samples":
			return true
		}
	}
	return false
}

package patch

import (
	"context"
	"errors"
	"strings"

	"crossswe/internal/classify"
	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// maxClassified bounds the blobs that are read for the marks of generated
// files; larger ones are classified by their path.
const maxClassified = 4 << 20

// plan says which patch takes which change. It works on whole files; a split
// within a file only has to give the two patches edits with other blobs.
type plan struct {
	gold, test []gitrepo.TreeEdit
	missing    []Missing
	gitlinks   []Gitlink
	classes    map[string]schemas.FileClass
}

func makePlan(ctx context.Context, repo *gitrepo.Repo, changes []gitrepo.Change) (plan, error) {
	p := plan{classes: map[string]schemas.FileClass{}}
	for _, c := range changes {
		class, err := classOf(ctx, repo, c)
		if err != nil {
			return plan{}, err
		}
		p.classes[c.Path] = class
		if err := p.add(ctx, repo, c, class); err != nil {
			return plan{}, err
		}
	}
	return p, p.untangle()
}

// add puts one change where it belongs.
func (p *plan) add(ctx context.Context, repo *gitrepo.Repo, c gitrepo.Change, class schemas.FileClass) error {
	if c.Missing {
		oid, err := repo.MissingBlob(ctx, c)
		if err != nil {
			return err
		}
		p.missing = append(p.missing, Missing{Path: c.Path, Class: class, Status: c.Status, Reason: MissingBlob, OID: oid})
		return nil
	}
	edit := gitrepo.TreeEdit{Path: c.Path, Mode: c.NewMode, OID: c.NewOID}
	if c.OldMode == gitrepo.ModeGitlink || c.NewMode == gitrepo.ModeGitlink {
		link, rest := detachGitlink(c)
		link.Class = class
		p.gitlinks = append(p.gitlinks, link)
		if !rest {
			return nil
		}
		if c.NewMode == gitrepo.ModeGitlink {
			edit = gitrepo.TreeEdit{Path: c.Path}
		}
	}
	if class == schemas.ClassTest {
		p.test = append(p.test, edit)
	} else {
		p.gold = append(p.gold, edit)
	}
	return nil
}

// detachGitlink returns the pointer's part of a change; rest says that a file
// came or went at the same path.
func detachGitlink(c gitrepo.Change) (link Gitlink, rest bool) {
	link = Gitlink{Path: c.Path, Old: c.OldOID, New: c.NewOID}
	if c.OldMode != gitrepo.ModeGitlink {
		link.Old, rest = "", c.OldMode != gitrepo.ModeNone
	}
	if c.NewMode != gitrepo.ModeGitlink {
		link.New, rest = "", c.NewMode != gitrepo.ModeNone
	}
	return link, rest
}

// classOf classifies by the new content, or the old one of a deletion. A
// submodule's pointer pins a version, as a lock file does.
func classOf(ctx context.Context, repo *gitrepo.Repo, c gitrepo.Change) (schemas.FileClass, error) {
	mode, oid := c.NewMode, c.NewOID
	if mode == gitrepo.ModeNone {
		mode, oid = c.OldMode, c.OldOID
	}
	if mode == gitrepo.ModeGitlink {
		if class := classify.File(c.Path+"/", nil); class == schemas.ClassTest {
			return class, nil
		}
		return schemas.ClassLock, nil
	}
	content, err := repo.ReadBlob(ctx, oid, maxClassified)
	var missing *gitrepo.MissingObjectError
	if errors.As(err, &missing) || errors.Is(err, gitrepo.ErrTooLarge) {
		content, err = nil, nil
	}
	if err != nil {
		return "", err
	}
	return classify.File(c.Path, content), nil
}

// untangle moves a deletion to the patch that needs the deleted path out of
// its way: a file where it sets a directory, or the reverse.
func (p *plan) untangle() error {
	toTest := displaced(p.gold, p.test)
	toGold := displaced(p.test, p.gold)
	if len(toTest) == 0 && len(toGold) == 0 {
		return nil
	}
	if overlap(p.gold, toTest) || overlap(p.test, toGold) {
		return ErrEntangled
	}
	p.gold, p.test = exchange(p.gold, p.test, toTest, toGold)
	return nil
}

// displaced returns the paths that from removes and that stand in the way of
// a path that to sets.
func displaced(from, to []gitrepo.TreeEdit) map[string]bool {
	set := placesOf(to)
	found := map[string]bool{}
	for _, e := range from {
		if e.Mode == gitrepo.ModeNone && (set.dirs[e.Path] || set.hasParent(e.Path)) {
			found[e.Path] = true
		}
	}
	return found
}

// overlap reports whether a path that must move to the other patch is also in
// the way of one that its own patch sets.
func overlap(from []gitrepo.TreeEdit, moving map[string]bool) bool {
	own := placesOf(from)
	for path := range moving {
		if own.dirs[path] || own.hasParent(path) {
			return true
		}
	}
	return false
}

func exchange(gold, test []gitrepo.TreeEdit, toTest, toGold map[string]bool) (g, t []gitrepo.TreeEdit) {
	for _, e := range gold {
		if toTest[e.Path] {
			t = append(t, e)
		} else {
			g = append(g, e)
		}
	}
	for _, e := range test {
		if toGold[e.Path] {
			g = append(g, e)
		} else {
			t = append(t, e)
		}
	}
	return g, t
}

// places are the files that edits set and the directories that those need.
type places struct{ files, dirs map[string]bool }

func placesOf(edits []gitrepo.TreeEdit) places {
	p := places{files: map[string]bool{}, dirs: map[string]bool{}}
	for _, e := range edits {
		if e.Mode == gitrepo.ModeNone {
			continue
		}
		p.files[e.Path] = true
		for dir := range parents(e.Path) {
			p.dirs[dir] = true
		}
	}
	return p
}

// hasParent reports whether one of the files stands where path needs a directory.
func (p places) hasParent(path string) bool {
	for dir := range parents(path) {
		if p.files[dir] {
			return true
		}
	}
	return false
}

// parents yields the directories above a path, the nearest first.
func parents(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			if !yield(path[:i]) {
				return
			}
		}
	}
}

// record describes one file of a patch.
func (p plan) record(f FilePatch) schemas.File {
	file := schemas.File{Path: f.Path(), Status: f.Status, Class: p.classes[f.Path()], Binary: f.Binary}
	if f.Status == schemas.FileRenamed || f.Status == schemas.FileCopied {
		file.OldPath = f.OldPath
	}
	file.Added, file.Deleted = f.Counts()
	return file
}

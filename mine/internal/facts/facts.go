// Package facts says what a change did: which files of which classes, which
// identifiers it brought and which it uses. It reads blobs one by one, so that
// an absent one costs only its own file.
package facts

import (
	"context"
	"errors"
	"path"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/classify"
	"crossswe/internal/gitrepo"
	"crossswe/mine/internal/change"
	"crossswe/mine/internal/source/githistory"
	"crossswe/schemas"
)

// Facts is what one change did.
type Facts struct {
	Files []File
	// New are the identifiers that its product code adds and the touched files
	// did not hold before. Uses are all identifiers on added lines of product
	// and test code. Both are sorted.
	New, Uses []Word
	// Added and Removed count lines of product code.
	Added, Removed int
	// Print is the same for equal changes of product and test code, "" for
	// changes too small to tell.
	Print string
	// Missing counts files whose blobs are absent or too large to read.
	Missing int
	// Begins says that the change begins the history.
	Begins bool
	// Read says that the contents were read: New to Missing are filled in.
	Read bool
	// Known marks those of New that the tree before the change holds elsewhere.
	Known map[Word]bool
}

// File is one changed path.
type File struct {
	Path  string
	Class schemas.FileClass
}

// Has reports whether a file of that class changed.
func (f *Facts) Has(class schemas.FileClass) bool {
	for _, file := range f.Files {
		if file.Class == class {
			return true
		}
	}
	return false
}

// Only reports whether every file is of one of the classes.
func (f *Facts) Only(classes ...schemas.FileClass) bool {
	for _, file := range f.Files {
		ok := false
		for _, c := range classes {
			ok = ok || file.Class == c
		}
		if !ok {
			return false
		}
	}
	return len(f.Files) > 0
}

const (
	// maxBlob bounds a file that is searched for identifiers: larger ones are
	// data or generated.
	maxBlob = 1 << 20
	// maxFiles bounds the files of a change that are searched: beyond lie
	// imports and mass rewrites.
	maxFiles = 400
)

// Reader collects facts of one repository's changes.
type Reader struct {
	Repo       *gitrepo.Repo
	Set        *change.Set
	Vocabulary *Vocabulary
	// Workers is the number of changes read at once.
	Workers int
}

// Files returns the changed files of changes, with their classes by path
// alone, in order. It reads no blob.
func (r *Reader) Files(ctx context.Context, changes []int) ([]*Facts, [][]githistory.FileChange, error) {
	pairs := make([]githistory.TreePair, len(changes))
	out := make([]*Facts, len(changes))
	for i, c := range changes {
		ch := r.Set.Changes[c]
		out[i] = &Facts{Begins: ch.Base < 0}
		head := r.Set.Graph.Nodes[ch.Head].Tree
		base := emptyTree(len(head))
		if ch.Base >= 0 {
			base = r.Set.Graph.Nodes[ch.Base].Tree
		}
		pairs[i] = githistory.TreePair{Base: base, Head: head}
	}
	raw, err := githistory.Files(ctx, r.Repo, pairs)
	if err != nil {
		return nil, nil, err
	}
	for i := range out {
		for _, f := range raw[i] {
			out[i].Files = append(out[i].Files, File{f.Path, classify.File(f.Path, nil)})
		}
	}
	return out, raw, nil
}

func emptyTree(digits int) string {
	if digits == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Words fills in what needs the contents: identifiers, lines, prints.
func (r *Reader) Words(ctx context.Context, fs []*Facts, raw [][]githistory.FileChange) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Workers)
	for i := range fs {
		g.Go(func() error { return r.words(ctx, fs[i], raw[i]) })
	}
	return g.Wait()
}

func (r *Reader) words(ctx context.Context, f *Facts, raw []githistory.FileChange) error {
	fresh, uses, before := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var deltas []delta
	for i, c := range raw {
		class := f.Files[i].Class
		if (class != schemas.ClassSource && class != schemas.ClassTest) || len(deltas) >= maxFiles {
			continue
		}
		old, new, ok, err := r.contents(ctx, c)
		if err != nil {
			return err
		}
		if !ok {
			f.Missing++
			continue
		}
		d := diffLines(old, new)
		deltas = append(deltas, d)
		hash := hashComments(language(c.Path))
		for _, line := range d.added {
			EachWord(code(line, hash), func(w []byte) {
				if !uses[string(w)] {
					uses[string(w)] = true
				}
				if class == schemas.ClassSource && !fresh[string(w)] {
					fresh[string(w)] = true
				}
			})
		}
		EachWord(old, func(w []byte) {
			if !before[string(w)] {
				before[string(w)] = true
			}
		})
		if class == schemas.ClassSource {
			f.Added += len(d.added)
			f.Removed += len(d.removed)
		}
	}
	for w := range before {
		delete(fresh, w)
	}
	f.Read = true
	f.New, f.Uses, f.Print = r.Vocabulary.numbers(fresh), r.Vocabulary.numbers(uses), fingerprint(deltas)
	return nil
}

func language(p string) string {
	if path.Ext(p) == ".go" {
		return "Go"
	}
	return classify.Language(p, nil)
}

// contents reads both blobs of a file; false when one is absent, too large or binary.
func (r *Reader) contents(ctx context.Context, c githistory.FileChange) (old, new []byte, ok bool, err error) {
	for _, side := range []struct {
		oid  gitrepo.OID
		into *[]byte
	}{{c.Old, &old}, {c.New, &new}} {
		if side.oid == "" {
			continue
		}
		*side.into, err = r.Repo.ReadBlob(ctx, side.oid, maxBlob)
		var missing *gitrepo.MissingObjectError
		if errors.As(err, &missing) || errors.Is(err, gitrepo.ErrTooLarge) {
			return nil, nil, false, nil
		}
		if err != nil {
			return nil, nil, false, err
		}
		if classify.IsBinary(*side.into) {
			return nil, nil, false, nil
		}
	}
	return old, new, true, nil
}

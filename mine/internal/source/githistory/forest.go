package githistory

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/gitrepo"
	"crossswe/mine/internal/depedge"
)

// forest holds every distinct tree of a history once, reduced to what leads to
// manifests.
type forest struct {
	repo    *gitrepo.Repo
	packs   []*pack
	workers int

	// ids numbers trees by the first half of their ids; others are those whose
	// half is taken by another tree.
	ids    map[uint64]int32
	others map[oid]int32
	trees  []tree
	wants  map[string]bool // manifest names
	// lengths has a bit for the length of each: most names need no look-up.
	lengths uint64
}

// tree is one directory: its manifests and its subdirectories.
type tree struct {
	id    oid
	files []file
	dirs  []dir
	// bare says that no manifest lies below.
	bare bool
}

type file struct {
	name string
	blob oid
}

type dir struct {
	name string
	tree int32
}

// newForest makes an empty forest. Close it.
func newForest(repo *gitrepo.Repo, workers int) *forest {
	f := &forest{repo: repo, workers: max(workers, 1), ids: map[uint64]int32{}, others: map[oid]int32{}, wants: map[string]bool{}}
	for _, name := range depedge.FileNames() {
		f.wants[name] = true
		f.lengths |= 1 << min(len(name), 63)
	}
	var err error
	if f.packs, err = openPacks(repo.Dir()); err != nil {
		f.packs = nil // git reads what we cannot
	}
	return f
}

func (f *forest) close() { closePacks(f.packs) }

// add reads the trees below some roots, one level of directories after the
// other. Within a level they are read in the order of the pack.
func (f *forest) add(ctx context.Context, roots []oid) error {
	var level []int32
	for _, id := range roots {
		_, level = f.number(id, level)
	}
	for len(level) > 0 {
		var err error
		if level, err = f.read(ctx, level); err != nil {
			return fmt.Errorf("reading trees: %w", err)
		}
	}
	return nil
}

// number returns a tree's number. A tree that has none yet gets one and is
// added to the list of those to read.
func (f *forest) number(id oid, list []int32) (int32, []int32) {
	half := binary.NativeEndian.Uint64(id[:])
	n, had := f.ids[half]
	if had && f.trees[n].id != id {
		n, had = f.others[id]
		if !had {
			f.others[id] = int32(len(f.trees))
		}
	} else if !had {
		f.ids[half] = int32(len(f.trees))
	}
	if had {
		return n, list
	}
	f.trees = append(f.trees, tree{id: id})
	n = int32(len(f.trees) - 1)
	return n, append(list, n)
}

// place is where a tree is stored.
type place struct {
	tree int32
	pack int // -1: not in a pack that is open
	at   int64
}

// raw is a tree whose subdirectories have no numbers yet.
type raw struct {
	tree  int32
	files []file
	dirs  []rawDir
}

type rawDir struct {
	name string
	id   oid
}

// read reads one level and returns the next.
func (f *forest) read(ctx context.Context, level []int32) ([]int32, error) {
	places := make([]place, len(level))
	for i, n := range level {
		places[i] = f.locate(n)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.pack, b.pack), cmp.Compare(a.at, b.at)) })
	parts := make([][]raw, f.workers)
	g, ctx := errgroup.WithContext(ctx)
	for i := range f.workers {
		part := places[len(places)*i/f.workers : len(places)*(i+1)/f.workers]
		g.Go(func() (err error) {
			parts[i], err = f.readPart(ctx, part)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var next []int32
	for _, part := range parts {
		for _, r := range part {
			t := tree{id: f.trees[r.tree].id, files: r.files, dirs: make([]dir, len(r.dirs))}
			for i, d := range r.dirs {
				t.dirs[i].name = d.name
				t.dirs[i].tree, next = f.number(d.id, next)
			}
			f.trees[r.tree] = t
		}
	}
	return next, nil
}

// locate finds a tree in the packs.
func (f *forest) locate(n int32) place {
	for i, p := range f.packs {
		if at, ok := p.find(f.trees[n].id); ok {
			return place{n, i, at}
		}
	}
	return place{n, -1, 0}
}

// readPart reads some of a level's trees; those that no pack gives, git reads.
func (f *forest) readPart(ctx context.Context, part []place) ([]raw, error) {
	var out []raw
	var rest []int32
	names := interned{}
	readers := map[int]*packReader{}
	for _, p := range part {
		if p.pack < 0 {
			rest = append(rest, p.tree)
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if readers[p.pack] == nil {
			readers = map[int]*packReader{p.pack: f.packs[p.pack].reader()}
		}
		body, ok, err := readers[p.pack].tree(p.at, 0)
		if err != nil || !ok {
			rest = append(rest, p.tree)
			continue
		}
		t, err := f.parse(p.tree, body, names)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	if len(rest) == 0 {
		return out, nil
	}
	err := f.catTrees(ctx, rest, names, func(t raw) { out = append(out, t) })
	return out, err
}

// catTrees lets git read trees.
func (f *forest) catTrees(ctx context.Context, trees []int32, names interned, each func(raw)) error {
	var in strings.Builder
	for _, n := range trees {
		fmt.Fprintf(&in, "%x\n", f.trees[n].id)
	}
	cmd := f.repo.Command(ctx, "cat-file", "--batch", "--buffer")
	cmd.Stdin = strings.NewReader(in.String())
	return stream(cmd, func(r *bufio.Reader) error {
		for _, n := range trees {
			body, err := catTree(r)
			if err != nil {
				return err
			}
			t, err := f.parse(n, body, names)
			if err != nil {
				return err
			}
			each(t)
		}
		return nil
	})
}

// catTree reads "<id> tree <size>" and the tree.
func catTree(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, noEOF(err)
	}
	f := strings.Fields(head)
	if len(f) == 2 && f[1] == "missing" {
		return nil, &gitrepo.MissingObjectError{OID: gitrepo.OID(f[0])}
	}
	if len(f) != 3 || f[1] != "tree" {
		return nil, fmt.Errorf("unexpected answer %q", head)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size > maxTree {
		return nil, fmt.Errorf("unexpected size in %q", head)
	}
	body := make([]byte, size+1)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, noEOF(err)
	}
	return body[:size], nil
}

var errTree = errors.New("unexpected tree format")

// interned holds each name once.
type interned map[string]string

func (in interned) name(b []byte) string {
	if s, ok := in[string(b)]; ok {
		return s
	}
	s := string(b)
	in[s] = s
	return s
}

// parse keeps of a tree the manifests and the directories that may hold some.
func (f *forest) parse(n int32, body []byte, names interned) (raw, error) {
	const idLen = len(oid{})
	t := raw{tree: n}
	for len(body) > 0 {
		blank := 6 // a mode has six digits, a directory's five
		if len(body) > 5 && body[5] == ' ' {
			blank = 5
		}
		end := bytes.IndexByte(body, 0)
		if end < blank || body[blank] != ' ' || len(body) < end+1+idLen {
			return t, errTree
		}
		mode, name := body[:blank], body[blank+1:end]
		child := oid(body[end+1 : end+1+idLen])
		body = body[end+1+idLen:]
		switch {
		case string(mode) == "40000":
			if !depedge.SkippedDir(string(name)) {
				t.dirs = append(t.dirs, rawDir{names.name(name), child})
			}
		case f.lengths>>min(len(name), 63)&1 == 1 && mode[1] != '6' && f.wants[string(name)]: // no submodule
			t.files = append(t.files, file{names.name(name), child})
		}
	}
	return t, nil
}

// prune marks the trees below which no manifest lies. A tree is stored before
// the trees below it, so the last ones come first.
func (f *forest) prune() {
	done := make([]bool, len(f.trees))
	var mark func(n int32) bool
	mark = func(n int32) bool {
		t := &f.trees[n]
		if done[n] {
			return t.bare
		}
		done[n] = true
		t.dirs = slices.DeleteFunc(t.dirs, func(d dir) bool { return mark(d.tree) })
		t.bare = len(t.files)+len(t.dirs) == 0
		return t.bare
	}
	for n := range f.trees {
		mark(int32(n))
	}
}

// empty stands for the tree of no commit.
const empty = int32(-1)

// diff calls each for every manifest that differs between two trees.
func (f *forest) diff(from, to int32, dirName string, each func(path string, old, new gitrepo.OID, status byte)) {
	if from == to {
		return
	}
	var old, new tree
	if from != empty {
		old = f.trees[from]
	}
	if to != empty {
		new = f.trees[to]
	}
	zip(old.files, new.files, func(e file) string { return e.name }, func(name string, a, b *file) {
		switch {
		case a == nil:
			each(dirName+name, "", hexID(b.blob), 'A')
		case b == nil:
			each(dirName+name, hexID(a.blob), "", 'D')
		case a.blob != b.blob:
			each(dirName+name, hexID(a.blob), hexID(b.blob), 'M')
		}
	})
	zip(old.dirs, new.dirs, func(e dir) string { return e.name }, func(name string, a, b *dir) {
		x, y := empty, empty
		if a != nil {
			x = a.tree
		}
		if b != nil {
			y = b.tree
		}
		f.diff(x, y, dirName+name+"/", each)
	})
}

// zip pairs two short lists by name.
func zip[E any](old, new []E, name func(E) string, each func(name string, a, b *E)) {
	for i := range old {
		key := name(old[i])
		at := slices.IndexFunc(new, func(e E) bool { return name(e) == key })
		if at < 0 {
			each(key, &old[i], nil)
		} else {
			each(key, &old[i], &new[at])
		}
	}
	for i := range new {
		key := name(new[i])
		if !slices.ContainsFunc(old, func(e E) bool { return name(e) == key }) {
			each(key, nil, &new[i])
		}
	}
}

func hexID(id oid) gitrepo.OID { return gitrepo.OID(hex.EncodeToString(id[:])) }

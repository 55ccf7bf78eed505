package world

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"crossswe/schemas"
)

// person is an author of the world.
type person struct{ name, mail string }

var (
	people = []person{
		{"Ada Example", "ada@example.com"},
		{"Ben Example", "ben@example.com"},
		{"Cleo Example", "cleo@example.com"},
		{"Dov Example", "dov@example.com"},
	}
	bumpBot = person{"dependabot[bot]", "dependabot[bot]@users.noreply.example.com"}
)

// edit changes files: it writes and then removes.
type edit struct {
	write  map[string]string
	remove []string
}

// history is one repository in the making: a stream for git fast-import and
// the tree at its tip. A mark names a commit within the stream.
type history struct {
	name   schemas.RepoName
	stream bytes.Buffer
	tree   map[string]string
	now    time.Time
	rng    *rand.Rand
	branch string
	tip    int // mark of the branch's newest commit, 0 before the first
	marks  int
	pulls  int // highest number given out
	points map[int]point
	before map[int]int // mark → mark of its first parent
	tags   map[string]int
	queue  []step // small changes that the repository grows by
	ids    map[int]schemas.CommitSHA
	taken  []taken
	// mirror says that the copy has refs/pull, as git clone --mirror brings
	// them from GitHub: one for every pull request, however it came in.
	mirror bool
	// authored, if set, is when the next commit was written: before a rebase.
	authored time.Time
}

// taken is a pull request that came in: the marks of its ends.
type taken struct{ number, base, head, merge int }

// point is a commit as others depend on it.
type point struct {
	tree map[string]string
	at   time.Time
}

// step is one commit: a message without pull request number, and its edit.
type step struct {
	message string
	edit    edit
}

func newHistory(name schemas.RepoName, begin time.Time) *history {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &history{
		name: name, now: begin, branch: "main", tree: map[string]string{},
		rng:    rand.New(rand.NewPCG(h.Sum64(), 1)),
		points: map[int]point{}, before: map[int]int{}, tags: map[string]int{},
	}
}

// advance moves the clock to the given time, if that lies ahead.
func (h *history) advance(to time.Time) {
	if to.After(h.now) {
		h.now = to
	}
}

// commit writes one commit on the current branch.
func (h *history) commit(by person, message string, e edit, merged ...int) int {
	h.now = h.now.Add(time.Duration(3+h.rng.IntN(50)) * time.Minute)
	h.marks++
	at := h.now
	if !h.authored.IsZero() {
		at, h.authored = h.authored, time.Time{}
	}
	fmt.Fprintf(&h.stream, "commit refs/heads/%s\nmark :%d\n", h.branch, h.marks)
	fmt.Fprintf(&h.stream, "author %s <%s> %d +0000\n", by.name, by.mail, at.Unix())
	fmt.Fprintf(&h.stream, "committer %s <%s> %d +0000\n", by.name, by.mail, h.now.Unix())
	h.data(message + "\n")
	if h.tip > 0 {
		fmt.Fprintf(&h.stream, "from :%d\n", h.tip)
	}
	for _, m := range merged {
		fmt.Fprintf(&h.stream, "merge :%d\n", m)
	}
	h.apply(e)
	h.before[h.marks] = h.tip
	h.tip = h.marks
	h.points[h.tip] = point{tree: maps.Clone(h.tree), at: h.now}
	return h.tip
}

func (h *history) apply(e edit) {
	for _, path := range slices.Sorted(maps.Keys(e.write)) {
		fmt.Fprintf(&h.stream, "M 100644 inline %s\n", path)
		h.data(e.write[path])
		h.tree[path] = e.write[path]
	}
	for _, path := range e.remove {
		fmt.Fprintf(&h.stream, "D %s\n", path)
		delete(h.tree, path)
	}
	h.stream.WriteByte('\n')
}

func (h *history) data(text string) { fmt.Fprintf(&h.stream, "data %d\n%s\n", len(text), text) }

// at runs do with the branch's tip and tree set to an earlier commit, on a
// branch of its own, and returns the mark that do ended at.
func (h *history) at(mark int, branch string, do func()) int {
	tip, tree, main := h.tip, h.tree, h.branch
	h.tip, h.tree, h.branch = mark, maps.Clone(h.points[mark].tree), branch
	fmt.Fprintf(&h.stream, "reset refs/heads/%s\nfrom :%d\n\n", branch, mark)
	do()
	end := h.tip
	h.tip, h.tree, h.branch = tip, tree, main
	return end
}

// ref points a ref to a commit.
func (h *history) ref(name string, mark int) {
	fmt.Fprintf(&h.stream, "reset %s\nfrom :%d\n\n", name, mark)
}

// branchOff writes the steps on the branch of a pull request, from an earlier
// commit, and leaves them to refs/pull alone. Without a mirror it does nothing.
func (h *history) branchOff(from, number int, by person, steps []step) (marks []int) {
	if !h.mirror {
		return nil
	}
	branch := fmt.Sprintf("topic-%d", number)
	end := h.at(from, branch, func() {
		for _, s := range steps {
			marks = append(marks, h.commit(by, s.message, s.edit))
		}
	})
	h.ref(fmt.Sprintf("refs/pull/%d/head", number), end)
	h.remove("refs/heads/" + branch)
	return marks
}

// remove deletes a ref.
func (h *history) remove(name string) {
	fmt.Fprintf(&h.stream, "reset %s\nfrom %040d\n\n", name, 0)
}

// release writes the commit of a release and tags it.
func (h *history) release(version string) int {
	log := h.tree["CHANGELOG.md"]
	entry := fmt.Sprintf("## %s, %s\n\n%s\n", version, h.now.Format(time.DateOnly), h.sinceRelease())
	mark := h.commit(people[0], "Release "+version, edit{write: map[string]string{"CHANGELOG.md": entry + log}})
	h.ref("refs/tags/"+version, mark)
	h.tags[version] = mark
	return mark
}

// sinceRelease says in one line what the repository holds by now.
func (h *history) sinceRelease() string {
	sources := 0
	for path := range h.tree {
		if (strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".js")) && !isTest(path) {
			sources++
		}
	}
	return fmt.Sprintf("* %d source files, %d changes so far\n", sources, h.marks)
}

// grow writes the next n small changes, spread evenly up to a time.
func (h *history) grow(n int, until time.Time) {
	n = min(n, len(h.queue))
	for i := range n {
		gap := until.Sub(h.now) / time.Duration(n-i+1)
		h.advance(h.now.Add(gap))
		s := h.queue[0]
		h.queue = h.queue[1:]
		by := people[h.rng.IntN(len(people))]
		s.edit = h.current(s.edit)
		if h.rng.IntN(3) > 0 {
			h.pulls++
			h.branchOff(h.tip, h.pulls, by, []step{s})
			s.message = numbered(s.message, h.pulls)
		}
		h.commit(by, s.message, s.edit)
	}
}

// current completes an edit of the README and of generated lists, which depend
// on what the tree holds by now.
func (h *history) current(e edit) edit {
	line, ok := e.write[readmeLine]
	if !ok {
		return e
	}
	return edit{write: map[string]string{"README.md": h.tree["README.md"] + "* " + line + "\n"}}
}

// numbered puts the number of a squashed pull request behind the subject.
func numbered(message string, n int) string {
	subject, body, more := strings.Cut(message, "\n")
	subject += fmt.Sprintf(" (#%d)", n)
	if !more {
		return subject
	}
	return subject + "\n" + body
}

func isTest(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".test.js") || strings.HasPrefix(path, "testdata/")
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/distribution/reference"
	"go.yaml.in/yaml/v3"

	"crossswe/internal/artefact/place"
	"crossswe/internal/schedule"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// checker collects faults with the line of the key that they are about.
type checker struct {
	root   *yaml.Node
	faults []fault
}

// fault is one thing wrong; line is 0 when it stands nowhere.
type fault struct {
	line int
	text string
}

// err returns all faults, one per line of text, in the order of the file.
func (k *checker) err() error {
	slices.SortStableFunc(k.faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	var all []error
	for _, f := range k.faults {
		if f.line > 0 {
			f.text = fmt.Sprintf("line %d: %s", f.line, f.text)
		}
		all = append(all, errors.New(f.text))
	}
	return errors.Join(all...)
}

var (
	atLine     = regexp.MustCompile(`^line (\d+): `)
	unknownKey = regexp.MustCompile(`field (.+) not found in type config\.\w+`)
	wrongValue = regexp.MustCompile("cannot unmarshal !!\\w+ (`[^`]*`) into (u?int\\d*|float64|bool)")
	wrongShape = regexp.MustCompile(`cannot unmarshal (!!\w+ ?.*) into \*?config\.(\w+)`)
)

// written takes over yaml's own faults, without the names of our types.
func (k *checker) written(err *yaml.TypeError) {
	if err == nil {
		return
	}
	for _, s := range err.Errors {
		f := fault{text: s}
		if m := atLine.FindStringSubmatch(s); m != nil {
			f.line, _ = strconv.Atoi(m[1])
			f.text = strings.TrimPrefix(s, m[0])
		}
		f.text = unknownKey.ReplaceAllString(f.text, "unknown key $1")
		if m := wrongValue.FindStringSubmatch(f.text); m != nil {
			f.text = m[1] + " is no " + map[bool]string{true: "number", false: "true or false"}[m[2] != "bool"]
		}
		f.text = wrongShape.ReplaceAllString(f.text, "$1 stands where keys of their own are wanted ($2)")
		f.text = strings.Replace(f.text, "wanted (Repository)", "wanted: write - name: owner/name", 1)
		k.faults = append(k.faults, f)
	}
}

// whole reports every number with a fraction that stands where a whole one is
// wanted: yaml would cut it off without a word.
func (k *checker) whole(section reflect.Type, path string) {
	for i := range section.NumField() {
		f := section.Field(i)
		at := strings.TrimPrefix(path+"."+f.Tag.Get("yaml"), ".")
		switch kind := f.Type.Kind(); {
		case kind == reflect.Struct && f.Type != reflect.TypeFor[Date]():
			k.whole(f.Type, at)
		case f.Type == reflect.TypeFor[int]() || f.Type == reflect.TypeFor[int64]():
			if n := find(k.root, at); n != nil && n.Tag == "!!float" {
				k.want(false, at, "%s is no whole number", n.Value)
			}
		}
	}
}

// want reports a fault about the key at the dotted path unless ok.
func (k *checker) want(ok bool, path, format string, args ...any) {
	if ok {
		return
	}
	k.faults = append(k.faults, fault{lineOf(k.root, strings.Split(path, ".")), path + ": " + fmt.Sprintf(format, args...)})
}

// has reports whether the file names the key at the dotted path.
func (k *checker) has(path string) bool { return find(k.root, path) != nil }

// find returns the value of the key at the dotted path, nil when there is none.
func find(n *yaml.Node, path string) *yaml.Node {
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	for p := range strings.SplitSeq(path, ".") {
		if n = child(n, p); n == nil {
			return nil
		}
	}
	return n
}

// check reports everything that is wrong with the values.
func (c *Config) check(k *checker) {
	c.Store.check(k)
	c.Repositories.check(k)
	c.Mine.check(k)
	c.Screen.check(k)
	c.Build.check(k)
	c.Verify.check(k)
	c.Machine.check(k, c.Verify)
	c.Schedule.check(k)
	k.want(c.Publish.Directory != "", "publish.directory", "a directory is required")
	_, err := schemas.ParseRepoName(c.Publish.Name)
	k.want(err == nil, "publish.name", "%q is not of the form owner/name", c.Publish.Name)
}

func (m Machine) check(k *checker, v Verify) {
	k.want(m.Containers >= 0, "machine.containers", "%d is negative", m.Containers)
	k.want(m.MemoryMB >= 0, "machine.memory_mb", "%d is negative", m.MemoryMB)
	k.want(m.Containers == 0 || v.Workers <= m.Containers, "machine.containers", "verify.workers is %d: a job would never fit", v.Workers)
	need := int64(v.Workers) * v.MemoryMB
	k.want(m.MemoryMB == 0 || need <= m.MemoryMB, "machine.memory_mb", "verify needs %d (workers times memory_mb): a job would never fit", need)
}

func (s Schedule) check(k *checker) {
	for path, spec := range map[string]string{"schedule.mine": s.Mine, "schedule.publish": s.Publish} {
		err := schedule.Check(spec)
		k.want(err == nil, path, "%v", err)
	}
}

func (s Store) check(k *checker) {
	k.want(s.Place() != "", "store.path", "a file is required")
	_, err := place.Parse(s.Artefacts)
	k.want(err == nil, "store.artefacts", "%v", err)
	if s.URL == "" {
		return
	}
	err = store.CheckURL(s.URL)
	k.want(err == nil, "store.url", "%v", err)
	k.want(s.Path == "" || !k.has("store.path"), "store.url", "the store is a file or a URL: leave one of path and url out")
}

func (r Repositories) check(k *checker) {
	k.want(r.Mirrors != "" || len(r.List) > 0, "repositories", "name mirrors, a list, or both")
	seen := map[string]bool{}
	for i, repo := range r.List {
		at := fmt.Sprintf("repositories.list.%d", i)
		_, err := schemas.ParseRepoName(string(repo.Name))
		k.want(err == nil, at, "%q is not of the form owner/name", repo.Name)
		k.want(!seen[repo.Name.Key()], at, "%s stands twice", repo.Name)
		k.want(repo.Path != "" || r.Mirrors != "", at, "%s has no path and there are no mirrors", repo.Name)
		seen[repo.Name.Key()] = true
		for _, a := range repo.Aliases {
			_, err := schemas.ParseRepoName(string(a))
			k.want(err == nil, at, "alias %q is not of the form owner/name", a)
		}
	}
}

func (m Mine) check(k *checker) {
	k.want(!m.From.IsZero(), "mine.from", "a day is required")
	k.want(m.To.IsZero() || !m.To.Before(m.From.Time), "mine.to", "the window ends before it begins")
	k.want(m.PairWithin > 0, "mine.pair_within", "a positive duration is required")
	k.want(m.MaxSides >= 2 && m.MaxSides <= schemas.MaxSides, "mine.max_sides", "%d is not between 2 and %d", m.MaxSides, schemas.MaxSides)
}

func (s Screen) check(k *checker) {
	k.want(s.Reviewers >= 1, "screen.reviewers", "%d is less than 1", s.Reviewers)
	k.want(s.SignIn == SignInLink || s.SignIn == SignInHeader, "screen.sign_in", "%q is neither link nor header", s.SignIn)
	k.want(headerName.MatchString(s.Header), "screen.header", "%q is no name of a header", s.Header)
	behind := s.SignIn == SignInHeader
	k.want(!behind || len(s.Proxies) > 0, "screen.proxies", "name the proxies whose header is believed")
	k.want(behind || len(s.Proxies) == 0, "screen.proxies", "they are for sign_in: header")
	for i, p := range s.Proxies {
		k.want(p.Bits() > 0, fmt.Sprintf("screen.proxies.%d", i), "%s is everybody: anyone could give themselves a name", p)
	}
}

// headerName is the form of a header's name (RFC 9110, token), without the
// characters that proxies drop.
var headerName = regexp.MustCompile(`^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$`)

func (b Build) check(k *checker) {
	k.want(b.History == schemas.HistoryNone || b.History == schemas.HistoryPast, "build.history", "%q is neither none nor past", b.History)
	k.want(b.GoImage != "", "build.go_image", "an image is required")
	k.want(strings.Contains(b.NodeImage, "%s"), "build.node_image", "%q lacks %%s for the version", b.NodeImage)
	k.want(strings.Contains(b.PythonImage, "%s"), "build.python_image", "%q lacks %%s for the version", b.PythonImage)
	k.want(b.RustImage != "", "build.rust_image", "an image is required")
	k.want(b.JavaImage != "", "build.java_image", "an image is required")
	k.want(b.CMakeImage != "", "build.cmake_image", "an image is required")
	k.want(b.Timeout > 0, "build.timeout", "a positive duration is required")
	k.want(b.MinFreeGB >= 0, "build.min_free_gb", "%d is negative", b.MinFreeGB)
	// The value is not repeated: someone may have written a password into it.
	k.want(b.Registry == "" || isRepository(b.Registry), "build.registry",
		"want the repository of a registry, with its host, without a tag, scheme or login (registry.example.org/crossswe)")
}

// isRepository reports whether s is a repository with the host of its registry:
// without one an image would go to a public registry by mistake.
func isRepository(s string) bool {
	named, err := reference.ParseNamed(s)
	return err == nil && reference.IsNameOnly(named)
}

func (v Verify) check(k *checker) {
	k.want(v.Repetitions >= 1, "verify.repetitions", "%d is less than 1", v.Repetitions)
	k.want(v.Workers >= 1, "verify.workers", "%d is less than 1", v.Workers)
	k.want(v.CPUs > 0, "verify.cpus", "%g is not positive", v.CPUs)
	k.want(v.MemoryMB >= 64, "verify.memory_mb", "%d is less than 64", v.MemoryMB)
	k.want(v.Pids >= 16, "verify.pids", "%d is less than 16", v.Pids)
	k.want(v.TestTimeout > 0, "verify.test_timeout", "a positive duration is required")
}

// lineOf returns the line of the key at path, or of the nearest one above it.
func lineOf(n *yaml.Node, path []string) int {
	for n != nil && n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	line := 0
	for _, p := range path {
		next := child(n, p)
		if next == nil {
			break
		}
		n, line = next, next.Line
	}
	return line
}

func child(n *yaml.Node, key string) *yaml.Node {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			if fmt.Sprint(i) == key {
				return c
			}
		}
	}
	return nil
}

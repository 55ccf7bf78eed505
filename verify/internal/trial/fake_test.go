package trial

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crossswe/internal/artefact"
	"crossswe/internal/container"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
)

// reply is what a scripted container answers to a command.
type reply struct {
	stdout, stderr string
	result         container.ExecResult
	err            error
}

// script is a recorded engine: commands, joined by blanks, are answered by the
// first entry whose key they begin with. A command that no entry knows ends
// with 0 and says nothing.
type script struct {
	mu      sync.Mutex
	replies map[string][]reply // the last one is repeated
	files   map[string]string
	started int
	removed int
	calls   []string
	limits  map[string]time.Duration
	starts  []error // errors of the first starts
}

func (s *script) start(context.Context) (Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started++
	if len(s.starts) > 0 {
		err := s.starts[0]
		s.starts = s.starts[1:]
		if err != nil {
			s.removed++
			return nil, err
		}
	}
	return s, nil
}

func (s *script) Exec(_ context.Context, spec container.ExecSpec) (container.ExecResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := strings.TrimPrefix(spec.WorkDir, "/testbed/") + "$ " + strings.Join(spec.Cmd, " ")
	if spec.Stdin != nil {
		var b bytes.Buffer
		if _, err := b.ReadFrom(spec.Stdin); err != nil {
			return container.ExecResult{}, err
		}
		line += " < " + b.String()
	}
	s.calls = append(s.calls, line)
	if s.limits == nil {
		s.limits = map[string]time.Duration{}
	}
	s.limits[line] = spec.Timeout
	r := s.answer(line)
	fmt.Fprint(spec.Stdout, r.stdout)
	fmt.Fprint(spec.Stderr, r.stderr)
	return r.result, r.err
}

func (s *script) answer(line string) reply {
	for _, key := range slices.Backward(slices.Sorted(keys(s.replies))) { // the longest first
		if strings.HasPrefix(line, key) {
			r := s.replies[key][0]
			if len(s.replies[key]) > 1 {
				s.replies[key] = s.replies[key][1:]
			}
			return r
		}
	}
	return reply{}
}

func keys(m map[string][]reply) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (s *script) ReadFile(_ context.Context, path string, _ int64) ([]byte, error) {
	if body, ok := s.files[path]; ok {
		return []byte(body), nil
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

func (s *script) Remove(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removed++
	return nil
}

// pairSpec is a provider and a consumer in Go.
func pairSpec() schemas.Spec {
	target := func(name string) schemas.Target {
		return schemas.Target{Name: name, Runner: schemas.RunnerGo, Files: []string{"a_test.go"},
			Command: schemas.Command{Run: []string{"go", "test", "-json", "./..."}}}
	}
	return schemas.Spec{
		Toolchains: []schemas.Toolchain{{Name: "go", Version: "1.26.0"}},
		Repos: []schemas.RepoSpec{
			{Repo: "o/prov", Dir: "prov", Targets: []schemas.Target{target("example.com/prov")}},
			{Repo: "o/cons", Dir: "cons", Rebuild: []schemas.Command{{Run: []string{"make", "all"}}}, Targets: []schemas.Target{target("example.com/cons")}},
		},
		Links: []schemas.LinkSpec{{Consumer: "o/cons", Provider: "o/prov", Name: "example.com/prov",
			Prove: schemas.Command{Run: []string{"go", "list"}}, Want: "|/testbed/prov"}},
	}
}

// newScript answers as a sound pair does: the link holds and every target has
// one passing test.
func newScript() *script {
	return &script{
		replies: map[string][]reply{
			"cons$ go list": {{stdout: "|/testbed/prov\n"}},
			"prov$ go test": {{stdout: events("example.com/prov", "run A", "pass A", "pass")}},
			"cons$ go test": {{stdout: events("example.com/cons", "run A", "pass A", "pass")}},
		},
		files: map[string]string{"/testbed/prov/go.mod": "module example.com/prov\n", "/testbed/cons/go.mod": "module example.com/cons\n"},
	}
}

// events writes go test -json: "action test", or the action of the package.
func events(pkg string, all ...string) string {
	var b strings.Builder
	for _, e := range all {
		action, test, _ := strings.Cut(e, " ")
		if out, ok := strings.CutPrefix(e, "output "); ok {
			test, text, _ := strings.Cut(out, ":")
			fmt.Fprintf(&b, `{"Action":"output","Package":%q,"Test":"Test%s","Output":%q}`+"\n", pkg, test, text+"\n")
			continue
		}
		if test == "" {
			fmt.Fprintf(&b, `{"Action":%q,"Package":%q}`+"\n", action, pkg)
			continue
		}
		fmt.Fprintf(&b, `{"Action":%q,"Package":%q,"Test":"Test%s"}`+"\n", action, pkg, test)
	}
	return b.String()
}

func newRunner(t *testing.T, s *script, change func(*Options)) *Runner {
	t.Helper()
	kept, err := artefact.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	opt := Options{
		Start: s.start, Keep: kept.Put, Spec: pairSpec(), Timeout: 10 * time.Minute,
		Patches: []Patch{{Gold: []byte("gold a"), Test: []byte("test a")}, {Gold: []byte("gold b"), Test: []byte("test b")}},
		Now:     func() time.Time { return now },
	}
	if change != nil {
		change(&opt)
	}
	return New(opt)
}

// job is a mask with every target.
func job(mask schemas.Mask) matrix.Job { return matrix.Job{Mask: mask, Repetition: 1, Repos: 3} }

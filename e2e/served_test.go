package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"crossswe/e2e/world"
	"crossswe/internal/container/registrytest"
	"crossswe/internal/pgtest"
	"crossswe/internal/store"
	"crossswe/schemas"
)

var postgres pgtest.Server

// TestServed runs a pair through stages that are served, with records in
// PostgreSQL and images that go through a registry. The one that verifies is
// killed at its work, and another does it.
func TestServed(t *testing.T) {
	p := newPipeline(t, world.Named("go-behaviour")...)
	place, reg := postgres.Database(t), registrytest.New(t)
	t.Cleanup(func() { untag(t, reg.Repository("crossswe")) })
	p.write(t, "pipeline.yaml", "repositories:\n  mirrors: repositories\nstore:\n  url: "+place+
		strings.Replace(settings, "build:\n", "build:\n  registry: "+reg.Repository("crossswe")+"\n", 1)+"machine:\n  grace: 5s\n")
	writeReviews(t, p)
	s, err := store.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := string(world.Named("go-behaviour")[0].Expect[0].Candidate(p.changes))

	first := p.serve(t, "verify")
	others := []*served{p.serve(t, "mine"), p.serve(t, "build"), p.serve(t, "publish")}
	p.must(t, "mine")
	p.must(t, "screen", "import", "reviews.jsonl")
	await(t, s, store.StageBuild, id)
	awaitJob(t, s, "verify")
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	others = append(others, p.serve(t, "verify"))
	if it := await(t, s, store.StageVerify, id); it.State != store.Kept {
		t.Errorf("verify: %+v, want it kept", it)
	}
	p.must(t, "publish")
	p.must(t, "screen", "approve", id, "-reviewer", world.Adjudicator)
	if out := p.must(t, "publish").stdout; !strings.Contains(out, "1 rows") {
		t.Errorf("publish says %q", out)
	}
	env, _, err := store.Get[schemas.Environment](t.Context(), s, id)
	if err != nil || !strings.HasPrefix(string(env.Pushed), reg.Repository("crossswe")+"@sha256:") {
		t.Errorf("the image is in the registry as %q (%v)", env.Pushed, err)
	}
	for _, o := range others {
		o.stop(t)
	}
	if left := ours(t, first.cmd.Process.Pid); len(left) > 0 {
		t.Errorf("the killed process left %v", left)
	}
}

// untag takes the repository's names off the engine; the images stay for the
// other tests.
func untag(t *testing.T, repository string) {
	t.Helper()
	out, err := exec.Command("docker", "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", repository).Output()
	if err != nil {
		t.Errorf("listing the names in %s: %v", repository, err)
	}
	for _, name := range strings.Fields(string(out)) {
		if out, err := exec.Command("docker", "image", "rm", name).CombinedOutput(); err != nil {
			t.Errorf("removing the name %s: %v\n%s", name, err, out)
		}
	}
}

// served is a program that runs with -serve.
type served struct {
	cmd     *exec.Cmd
	address string

	mu  sync.Mutex
	log strings.Builder
}

var addressSaid = regexp.MustCompile(`msg=serving .*address=(\S+)`)

// serve starts a program and waits until it says where it answers.
func (p *pipeline) serve(t *testing.T, program string) *served {
	t.Helper()
	s := &served{cmd: p.command(context.Background(), program, "-serve")}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	said := make(chan string, 1)
	go s.read(stderr, said)
	select {
	case s.address = <-said:
	case <-time.After(time.Minute):
		t.Fatalf("%s -serve says nothing of an address:\n%s", program, s)
	}
	return s
}

func (s *served) read(r io.Reader, said chan<- string) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		s.mu.Lock()
		s.log.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
		if m := addressSaid.FindStringSubmatch(lines.Text()); m != nil {
			said <- m[1]
		}
	}
}

// String is what it has logged.
func (s *served) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// stop asks the program for its health, and ends it.
func (s *served) stop(t *testing.T) {
	t.Helper()
	res, err := http.Get("http://" + s.address + "/healthz")
	if err != nil {
		t.Errorf("%s: %v\n%s", s.cmd.Path, err, s)
		return
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("%s is not well: %s", s.cmd.Path, body)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := s.cmd.Wait(); err != nil || strings.Contains(s.String(), "DATA RACE") {
		t.Errorf("%s ended with %v:\n%s", s.cmd.Path, err, s)
	}
}

// await waits until a stage has finished an item.
func await(t *testing.T, s *store.Store, stage store.Stage, id string) store.Item {
	t.Helper()
	for end := time.Now().Add(8 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		it, ok, err := s.Item(t.Context(), stage, id)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			return it
		}
	}
	t.Fatalf("%s has not finished %s after eight minutes", stage, id)
	return store.Item{}
}

// awaitJob waits until a process works on a job of the stage.
func awaitJob(t *testing.T, s *store.Store, stage string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var n int
		err := s.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE queue = $1 AND state = 'running'", stage).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
	}
	t.Fatalf("nobody works on a job of %s", stage)
}

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the database/sql driver

	"crossswe/e2e/world"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// pipeline is a directory with a world, a configuration and a store.
type pipeline struct {
	dir       string
	scenarios []world.Scenario
	changes   []world.Change
}

// settings are the sections of the configuration after the repositories. Two
// repetitions and small limits keep the tests short; what they check is in the
// records of the runs, whatever the number.
const settings = `
screen:
  adjudicators: [cleo]
build:
  min_free_gb: 1
  environment: [GOPROXY, GONOSUMDB, GOSUMDB, http_proxy, https_proxy, no_proxy]
verify:
  repetitions: 2
  memory_mb: 2048
  test_timeout: 40s
publish:
  name: crossswe/e2e
  canary: crossswe-e2e canary
`

func newPipeline(t *testing.T, scenarios ...world.Scenario) *pipeline {
	t.Helper()
	p := &pipeline{dir: t.TempDir(), scenarios: scenarios}
	var err error
	if p.changes, err = world.Make(t.Context(), filepath.Join(p.dir, "repositories"), scenarios...); err != nil {
		t.Fatal(err)
	}
	p.write(t, "pipeline.yaml", "repositories:\n  mirrors: repositories\n"+settings)
	p.makeTmp(t)
	return p
}

func (p *pipeline) makeTmp(t *testing.T) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(p.dir, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
}

// copy returns the pipeline as it stands now in another directory.
func (p *pipeline) copy(t *testing.T) *pipeline {
	t.Helper()
	c := &pipeline{dir: filepath.Join(t.TempDir(), "copy"), scenarios: p.scenarios, changes: p.changes}
	if err := os.CopyFS(c.dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *pipeline) write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// result is what a program did.
type result struct {
	code   int
	stdout string
	stderr string
}

// command prepares a program on the pipeline's configuration. Its temporary
// files stand apart from all others.
func (p *pipeline) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, program), append([]string{"-config", filepath.Join(p.dir, "pipeline.yaml")}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(p.dir, "tmp"))
	return cmd
}

func (p *pipeline) run(t *testing.T, program string, args ...string) result {
	t.Helper()
	return runCommand(t, p.command(t.Context(), program, args...))
}

func runCommand(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("running %s: %v", cmd.Path, err)
	}
	if strings.Contains(stderr.String(), "DATA RACE") {
		t.Errorf("%s races:\n%s", filepath.Base(cmd.Path), stderr.String())
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// must runs a program that has to end well.
func (p *pipeline) must(t *testing.T, program string, args ...string) result {
	t.Helper()
	r := p.run(t, program, args...)
	if r.code != 0 {
		t.Fatalf("%s %s ended with %d:\n%s%s", program, strings.Join(args, " "), r.code, r.stderr, r.stdout)
	}
	return r
}

// writeReviews writes what the world's reviewers say to reviews.jsonl.
func writeReviews(t *testing.T, p *pipeline) {
	t.Helper()
	var lines bytes.Buffer
	for _, r := range world.Reviews(p.changes, p.scenarios...) {
		line, err := json.Marshal(schemas.Line{Record: r.RecordKind(), Body: r})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	p.write(t, "reviews.jsonl", lines.String())
}

// records reads every record of a kind from the store.
func records[T schemas.Record](t *testing.T, p *pipeline) []T {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(p.dir, "crossswe.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := store.All[T](t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// items reads what became of everything at a stage.
func (p *pipeline) items(t *testing.T, stage store.Stage) []store.Item {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(p.dir, "crossswe.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []store.Item
	for _, state := range []store.State{store.Kept, store.Dropped, store.Failed} {
		items, err := s.Items(t.Context(), stage, state)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, items...)
	}
	return all
}

// dump writes out everything that the pipeline keeps: every row of the
// database and every file of the dataset and of the artefacts.
func (p *pipeline) dump(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.dir, "crossswe.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table, columns := range map[string]string{
		"records": "kind || ' ' || key, body",
		"items":   "stage || ' ' || id, input || ' ' || state || ' ' || reason || ' ' || detail || ' ' || at",
		"marks":   "name, value",
	} {
		rows, err := db.QueryContext(t.Context(), "SELECT "+columns+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var key, value string
			if err := rows.Scan(&key, &value); err != nil {
				t.Fatal(err)
			}
			all[table+" "+key] = value
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	for _, dir := range []string{"dataset", "artefacts"} {
		dumpDir(t, p.dir, dir, all)
	}
	return all
}

func dumpDir(t *testing.T, root, dir string, all map[string]string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		all[name] = fmt.Sprintf("%x", sha256.Sum256(body))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ours lists the containers and networks that a process made and that are
// still there.
func ours(t *testing.T, pid int) []string {
	t.Helper()
	var left []string
	for _, list := range [][]string{
		{"ps", "--all", "--no-trunc", "--filter", "label=crossswe.owner", "--format", `{{.Label "crossswe.owner"}} container {{.Names}}`},
		{"network", "ls", "--filter", "label=crossswe.owner", "--format", `{{.Label "crossswe.owner"}} network {{.Name}}`},
	} {
		out, err := exec.CommandContext(t.Context(), "docker", list...).Output()
		if err != nil {
			t.Fatalf("docker %s: %v", list[0], err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) > 1 && f[1] == fmt.Sprint(pid) { // machine, process, start
				left = append(left, strings.TrimSpace(line))
			}
		}
	}
	return left
}

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crossswe/e2e/world"
	"crossswe/internal/store"
	"crossswe/schemas"
)

var programs = []string{"mine", "screen", "build", "verify", "publish"}

// want checks a program's end: its exit code and what it says.
func (r result) want(t *testing.T, code int, says ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d:\n%s", r.code, code, r.stderr)
	}
	for _, s := range says {
		if !strings.Contains(r.stderr, s) {
			t.Errorf("it does not say %q:\n%s", s, r.stderr)
		}
	}
	if r.stdout != "" {
		t.Errorf("standard output has %q, want nothing", r.stdout)
	}
	if strings.Contains(r.stderr, "goroutine ") {
		t.Errorf("it panics:\n%s", r.stderr)
	}
}

func TestBadConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"empty":    {"", []string{"pipeline.yaml", "empty"}},
		"misspelt": {"repositories:\n  mirors: x\nmine:\n  form: 2025-01-01\n  to: soon\n", []string{"line 2", "mirors", "line 4", "form", "line 5", "soon"}},
		"wrong":    {"repositories:\n  mirrors: x\nverify:\n  workers: 0\n  repetitions: -1\n", []string{"line 4", "line 5"}},
		"no yaml":  {"repositories: [\n", []string{"pipeline.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pipeline{dir: t.TempDir()}
			p.write(t, "pipeline.yaml", c.text)
			for _, program := range programs {
				p.run(t, program, commandOf(program)...).want(t, 2, c.says...)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "crossswe.db")); err == nil {
				t.Error("a store was made")
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		p := &pipeline{dir: t.TempDir()}
		for _, program := range programs {
			p.run(t, program, commandOf(program)...).want(t, 2, "pipeline.yaml", "no such file")
		}
	})
}

// commandOf is what screen needs beside its flags.
func commandOf(program string) []string {
	if program == "screen" {
		return []string{"list"}
	}
	return nil
}

func TestUnknownFlag(t *testing.T) {
	p := newPipeline(t, world.Named("bot-bump")...)
	for _, program := range programs {
		p.run(t, program, "-nonsense").want(t, 2, "nonsense")
	}
}

func TestBadRepositories(t *testing.T) {
	p := newPipeline(t, world.Named("go-behaviour")...)
	source := filepath.Join(p.dir, "repositories", "tide-example", "gauge.git")
	if err := os.MkdirAll(filepath.Join(p.dir, "plain"), 0o777); err != nil {
		t.Fatal(err)
	}
	clone := exec.CommandContext(t.Context(), "git", "clone", "-q", "--depth", "1", "file://"+source, filepath.Join(p.dir, "shallow"))
	if out, err := clone.CombinedOutput(); err != nil {
		t.Fatalf("cloning: %v\n%s", err, out)
	}
	list := func(path string) string {
		return "repositories:\n  list:\n    - {name: tide-example/gauge, path: " + path + "}\n    - {name: tide-example/harbor, path: repositories/tide-example/harbor.git}\n"
	}
	for name, c := range map[string]struct{ path, reason string }{
		"no repository": {"plain", "not_a_repository"},
		"no directory":  {"nowhere", "not_a_repository"},
		"shallow":       {"shallow", "shallow"},
	} {
		t.Run(name, func(t *testing.T) {
			q := p.copy(t)
			q.write(t, "pipeline.yaml", list(c.path))
			q.run(t, "mine").want(t, 1, c.path, "tide-example/gauge", "failed 1 ("+c.reason+" 1)")
			q.write(t, "pipeline.yaml", list("repositories/tide-example/gauge.git"))
			q.must(t, "mine")
			if got := records[schemas.Candidate](t, q); len(got) != 1 {
				t.Errorf("%d candidates once the repository is right, want 1", len(got))
			}
		})
	}
	t.Run("mirrors missing", func(t *testing.T) {
		p.write(t, "pipeline.yaml", "repositories:\n  mirrors: nowhere\n")
		r := p.run(t, "mine")
		r.want(t, max(r.code, 1), "nowhere")
	})
}

func TestAddRefusesUnknownCommits(t *testing.T) {
	p := newPipeline(t, world.Named("go-behaviour")...)
	gauge, harbor := p.change("tide-example/gauge#31"), p.change("tide-example/harbor#27")
	good := string(gauge.Repo) + "@" + string(gauge.Base) + ".." + string(gauge.Head)
	unknown := strings.Repeat("ab", 20)
	r := p.run(t, "mine", "-add", good, string(harbor.Repo)+"@"+string(harbor.Base)+".."+unknown)
	if r.code != 1 && r.code != 2 {
		t.Errorf("exit code %d, want 1 or 2", r.code)
	}
	r.want(t, r.code, unknown[:12], "tide-example/harbor")
	p.must(t, "mine", "-add", good, string(harbor.Repo)+"@"+string(harbor.Base)+".."+string(harbor.Head))
}

func TestNoEngine(t *testing.T) {
	p := newPipeline(t, world.Named("go-behaviour")...)
	p.must(t, "mine")
	writeReviews(t, p)
	p.must(t, "screen", "import", "reviews.jsonl")
	cmd := p.command(t.Context(), "build")
	cmd.Env = append(cmd.Env, "DOCKER_HOST=tcp://127.0.0.1:1")
	runCommand(t, cmd).want(t, 1, "engine")
	if items := p.items(t, store.StageBuild); len(items) > 0 {
		t.Errorf("the candidates are lost: %+v", items)
	}
}

func TestBrokenStore(t *testing.T) {
	for name, body := range map[string]string{
		"no database": strings.Repeat("this is no database. ", 400),
		"half of one": "SQLite format 3\x00\x10\x00",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t, world.Named("bot-bump")...)
			file := p.write(t, "crossswe.db", body)
			for _, program := range programs {
				p.run(t, program, commandOf(program)...).want(t, 1, "crossswe.db")
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != body {
				t.Errorf("the file was changed: %d bytes, %v", len(got), err)
			}
		})
	}
}

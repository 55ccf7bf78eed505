package row

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crossswe/schemas"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// world is a testbed of two real checkouts with one commit each, and the
// patches that git writes from there to the fix.
type world struct {
	root    string
	bases   [2]schemas.CommitSHA
	patches []Patches
}

var dirs = [2]string{"lib", "app"}

// files are a repository's files before and after, by path; "" is no file.
type files map[string][2]string

func newWorld(t *testing.T, gold, tests [2]files) world {
	t.Helper()
	w := world{root: t.TempDir(), patches: make([]Patches, 2)}
	for i, dir := range dirs {
		repo := filepath.Join(w.root, dir)
		write(t, repo, gold[i], 0)
		write(t, repo, tests[i], 0)
		git(t, repo, "init", "-q")
		git(t, repo, "add", "-A", "-f")
		git(t, repo, "commit", "-q", "--allow-empty", "-m", "base")
		w.bases[i] = schemas.CommitSHA(strings.TrimSpace(git(t, repo, "rev-parse", "HEAD")))
		w.patches[i] = Patches{Gold: diff(t, repo, gold[i]), Test: diff(t, repo, tests[i])}
	}
	return w
}

// diff returns the patch of some files, and leaves the checkout at its base.
func diff(t *testing.T, repo string, f files) []byte {
	t.Helper()
	write(t, repo, f, 1)
	git(t, repo, "add", "-A", "-f")
	out := git(t, repo, "diff", "--cached", "--binary", "--full-index", "HEAD")
	git(t, repo, "reset", "-q", "--hard")
	return []byte(out)
}

func write(t *testing.T, repo string, f files, side int) {
	t.Helper()
	if err := os.MkdirAll(repo, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range f {
		file := filepath.Join(repo, name)
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if content[side] == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content[side]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

var dig = schemas.Digest("sha256:" + strings.Repeat("0123456789abcdef", 4))

// input joins the world with records that fit it.
func (w world) input() Input {
	head := schemas.CommitSHA(strings.Repeat("f", 40))
	sides := []schemas.Side{
		{Repo: "ann/lib", Pull: 7, Base: w.bases[0], Head: head, Merge: schemas.CommitSHA(strings.Repeat("e", 40)), MergedAt: at, Role: schemas.RoleProvider, Language: "Go", License: "MIT"},
		{Repo: "bob/app", Base: w.bases[1], Head: head, MergedAt: at.Add(time.Hour), Role: schemas.RoleConsumer, Language: "Go", License: "Apache-2.0"},
	}
	id := schemas.NewCandidateID(sides)
	spec := schemas.Spec{Candidate: id, Base: "golang:1.26", History: schemas.HistoryPast}
	for i, s := range sides {
		spec.Repos = append(spec.Repos, schemas.RepoSpec{Repo: s.Repo, Dir: dirs[i], Base: s.Base, Targets: []schemas.Target{{Name: "./...", Runner: schemas.RunnerGo, Command: schemas.Command{Run: []string{"go", "test", "-json", "./..."}}}}})
	}
	f2p := []schemas.TestID{"bob/app::app::TestLimit", "ann/lib::lib::TestNew"}
	return Input{
		Candidate:   schemas.Candidate{ID: id, Origin: schemas.OriginMined, Sides: sides},
		Decision:    schemas.Decision{Candidate: id, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, How: schemas.HowAgreement, Intent: schemas.IntentFeature, Domain: "networking"},
		Environment: schemas.Environment{Candidate: id, Spec: spec, SpecDigest: dig, Image: "crossswe/env:1", ImageID: dig, SizeBytes: 1 << 30},
		Verdict: schemas.Verdict{Candidate: id, Kind: schemas.VerdictJoint, Level: schemas.LevelSingleTest, Evidence: schemas.EvidenceNew, Repos: []schemas.RepoName{"ann/lib", "bob/app"},
			ImageID: dig, FailToPass: f2p, PassToPass: []schemas.TestID{"bob/app::app::TestOld"}, Joint: f2p[:1], SingleSide: f2p[1:], Repetitions: 3, VerifiedAt: at,
			Masks: []schemas.MaskRow{{Name: "A0B0", Runs: 3, Failed: 2, Outcome: schemas.OutcomeFail, Failure: schemas.FailureCompileSibling}, {Mask: 3, Name: "A1B1", Patched: []schemas.RepoName{"ann/lib", "bob/app"}, Runs: 3, Passed: 3, Outcome: schemas.OutcomePass}}},
		Statement: schemas.Statement{Candidate: id, Text: "# Task\n", Interface: []string{"WithLimit"}, Method: "extractive", Approved: "zoe"},
		Patches:   w.patches,
		Options:   Options{Canary: "canary", Program: "v1", Timeout: time.Minute},
	}
}

func plainWorld(t *testing.T) world {
	t.Helper()
	return newWorld(t,
		[2]files{{"lib.go": {"package lib\n", "package lib\n\nfunc WithLimit() {}\n"}}, {"app.go": {"package app\n", "package app\n\nvar x = 1\n"}}},
		[2]files{{"lib_test.go": {"package lib\n", "package lib\n\n// new\n"}}, {"app_test.go": {"", "package app\n"}}})
}

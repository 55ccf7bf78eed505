package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/e2e/world"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// step is one command of a run of the pipeline.
type step struct {
	program string
	args    []string
}

// smallRun is the whole pipeline for a world of one joint pair and one drop.
func smallRun(p *pipeline) []step {
	id := string(world.Named("go-behaviour")[0].Expect[0].Candidate(p.changes))
	return []step{
		{"mine", nil}, {"screen", []string{"import", "reviews.jsonl"}}, {"build", nil}, {"verify", nil},
		{"publish", nil}, {"screen", []string{"approve", id, "-reviewer", world.Adjudicator}}, {"publish", nil},
	}
}

// TestSmallPipeline runs the pipeline on one joint pair and one drop. The run
// is undisturbed and prints JSON; then stages are killed and interrupted on
// copies of what it was before each step.
func TestSmallPipeline(t *testing.T) {
	u := undisturbed(t)
	t.Run("json", func(t *testing.T) { checkJSON(t, u.printed) })
	t.Run("unapproved", func(t *testing.T) {
		if got := records[schemas.Instance](t, u.at[5]); len(got) > 0 {
			t.Errorf("%d rows are published whose statement nobody approved", len(got))
		}
	})
	t.Run("predictions", func(t *testing.T) { testPredictions(t, u.at[len(u.at)-1].copy(t)) })
	t.Run("killed", func(t *testing.T) { testKilled(t, u) })
	t.Run("interrupted", func(t *testing.T) { testInterrupted(t, u) })
}

// undisturbedRun is one run of the small pipeline.
type undisturbedRun struct {
	steps   []step
	at      []*pipeline       // copies from before each step, and from the end
	took    []time.Duration   // of each step
	printed map[string]string // by program, with -json
}

func undisturbed(t *testing.T) undisturbedRun {
	t.Helper()
	p := newPipeline(t, world.Named("go-behaviour", "bot-bump")...)
	writeReviews(t, p)
	u := undisturbedRun{steps: smallRun(p), at: []*pipeline{p.copy(t)}, printed: map[string]string{}}
	for _, s := range u.steps {
		begin := time.Now()
		u.printed[s.program] += p.must(t, s.program, append([]string{"-json"}, s.args...)...).stdout
		u.took = append(u.took, time.Since(begin))
		u.at = append(u.at, p.copy(t))
	}
	u.printed["screen"] += p.must(t, "screen", "-json", "export").stdout
	return u
}

// testKilled kills stages with SIGKILL at random points, ten times, and runs
// the same command again: the end is that of an undisturbed run.
func testKilled(t *testing.T, u undisturbedRun) {
	rng := rand.New(rand.NewPCG(2026, 11))
	for round := range 10 {
		n := rng.IntN(len(u.steps))
		if round < len(u.steps) {
			n = round
		}
		s, delay := u.steps[n], time.Duration(rng.Int64N(int64(u.took[n])))
		t.Run(fmt.Sprintf("%d %s after %s", round, s.program, delay.Round(time.Millisecond)), func(t *testing.T) {
			p := u.at[n].copy(t)
			pid := killAfter(t, p, s, delay)
			p.must(t, s.program, s.args...)
			if left := ours(t, pid); len(left) > 0 {
				t.Errorf("the killed process left %v", left)
			}
			if diff := cmp.Diff(endState(t, u.at[n+1]), endState(t, p)); diff != "" {
				t.Errorf("the end differs from an undisturbed run (-undisturbed +killed):\n%s", diff)
			}
		})
	}
}

// killAfter starts the step, kills its process with SIGKILL unless it ends
// before the delay is over, and returns its id.
func killAfter(t *testing.T, p *pipeline, s step, delay time.Duration) int {
	t.Helper()
	cmd := p.command(t.Context(), s.program, s.args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(delay, func() { cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	err := cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && (!ok || !status.Signaled()) {
		t.Errorf("%s ended by itself: %v", s.program, err)
	}
	return cmd.Process.Pid
}

// endState is what a pipeline came to, without times, durations and the ids of
// images, which differ from run to run.
func endState(t *testing.T, p *pipeline) map[string]string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.dir, "crossswe.db")); err != nil {
		return nil
	}
	all := map[string]string{}
	for _, stage := range store.Stages {
		for _, it := range p.items(t, stage) {
			all[fmt.Sprintf("item %s %s", stage, it.ID)] = string(it.State) + " " + it.Reason
		}
	}
	for _, c := range records[schemas.Candidate](t, p) {
		all["candidate "+string(c.ID)] = asJSON(t, c)
	}
	for _, d := range records[schemas.Decision](t, p) {
		all["decision "+string(d.Candidate)] = fmt.Sprint(d.Choice, d.How, d.Reviewers)
	}
	for _, r := range records[schemas.Review](t, p) {
		all["review "+r.RecordKey()] = string(r.Choice)
	}
	for _, e := range records[schemas.Environment](t, p) {
		all["environment "+string(e.Candidate)] = fmt.Sprint(e.Image, e.SpecDigest, e.Dockerfile, e.Links, e.Audit.Clean)
	}
	for _, v := range records[schemas.Verdict](t, p) {
		all["verdict "+string(v.Candidate)] = asJSON(t, []any{v.Kind, v.Level, v.Masks, v.Tests, v.FailToPass, v.PassToPass, v.Joint})
		runs := map[string]int{}
		for _, r := range v.Runs {
			runs[fmt.Sprint(r.Mask, r.Repetition, r.Health)]++
		}
		all["runs "+string(v.Candidate)] = asJSON(t, runs)
	}
	for _, s := range records[schemas.Statement](t, p) {
		all["statement "+string(s.Candidate)] = s.Text + s.Approved
	}
	for _, i := range records[schemas.Instance](t, p) {
		all["instance "+i.InstanceID] = asJSON(t, []any{i.Patch, i.TestPatch, i.FailToPass, i.PassToPass, i.Masks, i.ProblemStatement})
	}
	files := map[string]string{}
	dumpDir(t, p.dir, "dataset", files)
	for name := range files {
		all["file "+name] = "there"
	}
	return all
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// testInterrupted sends SIGINT to the stages that take long, once they are at
// work: they end with 130 and leave neither containers nor temporary files.
func testInterrupted(t *testing.T, u undisturbedRun) {
	t.Run("build", func(t *testing.T) {
		p := u.at[2].copy(t)
		interrupt(t, p, "build", func(lines *bufio.Scanner, _ int) bool {
			for lines.Scan() {
				if strings.Contains(lines.Text(), "building") {
					return true
				}
			}
			return false
		})
	})
	t.Run("verify", func(t *testing.T) {
		events, started := containerStarts(t)
		defer events.Process.Kill()
		p := u.at[3].copy(t)
		interrupt(t, p, "verify", func(_ *bufio.Scanner, pid int) bool {
			for started.Scan() {
				if f := strings.Fields(started.Text()); len(f) > 1 && f[1] == fmt.Sprint(pid) {
					return true
				}
			}
			return false
		})
		p.must(t, "verify")
		if got, want := endState(t, p), endState(t, u.at[4]); !cmp.Equal(want, got) {
			t.Errorf("after an interrupt the end differs (-undisturbed +interrupted):\n%s", cmp.Diff(want, got))
		}
	})
}

// containerStarts follows the engine's events: the owner of every container
// that starts, one a line.
func containerStarts(t *testing.T) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "docker", "events", "--filter", "type=container", "--filter", "event=start",
		"--filter", "label=crossswe.owner", "--format", `{{index .Actor.Attributes "crossswe.owner"}}`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// interrupt starts a program, waits until it is at work, sends SIGINT, and
// checks its end.
func interrupt(t *testing.T, p *pipeline, program string, atWork func(stderr *bufio.Scanner, pid int) bool) {
	t.Helper()
	cmd := p.command(t.Context(), program)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := bufio.NewScanner(r)
	if !atWork(lines, cmd.Process.Pid) {
		t.Errorf("%s ended before it was at work", program)
	}
	cmd.Process.Signal(syscall.SIGINT)
	var rest []string
	for lines.Scan() {
		rest = append(rest, lines.Text())
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("%s ended with %d, want 130:\n%s", program, code, strings.Join(rest, "\n"))
	}
	if len(rest) == 0 || !slices.ContainsFunc(rest, func(s string) bool { return strings.Contains(s, "interrupted") }) {
		t.Errorf("%s does not say that it was interrupted: %q", program, rest)
	}
	if left := ours(t, cmd.Process.Pid); len(left) > 0 {
		t.Errorf("%s left %v", program, left)
	}
	files, err := os.ReadDir(filepath.Join(p.dir, "tmp"))
	if err != nil || len(files) > 0 {
		t.Errorf("%s left temporary files: %v %v", program, files, err)
	}
}

package trial

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"crossswe/internal/container"
	"crossswe/internal/leaveout"
	"crossswe/schemas"
	"crossswe/verify/internal/blame"
	"crossswe/verify/internal/matrix"
	"crossswe/verify/internal/testlog"
)

// test runs the targets of the job's repositories, each in its own time, and
// collects their results.
func (t *trial) test(ctx context.Context) error {
	for i, r := range t.opt.Spec.Repos {
		if !t.job.Repos.Has(i) {
			continue
		}
		for _, target := range r.Targets {
			if err := t.target(ctx, i, target); err != nil {
				return err
			}
		}
	}
	return nil
}

// reruns bounds how often a target is run again without the tests that killed
// its process, beside the time: no try begins after twice the target's limit.
const reruns = 4

// target runs one target. A test that takes its process along hides what comes
// after it, so the target is run again without it; what was known stays.
func (t *trial) target(ctx context.Context, repo int, target schemas.Target) error {
	key := Key{repo, target.Name}
	place, err := t.place(ctx, repo, target)
	if err != nil {
		return err
	}
	out := slices.Clone(t.pace.LeaveOut[key])
	known := map[schemas.TestID]testlog.Result{}
	var spent time.Duration
	for try := range reruns + 1 {
		if t.dead {
			if try == 0 {
				t.lost(repo, target)
			}
			break
		}
		report, took, err := t.runTarget(ctx, repo, target, place, out)
		if err != nil {
			return err
		}
		t.next.Took[key] = took // of the last try: earlier ones may have waited for a hang
		spent += took
		deadly := t.take(ctx, repo, target, place, report, known)
		if len(deadly) == 0 || !leaveout.Possible(t.opt.Spec, target) {
			break
		}
		out = append(out, deadly...)
		t.next.LeaveOut[key] = append(t.next.LeaveOut[key], deadly...)
		if spent > 2*t.targetLimit(key, target.Command) {
			break
		}
	}
	return nil
}

// lost records a target that could not run since the container was dead.
func (t *trial) lost(repo int, target schemas.Target) {
	id := schemas.NewTestID(t.opt.Spec.Repos[repo].Repo, target.Name, []string{schemas.LoadName}, 1)
	if _, ok := t.results[id]; !ok {
		t.results[id] = matrix.Result{Outcome: schemas.OutcomeError, Failure: schemas.FailureRunnerDead, Detail: "the container ended before this target"}
	}
}

// runTarget runs the target's command once and reads its report.
func (t *trial) runTarget(ctx context.Context, repo int, target schemas.Target, place testlog.Place, leaveOut []string) (testlog.Report, time.Duration, error) {
	run := target.Command.Run
	if len(leaveOut) > 0 {
		run = leaveout.Command(run, leaveOut)
	}
	step := schemas.Step{Repo: t.opt.Spec.Repos[repo].Repo, Name: "test", Target: target.Name, Run: run}
	c, err := t.exec(ctx, step, t.dir(repo, target.Command.Dir), target.Command.Env, nil, t.targetLimit(Key{repo, target.Name}, target.Command))
	if err != nil {
		return testlog.Report{}, 0, err
	}
	log := testlog.Log{Report: c.stdout, Stderr: c.stderr, TimedOut: c.result.TimedOut, Exit: c.result.ExitCode}
	if target.Report != "" {
		log.Stdout = c.stdout
		if log.Report, err = t.report(ctx, target.Report); err != nil {
			return testlog.Report{}, 0, err
		}
	}
	report := testlog.Parse(target.Runner, log, place)
	if report.Void != "" {
		t.fail(schemas.FailureLinkVoid, "the tests of %s do not use its sibling's checkout: they loaded %s", target.Name, report.Void)
	}
	if c.result.Died || c.result.OOMKilled {
		dead(report, c.why())
	}
	return report, c.result.Duration, nil
}

// report reads a report file; none, or one that is no plain file or too large,
// is nil.
func (t *trial) report(ctx context.Context, file string) ([]byte, error) {
	if t.dead {
		return nil, nil
	}
	body, err := t.box.ReadFile(ctx, file, maxOutput)
	if unreadable(err) {
		return nil, nil
	}
	return body, err
}

// unreadable tells a file that the repositories' code left out, or left in a
// form that is not read, from a fault of the engine.
func unreadable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, container.ErrTooLarge) || errors.Is(err, container.ErrIrregular)
}

// dead says of everything that did not end well that the machine killed it:
// want of memory is nobody's evidence.
func dead(r testlog.Report, why string) {
	for i, res := range r.Results {
		if res.Outcome == schemas.OutcomeError {
			r.Results[i].Failure, r.Results[i].Message = schemas.FailureRunnerDead, why
		}
	}
}

// The limits of a target in other masks follow from its time in the full one:
// a hang must not cost ten minutes in each.
const (
	slack    = 3
	minLimit = 30 * time.Second
)

func (t *trial) targetLimit(key Key, cmd schemas.Command) time.Duration {
	most := t.limit(cmd)
	took, ok := t.pace.Took[key]
	if !ok {
		return most
	}
	return min(most, max(minLimit, slack*took))
}

// take enters a report into the results. It returns the tests that killed
// their process, by the names that leave them out.
func (t *trial) take(ctx context.Context, repo int, target schemas.Target, place testlog.Place, report testlog.Report, known map[schemas.TestID]testlog.Result) []string {
	name := t.opt.Spec.Repos[repo].Repo
	var deadly []string
	for _, r := range report.Results {
		if r.IsLoad() && r.Outcome == schemas.OutcomeError {
			t.blame(ctx, repo, target, place, report, &r)
			if t.job.Health && t.isNew(repo, target) {
				continue
			}
		}
		if r.Deadly {
			if n := leaveout.Name(target.Runner, r.Names); !slices.Contains(deadly, n) {
				deadly = append(deadly, n)
			}
		}
		id := r.ID(name)
		if old, ok := known[id]; ok && old.Outcome != schemas.OutcomeNotRun && !r.IsLoad() {
			continue
		}
		if old, ok := known[id]; ok && r.IsLoad() && old.Outcome == schemas.OutcomePass && r.Outcome != schemas.OutcomePass {
			continue
		}
		known[id] = r
		t.results[id] = matrix.Result{Outcome: r.Outcome, Failure: r.Failure, Detail: r.Message}
	}
	return deadly
}

// isNew reports whether the target's files all come with the change, so that
// without it there is nothing to run.
func (t *trial) isNew(repo int, target schemas.Target) bool {
	return len(target.Files) > 0 && !slices.ContainsFunc(target.Files, func(f string) bool { return !t.opt.Patches[repo].Added[f] })
}

// blame says why a unit did not load, where its text tells.
func (t *trial) blame(ctx context.Context, repo int, target schemas.Target, place testlog.Place, report testlog.Report, r *testlog.Result) {
	switch r.Failure {
	case schemas.FailureCompileOwn, schemas.FailureNoReport, schemas.FailureRunnerDead:
	default:
		return
	}
	failure, line := blame.Load(target.Runner, report.Loads[r.Unit], t.packages(ctx, target.Runner, t.world(ctx, repo, place)))
	if failure != "" {
		r.Failure, r.Message = failure, line+"\n"+r.Message
	}
}

// maxSource bounds a source file that is read to understand a compile error, and
// maxSources how many are looked for.
const (
	maxSource  = 1 << 20
	maxSources = 100
)

func (t *trial) world(ctx context.Context, repo int, place testlog.Place) blame.World {
	w := blame.World{Root: place.Root, Dir: path.Join(place.Root, place.Dir), Module: place.Module, Patched: t.job.Mask.Has(repo) && !t.job.Health}
	for i := range t.opt.Spec.Repos {
		if i == repo {
			continue
		}
		s := blame.Sibling{Dir: t.dir(i)}
		for _, l := range t.opt.Spec.Links {
			if l.Provider.Same(t.opt.Spec.Repos[i].Repo) {
				s.Names = append(s.Names, l.Name)
			}
		}
		w.Siblings = append(w.Siblings, s)
	}
	cache := map[string][]byte{}
	w.Source = func(file string) []byte {
		if body, ok := cache[file]; ok || t.dead || len(cache) > maxSources || !strings.HasPrefix(file, schemas.TestbedDir+"/") {
			return body
		}
		cache[file], _ = t.box.ReadFile(ctx, file, maxSource) // absent is as good as unread
		return cache[file]
	}
	return w
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

// place says where a target runs; for Go, in which module: the nearest go.mod
// as the patches left it.
func (t *trial) place(ctx context.Context, repo int, target schemas.Target) (testlog.Place, error) {
	p := testlog.Place{Root: t.dir(repo), Dir: target.Command.Dir, Target: target.Name, Files: target.Files}
	if target.Runner != schemas.RunnerGo || t.dead {
		return p, nil
	}
	for dir := path.Clean("/" + p.Dir); ; dir = path.Dir(dir) {
		body, err := t.box.ReadFile(ctx, path.Join(p.Root, dir, "go.mod"), maxSource)
		if err != nil && !unreadable(err) {
			return p, err
		}
		if m := moduleLine.FindSubmatch(body); m != nil {
			p.Module, p.ModuleDir = string(m[1]), strings.TrimPrefix(dir, "/")
			return p, nil
		}
		if dir == "/" {
			return p, nil
		}
	}
}

package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
	"crossswe/verify/internal/matrix"
)

const (
	maxOutput = 64 << 20 // of one command; a report is cut there and so half written
	maxLog    = 2 << 20  // of one step's log that is kept
	shortStep = time.Minute
	// applyTime bounds git apply: the largest patches hold tens of megabytes.
	applyTime = 5 * time.Minute
)

// call is one command and what came of it.
type call struct {
	step           schemas.Step
	stdout, stderr []byte
	result         container.ExecResult
}

// exec runs a command in a directory, records it as a step and keeps its log.
func (t *trial) exec(ctx context.Context, step schemas.Step, dir string, env []string, stdin []byte, limit time.Duration) (call, error) {
	var stdout, stderr bytes.Buffer
	spec := container.ExecSpec{Cmd: step.Run, WorkDir: dir, Env: env, Stdout: &stdout, Stderr: &stderr, Timeout: limit, MaxOutput: maxOutput}
	if stdin != nil {
		spec.Stdin = bytes.NewReader(stdin)
	}
	result, err := t.box.Exec(ctx, spec)
	if err != nil {
		return call{}, err
	}
	c := call{step: step, stdout: stdout.Bytes(), stderr: stderr.Bytes(), result: result}
	c.step.Exit, c.step.TimedOut, c.step.Duration = result.ExitCode, result.TimedOut, result.Duration
	t.dead = t.dead || result.Died
	if log := logOf(c.stderr, c.stdout); len(log) > 0 {
		if c.step.Log, err = t.opt.Keep(ctx, log); err != nil {
			return call{}, err
		}
	}
	t.record.Steps = append(t.record.Steps, c.step)
	return c, nil
}

// logOf is what is kept of a command's output: its beginning and its end.
func logOf(parts ...[]byte) []byte {
	all := slices.Concat(parts...)
	if len(all) <= maxLog {
		return all
	}
	return slices.Concat(all[:maxLog/2], []byte("\n… cut …\n"), all[len(all)-maxLog/2:])
}

// ok reports whether a command ended with 0 in its time.
func (c call) ok() bool { return c.result.ExitCode == 0 && !c.result.TimedOut && !c.result.Died }

// why says in a line how a command failed.
func (c call) why() string {
	tail := strings.TrimSpace(string(logOf(c.stdout, c.stderr)))
	if len(tail) > 600 {
		tail = "… " + strings.ToValidUTF8(tail[len(tail)-600:], "")
	}
	switch {
	case c.result.TimedOut:
		return "time limit passed: " + tail
	case c.result.OOMKilled:
		return "out of memory: " + tail
	case c.result.Died:
		return "the container ended: " + tail
	}
	return tail
}

func (t *trial) dir(repo int, elements ...string) string {
	return path.Join(append([]string{schemas.TestbedDir, t.opt.Spec.Repos[repo].Dir}, elements...)...)
}

// apply applies the test patches of all repositories and the gold patches that
// the mask names; in the health run none.
func (t *trial) apply(ctx context.Context) error {
	if t.job.Health {
		return nil
	}
	for i, p := range t.opt.Patches {
		patches := [][]byte{p.Test}
		if t.job.Mask.Has(i) {
			patches = append(patches, p.Gold)
		}
		for _, body := range patches {
			if len(body) == 0 {
				continue
			}
			step := schemas.Step{Repo: t.opt.Spec.Repos[i].Repo, Name: "apply", Run: []string{"git", "apply", "--whitespace=nowarn", "-"}}
			c, err := t.exec(ctx, step, t.dir(i), nil, body, applyTime)
			if err != nil {
				return err
			}
			if !c.ok() {
				t.fail(schemas.FailurePatch, "the patches of %s do not apply: %s", step.Repo, c.why())
				return nil
			}
		}
	}
	return nil
}

// clean removes reports that the image's warm-up left, and makes the
// directories of new ones.
func (t *trial) clean(ctx context.Context) error {
	var files, dirs []string
	for _, r := range t.opt.Spec.Repos {
		for _, target := range r.Targets {
			if target.Report != "" {
				files = append(files, target.Report)
				dirs = append(dirs, path.Dir(target.Report))
			}
		}
	}
	if len(files) == 0 {
		return nil
	}
	slices.Sort(dirs)
	for _, run := range [][]string{append([]string{"rm", "-rf", "--"}, files...), append([]string{"mkdir", "-p", "--"}, slices.Compact(dirs)...)} {
		c, err := t.exec(ctx, schemas.Step{Name: "clean", Run: run}, "/", nil, nil, shortStep)
		if err != nil {
			return err
		}
		if !c.ok() {
			t.fail(schemas.FailureNoReport, "making place for reports: %s", c.why())
			return nil
		}
	}
	return nil
}

// rebuild runs every repository's rebuild commands, providers first. One that
// fails ends its repository's rebuild and no more: what loads still runs.
func (t *trial) rebuild(ctx context.Context) error {
	for _, i := range t.opt.Spec.ProvidersFirst() {
		r := t.opt.Spec.Repos[i]
		for _, cmd := range r.Rebuild {
			c, err := t.exec(ctx, schemas.Step{Repo: r.Repo, Name: "rebuild", Run: cmd.Run}, t.dir(i, cmd.Dir), cmd.Env, nil, t.limit(cmd))
			if err != nil {
				return err
			}
			if !c.ok() {
				t.unbuilt = append(t.unbuilt, r.Repo)
				if t.detail == "" {
					t.detail = c.why()
				}
				break
			}
		}
	}
	return nil
}

func (t *trial) limit(cmd schemas.Command) time.Duration {
	if cmd.Timeout > 0 {
		return time.Duration(cmd.Timeout) * time.Second
	}
	return t.opt.Timeout
}

// prove asks of every consumer where it finds its sibling. Without proof the
// trial is void: the published sibling, gold included, may have been in use.
func (t *trial) prove(ctx context.Context) error {
	for _, l := range t.opt.Spec.Links {
		i := slices.IndexFunc(t.opt.Spec.Repos, func(r schemas.RepoSpec) bool { return r.Repo.Same(l.Consumer) })
		c, err := t.exec(ctx, schemas.Step{Repo: l.Consumer, Name: "prove", Target: l.Name, Run: l.Prove.Run}, t.dir(i, l.Prove.Dir), l.Prove.Env, nil, t.limit(l.Prove))
		if err != nil {
			return err
		}
		proof := schemas.LinkProof{Consumer: l.Consumer, Provider: l.Provider, Name: l.Name, Got: strings.TrimSpace(string(c.stdout))}
		proof.Holds = c.ok() && proof.Got == l.Want
		t.record.Links = append(t.record.Links, proof)
		if !proof.Holds {
			t.fail(schemas.FailureLinkVoid, "%s does not use the checkout of %s for %s: got %q, want %q: %s",
				l.Consumer, l.Provider, l.Name, proof.Got, l.Want, strings.TrimSpace(string(logOf(c.stderr))))
			return nil
		}
	}
	return nil
}

// encode writes the results as JSON, keys sorted.
func encode(results map[schemas.TestID]matrix.Result) ([]byte, error) {
	return json.MarshalIndent(results, "", " ")
}

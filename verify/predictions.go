package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"crossswe/internal/cli"
	"crossswe/internal/container"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/verify/internal/score"
)

const (
	// maxPredictions bounds a prediction file.
	maxPredictions = 1 << 30
	// evaluationTime bounds one evaluation: its script bounds every command.
	evaluationTime = 2 * time.Hour
	maxEvalLog     = 64 << 20
	evalScript     = "/eval.sh"
)

// predictions evaluates the predictions of a file and prints the report. The
// judgement of a patch is kept: the same patch, image and script are not run
// again.
func (s *stage) predictions(ctx context.Context, file string) error {
	rows, byID, err := s.rows(ctx)
	if err != nil {
		return err
	}
	all, err := readPredictions(file, byID)
	if err != nil {
		return err
	}
	if err := s.connectEngine(ctx); err != nil {
		return err
	}
	network, err := s.engine.IsolatedNetwork(ctx, fmt.Sprintf("crossswe-score-%d", s.now().UnixNano()), nil)
	if err != nil {
		return err
	}
	scored, err := s.evaluateAll(ctx, all, byID, network)
	if err := errors.Join(err, network.Remove(ctx)); err != nil {
		return err
	}
	for _, p := range scored {
		s.Out.Record(p.Evaluation)
	}
	s.Out.Textf("%s", score.Report(rows, scored))
	return faultsOf(scored)
}

// faultsOf makes the run fail when an evaluation met a fault of the machinery:
// the report is not complete then.
func faultsOf(scored []score.Scored) error {
	n := 0
	for _, s := range scored {
		if s.Evaluation.Outcome == schemas.EvaluationError {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d predictions could not be evaluated: run the same command again", n)
	}
	return nil
}

// rows reads the instances that publish has made.
func (s *stage) rows(ctx context.Context) ([]schemas.Instance, map[string]schemas.Instance, error) {
	rows, err := store.All[schemas.Instance](ctx, s.Store)
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, cli.Usagef("there are no instances yet: publish makes them")
	}
	byID := map[string]schemas.Instance{}
	for _, r := range rows {
		byID[r.InstanceID] = r
	}
	return rows, byID, nil
}

func readPredictions(file string, rows map[string]schemas.Instance) ([]score.Prediction, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	if info.Size() > maxPredictions {
		return nil, cli.Usagef("%s is larger than %d MB", file, maxPredictions>>20)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	all, err := score.Read(body, rows)
	if err != nil {
		return nil, cli.Usagef("%s:\n%w", file, err)
	}
	return all, nil
}

// evaluateAll evaluates as many at once as verify runs containers.
func (s *stage) evaluateAll(ctx context.Context, all []score.Prediction, rows map[string]schemas.Instance, network *container.Network) ([]score.Scored, error) {
	scored := make([]score.Scored, len(all))
	var mu sync.Mutex
	done := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.Config.Verify.Workers)
	for i, p := range all {
		g.Go(func() error {
			e, err := s.evaluate(ctx, rows[p.Instance], p, network)
			if err != nil {
				return fmt.Errorf("evaluating %s of %s: %w", p.Instance, p.Model, err)
			}
			scored[i] = score.Scored{Prediction: p, Evaluation: e}
			mu.Lock()
			defer mu.Unlock()
			done++
			s.Log.Info("evaluated", "instance", p.Instance, "model", p.Model, "outcome", e.Outcome, "detail", e.Detail, "number", done, "of", len(all))
			return nil
		})
	}
	return scored, g.Wait()
}

// evaluate judges one prediction. What the engine cannot do is an outcome of its
// own; the error is for what ends the run.
func (s *stage) evaluate(ctx context.Context, row schemas.Instance, p score.Prediction, network *container.Network) (schemas.Evaluation, error) {
	e := schemas.Evaluation{Instance: row.InstanceID, Patch: schemas.DigestOf(p.Patch), Script: schemas.DigestOf([]byte(row.EvalScript)), At: s.now().UTC().Truncate(time.Second)}
	img, err := s.imageOf(ctx, row)
	if err != nil {
		return s.withoutAnswer(ctx, e, err)
	}
	e.Image = schemas.Digest(img.ID)
	if had, ok, err := store.Get[schemas.Evaluation](ctx, s.Store, e.RecordKey()); err != nil || ok {
		return had, err
	}
	if len(p.Patch) == 0 {
		e.Outcome = schemas.EvaluationEmpty
		return e, s.Store.Commit(ctx, store.Batch{Records: []schemas.Record{e}})
	}
	begin := s.now()
	done, log, err := s.trialOf(ctx, row, p, network, img.ID)
	if err != nil {
		return s.withoutAnswer(ctx, e, err)
	}
	e.Outcome, e.Detail, e.FailToPass, e.PassToPass = done.Outcome, done.Detail, done.FailToPass, done.PassToPass
	e.Seconds = s.now().Sub(begin).Round(10 * time.Millisecond).Seconds()
	if e.Log, err = s.artefacts.Put(ctx, log); err != nil {
		return e, err
	}
	if e.Outcome == schemas.EvaluationTimeout { // a crowded machine is no evidence: it is not kept
		return e, nil
	}
	return e, s.Store.Commit(ctx, store.Batch{Records: []schemas.Record{e}})
}

// withoutAnswer is the outcome of a fault of the machinery, and its error when
// no other evaluation would fare better.
func (s *stage) withoutAnswer(ctx context.Context, e schemas.Evaluation, err error) (schemas.Evaluation, error) {
	if ctx.Err() != nil || container.Unfit(err) {
		return e, err
	}
	e.Outcome, e.Detail = schemas.EvaluationError, err.Error()
	return e, nil
}

// imageOf finds the image of a row, and pulls one that is named by digest.
func (s *stage) imageOf(ctx context.Context, row schemas.Instance) (container.Image, error) {
	img, there, err := s.engine.Image(ctx, row.Image)
	if err != nil || there {
		return img, err
	}
	return s.engine.Pull(ctx, row.Image)
}

// trialOf applies the patch in a fresh container and runs the row's own script.
func (s *stage) trialOf(ctx context.Context, row schemas.Instance, p score.Prediction, network *container.Network, image string) (e schemas.Evaluation, log []byte, err error) {
	v := s.Config.Verify
	c, err := s.engine.Start(ctx, network.Join(container.Spec{
		Image: image, CPUs: v.CPUs, MemoryBytes: v.MemoryMB << 20, PidsLimit: v.Pids,
		Labels: map[string]string{"crossswe.instance": row.InstanceID},
	}))
	if err != nil {
		return e, nil, err
	}
	defer func() { err = errors.Join(err, c.Remove(ctx)) }()
	out := &sharedBuffer{}
	apply, err := c.Exec(ctx, container.ExecSpec{Cmd: []string{"git", "apply", "--verbose", "--whitespace=nowarn", "-"}, WorkDir: schemas.TestbedDir,
		Stdin: bytes.NewReader(p.Patch), Stdout: out, Stderr: out, Timeout: evaluationTime, MaxOutput: maxEvalLog})
	if err != nil {
		return e, nil, err
	}
	if apply.ExitCode != 0 {
		return schemas.Evaluation{Outcome: schemas.EvaluationApply, Detail: lastLine(out.bytes())}, out.bytes(), nil
	}
	put, err := c.Exec(ctx, container.ExecSpec{Cmd: []string{"sh", "-c", "cat > " + evalScript}, Stdin: bytes.NewReader([]byte(row.EvalScript)), Timeout: evaluationTime})
	if err != nil {
		return e, nil, err
	}
	if put.ExitCode != 0 {
		return e, nil, fmt.Errorf("writing the evaluation script: exit code %d", put.ExitCode)
	}
	run, err := c.Exec(ctx, container.ExecSpec{Cmd: []string{"bash", evalScript}, WorkDir: schemas.TestbedDir, Stdout: out, Stderr: out, Timeout: evaluationTime, MaxOutput: maxEvalLog})
	if err != nil {
		return e, nil, err
	}
	return ended(row, run, out.bytes()), out.bytes(), nil
}

// overran matches what the shell traces when a command of the script was ended
// for its time: timeout(1) answers 124, or 137 when it had to kill.
var overran = regexp.MustCompile(`(?m)^\+ status=(?:124|137)$`)

// ended is the judgement of a script that has run, or was ended.
func ended(row schemas.Instance, run container.ExecResult, log []byte) schemas.Evaluation {
	e := score.Judge(row, string(log))
	switch {
	case e.Outcome == schemas.EvaluationResolved:
	case run.OOMKilled:
		e.Detail = "out of memory: " + e.Detail
	case run.TimedOut || overran.Match(log):
		e.Outcome, e.Detail = schemas.EvaluationTimeout, "a command overran its time: "+e.Detail
	case run.Died:
		e.Detail = "the container ended: " + e.Detail
	}
	return e
}

// lastLine is the last line of a text that says something.
func lastLine(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.ToValidUTF8(lines[len(lines)-1], []byte("\uFFFD")))
}

// sharedBuffer takes both streams of a command, as they come.
type sharedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *sharedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sharedBuffer) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crossswe/internal/store"
	"crossswe/schemas"
)

func pipeline(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(file, []byte("repositories: {mirrors: .}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func call(t *testing.T, run func(context.Context, *Stage) error, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(Options{Name: store.StageMine, Manual: "the manual", Args: args, Stdout: &out, Stderr: &errs}, run)
	return code, out.String(), errs.String()
}

func TestExitCodes(t *testing.T) {
	ok := func(context.Context, *Stage) error { return nil }
	tests := []struct {
		name   string
		args   []string
		run    func(context.Context, *Stage) error
		code   int
		stderr string
	}{
		{"done", []string{"-config", pipeline(t)}, ok, 0, "mine: kept 0, dropped 0, failed 0"},
		{"a store that is up to date, migrated", []string{"-migrate", "-config", pipeline(t)}, ok, 0, "mine: kept 0, dropped 0, failed 0"},
		{"unknown flag", []string{"-nonsense"}, ok, 2, "-nonsense"},
		{"a flag after an argument", []string{"-config", pipeline(t), "candidate", "-json"}, ok, 2, "-json stands after an argument"},
		{"no configuration", []string{"-config", "missing.yaml"}, ok, 2, "missing.yaml"},
		{"wrong call", []string{"-config", pipeline(t)}, func(context.Context, *Stage) error { return Usagef("no such candidate") }, 2, "no such candidate"},
		{"failed", []string{"-config", pipeline(t)}, func(context.Context, *Stage) error { return errors.New("engine gone") }, 1, "mine: engine gone"},
		{"failed, with the funnel", []string{"-config", pipeline(t)}, func(context.Context, *Stage) error { return errors.New("engine gone") }, 1, "mine: kept 0, dropped 0, failed 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := call(t, tt.run, tt.args...)
			if code != tt.code || !strings.Contains(stderr, tt.stderr) || stdout != "" {
				t.Errorf("got exit %d, stdout %q, stderr %q; want exit %d and %q", code, stdout, stderr, tt.code, tt.stderr)
			}
		})
	}
}

func TestCodeOfAnInterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Code(ctx, context.Canceled); got != 130 {
		t.Errorf("got %d, want 130", got)
	}
	if got := Code(ctx, flag.ErrHelp); got != 0 {
		t.Errorf("help: got %d, want 0", got)
	}
}

func TestStandardOutputIsTextOrJSONNeverBoth(t *testing.T) {
	run := func(_ context.Context, s *Stage) error {
		s.Out.Textf("for people\n")
		s.Out.Record(schemas.Review{Candidate: "a-1", Reviewer: "r"})
		return nil
	}
	_, text, _ := call(t, run, "-config", pipeline(t))
	if text != "for people\n" {
		t.Errorf("without -json: got %q", text)
	}
	_, lines, _ := call(t, run, "-config", pipeline(t), "-json")
	if !strings.HasPrefix(lines, `{"record":"review","body":{"candidate":"a-1"`) || strings.Count(lines, "\n") != 1 {
		t.Errorf("with -json: got %q", lines)
	}
}

func TestFunnelLine(t *testing.T) {
	rows := []store.FunnelRow{
		{Stage: store.StageMine, State: store.Kept, Count: 5},
		{Stage: store.StageMine, State: store.Dropped, Reason: "bot_bump", Count: 2},
		{Stage: store.StageMine, State: store.Dropped, Reason: "fork", Count: 1},
		{Stage: store.StageBuild, State: store.Kept, Count: 9},
	}
	if got, want := FunnelLine(store.StageMine, rows), "kept 5, dropped 3 (bot_bump 2, fork 1), failed 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestALostOutputFailsTheRun(t *testing.T) {
	var errs bytes.Buffer
	code := Main(Options{Name: store.StageMine, Args: []string{"-json", "-config", pipeline(t)}, Stdout: brokenPipe{}, Stderr: &errs},
		func(_ context.Context, s *Stage) error {
			s.Out.Record(schemas.Review{Candidate: "a-1", Reviewer: "r", At: time.Unix(0, 0)})
			return nil
		})
	if code != 1 || !strings.Contains(errs.String(), "broken pipe") {
		t.Errorf("got exit %d, %q; want 1 and the reason", code, errs.String())
	}
}

func TestHelpGoesToStandardOutput(t *testing.T) {
	code, stdout, stderr := call(t, func(context.Context, *Stage) error { return errors.New("it ran") }, "-h")
	if code != 0 || !strings.HasPrefix(stdout, "the manual\n") || !strings.Contains(stdout, "-config") || stderr != "" {
		t.Errorf("exit %d, stdout %q, stderr %q; want the manual on standard output alone", code, stdout, stderr)
	}
}

package container

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/moby/moby/client"
)

// build builds an image that ends with the test.
func buildImage(t *testing.T, e *Engine, spec BuildSpec) (Image, error) {
	t.Helper()
	spec.Tag = "crossswe-test/" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))
	t.Cleanup(func() {
		if err := e.RemoveImage(context.Background(), spec.Tag); err != nil {
			t.Error(err)
		}
	})
	return e.Build(t.Context(), spec)
}

func dockerfile(lines ...string) []byte {
	return []byte("FROM " + testImage + "\n" + strings.Join(lines, "\n") + "\n")
}

func oneFile(name, content string) func(context.Context, *tar.Writer) error {
	return func(_ context.Context, w *tar.Writer) error {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err := w.Write([]byte(content))
		return err
	}
}

func TestBuild(t *testing.T) {
	e := connect(t)
	var log bytes.Buffer
	img, err := buildImage(t, e, BuildSpec{
		Dockerfile: dockerfile("ARG A", "ENV B=$A", "COPY hello /hello", "RUN cat /hello && ls -A /"),
		Context:    oneFile("hello", "hello, build\n"),
		Args:       map[string]string{"A": "from outside"},
		Labels:     map[string]string{"x": "y"},
		Network:    NetworkNone,
		Timeout:    time.Minute,
		Log:        &log,
	})
	if err != nil {
		t.Fatal(err)
	}
	again, there, err := e.Image(t.Context(), img.ID)
	if err != nil || !there {
		t.Fatalf("%v, %v", there, err)
	}
	if diff := cmp.Diff(img, again); diff != "" {
		t.Errorf("by id (-by name +by id):\n%s", diff)
	}
	if !slices.Contains(img.Env, "B=from outside") || img.Labels["x"] != "y" || img.Labels[Label] != "1" || img.Size == 0 || img.Created.IsZero() {
		t.Errorf("got %+v", img)
	}
	if !strings.HasPrefix(img.ID, "sha256:") || len(img.Layers) < 3 {
		t.Errorf("got id %s and layers %v", img.ID, img.Layers)
	}
	if !strings.Contains(log.String(), "hello, build\n") || !strings.Contains(log.String(), "Step 4/") {
		t.Errorf("got log %q", log.String())
	}
	if strings.Contains(log.String(), dockerfileName+"\n") {
		t.Error("the Dockerfile got into the image")
	}
	list, err := e.Images(t.Context(), map[string]string{"x": "y"})
	if err != nil || len(list) != 1 || list[0].ID != img.ID {
		t.Errorf("by label: got %+v, %v", list, err)
	}
}

func TestBuildFails(t *testing.T) {
	e := connect(t)
	tests := []struct {
		name string
		spec BuildSpec
		want BuildError
	}{
		{
			"command",
			BuildSpec{Dockerfile: dockerfile("RUN echo first", "RUN seq 100; sleep 0.3; echo bad >&2; exit 7")}, // the engine mixes the two streams as they come
			BuildError{
				Failure: FailureCommand, Step: 3, Steps: 4, ExitCode: 7,
				Instruction: "RUN seq 100; sleep 0.3; echo bad >&2; exit 7",
				Command:     "/bin/sh -c seq 100; sleep 0.3; echo bad >&2; exit 7",
				Message:     "The command '/bin/sh -c seq 100; sleep 0.3; echo bad >&2; exit 7' returned a non-zero code: 7",
			},
		},
		{
			"base image",
			BuildSpec{Dockerfile: []byte("FROM registry.invalid/none:1\n")},
			BuildError{Failure: FailureBase, Step: 1, Steps: 2, Instruction: "FROM registry.invalid/none:1"},
		},
		{
			"file to copy",
			BuildSpec{Dockerfile: dockerfile("COPY none /")},
			BuildError{Failure: FailureOther, Step: 2, Steps: 3, Instruction: "COPY none /"},
		},
		{
			"syntax",
			BuildSpec{Dockerfile: dockerfile("NONSENSE x")},
			BuildError{Failure: FailureOther},
		},
		{
			"memory",
			BuildSpec{Dockerfile: dockerfile("RUN exec perl -e '$x = \"x\" x (1 << 30)'"), MemoryBytes: 128 << 20},
			BuildError{
				Failure: FailureCommand, Step: 2, Steps: 3, ExitCode: 137,
				Instruction: "RUN exec perl -e '$x = \"x\" x (1 << 30)'",
				Command:     "/bin/sh -c exec perl -e '$x = \"x\" x (1 << 30)'",
				Message:     "The command '/bin/sh -c exec perl -e '$x = \"x\" x (1 << 30)'' returned a non-zero code: 137",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spec.Timeout == 0 {
				tt.spec.Timeout = time.Minute
			}
			tt.spec.NoCache = true
			_, err := buildImage(t, e, tt.spec)
			got, ok := errors.AsType[*BuildError](err)
			if !ok {
				t.Fatalf("got %v, want a BuildError", err)
			}
			ignore := cmpopts.IgnoreFields(BuildError{}, "Tail")
			if tt.want.Message == "" {
				ignore = cmpopts.IgnoreFields(BuildError{}, "Tail", "Message")
			}
			if diff := cmp.Diff(tt.want, *got, ignore); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Message == "" || len(got.Tail) > tailLines {
				t.Errorf("got message %q and %d lines", got.Message, len(got.Tail))
			}
			if tt.name == "command" && (!slices.Contains(got.Tail, "100") || !slices.Contains(got.Tail, "bad")) {
				t.Errorf("got tail %q", got.Tail)
			}
			if errors.Is(err, ErrNoSpace) {
				t.Error("taken for a full disk")
			}
		})
	}
}

// noContainers waits until no container of the builder is there: the engine
// removes them after it has answered.
func noContainers(t *testing.T, e *Engine) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		list, err := e.api.ContainerList(t.Context(), client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", "crossswe-test="+t.Name())})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %+v", list.Items)
		}
	}
}

func TestBuildFullDisk(t *testing.T) {
	e := connect(t)
	_, err := buildImage(t, e, BuildSpec{
		Dockerfile: dockerfile("RUN head -c 80000000 /dev/zero >/dev/shm/full"),
		Timeout:    time.Minute,
	})
	if !errors.Is(err, ErrNoSpace) {
		t.Errorf("got %v, want %v", err, ErrNoSpace)
	}
}

func TestBuildEndsEarly(t *testing.T) {
	e := connect(t)
	sleeper := func(t *testing.T, timeout time.Duration) BuildSpec {
		return BuildSpec{
			Tag:        "crossswe-test/early",
			Dockerfile: dockerfile("LABEL crossswe-test="+t.Name(), "RUN echo up; sleep 60"),
			NoCache:    true,
			Timeout:    timeout,
		}
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		spec := sleeper(t, time.Minute)
		spec.Log = signalOn{"up\n", cancel}
		if _, err := e.Build(ctx, spec); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		noContainers(t, e)
	})
	t.Run("timeout", func(t *testing.T) {
		_, err := e.Build(t.Context(), sleeper(t, 3*time.Second))
		got, _ := errors.AsType[*BuildError](err)
		want := &BuildError{
			Failure: FailureTimeout, Step: 3, Steps: 4,
			Instruction: "RUN echo up; sleep 60", Message: "not done after 3s",
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(BuildError{}, "Tail")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		noContainers(t, e)
	})
}

// signalOn calls a function when a text is written in one piece.
type signalOn struct {
	text string
	call func()
}

func (s signalOn) Write(p []byte) (int, error) {
	if string(p) == s.text {
		s.call()
	}
	return len(p), nil
}

func TestBuildBrokenContext(t *testing.T) {
	e := connect(t)
	broken := errors.New("broken")
	_, err := buildImage(t, e, BuildSpec{
		Dockerfile: dockerfile("COPY . /"),
		Context:    func(context.Context, *tar.Writer) error { return broken },
		Timeout:    time.Minute,
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestBuildRefuses(t *testing.T) {
	e := &Engine{}
	for _, spec := range []BuildSpec{
		{Dockerfile: []byte("FROM x"), Timeout: 1},
		{Tag: "x", Timeout: 1},
		{Tag: "x", Dockerfile: []byte("FROM x")},
		{Tag: "x", Dockerfile: []byte("FROM x"), Timeout: 1, Platform: "linux"},
	} {
		if _, err := e.Build(t.Context(), spec); err == nil {
			t.Errorf("%+v: got no error", spec)
		}
	}
}

// The messages in testdata are those of engine 20.10, of which some are
// shortened.
func TestBuildLog(t *testing.T) {
	tests := []struct {
		file    string
		imageID string
		want    error
	}{
		{"ok.jsonl", "sha256:2f1c", nil},
		{"command.jsonl", "", &BuildError{
			Failure: FailureCommand, Step: 2, Steps: 2, Instruction: "RUN false", Command: "/bin/sh -c false", ExitCode: 1,
			Message: "The command '/bin/sh -c false' returned a non-zero code: 1",
			Tail:    []string{"Step 1/2 : FROM debian", " ---> 4af3", "Step 2/2 : RUN false", " ---> Running in 81c0", "Step 9/9 : not a step", "no newline"},
		}},
		{"base.jsonl", "", &BuildError{
			Failure: FailureBase, Step: 1, Steps: 1, Instruction: "FROM none:1",
			Message: "pull access denied for none, repository does not exist or may require 'docker login'",
			Tail:    []string{"Step 1/1 : FROM none:1"},
		}},
		{"full.jsonl", "", &BuildError{
			Failure: FailureOther, Step: 1, Steps: 1, Instruction: "COPY . /", Message: "write /x: no space left on device",
			Tail: []string{"Step 1/1 : COPY . /"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", "build", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			l := newBuildLog(nil, 0)
			got := l.read(f)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if l.imageID != tt.imageID {
				t.Errorf("got image %q, want %q", l.imageID, tt.imageID)
			}
			if got, want := errors.Is(got, ErrNoSpace), tt.file == "full.jsonl"; got != want {
				t.Errorf("a full disk: got %v, want %v", got, want)
			}
		})
	}
}

func TestBuildLogBreaksOff(t *testing.T) {
	for _, stream := range []string{"", `{"stream":"Step 1/1 : FROM x\n"}`, `{"stream":"St`, "<html>"} {
		if err := newBuildLog(nil, 0).read(strings.NewReader(stream)); err == nil {
			t.Errorf("%q: got no error", stream)
		}
	}
}

func TestBuildLogIsBounded(t *testing.T) {
	var out bytes.Buffer
	l := newBuildLog(&out, 1000)
	for i := range 10_000 {
		l.write(fmt.Sprintf("%d ", i) + strings.Repeat("x", 5000))
		l.write("\n")
	}
	tail := l.lastLines()
	if out.Len() != 1000 || len(tail) != tailLines || len(tail[0]) != tailWidth {
		t.Errorf("got %d bytes, %d lines of %d bytes, want 1000, %d, %d", out.Len(), len(tail), len(tail[0]), tailLines, tailWidth)
	}
	if !strings.HasPrefix(tail[tailLines-1], "9999 x") {
		t.Errorf("got last line %.10q", tail[tailLines-1])
	}
}

func FuzzBuildLog(f *testing.F) {
	files, err := filepath.Glob("testdata/build/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l := newBuildLog(nil, 0)
		err := l.read(bytes.NewReader(b))
		if failed, ok := errors.AsType[*BuildError](err); ok && (failed.Message == "" || len(failed.Tail) > tailLines) {
			t.Errorf("got %+v", failed)
		}
		if err == nil && l.imageID == "" {
			t.Error("got neither an image nor an error")
		}
	})
}

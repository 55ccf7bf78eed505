package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/cli"
	"crossswe/internal/container"
	"crossswe/internal/store"
	"crossswe/schemas"
	"crossswe/verify/internal/trial"
)

// The library counts; the program shows the count.
const (
	libMod  = "module example.com/lib\n\ngo 1.21\n"
	appMod  = "module example.com/app\n\ngo 1.21\n\nrequire example.com/lib v0.0.0\n"
	libOld  = "package lib\n\nfunc Count() int { return 1 }\n"
	libNew  = "package lib\n\nfunc Count() int { return 2 }\n"
	appOld  = "package app\n\nimport \"example.com/lib\"\n\nfunc Show() int { return lib.Count() }\n"
	appNew  = "package app\n\nimport \"example.com/lib\"\n\nfunc Show() int { return lib.Count() * 10 }\n"
	libTest = "package lib\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {}\n"
	appTest = "package app\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { Show() }\n"
)

// with returns the program's tests with one more function.
func with(imports, function string) string {
	return strings.Replace(appTest, "import \"testing\"\n", "import (\n\t\"testing\"\n"+imports+")\n", 1) + "\n" + function
}

// changed is a pair in which both products change and the program's tests
// become tests.
func changed(libHead, appHead files) pair {
	return pair{
		lib: side{files{"go.mod": libMod, "lib.go": libOld, "lib_test.go": libTest}, libHead},
		app: side{files{"go.mod": appMod, "app.go": appOld, "app_test.go": appTest}, appHead},
	}
}

var behaviour = changed(
	files{"lib.go": libNew},
	files{"app.go": appNew, "app_test.go": with("\t\"net\"\n\t\"time\"\n", `func TestBoth(t *testing.T) {
	if got := Show(); got != 20 {
		t.Errorf("got %d, want 20", got)
	}
}

func TestNoWayOut(t *testing.T) {
	for _, to := range []string{"192.0.2.1:80", "1.1.1.1:443", "host.docker.internal:22", "example.com:80"} {
		if c, err := net.DialTimeout("tcp", to, time.Second); err == nil {
			c.Close()
			t.Errorf("%s answers", to)
		}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil || len(addrs) < 2 {
		t.Errorf("addresses %v (%v): want one besides the loopback's", addrs, err)
	}
}
`)})

func TestDocker(t *testing.T) {
	const both = "TestBoth"
	cases := map[string]struct {
		pair    pair
		kind    schemas.VerdictKind
		joint   string
		lacking schemas.Failure // of the mask without the library's patch
		reason  string          // part of it
	}{
		"by behaviour": {behaviour, schemas.VerdictJoint, both, schemas.FailureAssertion, ""},
		"by an API": {
			changed(files{"lib.go": "package lib\n\nfunc Total() int { return 2 }\n\nfunc Count() int { return 1 }\n"},
				files{"app.go": "package app\n\nimport \"example.com/lib\"\n\nfunc Show() int { return lib.Total() * 10 }\n",
					"app_test.go": with("", "func TestBoth(t *testing.T) {\n\tif Show() != 20 {\n\t\tt.Fatal()\n\t}\n}\n")}),
			schemas.VerdictJoint, both, schemas.FailureCompileSibling, "",
		},
		"by a hang in a partial mask": {
			func() pair {
				p := changed(files{"lib.go": libNew}, files{"app.go": appNew, "app_test.go": with("\t\"time\"\n",
					"func TestBoth(t *testing.T) {\n\tif Show() == 10 {\n\t\ttime.Sleep(time.Hour)\n\t}\n\tif Show() != 20 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestLater(t *testing.T) {}\n")})
				p.timeout = 8
				return p
			}(),
			schemas.VerdictJoint, both, schemas.FailureHang, "",
		},
		"a test that kills its process": {
			changed(files{"lib.go": libNew}, files{"app.go": appNew, "app_test.go": with("\t\"os\"\n",
				"func TestBoth(t *testing.T) {\n\tif Show() == 10 {\n\t\tos.Exit(7)\n\t}\n\tif Show() != 20 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestLater(t *testing.T) {}\n")}),
			schemas.VerdictIndeterminate, "", schemas.FailureRunnerDead, "TestBoth passes in the full mask only, but under A0B1 it is runner_dead",
		},
		"a link that gold breaks": {
			changed(files{"go.mod": strings.Replace(libMod, "lib", "library", 1), "lib.go": libNew}, files{"app.go": appNew, "app_test.go": with("", "func TestBoth(t *testing.T) {}\n")}),
			schemas.VerdictEnvironment, "", "", "link_void",
		},
		"no test at all in the full mask": {
			changed(files{"lib.go": libNew, "lib_test.go": "package lib\n"}, files{"app.go": appNew, "app_test.go": "package app\n"}),
			schemas.VerdictEnvironment, "", "", "no test passes in the full mask: . of ann/lib (not_collected)",
		},
		"one side": {
			changed(files{"lib.go": libNew}, files{"app.go": "package app\n\nimport \"example.com/lib\"\n\n// Show shows.\nfunc Show() int { return lib.Count() }\n",
				"app_test.go": with("", "func TestLib(t *testing.T) {\n\tif Show() != 2 {\n\t\tt.Fatal()\n\t}\n}\n")}),
			schemas.VerdictOneSide, "", schemas.FailureAssertion, "the patch of ann/lib alone",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.pair)
			if err := w.verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			v := w.verdictOf(t)
			if v.Kind != c.kind || !strings.Contains(v.Reason, c.reason) {
				t.Errorf("verdict %s: %s; want %s with %q", v.Kind, v.Reason, c.kind, c.reason)
			}
			var joint []string
			for _, id := range v.Joint {
				joint = append(joint, id.Name())
			}
			if got := strings.Join(joint, " "); got != c.joint {
				t.Errorf("joint tests %q, want %q", got, c.joint)
			}
			if c.lacking != "" && v.Masks[2].Failure != c.lacking {
				t.Errorf("without the library's patch it fails by %q (%s), want %q", v.Masks[2].Failure, v.Masks[2].Detail, c.lacking)
			}
			w.stateFits(t, v)
			w.nothingLeft(t)
		})
	}
}

// stateFits checks the item's state against the verdict.
func (w *world) stateFits(t *testing.T, v schemas.Verdict) {
	t.Helper()
	it, ok, err := w.Store.Item(t.Context(), store.StageVerify, w.id)
	if err != nil || !ok {
		t.Fatalf("no state: %v", err)
	}
	want := store.Item{State: store.Dropped, Reason: string(v.Kind)}
	if v.Kind == schemas.VerdictJoint {
		want = store.Item{State: store.Kept}
	}
	if it.State != want.State || it.Reason != want.Reason || it.Detail != v.Reason {
		t.Errorf("state %s (%s, %s), want %s (%s, %s)", it.State, it.Reason, it.Detail, want.State, want.Reason, v.Reason)
	}
}

// nothingLeft fails when a container or network of the test is still there.
func (w *world) nothingLeft(t *testing.T) {
	t.Helper()
	swept, err := w.engine.Sweep(context.Background(), container.SweepSpec{Labels: map[string]string{container.LabelRun: "verify-test"}, OlderThan: time.Nanosecond})
	if err != nil || len(swept.Containers)+len(swept.Networks) > 0 {
		t.Errorf("left behind: %v (%v)", swept, err)
	}
}

// TestSecondRunDoesNothing also looks at the page that explains the verdict.
func TestSecondRunDoesNothing(t *testing.T) {
	w := newWorld(t, behaviour)
	if err := w.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := w.verdictOf(t)
	w.start = func(context.Context, container.Spec) (trial.Box, error) {
		return nil, errors.New("a second run starts a container")
	}
	if err := w.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, w.verdictOf(t)); diff != "" {
		t.Errorf("the second run changed the verdict:\n%s", diff)
	}
	var page bytes.Buffer
	w.Out = cli.NewOutput(&page, false)
	if err := w.explain(t.Context(), w.id); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"joint: 1 test passes only with the patches of all 2 repositories (new)", "A = ann/lib", "Joint tests, new (1)\n  bob/app::.::TestBoth",
		"got 1, want 20", "got 10, want 20", "F    F    F    P    new", "health pass", "test example.com/app exit 0"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, page.String())
		}
	}
}

// TestFlaky counts the containers in a variable, so that a test can vary.
func TestFlaky(t *testing.T) {
	p := changed(files{"lib.go": libNew}, files{"app.go": appNew, "app_test.go": with("\t\"os\"\n",
		"func TestBoth(t *testing.T) {\n\tif Show() != 20 || os.Getenv(\"TRIAL\") == \"4\" {\n\t\tt.Fatal()\n\t}\n}\n")})
	w := newWorld(t, p)
	start, trials := w.start, 0
	w.start = func(ctx context.Context, spec container.Spec) (trial.Box, error) {
		trials++
		spec.Env = append(spec.Env, fmt.Sprintf("TRIAL=%d", trials))
		return start(ctx, spec)
	}
	if err := w.verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := w.verdictOf(t)
	if v.Kind != schemas.VerdictFlaky || len(v.Flaky) != 1 || v.Flaky[0].Name() != "TestBoth" {
		t.Errorf("verdict %s: %s; flaky %v", v.Kind, v.Reason, v.Flaky)
	}
	w.stateFits(t, v)
}

// TestCancelled ends the run while a test hangs: nothing is left, and the
// candidate is taken again.
func TestCancelled(t *testing.T) {
	p := changed(files{"lib.go": libNew}, files{"app.go": appNew, "app_test.go": with("\t\"time\"\n", "func TestHangs(t *testing.T) { time.Sleep(time.Hour) }\n")})
	w := newWorld(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	start := w.start
	w.start = func(ctx context.Context, spec container.Spec) (trial.Box, error) {
		box, err := start(ctx, spec)
		return &cancelling{box, cancel}, err
	}
	if err := w.verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	w.nothingLeft(t)
	if _, ok, err := w.Store.Item(t.Context(), store.StageVerify, w.id); ok || err != nil {
		t.Errorf("an interrupted candidate has a state (%v)", err)
	}
}

// cancelling cancels when the program's tests are run.
type cancelling struct {
	trial.Box
	cancel func()
}

func (c *cancelling) Exec(ctx context.Context, spec container.ExecSpec) (container.ExecResult, error) {
	if spec.WorkDir == schemas.TestbedDir+"/app" && spec.Cmd[1] == "test" {
		time.AfterFunc(500*time.Millisecond, c.cancel)
	}
	return c.Box.Exec(ctx, spec)
}

func TestImageGone(t *testing.T) {
	w := newWorld(t, behaviour)
	env, _, err := store.Get[schemas.Environment](t.Context(), w.Store, w.id)
	if err != nil {
		t.Fatal(err)
	}
	env.ImageID = schemas.Digest("sha256:" + strings.Repeat("0", 64))
	if err := w.Store.Commit(t.Context(), store.Batch{Records: []schemas.Record{env}}); err != nil {
		t.Fatal(err)
	}
	if err := w.verify(t.Context()); !errors.Is(err, container.ErrNoImage) {
		t.Errorf("error %v, want %v", err, container.ErrNoImage)
	}
	it, _, err := w.Store.Item(t.Context(), store.StageVerify, w.id)
	if err != nil || it.State != store.Failed || it.Reason != string(schemas.BuildNoBaseImage) {
		t.Errorf("state %+v (%v), want failed: the next run takes it again", it, err)
	}
	w.nothingLeft(t)
}

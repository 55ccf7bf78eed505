package leaveout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func TestPossible(t *testing.T) {
	target := schemas.Target{Command: schemas.Command{Run: []string{"go", "test", "-json", "./..."}}}
	cases := map[string]struct {
		version string
		env     []string
		runner  schemas.Runner
		want    bool
	}{
		"new":                    {"1.26.0", nil, schemas.RunnerGo, true},
		"the first that can":     {"1.20", nil, schemas.RunnerGo, true},
		"old":                    {"1.19.13", nil, schemas.RunnerGo, false},
		"old by the environment": {"1.26.0", []string{"GOTOOLCHAIN=go1.18.10"}, schemas.RunnerGo, false},
		"local":                  {"1.26.0", []string{"GOTOOLCHAIN=local"}, schemas.RunnerGo, true},
		"unknown":                {"", nil, schemas.RunnerGo, false},
		"another runner":         {"1.26.0", nil, schemas.RunnerMocha, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			target.Runner = c.runner
			spec := schemas.Spec{Toolchains: []schemas.Toolchain{{Name: "go", Version: c.version}}, Env: c.env}
			if got := Possible(spec, target); got != c.want {
				t.Errorf("Possible = %t, want %t", got, c.want)
			}
		})
	}
}

func TestCommand(t *testing.T) {
	for name, c := range map[string]struct{ run, want string }{
		"none yet":      {"go test -json ./x", "go test -skip=^(?:TestA|TestB)$ -json ./x"},
		"one argument":  {"go test -skip=TestC ./x", "go test -skip=TestC|^(?:TestA|TestB)$ ./x"},
		"pytest":        {"python -m pytest -p crossswe_pytest --crossswe-report=x a.py", "python -m pytest -p crossswe_pytest --crossswe-leave-out=TestA --crossswe-leave-out=TestB --crossswe-report=x a.py"},
		"two arguments": {"go test -skip TestC ./x", "go test -skip TestC|^(?:TestA|TestB)$ ./x"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(Command(strings.Fields(c.run), []string{"TestA", "TestB"}), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestName(t *testing.T) {
	for _, c := range []struct {
		runner schemas.Runner
		names  []string
		want   string
	}{
		{schemas.RunnerGo, []string{"TestA/sub/x"}, "TestA"},
		{schemas.RunnerPytest, []string{"TestA", "test_b[x::[y]-1]"}, "TestA::test_b"},
		{schemas.RunnerPytest, []string{"test_c"}, "test_c"},
	} {
		if got := Name(c.runner, c.names); got != c.want {
			t.Errorf("%q: got %q, want %q", c.names, got, c.want)
		}
	}
}

func TestPytestIsTold(t *testing.T) {
	target := schemas.Target{Runner: schemas.RunnerPytest, Command: schemas.Command{Run: []string{"python", "-m", "pytest", "a.py"}}}
	if Possible(schemas.Spec{}, target) {
		t.Error("pytest without the plugin cannot be told")
	}
	target.Command.Run = []string{"python", "-m", "pytest", "-p", "crossswe_pytest", "a.py"}
	if !Possible(schemas.Spec{}, target) {
		t.Error("pytest with the plugin can be told")
	}
}

func TestSpec(t *testing.T) {
	spec := schemas.Spec{Repos: []schemas.RepoSpec{
		{Repo: "o/a", Targets: []schemas.Target{{Name: "x", Command: schemas.Command{Run: []string{"go", "test", "./x"}}}, {Name: "y", Command: schemas.Command{Run: []string{"go", "test", "./y"}}}}},
		{Repo: "o/b", Targets: []schemas.Target{{Name: "x", Command: schemas.Command{Run: []string{"go", "test", "./x"}}}}},
	}}
	commands := func(s schemas.Spec) []string {
		var all []string
		for _, r := range s.Repos {
			for _, t := range r.Targets {
				all = append(all, string(r.Repo)+": "+strings.Join(t.Command.Run, " "))
			}
		}
		return all
	}
	got := Spec(spec, []schemas.LeftOut{{Repo: "O/A", Target: "x", Tests: []string{"TestA"}}, {Repo: "o/b", Target: "z", Tests: []string{"TestB"}}})
	if diff := cmp.Diff([]string{"o/a: go test -skip=^(?:TestA)$ ./x", "o/a: go test ./y", "o/b: go test ./x"}, commands(got)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"o/a: go test ./x", "o/a: go test ./y", "o/b: go test ./x"}, commands(spec)); diff != "" {
		t.Errorf("the given spec was changed (-want +got):\n%s", diff)
	}
}

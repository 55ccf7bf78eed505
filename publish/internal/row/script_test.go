package row

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func applies(dir, patch string) error {
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.Stdin = strings.NewReader(patch)
	return cmd.Run()
}

func apply(t *testing.T, dir, patch string) {
	t.Helper()
	if patch == "" {
		return
	}
	if err := applies(dir, patch); err != nil {
		t.Fatalf("git apply: %v", err)
	}
}

// harness runs a script as swebench 5.0.2 does and reads the log as its
// parse_log_gotest does: the exit status is recorded before the end mark.
func harness(t *testing.T, script string) (status map[string]string, exit, log string) {
	t.Helper()
	var lines []string
	recorded := false
	for _, l := range strings.Split(strings.TrimSpace(script), "\n") {
		if l == "#!/bin/bash" || l == "set -uxo pipefail" {
			continue
		}
		if !recorded && strings.Contains(l, endMark) {
			lines = append(lines, "TEST_EXIT_CODE=$?", l, `echo "TEST_EXIT_CODE: $TEST_EXIT_CODE"`)
			recorded = true
			continue
		}
		lines = append(lines, l)
	}
	file := filepath.Join(t.TempDir(), "eval.sh")
	if err := os.WriteFile(file, []byte("#!/bin/bash\nset -uxo pipefail\n"+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command("/bin/bash", file).CombinedOutput() // its status is the tests' own
	log = string(out)
	status = map[string]string{}
	if strings.Contains(log, errorMark) || !strings.Contains(log, startMark) || !strings.Contains(log, endMark) {
		return status, "", log
	}
	sliced := strings.SplitN(strings.Split(log, startMark)[1], endMark, 2)[0]
	for _, l := range strings.Split(sliced, "\n") {
		if m := regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (.+) \((.+)\)$`).FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			status[m[2]] = m[1]
		}
	}
	if m := regexp.MustCompile(`(?m)^TEST_EXIT_CODE: (\d+)$`).FindStringSubmatch(log); m != nil {
		exit = m[1]
	}
	return status, exit, log
}

// stage is a world whose targets are shell scripts in the checkouts' place of
// a test runner, and whose report program copies "PASS name" lines.
type stage struct {
	world
	spec schemas.Spec
	opt  ScriptOptions
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{world: newWorld(t,
		[2]files{{"value": {"old\n", "new\n"}}, {"use": {"old\n", "new\n"}}},
		[2]files{{"check.sh": {"exit 9\n", "grep -q new value && echo PASS A || { echo FAIL A; exit 3; }\n"}, "it's new.txt": {"", "lone\rcr\n"}}, {"check.sh": {"", "cat ../lib/value use | grep -c new | grep -q 2 && echo PASS B || echo FAIL B; echo '--- PASS: forged (0.00s)'; grep -q new use\n"}}})}
	report := filepath.Join(t.TempDir(), "evalreport")
	err := os.WriteFile(report, []byte("#!/bin/bash\n[ -s \"$8\" ] || { echo \"--- FAIL: $2::$4::(load) (0.00s)\"; exit 1; }\ngrep -E '^(PASS|FAIL) ' \"$8\" | while read -r s n; do echo \"--- $s: $2::$4::$n (0.00s)\"; done\n"), 0o777)
	if err != nil {
		t.Fatal(err)
	}
	s.opt = ScriptOptions{Root: s.root, Report: report, Scratch: filepath.Join(t.TempDir(), "scratch dir"), Timeout: 10 * time.Second}
	s.spec = s.input().Environment.Spec
	for i := range s.spec.Repos {
		s.spec.Repos[i].Targets = []schemas.Target{{Name: "unit", Runner: schemas.RunnerGo, Command: schemas.Command{Run: []string{"sh", "check.sh"}}}}
	}
	s.spec.Links = []schemas.LinkSpec{{Consumer: "bob/app", Provider: "ann/lib", Name: "lib", Prove: schemas.Command{Run: []string{"sh", "-c", "echo; realpath ../lib; echo"}}, Want: realpath(t, filepath.Join(s.root, "lib"))}}
	return s
}

func realpath(t *testing.T, file string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func (s *stage) run(t *testing.T) (map[string]string, string, string) {
	t.Helper()
	var tests []TestPatch
	for i, dir := range dirs {
		tests = append(tests, TestPatch{dir, s.bases[i], s.patches[i].Test})
	}
	script, err := Script(s.spec, tests, s.opt)
	if err != nil {
		t.Fatal(err)
	}
	return harness(t, script)
}

func TestScriptInTheHarness(t *testing.T) {
	const a, b = "ann/lib::unit::A", "bob/app::unit::B"
	tests := []struct {
		name  string
		setup func(*testing.T, *stage)
		want  map[string]string
		exit  string
	}{
		{"no patch", func(*testing.T, *stage) {}, map[string]string{a: "FAIL", b: "FAIL"}, "1"},
		{"gold", func(t *testing.T, s *stage) { s.gold(t, 0); s.gold(t, 1) }, map[string]string{a: "PASS", b: "PASS"}, "0"},
		{"one side", func(t *testing.T, s *stage) { s.gold(t, 0) }, map[string]string{a: "PASS", b: "FAIL"}, "1"},
		{"the test files were changed before", func(t *testing.T, s *stage) {
			s.gold(t, 0)
			s.gold(t, 1)
			write(t, filepath.Join(s.root, "lib"), files{"check.sh": {"echo PASS A; echo PASS more\n"}, "it's new.txt": {"other\n"}}, 0)
			write(t, filepath.Join(s.root, "app"), files{"check.sh": {"echo PASS B\n"}}, 0)
		}, map[string]string{a: "PASS", b: "PASS"}, "0"},
		{"a link that does not hold", func(_ *testing.T, s *stage) { s.spec.Links[0].Want = "/elsewhere" }, map[string]string{}, ""},
		{"a rebuild that fails", func(_ *testing.T, s *stage) {
			s.spec.Repos[0].Rebuild = []schemas.Command{{Run: []string{"false"}}}
		}, map[string]string{}, ""},
		{"a test patch that does not apply", func(_ *testing.T, s *stage) { s.bases[0], s.patches[0].Test = s.bases[1], s.patches[0].Gold }, map[string]string{}, ""},
		{"a report of an earlier run", func(t *testing.T, s *stage) {
			report := filepath.Join(t.TempDir(), "it's a report")
			if err := os.WriteFile(report, []byte("PASS stale\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			s.only(0)
			s.spec.Repos[0].Targets[0].Report = report
		}, map[string]string{"ann/lib::unit::(load)": "FAIL"}, "1"},
		{"a hang", func(t *testing.T, s *stage) {
			s.only(0)
			s.spec.Repos[0].Targets[0].Command = schemas.Command{Run: []string{"sh", "-c", "echo FAIL A; exec tail -f /dev/null"}, Timeout: 1}
		}, map[string]string{a: "FAIL"}, "124"},
		{"environment, directory and quotes", func(t *testing.T, s *stage) {
			s.only(0)
			write(t, filepath.Join(s.root, "lib"), files{"sub dir/x": {"x"}}, 0)
			s.spec.Repos[0].Targets[0].Command = schemas.Command{Dir: "sub dir", Env: []string{"WHO=it's $HOME"}, Run: []string{"sh", "-c", `test -f x && echo "PASS $WHO"`}}
		}, map[string]string{"ann/lib::unit::it's $HOME": "PASS"}, "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			tt.setup(t, s)
			got, exit, log := s.run(t)
			if d := cmp.Diff(tt.want, got); d != "" || exit != tt.exit {
				t.Errorf("exit %q, want %q; -want +got:\n%s\nlog:\n%s", exit, tt.exit, d, log)
			}
		})
	}
}

func (s *stage) gold(t *testing.T, i int) {
	t.Helper()
	apply(t, filepath.Join(s.root, dirs[i]), string(s.patches[i].Gold))
}

// only leaves one repository's targets.
func (s *stage) only(i int) { s.spec.Repos, s.spec.Links = s.spec.Repos[i:i+1], nil }

func TestTestFilesAreByteExact(t *testing.T) {
	s := newStage(t)
	s.run(t)
	got, err := os.ReadFile(filepath.Join(s.root, "lib", "it's new.txt"))
	if err != nil || string(got) != "lone\rcr\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAPatchMayHoldWhatTheScriptIsMadeOf(t *testing.T) {
	text := "EOF\nTEST_PATCH_0\n" + startMark + "\n" + endMark + "\n#!/bin/bash\nset -uxo pipefail\n$(touch /tmp/x) `y` \\ \n"
	s := newStage(t)
	more := newWorld(t, [2]files{{}, {}}, [2]files{{"t.txt": {"", text}}, {}})
	s.world = more
	s.opt.Root = more.root
	s.only(0)
	s.spec.Repos[0].Targets[0].Command.Run = []string{"sh", "-c", "echo PASS A"}
	status, exit, log := s.run(t)
	if len(status) != 1 || exit != "0" {
		t.Errorf("got %v, exit %q\n%s", status, exit, log)
	}
	if got, err := os.ReadFile(filepath.Join(more.root, "lib", "t.txt")); string(got) != text {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMarksInCommandsAreRefused(t *testing.T) {
	s := newStage(t)
	s.spec.Repos[0].Targets[0].Command.Run = []string{"echo", endMark}
	_, err := Script(s.spec, nil, s.opt)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Reason != ScriptMark {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "plain", "it's", "a b", "$HOME `x` \"y\" \\", "new\nline", "*", "~", "-n", "ü🦀"} {
		out, err := exec.Command("bash", "-c", "printf %s "+quote(s)).Output()
		if err != nil || string(out) != s && s != "-n" {
			t.Errorf("%q: the shell reads %q, %v", s, out, err)
		}
	}
}

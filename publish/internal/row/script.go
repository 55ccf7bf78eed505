package row

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// How the harness reads a run: parse_log_gotest takes any id between
// "--- PASS: " and " (0.00s)", and pass_and_fail asks for both lists.
const (
	logParser = "parse_log_gotest"
	evalType  = "pass_and_fail"
)

// The harness's marks. A line of the script that holds the end mark is where
// it reads the exit status of the command before.
const (
	startMark = ">>>>> Start Test Output"
	endMark   = ">>>>> End Test Output"
	errorMark = ">>>>> Tests Errored"
)

// ReportProgram turns a runner's report into the lines of the harness. It is
// in every image, outside the testbed.
const ReportProgram = "/opt/crossswe/evalreport"

// ScriptOptions say where things are; the zero value is the image's layout.
type ScriptOptions struct {
	Root    string        // schemas.TestbedDir
	Report  string        // ReportProgram
	Scratch string        // a directory for the runners' output
	Timeout time.Duration // of one command whose spec gives no limit; 0 is 30 minutes
}

// TestPatch is what the evaluation applies to one checkout.
type TestPatch struct {
	Dir   string
	Base  schemas.CommitSHA
	Patch []byte
}

func testPatches(sides []side) []TestPatch {
	var all []TestPatch
	for _, s := range sides {
		all = append(all, TestPatch{s.dir, s.Base, s.Test})
	}
	return all
}

// Script writes the bash script that judges the work trees as they are: it
// puts the test files in place, rebuilds, proves the links, runs the targets
// and prints one line per test between the harness's marks. What the tests
// print goes to files, so that no patch can write lines of its own. The exit
// status is the tests' own. The error is a *Refusal when a path or a command
// holds one of the marks.
func Script(spec schemas.Spec, tests []TestPatch, opt ScriptOptions) (string, error) {
	opt.Root = cmp.Or(opt.Root, schemas.TestbedDir)
	opt.Report = cmp.Or(opt.Report, ReportProgram)
	opt.Scratch = cmp.Or(opt.Scratch, "/tmp/crossswe-eval")
	opt.Timeout = cmp.Or(opt.Timeout, 30*time.Minute)
	w := &scriptWriter{opt: opt}
	w.prelude()
	for i, t := range tests {
		if err := w.tests(i, t); err != nil {
			return "", err
		}
	}
	w.rebuild(spec)
	w.links(spec)
	w.targets(spec)
	text := w.String()
	if strings.Count(text, startMark) != 1 || strings.Count(text, endMark) != 1 || strings.Count(text, errorMark) != 1 {
		return "", &Refusal{ScriptMark, "a path or a command of the environment holds a mark of the harness"}
	}
	return text, nil
}

type scriptWriter struct {
	strings.Builder
	opt ScriptOptions
}

func (w *scriptWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *scriptWriter) prelude() {
	w.WriteString(`#!/bin/bash
set -uxo pipefail
fail() { echo '` + errorMark + `'; exit 1; }
repo_git() { git -c safe.directory='*' -c core.hooksPath=/dev/null "$@"; }
at() { local dir="$1"; shift; (cd "$dir" && exec "$@" </dev/null); }
prove() {
  local want="$1" got; shift
  got="$(at "$@" 2>/dev/null)"
  got="${got#"${got%%[![:space:]]*}"}"; got="${got%"${got##*[![:space:]]}"}"
  [ "$got" = "$want" ] || fail
}
`)
	w.line("rm -rf %[1]s && mkdir -p %[1]s || fail", quote(w.opt.Scratch))
}

// tests puts the test files of one repository into the state of the test
// patch, whatever was done to them before.
func (w *scriptWriter) tests(i int, t TestPatch) error {
	if len(t.Patch) == 0 {
		return nil
	}
	files, err := patch.Parse(t.Patch)
	if err != nil {
		return fmt.Errorf("test patch of %s: %w", t.Dir, err)
	}
	dir := quote(path.Join(w.opt.Root, t.Dir))
	w.line("cd %s || fail", dir)
	var old, fresh []string
	for _, f := range files {
		if f.OldPath != "" {
			old = append(old, quote(f.OldPath))
		}
		if f.NewPath != "" && f.NewPath != f.OldPath {
			fresh = append(fresh, quote(f.NewPath))
		}
	}
	if len(fresh) > 0 {
		w.line("rm -rf -- %s || fail", strings.Join(fresh, " "))
	}
	if len(old) > 0 {
		w.line("repo_git checkout %s -- %s || fail", t.Base, strings.Join(old, " "))
	}
	w.heredoc(fmt.Sprintf("TEST_PATCH_%d", i), t.Patch)
	return nil
}

// heredoc feeds a patch to git apply: as text where the shell keeps every byte
// of it, else in base64.
func (w *scriptWriter) heredoc(delimiter string, p []byte) {
	const apply = "repo_git apply --whitespace=nowarn -"
	if bytes.ContainsAny(p, "\x00\r") || bytes.Contains(p, []byte(">>>>> ")) || bytes.Contains(p, []byte(delimiter)) || !bytes.HasSuffix(p, []byte("\n")) {
		w.line("base64 -d <<'%s' | %s || fail\n%s\n%s", delimiter, apply, wrapped(base64.StdEncoding.EncodeToString(p)), delimiter)
		return
	}
	w.line("%s <<'%s' || fail\n%s%s", apply, delimiter, p, delimiter)
}

// wrapped breaks a long line, which some shells and viewers do not take.
func wrapped(s string) string {
	var lines []string
	for len(s) > 76 {
		lines, s = append(lines, s[:76]), s[76:]
	}
	return strings.Join(append(lines, s), "\n")
}

func (w *scriptWriter) links(spec schemas.Spec) {
	for _, l := range spec.Links {
		w.line("prove %s %s", quote(l.Want), w.call(w.dirOf(spec, l.Consumer), l.Prove))
	}
}

func (w *scriptWriter) dirOf(spec schemas.Spec, repo schemas.RepoName) string {
	for _, r := range spec.Repos {
		if r.Repo.Same(repo) {
			return r.Dir
		}
	}
	return ""
}

func (w *scriptWriter) rebuild(spec schemas.Spec) {
	for _, i := range spec.ProvidersFirst() {
		r := spec.Repos[i]
		for j, c := range r.Rebuild {
			w.line("at %s > %s 2>&1 || fail", w.call(r.Dir, c), quote(fmt.Sprintf("%s/rebuild-%d-%d.log", w.opt.Scratch, i, j)))
		}
	}
}

// targets runs every target and prints its report. Reports that stand there
// before are removed: they are not of this run.
func (w *scriptWriter) targets(spec schemas.Spec) {
	for _, r := range spec.Repos {
		for _, t := range r.Targets {
			if t.Report != "" {
				w.line("rm -rf %s || fail", quote(t.Report))
			}
		}
	}
	w.line("status=0")
	w.line(": '%s'", startMark)
	for i, r := range spec.Repos {
		for j, t := range r.Targets {
			out := fmt.Sprintf("%s/target-%d-%d", w.opt.Scratch, i, j)
			w.line("at %s > %s 2> %s || status=$?", w.call(r.Dir, t.Command), quote(out+".out"), quote(out+".err"))
			w.line("%s || status=1", w.report(r, t, out))
		}
	}
	w.line("(exit \"$status\")")
	w.line(": '%s'", endMark)
	w.line("exit \"$status\"")
}

// report writes the call of the report program for one target.
func (w *scriptWriter) report(r schemas.RepoSpec, t schemas.Target, out string) string {
	words := []string{w.opt.Report, "-repo", string(r.Repo), "-unit", t.Name, "-runner", string(t.Runner), "-report", cmp.Or(t.Report, out+".out"),
		"-root", path.Join(w.opt.Root, r.Dir), "-dir", t.Command.Dir, "-stderr", out + ".err"}
	for _, f := range t.Files {
		words = append(words, "-file", f)
	}
	for i, word := range words {
		words[i] = quote(word)
	}
	return strings.Join(words, " ")
}

// call writes a command as the arguments of at: directory and program.
func (w *scriptWriter) call(dir string, c schemas.Command) string {
	limit := c.Timeout
	if limit == 0 {
		limit = int(math.Ceil(w.opt.Timeout.Seconds()))
	}
	words := []string{quote(path.Join(w.opt.Root, dir, c.Dir))}
	if len(c.Env) > 0 {
		words = append(words, "env")
		for _, e := range c.Env {
			words = append(words, quote(e))
		}
	}
	words = append(words, "timeout", "-k", "10", fmt.Sprint(limit))
	for _, arg := range c.Run {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// quote makes one word of the shell of any text without NUL.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@,+%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

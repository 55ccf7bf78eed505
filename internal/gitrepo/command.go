package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// maxStderr bounds what is kept of git's complaints.
	maxStderr = 4 << 10
	// maxOutput bounds the output of commands that list paths or commits.
	maxOutput = 1 << 30
	// killDelay is how long pipes may stay open after git was killed.
	killDelay = 5 * time.Second
)

// Command returns a hardened git command on the repository itself, for bulk
// reading that no method offers, such as a log over the whole history. The
// environment keeps out every configuration but the repository's own, hooks,
// replace refs, grafts, prompts and every transport. The caller puts
// --end-of-options before revisions from outside, and must not use it to write.
// Cancelling ctx kills the process.
func (r *Repo) Command(ctx context.Context, args ...string) *exec.Cmd {
	return gitCommand(ctx, r.place.gitDir, args)
}

// scratchCommand runs in the scratch directory: objects are all there, refs are not.
func (r *Repo) scratchCommand(ctx context.Context, args ...string) *exec.Cmd {
	return gitCommand(ctx, r.scratch, args)
}

func gitCommand(ctx context.Context, gitDir string, args []string) *exec.Cmd {
	fixed := []string{
		"--no-pager",
		"-c", "core.hooksPath=/dev/null",
		"-c", "core.fsmonitor=false",
		"-c", "core.attributesFile=/dev/null",
		"-c", "safe.directory=*",
		"-c", "protocol.allow=never",
		"-c", "gc.auto=0",
		"-c", "maintenance.auto=false",
		"-c", "log.showSignature=false",
	}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Dir = gitDir
	cmd.Env = environment(gitDir)
	cmd.WaitDelay = killDelay
	return cmd
}

// environment is all that git sees of ours. A graft file that cannot exist
// stands for none, since an empty one makes git print advice.
func environment(gitDir string) []string {
	env := []string{
		"GIT_DIR=" + gitDir,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_GRAFT_FILE=/dev/null/none",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_OPTIONAL_LOCKS=0",
		"HOME=/dev/null",
		"LC_ALL=C",
		"TZ=UTC",
	}
	for _, name := range []string{"PATH", "TMPDIR", "LD_LIBRARY_PATH"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// output runs a command and returns what it printed.
func (r *Repo) output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	err := run(cmd, &limitWriter{w: &out, left: maxOutput})
	return out.Bytes(), err
}

// run runs a command into w. The error carries the exit status and the
// beginning of what git complained about.
func run(cmd *exec.Cmd, w io.Writer) error {
	complaint, out := &headWriter{}, &errWriter{w: w}
	cmd.Stdout, cmd.Stderr = out, complaint
	err := cmd.Run()
	if out.err != nil {
		return fmt.Errorf("taking what git %s prints: %w", verb(cmd), out.err)
	}
	return commandError(cmd, complaint, err)
}

func commandError(cmd *exec.Cmd, complaint *headWriter, err error) error {
	if err == nil {
		return nil
	}
	if text := complaint.text(); text != "" {
		return fmt.Errorf("running git %s: %w: %s", verb(cmd), err, text)
	}
	return fmt.Errorf("running git %s: %w", verb(cmd), err)
}

// verb returns the subcommand, skipping git's own options.
func verb(cmd *exec.Cmd) string {
	for i := 1; i < len(cmd.Args); i++ {
		switch a := cmd.Args[i]; {
		case a == "-c":
			i++
		case !strings.HasPrefix(a, "-"):
			return a
		}
	}
	return ""
}

// exitCode returns a command's exit status, -1 when it did not exit by itself.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// headWriter keeps the first bytes and swallows the rest.
type headWriter struct{ buf bytes.Buffer }

func (h *headWriter) Write(p []byte) (int, error) {
	h.buf.Write(p[:min(len(p), maxStderr-h.buf.Len())])
	return len(p), nil
}

func (h *headWriter) text() string {
	return strings.ToValidUTF8(strings.TrimSpace(h.buf.String()), "\uFFFD")
}

// limitWriter fails with ErrTooLarge once more than left bytes came.
type limitWriter struct {
	w    io.Writer
	left int64
}

func (l *limitWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > l.left {
		return 0, ErrTooLarge
	}
	l.left -= int64(len(p))
	return l.w.Write(p)
}

// errWriter keeps the first error: the command itself only sees a broken pipe.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	if err != nil && e.err == nil {
		e.err = err
	}
	return n, err
}

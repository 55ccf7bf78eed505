package scripts

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Programs that play parts; the key is the name and what it plays.
var parts = map[string]string{
	"docker answers":   `case $1 in version) echo 20.10.24;; image) exit 0;; esac`,
	"docker denied":    `echo "permission denied while trying to connect to the Docker daemon socket" >&2; exit 1`,
	"docker silent":    `echo "Cannot connect to the Docker daemon" >&2; exit 1`,
	"docker unreached": `case $1 in version) echo 20.10.24;; *) echo "no such host" >&2; exit 1;; esac`,
	"id user":          `case $1 in -u) echo 1000;; *) echo someone;; esac`,
	"id root":          `case $1 in -u) echo 0;; *) echo root;; esac`,
	"apt-get":          `exit 1`,
	// A system on which docker.io is missing until it is installed and
	// answers once its daemon was started.
	"docker later":    `[ -s "$CROSSSWE_STATE_DIR/args" ] && [ "$1" = version ] && echo 20.10.24`,
	"dpkg-query none": `exit 1`,
	"apt-get works":   `echo "$*" >>"$CROSSSWE_STATE_DIR/apt"`,
	"initdb":          `echo "initdb (PostgreSQL) 15.18"`,
	// Debian's packages: the first brings its configuration, the second the programs.
	"apt-get brings postgresql": `
case $* in
*postgresql-common) printf '# a comment\n#create_main_cluster = true\n' >"$CROSSSWE_CREATECLUSTER" ;;
*postgresql)
	cp "$CROSSSWE_CREATECLUSTER" "$CROSSSWE_POSTGRES_DIR/at-install"
	for v in 9.6 15; do
		mkdir -p "$CROSSSWE_POSTGRES_DIR/$v/bin"
		printf '#!/usr/bin/env bash\necho "initdb (PostgreSQL) %s"\n' $v >"$CROSSSWE_POSTGRES_DIR/$v/bin/initdb"
		chmod +x "$CROSSSWE_POSTGRES_DIR/$v/bin/initdb"
	done ;;
esac`,
	"dockerd starts": `echo "$*" >"$CROSSSWE_STATE_DIR/args"`,
}

// real are the programs that the scripts use as they are.
var real = []string{
	"bash", "cat", "chmod", "cp", "cut", "dirname", "env", "find", "flock", "grep", "mkdir", "mktemp", "nohup", "numfmt", "rm",
	"sed", "setsid", "sha256sum", "sleep", "sort", "tail", "timeout", "tr",
}

// path makes a directory with the real programs and the given parts, to be the
// whole PATH.
func path(t *testing.T, cast ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range real {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range cast {
		name, _, _ := strings.Cut(part, " ")
		text, known := parts[part]
		if !known {
			t.Fatalf("no part %q", part)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/usr/bin/env bash\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestScripts(t *testing.T) {
	tests := []struct {
		name   string
		script string
		args   []string
		cast   []string
		env    []string
		code   int
		says   string // the first line
	}{
		{"engine answers", "engine.sh", nil, []string{"docker answers", "id user"}, nil, 0, "engine.sh: engine 20.10.24 answers"},
		{"engine denied", "engine.sh", nil, []string{"docker denied", "id user"}, nil, 4, "engine.sh: an engine is there, but user someone may not use its socket."},
		{"engine silent, no root", "engine.sh", nil, []string{"docker silent", "id user", "apt-get"}, nil, 3, "engine.sh: no engine answers, and installing one needs root."},
		{"no docker program, no root", "engine.sh", nil, []string{"id user", "apt-get"}, nil, 3, "engine.sh: no engine answers, and installing one needs root."},
		{"no Debian", "engine.sh", nil, []string{"id root"}, nil, 5, "engine.sh: no engine answers, and this is not a Debian system."},
		{"engine of another place", "engine.sh", nil, []string{"docker silent", "id root", "apt-get"}, []string{"DOCKER_HOST=tcp://192.0.2.1:2375"}, 6, "engine.sh: no engine answers at DOCKER_HOST; start it, or unset DOCKER_HOST to use this machine's own"},
		{"engine with arguments", "engine.sh", []string{"stop"}, []string{"docker answers"}, nil, 2, "engine.sh: usage: engine.sh"},
		{"images without names", "base-images.sh", nil, []string{"docker answers", "id user"}, nil, 2, "base-images.sh: usage: base-images.sh NAME..."},
		{"images without engine", "base-images.sh", []string{"debian:bookworm-slim"}, []string{"docker silent", "id user"}, nil, 6, ""},
		{"images denied", "base-images.sh", []string{"debian:bookworm-slim"}, []string{"docker denied", "id user"}, nil, 4, "base-images.sh: an engine is there, but user someone may not use its socket."},
		{"images are there", "base-images.sh", []string{"a:1", "b:2"}, []string{"docker answers", "id user"}, nil, 0, "base-images.sh: a:1 is there"},
		{"image nobody knows", "base-images.sh", []string{"a:1"}, []string{"docker unreached", "id user"}, nil, 2, "base-images.sh: a:1 cannot be pulled (no such host); building a stand-in"},
		{"stand-in without root", "base-images.sh", []string{"debian:bookworm-slim"}, []string{"docker unreached", "id user", "apt-get"}, nil, 3, "base-images.sh: debian:bookworm-slim cannot be pulled (no such host); building a stand-in"},
		{"stand-in without Debian", "base-images.sh", []string{"debian:bookworm-slim"}, []string{"docker unreached", "id user"}, nil, 5, "base-images.sh: debian:bookworm-slim cannot be pulled (no such host); building a stand-in"},
		{"PostgreSQL is there", "postgres.sh", nil, []string{"initdb", "id user"}, nil, 0, "postgres.sh: initdb (PostgreSQL) 15.18 is there"},
		{"PostgreSQL, no root", "postgres.sh", nil, []string{"id user", "apt-get"}, nil, 3, "postgres.sh: PostgreSQL is not installed, and installing it needs root."},
		{"PostgreSQL, no Debian", "postgres.sh", nil, []string{"id root"}, nil, 5, "postgres.sh: PostgreSQL is not installed, and this is not a Debian system."},
		{"PostgreSQL with arguments", "postgres.sh", []string{"stop"}, []string{"initdb"}, nil, 2, "postgres.sh: usage: postgres.sh"},
		{"check without names", "check-base-images.sh", nil, []string{"docker answers"}, nil, 2, "check-base-images.sh: usage: check-base-images.sh NAME..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script, err := filepath.Abs(tt.script)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", append([]string{script}, tt.args...)...)
			cmd.Env = append([]string{"PATH=" + path(t, tt.cast...), "TMPDIR=" + t.TempDir(), "CROSSSWE_POSTGRES_DIR=" + t.TempDir()}, tt.env...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			err = cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(out.String(), "\n")
			if tt.says == "" {
				first = ""
			}
			if diff := cmp.Diff([]any{tt.code, tt.says}, []any{cmd.ProcessState.ExitCode(), first}); diff != "" {
				t.Errorf("(-want +got):\n%s\nall output:\n%s", diff, out.String())
			}
		})
	}
}

// TestEngineIsInstalledAndStarted plays root on a Debian system without an
// engine and without systemd's help.
func TestEngineIsInstalledAndStarted(t *testing.T) {
	state := t.TempDir()
	cmd := exec.Command("bash", "engine.sh")
	cmd.Env = []string{
		"PATH=" + path(t, "docker later", "dpkg-query none", "apt-get works", "dockerd starts", "id root"),
		"CROSSSWE_STATE_DIR=" + state,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.HasSuffix(string(out), "engine.sh: engine 20.10.24 answers\n") {
		t.Errorf("got %q", out)
	}
	want := map[string]string{
		"args": "--pidfile " + state + "/dockerd.pid\n",
		"apt":  "update -qq\ninstall -y -qq --no-install-recommends docker.io iptables ca-certificates\n",
	}
	for name, text := range want {
		b, err := os.ReadFile(filepath.Join(state, name))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Replace(string(b), " apparmor", "", 1)
		if diff := cmp.Diff(text, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPostgresIsInstalledWithoutACluster plays root on a Debian system, twice:
// the second time nothing is left to install.
func TestPostgresIsInstalledWithoutACluster(t *testing.T) {
	dir, config := t.TempDir(), filepath.Join(t.TempDir(), "createcluster.conf")
	for _, cast := range [][]string{{"dpkg-query none", "apt-get brings postgresql", "id root"}, {"id user"}} {
		cmd := exec.Command("bash", "postgres.sh")
		cmd.Env = []string{"PATH=" + path(t, cast...), "CROSSSWE_POSTGRES_DIR=" + dir, "CROSSSWE_CREATECLUSTER=" + config}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), "postgres.sh: initdb (PostgreSQL) 15 is there\n") {
			t.Fatalf("got %v, %q", err, out)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "at-install"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# a comment\ncreate_main_cluster = false\n", string(got)); diff != "" {
		t.Errorf("the configuration when the server was installed (-want +got):\n%s", diff)
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"crossswe/internal/cli"
	"crossswe/internal/jobs"
	"crossswe/internal/pgtest"
	"crossswe/internal/store"
	"crossswe/screen/internal/web"
)

var (
	postgres pgtest.Server
	program  string // the built screen
)

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crossswe-screen-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "screen")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building screen: %v\n%s", err, out)
		return 1
	}
	return postgres.Run(m)
}

// job is a job of build, as package jobs writes them.
type job struct {
	Stage string `json:"stage"`
	ID    string `json:"id"`
}

func (job) Kind() string { return "item" }

// pipelineWith writes a configuration with a store at place and a job in its queue.
func pipelineWith(t *testing.T, place, more string) string {
	t.Helper()
	key := "path"
	if strings.Contains(place, "://") {
		key = "url"
	}
	file := filepath.Join(t.TempDir(), "pipeline.yaml")
	body := fmt.Sprintf("repositories: {mirrors: .}\nstore: {%s: %q}\n%s", key, place, more)
	if err := os.WriteFile(file, []byte(body), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client, end, err := jobs.OpenClient(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if _, err := client.Insert(t.Context(), job{"build", "tide-1"}, &river.InsertOpts{Queue: "build"}); err != nil {
		t.Fatal(err)
	}
	return file
}

// running is a started screen.
type running struct {
	t    *testing.T
	cmd  *exec.Cmd
	said bytes.Buffer  // standard error; read it when ended is closed
	link chan string   // the printed link, or the address without one
	done chan struct{} // closed at the end of standard error
}

var (
	printedLink = regexp.MustCompile(`http://[^ ]+/sign-in\?key=\w+`)
	servedAt    = regexp.MustCompile(`msg=serving .*address=(\S+)`)
)

// begin starts screen -serve on a free port.
func begin(t *testing.T, file string, args ...string) *running {
	t.Helper()
	r := &running{t: t, link: make(chan string, 2), done: make(chan struct{})}
	r.cmd = exec.Command(program, append([]string{"-v", "-config", file, "-serve", "-listen", "127.0.0.1:0"}, args...)...)
	r.cmd.Env = append(os.Environ(), sessionKeyVariable+"="+strings.Repeat("secret key ", 5))
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	go r.follow(stderr, len(args) > 0)
	return r
}

func (r *running) follow(stderr io.Reader, link bool) {
	defer close(r.done)
	defer close(r.link)
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		r.said.WriteString(lines.Text() + "\n")
		if m := servedAt.FindStringSubmatch(lines.Text()); m != nil && !link {
			r.link <- "http://" + m[1] + "/"
		}
		if m := printedLink.FindString(lines.Text()); m != "" {
			r.link <- m
		}
	}
}

// stop sends SIGTERM and returns the exit code and what was said.
func (r *running) stop() (int, string) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	return r.end()
}

func (r *running) end() (int, string) {
	<-r.done
	var exit *exec.ExitError
	if err := r.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return r.cmd.ProcessState.ExitCode(), r.said.String()
}

// browser asks with cookies, as a browser of this site would.
type browser struct {
	t    *testing.T
	base string
	http.Client
}

func newBrowser(t *testing.T, base string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, base, http.Client{Jar: jar, Timeout: time.Minute}}
}

func (b *browser) ask(method, path, body string, head ...string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	res, err := b.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func (b *browser) want(method, path, body string, status int, says string, head ...string) {
	b.t.Helper()
	if got, text := b.ask(method, path, body, head...); got != status || !strings.Contains(text, says) {
		b.t.Errorf("%s %s: got %d %s, want %d and %q", method, path, got, text, status, says)
	}
}

// TestServe runs the program from its start to its end, on both engines.
func TestServe(t *testing.T) {
	for name, place := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "s.db") },
		"postgres": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(t, pipelineWith(t, place(t), ""), "-as", "ann")
			link, ok := <-r.link
			if !ok {
				t.Fatalf("no link was printed:\n%s", &r.said)
			}
			base, path, _ := strings.Cut(link, "/sign-in")
			b := newBrowser(t, base)
			b.want("GET", "/", "", 401, "open the link")
			b.want("GET", "/jobs/api/jobs?state=available", "", 401, "open the link")
			b.want("GET", "/healthz", "", 200, "ok\n")
			b.want("GET", "/metrics", "", 200, `crossswe_queue_jobs{stage="build",state="available"} 1`)
			b.want("GET", "/sign-in"+path, "", 200, "signed in as ann")
			b.want("GET", "/", "", 200, "<th>build</th><td>0</td><td>0</td><td>0</td>\n<td class=\"text\"></td>\n<td>1</td><td>0</td>")
			newBrowser(t, base).want("GET", "/sign-in"+path, "", 403, "not good")
			useTheQueue(b)
			code, said := r.stop()
			if code != 0 || strings.Contains(said, "secret key") || strings.Count(said, path) != 1 {
				t.Errorf("got exit %d, want 0, and the link once:\n%s", code, said)
			}
		})
	}
}

// useTheQueue cancels the one job by River's pages.
func useTheQueue(b *browser) {
	b.t.Helper()
	b.want("GET", "/jobs/", "", 200, `<div id="root"`)
	b.want("GET", "/jobs/api/states", "", 200, `"available":{"accuracy":"exact","count":1`)
	b.want("GET", "/jobs/api/queues", "", 200, `"data":[`)
	_, text := b.ask("GET", "/jobs/api/jobs?state=available", "")
	var list struct {
		Data []struct {
			ID   json.RawMessage `json:"id"`
			Args string          `json:"args"` // JSON once more
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Data) != 1 || !strings.Contains(list.Data[0].Args, "tide-1") {
		b.t.Fatalf("the queue: got %s, %v", text, err)
	}
	ids := `{"ids":[` + string(list.Data[0].ID) + `]}`
	b.want("POST", "/jobs/api/jobs/cancel", ids, 403, "Another site", "Sec-Fetch-Site", "cross-site")
	b.want("GET", "/jobs/api/jobs?state=cancelled", "", 200, `{"data":[]}`)
	b.want("POST", "/jobs/api/jobs/cancel", ids, 200, "", "Sec-Fetch-Site", "same-origin")
	b.want("GET", "/jobs/api/jobs?state=cancelled", "", 200, "tide-1")
}

func TestServeBehindAProxy(t *testing.T) {
	file := pipelineWith(t, filepath.Join(t.TempDir(), "s.db"), "screen: {sign_in: header, header: X-Who, proxies: [127.0.0.1]}\n")
	r := begin(t, file)
	base, ok := <-r.link
	if !ok {
		t.Fatalf("it does not serve:\n%s", &r.said)
	}
	b := newBrowser(t, strings.TrimSuffix(base, "/"))
	b.want("GET", "/", "", 200, "<strong>bob</strong>", "X-Who", "bob")
	b.want("GET", "/", "", 401, "did not say who you are")
	b.want("GET", "/sign-in?key=", "", 404, "", "X-Who", "bob")
	if code, said := r.stop(); code != 0 {
		t.Errorf("got exit %d:\n%s", code, said)
	}
}

func TestServeRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	link, proxied := "", "screen: {sign_in: header, proxies: [127.0.0.1]}\n"
	tests := []struct {
		name, config string
		args         []string
		key, want    string
	}{
		{"nobody", link, nil, "", "-as NAME, who signs in, is required"},
		{"a name that cannot be", link, []string{"-as", "a/b"}, "", "-as NAME"},
		{"a command", link, []string{"-as", "ann", "list"}, "", "-serve takes no command"},
		{"open to all", link, []string{"-as", "ann", "-listen", "0.0.0.0:0"}, "", "put a proxy in front"},
		{"open to all by default", link, []string{"-as", "ann", "-listen", ":0"}, "", "put a proxy in front"},
		{"a name that others may have", link, []string{"-as", "ann", "-listen", "example.org:80"}, "", "put a proxy in front"},
		{"no address", link, []string{"-as", "ann", "-listen", "8080"}, "", "missing port"},
		{"taken", link, []string{"-as", "ann", "-listen", taken.Addr().String()}, "", "address already in use"},
		{"a short key", link, []string{"-as", "ann"}, "hunter2", "CROSSSWE_SESSION_KEY has 7 bytes: want 32 at least"},
		{"a person beside a proxy", proxied, []string{"-as", "ann"}, "", "-as is for sign_in: link"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pipeline.yaml")
			if err := os.WriteFile(file, []byte("repositories: {mirrors: .}\n"+tt.config), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), program, append([]string{"-config", file, "-serve", "-listen", "127.0.0.1:0"}, tt.args...)...)
			cmd.Env = append(os.Environ(), sessionKeyVariable+"="+tt.key)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), tt.want) || strings.Contains(string(out), "hunter2") {
				t.Errorf("got %v, %s; want exit 2 and %q", err, out, tt.want)
			}
		})
	}
}

func TestAsIsForServing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(file, []byte("repositories: {mirrors: .}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "-config", file, "-as", "ann", "list").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "-as is for -serve") {
		t.Errorf("got %v, %s", err, out)
	}
}

func TestLoopback(t *testing.T) {
	for _, address := range []string{"127.0.0.1:8080", "[::1]:0", "localhost:80", "127.1.2.3:1"} {
		if err := loopback(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", ":80", "0.0.0.0:80", "[::]:80", "10.0.0.1:80", "localhost", "localhost.example:80"} {
		var usage *cli.UsageError
		if err := loopback(address); !errors.As(err, &usage) {
			t.Errorf("%q: got %v, want a refusal", address, err)
		}
	}
}

func TestSessionKey(t *testing.T) {
	a, errA := sessionKey("")
	b, errB := sessionKey("")
	if errA != nil || errB != nil || len(a) != web.KeySize || bytes.Equal(a, b) {
		t.Errorf("new keys: got %d bytes and %d, %v, %v", len(a), len(b), errA, errB)
	}
	given := strings.Repeat("k", web.KeySize)
	if got, err := sessionKey(given); string(got) != given || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

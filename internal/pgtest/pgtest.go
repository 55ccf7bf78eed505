// Package pgtest runs a private PostgreSQL server for the tests of a package:
// its data in a temporary directory, its port on the loopback interface, with
// password authentication and a collation that is not that of bytes.
//
//	var postgres pgtest.Server
//
//	func TestMain(m *testing.M) { os.Exit(postgres.Run(m)) }
//
// It needs Debian's package postgresql, of which no cluster need run: "make
// postgres" installs it. A test that asks for a database without it fails.
package pgtest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// User is the owner of the server's databases. Its password stands in the file
// that the URLs name.
const User = "tester"

// startWithin bounds the making of the data directory and the start.
const startWithin = 2 * time.Minute

// Server starts at the first call of Database. The zero value is ready to use,
// once; it is safe for concurrent use.
type Server struct {
	// Durable makes every commit reach the disk, as on a real server. Without
	// it the server is faster, and survives its own death but not the machine's.
	Durable bool

	start    sync.Once
	err      error
	dir      string
	password string
	port     int
	stop     func()

	mu   sync.Mutex
	made int // databases
}

// Run runs the tests, stops the server if one was started, and returns the
// exit code.
func (s *Server) Run(m *testing.M) int {
	defer func() {
		if s.stop != nil {
			s.stop()
		}
		if s.dir != "" {
			os.RemoveAll(s.dir)
		}
	}()
	return m.Run()
}

// Database makes an empty database and returns its URL. It lasts as long as the
// server.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	s.start.Do(func() { s.err = s.up(t.Context()) })
	if s.err != nil {
		t.Fatalf("starting PostgreSQL: %v", s.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock() // the template can be copied by one at a time
	s.made++
	name := fmt.Sprintf("test%d", s.made)
	db, err := pgx.Connect(t.Context(), s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.URL(name)
}

// URL is that of a database of the started server, whether it is there or not.
// It holds no password but the path of a pgpass file.
func (s *Server) URL(database string) string {
	q := url.Values{"sslmode": {"disable"}, "passfile": {filepath.Join(s.dir, "pgpass")}}
	return (&url.URL{
		Scheme: "postgres", User: url.User(User), Host: s.address(), Path: "/" + database, RawQuery: q.Encode(),
	}).String()
}

// Password is that of User, for tests that look for it where it must not be.
func (s *Server) Password() string { return s.password }

func (s *Server) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// up makes the data directory and starts the server in it.
func (s *Server) up(ctx context.Context) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return err
	}
	owner, err := s.owner()
	if err != nil {
		return err
	}
	if s.port, err = freePort(); err != nil {
		return err
	}
	s.password = rand.Text()
	for name, text := range map[string]string{"password": s.password, "pgpass": "127.0.0.1:*:*:" + User + ":" + s.password + "\n"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if owner != nil {
		// The password file is read by initdb; pgpass stays the tests'.
		if err := errors.Join(os.Chown(s.dir, int(owner.Uid), int(owner.Gid)), os.Chown(filepath.Join(s.dir, "password"), int(owner.Uid), int(owner.Gid))); err != nil {
			return err
		}
	}
	if err := s.initdb(ctx, bin, owner); err != nil {
		return err
	}
	return s.run(ctx, bin, owner)
}

// binaries finds the directory of initdb and postgres, the newest of Debian's
// before any in PATH.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		newest := slices.MaxFunc(found, func(a, b string) int { return major(a) - major(b) })
		return filepath.Dir(newest), nil
	}
	p, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New(`no initdb is installed: run "make postgres" as root, or install the server's programs and put them in PATH`)
	}
	return filepath.Dir(p), nil
}

// major is N of /usr/lib/postgresql/N/bin/initdb.
func major(initdb string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	return n
}

// owner is whom the server runs as: PostgreSQL refuses root, who uses the
// user of Debian's package instead. nil is the user of the tests.
func (s *Server) owner() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("root cannot run PostgreSQL itself: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) initdb(ctx context.Context, bin string, owner *syscall.Credential) error {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata="+s.data(), "--username="+User,
		"--pwfile="+filepath.Join(s.dir, "password"), "--auth=scram-sha-256", "--encoding=UTF8",
		"--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US", "--no-sync", "--no-instructions")
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// settings are for a small server on a loaded machine.
func (s *Server) settings() []string {
	all := []string{
		"listen_addresses=127.0.0.1", "port=" + strconv.Itoa(s.port), "unix_socket_directories=", "max_connections=200",
		"shared_buffers=32MB", "log_destination=stderr", "logging_collector=off", "jit=off", "lc_messages=C",
	}
	if !s.Durable {
		all = append(all, "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	}
	return all
}

// run starts the server and returns when it takes connections. The kernel ends
// it when the tests die; it counts the thread that started it as its parent,
// so that this goroutine's lives as long as the server.
func (s *Server) run(ctx context.Context, bin string, owner *syscall.Credential) error {
	args := []string{"-D", s.data()}
	for _, set := range s.settings() {
		args = append(args, "-c", set)
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner, Pdeathsig: syscall.SIGQUIT}
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	ready, ended := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		if err := cmd.Start(); err != nil {
			ready <- err
			return
		}
		said := follow(log, ready)
		ready <- fmt.Errorf("the server ended: %w\n%s", errors.Join(cmd.Wait()), said)
	}()
	s.stop = func() {
		if cmd.Process != nil {
			_ = cmd.Process.Signal(syscall.SIGQUIT) // at once: the data is thrown away
		}
		<-ended
	}
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow reads the server's log to its end, tells ready of the line after which
// it takes connections, and returns what was said before that.
func follow(log io.Reader, ready chan<- error) string {
	var said bytes.Buffer
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if ready == nil {
			continue
		}
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "ready to accept connections") {
			ready <- nil
			ready = nil
		}
	}
	return said.String()
}

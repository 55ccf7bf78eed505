package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"crossswe/schemas"
)

// asNobody runs f with the file permissions of a user who owns nothing: root,
// as whom tests may run, is refused by no mode. For others it just runs f.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	runtime.LockOSThread() // the permissions are the thread's
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setfsuid(0)
	f()
}

// openDir is a new directory that nobody reaches too.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	made := func(t *testing.T) string {
		file := filepath.Join(openDir(t), "s.db")
		s := open(t, file)
		if err := s.Commit(t.Context(), Batch{Marks: []Mark{{"m", "1"}}}); err != nil {
			t.Fatal(err)
		}
		s.Close()
		return file
	}
	chmod := func(t *testing.T, mode os.FileMode, paths ...string) {
		for _, p := range paths {
			if err := os.Chmod(p, mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(p, 0o777) })
		}
	}
	tests := []struct {
		name string
		make func(*testing.T) string
		want string
	}{
		{"a file in a directory", func(t *testing.T) string {
			file := made(t)
			chmod(t, 0o444, file)
			chmod(t, 0o555, filepath.Dir(file))
			return file
		}, "attempt to write a readonly database"},
		{"a file alone", func(t *testing.T) string {
			file := made(t)
			chmod(t, 0o444, file)
			chmod(t, 0o777, filepath.Dir(file))
			return file
		}, "attempt to write a readonly database"},
		{"a file that may not be read", func(t *testing.T) string {
			file := made(t)
			chmod(t, 0, file)
			return file
		}, "unable to open database file"},
		{"a directory without the file", func(t *testing.T) string {
			dir := openDir(t)
			chmod(t, 0o555, dir)
			return filepath.Join(dir, "s.db")
		}, "unable to open database file"},
		{"a directory that cannot be made", func(t *testing.T) string {
			dir := openDir(t)
			chmod(t, 0o555, dir)
			return filepath.Join(dir, "sub", "s.db")
		}, "permission denied"},
		{"a directory in the file's place", func(t *testing.T) string { return openDir(t) }, "unable to open database file"},
		{"no database", func(t *testing.T) string {
			file := filepath.Join(openDir(t), "s.db")
			if err := os.WriteFile(file, []byte(strings.Repeat("a letter to a friend\n", 100)), 0o666); err != nil {
				t.Fatal(err)
			}
			return file
		}, "file is not a database"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := tt.make(t)
			var err error
			asNobody(t, func() {
				var s *Store
				if s, err = Open(t.Context(), file); err == nil {
					s.Close()
				}
			})
			if err == nil || !strings.Contains(err.Error(), file) && !strings.Contains(err.Error(), filepath.Dir(file)) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that names %s and says %q", err, file, tt.want)
			}
		})
	}
}

// TestAFullDisk bounds the pages of the file: SQLite reports their end as it
// does that of the disk.
func TestAFullDisk(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	s.db.SetMaxOpenConns(1) // the bound is the connection's
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	large := numbered(1)
	large.Marks = append(large.Marks, Mark{"large", strings.Repeat("x", 1<<20)})
	err := s.Commit(t.Context(), large)
	if err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("got %v, want that the disk is full", err)
	}
	if n := written(t, s, 1); n != 0 {
		t.Errorf("%d of 3 parts are there, want none", n)
	}
	if err := s.Commit(t.Context(), numbered(2)); err != nil {
		t.Errorf("a small batch afterwards: %v", err)
	}
	if all, err := All[schemas.Review](t.Context(), s); len(all) != 1 || err != nil {
		t.Errorf("got %d reviews, %v; want the one of the small batch", len(all), err)
	}
}

package gitrepo_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/schemas"
)

// packHistory has a past, a future, a side branch and a tag; the middle is packed.
func packHistory(t *testing.T) (src *gitrepotest.Repo, past, middle, future schemas.CommitSHA) {
	src = gitrepotest.New(t)
	past = src.Commit("past", gitrepotest.Files{"a": gitrepotest.Text(tenLines), "old": gitrepotest.Text("old\n")})
	middle = src.Commit("middle", gitrepotest.Files{"a": gitrepotest.Text(tenLines + "11\n"), "sub": gitrepotest.Gitlink("7")}, past)
	future = src.Commit("future", gitrepotest.Files{"a": gitrepotest.Text(tenLines + "the fix\n")}, middle)
	src.Git("tag", "-a", "-m", "released", "v1", string(future))
	src.Git("notes", "add", "-m", "a note", string(middle))
	return src, past, middle, future
}

// unpacked makes a repository from a pack, the way a checkout is made.
func unpacked(t *testing.T, pack []byte, res gitrepo.PackResult, at schemas.CommitSHA) string {
	t.Helper()
	dst := gitrepotest.New(t)
	dst.GitIn(pack, "index-pack", "--stdin")
	if len(res.Shallow) > 0 {
		var lines string
		for _, sha := range res.Shallow {
			lines += string(sha) + "\n"
		}
		write(t, filepath.Join(dst.Dir, ".git", "shallow"), lines)
	}
	dst.Git("update-ref", "refs/heads/main", string(at))
	return dst.Dir
}

func TestPack(t *testing.T) {
	src, past, middle, future := packHistory(t)
	r := open(t, src.Dir)
	for _, c := range []struct {
		history schemas.History
		want    gitrepo.PackResult
		log     string
	}{
		{schemas.HistoryNone, gitrepo.PackResult{Objects: 3, Shallow: []schemas.CommitSHA{middle}}, "middle\n"},
		{schemas.HistoryPast, gitrepo.PackResult{Objects: 7}, "middle\npast\n"},
	} {
		t.Run(string(c.history), func(t *testing.T) {
			var pack bytes.Buffer
			res, err := r.Pack(t.Context(), &pack, gitrepo.PackOptions{Commit: middle, History: c.history})
			if diff := cmp.Diff(c.want, res); err != nil || diff != "" {
				t.Fatalf("Pack: %v (-want +got):\n%s", err, diff)
			}
			dir := unpacked(t, pack.Bytes(), res, middle)
			mustGit(t, dir, "fsck", "--strict")
			mustGit(t, dir, "reset", "-q", "--hard")
			if got := mustGit(t, dir, "status", "--porcelain"); got != "" {
				t.Errorf("the checkout is not clean: %s", got)
			}
			if got := mustGit(t, dir, "log", "--format=%s"); got != c.log {
				t.Errorf("log = %q, want %q", got, c.log)
			}
			objects := mustGit(t, dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
			if strings.Contains(objects, string(future)) || strings.Count(objects, "\n") != res.Objects {
				t.Errorf("objects: %s", objects)
			}
			if c.history == schemas.HistoryNone && strings.Contains(objects, string(past)) {
				t.Errorf("the past is in the pack")
			}
		})
	}
}

// TestPackBytes packs from differently stored copies of one repository.
func TestPackBytes(t *testing.T) {
	src, _, middle, _ := packHistory(t)
	repacked := cloned(t, src, "--bare")
	mustGit(t, repacked, "repack", "-adfq", "--depth=1", "--window=1")
	aggressive := cloned(t, src, "--mirror")
	mustGit(t, aggressive, "gc", "-q", "--aggressive", "--prune=now")
	var first []byte
	for _, dir := range []string{src.Dir, repacked, aggressive} {
		var pack bytes.Buffer
		if _, err := open(t, dir).Pack(t.Context(), &pack, gitrepo.PackOptions{Commit: middle, History: schemas.HistoryPast}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = pack.Bytes()
		}
		if !bytes.Equal(first, pack.Bytes()) {
			t.Errorf("%s gives other bytes", dir)
		}
	}
}

func TestPackOfIncompleteRepositories(t *testing.T) {
	src := gitrepotest.New(t)
	lost := gitrepotest.Text("lost\n")
	past := src.Commit("past", gitrepotest.Files{"gone": gitrepotest.Text("lost long ago\n")})
	head := src.Commit("head", gitrepotest.Files{"x": lost, "y/z": lost, "kept": gitrepotest.Text("kept\n")}, past)
	gone, now := gitrepo.OID(src.Blob(past, "gone")), gitrepo.OID(src.Blob(head, "x"))
	shallow := cloned(t, src, "--bare", "--depth=1")
	src.Drop(string(gone))
	src.Drop(string(now))

	t.Run("missing blobs", func(t *testing.T) {
		var pack bytes.Buffer
		res, err := open(t, src.Dir).Pack(t.Context(), &pack, gitrepo.PackOptions{Commit: head, History: schemas.HistoryPast})
		want := gitrepo.PackResult{Objects: 6, Missing: []gitrepo.MissingObjectError{
			{OID: now, Path: "x"}, {OID: now, Path: "y/z"}, {OID: gone},
		}}
		if diff := cmp.Diff(want, res); err != nil || diff != "" {
			t.Fatalf("Pack: %v (-want +got):\n%s", err, diff)
		}
		dir := unpacked(t, pack.Bytes(), res, head)
		if got := mustGit(t, dir, "show", "main:kept"); got != "kept\n" {
			t.Errorf("kept = %q", got)
		}
	})
	t.Run("shallow source", func(t *testing.T) {
		var pack bytes.Buffer
		res, err := open(t, shallow).Pack(t.Context(), &pack, gitrepo.PackOptions{Commit: head, History: schemas.HistoryPast})
		want := gitrepo.PackResult{Objects: 5, Shallow: []schemas.CommitSHA{head}}
		if diff := cmp.Diff(want, res); err != nil || diff != "" {
			t.Fatalf("Pack: %v (-want +got):\n%s", err, diff)
		}
		mustGit(t, unpacked(t, pack.Bytes(), res, head), "fsck", "--strict")
	})
	t.Run("absent commit", func(t *testing.T) {
		_, err := open(t, shallow).Pack(t.Context(), new(bytes.Buffer), gitrepo.PackOptions{Commit: past, History: schemas.HistoryPast})
		if !errors.Is(err, gitrepo.ErrNoCommit) {
			t.Errorf("Pack: got %v, want %v", err, gitrepo.ErrNoCommit)
		}
	})
	t.Run("the writer fails", func(t *testing.T) {
		_, err := open(t, shallow).Pack(t.Context(), failingWriter{}, gitrepo.PackOptions{Commit: head, History: schemas.HistoryPast})
		if !errors.Is(err, errFull) {
			t.Errorf("Pack: got %v, want %v", err, errFull)
		}
	})
}

var errFull = errors.New("disk full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

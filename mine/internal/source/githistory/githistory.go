// Package githistory reads the history of a local git repository in bulk: its
// commits, what they do to dependency manifests, and what its pull requests
// held. It is the source that needs no API.
//
// Texts are outside material: messages may hold any bytes and are cut at
// MaxMessage; a blob that is absent is counted and passed over. Names and
// e-mail addresses serve to tell bots and equal authors and go no further.
package githistory

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// MaxMessage is how much of a commit message is read. The longest real ones
// are squashed bodies of some hundred kilobytes; what is beyond is pasted logs.
const MaxMessage = 1 << 20

// Commit is one commit of the history.
type Commit struct {
	SHA     schemas.CommitSHA
	Tree    string
	Parents []schemas.CommitSHA
	// AuthorTime and CommitTime are Unix seconds.
	AuthorTime, CommitTime  int64
	AuthorName, AuthorEmail string
	// Message is valid until the next commit is read.
	Message []byte
	// Truncated says that the message was longer than MaxMessage.
	Truncated bool
}

// Subject returns the first line of the message.
func (c *Commit) Subject() string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(c.Message, "\r\n"), []byte("\n"))
	const most = 500
	line = bytes.TrimSpace(line[:min(len(line), most)])
	return strings.ToValidUTF8(string(line), "\uFFFD")
}

// branchRefs are the references whose history is read: branches, remote ones,
// HEAD, and tags, since a release is often cut beside every branch.
var branchRefs = []string{"--branches", "--remotes", "--tags", "HEAD"}

// format has one NUL-ended field each; "log -z" ends the record with another.
const format = "--format=%H%x00%T%x00%P%x00%at%x00%ct%x00%an%x00%ae%x00%B"

// Commits calls each for every commit of the repository's branches and tags,
// newest first by their own clocks, each once. An empty repository has none.
// It stops at the first error of each.
func Commits(ctx context.Context, repo *gitrepo.Repo, each func(*Commit) error) error {
	refs, err := roots(ctx, repo)
	if err != nil || len(refs) == 0 {
		return err
	}
	args := append([]string{"log", "-z", "--encoding=UTF-8", "--no-color", "--no-decorate", format}, refs...)
	return stream(repo.Command(ctx, append(args, "--")...), func(r *bufio.Reader) error {
		var c Commit
		for {
			err := readCommit(r, &c)
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = each(&c)
			}
			if err != nil {
				return err
			}
		}
	})
}

// roots are the arguments that name where to begin, none in an empty
// repository. HEAD is left out where it names no commit, as in a mirror whose
// default branch is gone: git would refuse it.
func roots(ctx context.Context, repo *gitrepo.Repo) ([]string, error) {
	_, err := repo.Resolve(ctx, "HEAD")
	if err == nil {
		return branchRefs, nil
	}
	if !errors.Is(err, gitrepo.ErrNoCommit) {
		return nil, err
	}
	for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		refs, err := repo.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			if r.Commit != "" {
				return branchRefs[:len(branchRefs)-1], nil
			}
		}
	}
	return nil, nil
}

func readCommit(r *bufio.Reader, c *Commit) error {
	sha, err := field(r)
	if err != nil {
		return err
	}
	var fields [6]string
	for i := range fields {
		if fields[i], err = field(r); err != nil {
			return fmt.Errorf("reading commit %s: %w", sha, noEOF(err))
		}
	}
	c.SHA, c.Tree = schemas.CommitSHA(sha), fields[0]
	c.Parents = c.Parents[:0]
	for p := range strings.FieldsSeq(fields[1]) {
		c.Parents = append(c.Parents, schemas.CommitSHA(p))
	}
	c.AuthorTime, _ = strconv.ParseInt(fields[2], 10, 64)
	c.CommitTime, _ = strconv.ParseInt(fields[3], 10, 64)
	c.AuthorName, c.AuthorEmail = fields[4], fields[5]
	c.Message, c.Truncated, err = bounded(r, c.Message[:0], MaxMessage)
	return noEOF(err)
}

// field reads one short field.
func field(r *bufio.Reader) (string, error) {
	b, _, err := bounded(r, nil, 64<<10)
	return string(b), err
}

// bounded reads up to a NUL, keeps the first most bytes and says whether there
// were more. The end of input is io.EOF only before the first byte.
func bounded(r *bufio.Reader, into []byte, most int) ([]byte, bool, error) {
	cut := false
	for first := true; ; first = false {
		part, err := r.ReadSlice(0)
		if err == io.EOF && (len(part) > 0 || !first) {
			return into, cut, io.ErrUnexpectedEOF
		}
		if err != nil && err != bufio.ErrBufferFull {
			return into, cut, err
		}
		if err == nil {
			part = part[:len(part)-1]
		}
		room := most - len(into)
		cut = cut || len(part) > room
		into = append(into, part[:min(len(part), room)]...)
		if err == nil {
			return into, cut, nil
		}
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stream runs a git command and hands its output to read. When read fails the
// command is killed; a failure of the command itself comes with its words.
func stream(cmd *exec.Cmd, read func(*bufio.Reader) error) error {
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting git: %w", err)
	}
	readErr := read(bufio.NewReaderSize(out, 256<<10))
	if readErr != nil {
		cmd.Process.Kill()
	}
	if err := cmd.Wait(); err != nil && (readErr == nil || readErr == io.ErrUnexpectedEOF) {
		return fmt.Errorf("reading the history: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return readErr
}

// limited keeps the first bytes that are written to it.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

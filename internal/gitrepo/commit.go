package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"crossswe/schemas"
)

// Commit is what a commit object holds.
type Commit struct {
	SHA         schemas.CommitSHA
	Parents     []schemas.CommitSHA // as recorded, cut off by a shallow boundary or not
	Tree        OID
	AuthorName  string
	AuthorEmail string
	AuthorTime  time.Time // UTC; zero when it cannot be read
	CommitTime  time.Time // UTC; clocks run behind, so order by ancestry, never by this
	Message     []byte    // as stored, in whatever encoding
}

// Commit reads one commit. The error is ErrNoCommit when it is absent.
func (r *Repo) Commit(ctx context.Context, sha schemas.CommitSHA) (Commit, error) {
	b, err := r.object(ctx, "commit", Entry{OID: OID(sha)}, maxMetaObject)
	var missing *MissingObjectError
	if errors.As(err, &missing) {
		return Commit{}, fmt.Errorf("reading commit %s: %w", sha, ErrNoCommit)
	}
	if err != nil {
		return Commit{}, err
	}
	c, err := parseCommit(b)
	if err != nil {
		return Commit{}, fmt.Errorf("reading commit %s: %w", sha, err)
	}
	c.SHA = sha
	return c, nil
}

// parseCommit reads the headers up to the empty line; what follows is the message.
func parseCommit(b []byte) (Commit, error) {
	var c Commit
	for {
		line, rest, found := bytes.Cut(b, []byte{'\n'})
		b = rest
		if len(line) == 0 {
			break
		}
		if err := c.header(string(line)); err != nil {
			return Commit{}, err
		}
		if !found {
			break
		}
	}
	if c.Tree == "" {
		return Commit{}, errors.New("it names no tree")
	}
	c.Message = b
	return c, nil
}

// header takes in one header line. Continuation lines start with a blank and
// match no key.
func (c *Commit) header(line string) error {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "tree":
		c.Tree = OID(value)
	case "parent":
		sha, err := schemas.ParseCommitSHA(value)
		if err != nil {
			return err
		}
		c.Parents = append(c.Parents, sha)
	case "author":
		c.AuthorName, c.AuthorEmail, c.AuthorTime = parseIdent(value)
	case "committer":
		_, _, c.CommitTime = parseIdent(value)
	}
	return nil
}

// parseIdent reads "NAME <EMAIL> SECONDS ZONE" as loosely as old histories need.
func parseIdent(s string) (name, email string, at time.Time) {
	closing := strings.LastIndexByte(s, '>')
	if closing < 0 {
		return strings.TrimSpace(s), "", time.Time{}
	}
	name, email, _ = strings.Cut(s[:closing], "<")
	fields := strings.Fields(s[closing+1:])
	if len(fields) > 0 {
		if sec, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
			at = time.Unix(sec, 0).UTC()
		}
	}
	return strings.TrimSpace(name), email, at
}

package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"crossswe/schemas"
)

var errBadDiff = errors.New("reading git's raw diff: unexpected form")

// parseRaw reads the records of "git diff-tree --raw -z" and returns what
// follows them.
func parseRaw(b []byte) (changes []Change, rest []byte, err error) {
	for len(b) > 0 && b[0] == ':' {
		var head, path string
		if head, b, err = field(b); err != nil {
			return nil, nil, err
		}
		c, err := parseRawHead(head)
		if err != nil {
			return nil, nil, err
		}
		if path, b, err = field(b); err != nil {
			return nil, nil, err
		}
		c.Path = path
		if c.Status == schemas.FileRenamed || c.Status == schemas.FileCopied {
			c.OldPath = path
			if c.Path, b, err = field(b); err != nil {
				return nil, nil, err
			}
		}
		changes = append(changes, c)
	}
	return changes, b, nil
}

// parseRawHead reads ":MODE MODE OID OID LETTER[SCORE]".
func parseRawHead(head string) (Change, error) {
	f := strings.Fields(strings.TrimPrefix(head, ":"))
	if len(f) != 5 {
		return Change{}, fmt.Errorf("%w: %q", errBadDiff, head)
	}
	oldMode, err1 := strconv.ParseUint(f[0], 8, 32)
	newMode, err2 := strconv.ParseUint(f[1], 8, 32)
	status, ok := statuses[f[4][0]]
	if err1 != nil || err2 != nil || !ok {
		return Change{}, fmt.Errorf("%w: %q", errBadDiff, head)
	}
	c := Change{Status: status, OldMode: Mode(oldMode), NewMode: Mode(newMode)}
	if c.OldMode != ModeNone {
		c.OldOID = OID(f[2])
	}
	if c.NewMode != ModeNone {
		c.NewOID = OID(f[3])
	}
	return c, nil
}

var statuses = map[byte]schemas.FileStatus{
	'A': schemas.FileAdded,
	'M': schemas.FileModified,
	'D': schemas.FileDeleted,
	'R': schemas.FileRenamed,
	'C': schemas.FileCopied,
	'T': schemas.FileType,
}

// parseNumstat fills in the line counts of the same changes, which git lists
// in the same order. With want unset there must be none.
func parseNumstat(b []byte, changes []Change, want bool) error {
	for i := range changes {
		if !want {
			break
		}
		var err error
		if b, err = parseStat(b, &changes[i]); err != nil {
			return err
		}
	}
	if len(b) > 0 {
		return fmt.Errorf("%w: more than expected", errBadDiff)
	}
	return nil
}

// parseStat reads "ADDED TAB DELETED TAB PATH NUL", where a rename has an
// empty path and two more fields, and binaries have dashes.
func parseStat(b []byte, c *Change) ([]byte, error) {
	stat, b, err := field(b)
	if err != nil {
		return nil, err
	}
	added, tail, ok1 := strings.Cut(stat, "\t")
	deleted, path, ok2 := strings.Cut(tail, "\t")
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%w: %q", errBadDiff, stat)
	}
	if path == "" {
		if _, b, err = field(b); err != nil {
			return nil, err
		}
		if path, b, err = field(b); err != nil {
			return nil, err
		}
	}
	if path != c.Path {
		return nil, fmt.Errorf("%w: counts of %q where %q was expected", errBadDiff, path, c.Path)
	}
	if c.OldMode == ModeGitlink || c.NewMode == ModeGitlink {
		return b, nil
	}
	if added == "-" {
		c.Binary = true
		return b, nil
	}
	c.Added, ok1 = atoi(added)
	c.Deleted, ok2 = atoi(deleted)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%w: %q", errBadDiff, stat)
	}
	return b, nil
}

func atoi(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func field(b []byte) (string, []byte, error) {
	f, rest, ok := bytes.Cut(b, []byte{0})
	if !ok {
		return "", nil, errBadDiff
	}
	return string(f), rest, nil
}

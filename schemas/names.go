package schemas

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// RepoName names a repository: "owner/name" on github.com, or
// "host/owner/name" on a GitHub Enterprise Server. It keeps the spelling it
// was given; two names are the same repository when their Key is equal.
type RepoName string

var (
	ownerPattern = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9_])?$`)
	namePattern  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	hostPattern  = regexp.MustCompile(`^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]{1,5})?$`)
)

// ParseRepoName returns s as a RepoName. A leading "github.com/" is dropped.
func ParseRepoName(s string) (RepoName, error) {
	parts := strings.Split(s, "/")
	if len(parts) == 3 && strings.EqualFold(parts[0], "github.com") {
		parts = parts[1:]
	}
	host := ""
	if len(parts) == 3 {
		host, parts = parts[0], parts[1:]
		if !hostPattern.MatchString(host) {
			return "", fmt.Errorf("repository name %q: %q is no host", s, host)
		}
	}
	if len(parts) != 2 {
		return "", fmt.Errorf("repository name %q: want owner/name", s)
	}
	owner, name := parts[0], parts[1]
	if !ownerPattern.MatchString(owner) {
		return "", fmt.Errorf("repository name %q: %q is no owner", s, owner)
	}
	if !namePattern.MatchString(name) || name == "." || name == ".." {
		return "", fmt.Errorf("repository name %q: %q is no repository", s, name)
	}
	if host != "" {
		return RepoName(host + "/" + owner + "/" + name), nil
	}
	return RepoName(owner + "/" + name), nil
}

// Host returns the host, "github.com" unless the name carries another.
func (r RepoName) Host() string {
	if parts := strings.Split(string(r), "/"); len(parts) == 3 {
		return parts[0]
	}
	return "github.com"
}

// Owner returns the part before the repository's own name.
func (r RepoName) Owner() string {
	parts := strings.Split(string(r), "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}

// Name returns the repository's own name, without its owner.
func (r RepoName) Name() string {
	return string(r[strings.LastIndexByte(string(r), '/')+1:])
}

// Key returns the form to compare and to index by: GitHub's names are
// case-insensitive.
func (r RepoName) Key() string { return strings.ToLower(string(r)) }

// Same reports whether both names are the same repository.
func (r RepoName) Same(o RepoName) bool { return r.Key() == o.Key() }

// UnmarshalJSON refuses what ParseRepoName refuses.
func (r *RepoName) UnmarshalJSON(b []byte) error { return unmarshalName(b, r, ParseRepoName) }

// CommitSHA is a full commit id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
type CommitSHA string

// ParseCommitSHA returns s as a CommitSHA, lower-cased.
func ParseCommitSHA(s string) (CommitSHA, error) {
	s = strings.ToLower(s)
	if (len(s) != 40 && len(s) != 64) || !isHex(s) {
		return "", fmt.Errorf("commit id %q: want 40 or 64 hex digits", s)
	}
	return CommitSHA(s), nil
}

// Short returns the first 12 digits.
func (c CommitSHA) Short() string {
	if len(c) < 12 {
		return string(c)
	}
	return string(c[:12])
}

// UnmarshalJSON refuses what ParseCommitSHA refuses; an empty string stays empty.
func (c *CommitSHA) UnmarshalJSON(b []byte) error { return unmarshalName(b, c, ParseCommitSHA) }

// Digest is the SHA-256 of some bytes: "sha256:" and 64 hex digits.
type Digest string

// ParseDigest returns s as a Digest.
func ParseDigest(s string) (Digest, error) {
	hex, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(hex) != 64 || !isHex(hex) {
		return "", fmt.Errorf("digest %q: want sha256: and 64 hex digits", s)
	}
	return Digest(s), nil
}

// DigestOf returns the digest of the bytes.
func DigestOf(body []byte) Digest {
	sum := sha256.Sum256(body)
	return Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// Hex returns the digits without the algorithm.
func (d Digest) Hex() string { return strings.TrimPrefix(string(d), "sha256:") }

// UnmarshalJSON refuses what ParseDigest refuses; an empty string stays empty.
func (d *Digest) UnmarshalJSON(b []byte) error { return unmarshalName(b, d, ParseDigest) }

// ImageRef names a container image: a tag ("crossswe/env:3fa2…") or a name
// pinned by digest ("golang@sha256:…").
type ImageRef string

// imagePattern is a name by digest alone: no scheme, no login, no tag.
var imagePattern = regexp.MustCompile(`^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*@sha256:[0-9a-f]{64}$`)

// ByDigest reports whether the name is a repository with a digest and no tag,
// so that it can never stand for another image.
func (r ImageRef) ByDigest() bool { return imagePattern.MatchString(string(r)) }

// CandidateID names one candidate; see NewCandidateID.
type CandidateID string

var candidatePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{2,180}$`)

// ParseCandidateID returns s as a CandidateID: lower case, usable as a file
// name, an image tag and a URL segment.
func ParseCandidateID(s string) (CandidateID, error) {
	if !candidatePattern.MatchString(s) || strings.Contains(s, "..") {
		return "", fmt.Errorf("candidate id %q: want lower-case letters, digits, '.', '_' and '-'", s)
	}
	return CandidateID(s), nil
}

// UnmarshalJSON refuses what ParseCandidateID refuses.
func (c *CandidateID) UnmarshalJSON(b []byte) error { return unmarshalName(b, c, ParseCandidateID) }

func unmarshalName[T ~string](b []byte, to *T, parse func(string) (T, error)) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s == "" {
		*to = ""
		return nil
	}
	v, err := parse(s)
	if err != nil {
		return err
	}
	*to = v
	return nil
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

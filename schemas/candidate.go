package schemas

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Candidate is a change that may be a joint one: two or more sides and what
// connects them. mine writes it; nothing changes it afterwards.
type Candidate struct {
	ID CandidateID `json:"id"`
	// Origin says how it came about: mined, or added by hand.
	Origin Origin `json:"origin"`
	// Sides are ordered providers first (no side stands before one that it
	// consumes, as far as the links tell), then by repository key. Bit i of a
	// Mask stands for Sides[i].
	Sides []Side `json:"sides"`
	Links []Link `json:"links"`
	Cues  []Cue  `json:"cues"`
	Score Score  `json:"score"`
	// WindowFrom and WindowTo are the earliest and the latest merge time of the sides.
	WindowFrom time.Time `json:"window_from"`
	WindowTo   time.Time `json:"window_to"`
	// ReducedFrom is the candidate whose minimal joint set this one is, if any.
	ReducedFrom CandidateID `json:"reduced_from,omitempty"`
}

// Origin says how a candidate came about.
type Origin string

// The origins of a candidate.
const (
	OriginMined   Origin = "mined"   // found by mine in a source
	OriginAdded   Origin = "added"   // named by a person: mine -add
	OriginReduced Origin = "reduced" // the minimal set of a verified candidate
)

// Side is one repository's whole part of the change: every commit after Base
// up to and including Head.
type Side struct {
	Repo RepoName `json:"repo"`
	// Pull is the pull request's number, 0 where none is known.
	Pull int       `json:"pull,omitempty"`
	Base CommitSHA `json:"base"`
	Head CommitSHA `json:"head"`
	// Merge is the merge commit, empty for squashed, rebased and pushed changes.
	Merge    CommitSHA `json:"merge,omitempty"`
	Commits  int       `json:"commits"` // number of commits in Base..Head, merges included
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Labels   []string  `json:"labels"`
	MergedAt time.Time `json:"merged_at"`
	Role     Role      `json:"role"`
	Files    []File    `json:"files"`
	// License is an SPDX expression for the tree at Base, "" when undetected.
	License string `json:"license"`
	// Language is the language of most changed source lines, "" when none.
	Language string `json:"language"`
}

// Role is a side's part in the dependency between the sides.
type Role string

// The roles of a side.
const (
	RoleProvider Role = "provider" // others depend on it
	RoleConsumer Role = "consumer" // it depends on others
	RoleBoth     Role = "both"     // provider to one, consumer of another
	RoleUnknown  Role = "unknown"  // the links do not tell
)

// File is one changed path of a side.
type File struct {
	Path    string     `json:"path"`
	OldPath string     `json:"old_path,omitempty"` // before a rename or copy
	Status  FileStatus `json:"status"`
	Class   FileClass  `json:"class"`
	Added   int        `json:"added"`   // lines; 0 for binaries
	Deleted int        `json:"deleted"` // lines; 0 for binaries
	Binary  bool       `json:"binary,omitempty"`
	// Missing says that a blob of the change is absent from the repository at hand.
	Missing bool `json:"missing,omitempty"`
}

// FileStatus is git's letter for what happened to a path, written out.
type FileStatus string

// The statuses of a changed path.
const (
	FileAdded    FileStatus = "added"
	FileModified FileStatus = "modified"
	FileDeleted  FileStatus = "deleted"
	FileRenamed  FileStatus = "renamed"
	FileCopied   FileStatus = "copied"
	FileType     FileStatus = "type" // a file became a symlink, a submodule, …
)

// FileClass says what a path is for.
type FileClass string

// The classes of a path. Everything that is not Test belongs to the gold patch.
const (
	ClassSource    FileClass = "source"
	ClassTest      FileClass = "test"
	ClassDoc       FileClass = "doc"
	ClassConfig    FileClass = "config"    // build scripts, CI, linters, ownership
	ClassManifest  FileClass = "manifest"  // go.mod, package.json, …
	ClassLock      FileClass = "lock"      // go.sum, package-lock.json, …
	ClassGenerated FileClass = "generated" // made by a program
	ClassVendored  FileClass = "vendored"  // a copy of another project
)

// Link is one piece of evidence that two sides belong together.
type Link struct {
	From RepoName `json:"from"` // the side where the evidence stands
	To   RepoName `json:"to"`
	Kind LinkKind `json:"kind"`
	// Text is the exact text: the reference as written, or the manifest line.
	Text string `json:"text"`
	// Where says where it stood.
	Where LinkPlace `json:"where"`
	// Commit is the commit whose message or manifest holds it.
	Commit CommitSHA `json:"commit,omitempty"`
	// Path is the manifest's path for manifest places.
	Path string `json:"path,omitempty"`
	// SpanStart and SpanEnd are byte offsets of Text within the message.
	SpanStart int `json:"span_start,omitempty"`
	SpanEnd   int `json:"span_end,omitempty"`
	// OldVersion and NewVersion are a dependency edge's versions as written.
	OldVersion string `json:"old_version,omitempty"`
	NewVersion string `json:"new_version,omitempty"`
}

// LinkKind says what a link states.
type LinkKind string

// The kinds of link.
const (
	LinkDependsOn  LinkKind = "depends_on"  // From says that it needs To
	LinkNeededBy   LinkKind = "needed_by"   // From says that To needs it
	LinkCompanion  LinkKind = "companion"   // From says that To goes with it
	LinkCloses     LinkKind = "closes"      // From closes To's issue
	LinkMentions   LinkKind = "mentions"    // From names To's change without saying why
	LinkVersion    LinkKind = "version"     // From's manifest moved To to a version that holds the change
	LinkCommonRef  LinkKind = "common_ref"  // both name the same third issue or ticket
	LinkSameTitle  LinkKind = "same_title"  // near-identical titles within days
	LinkCuratorSet LinkKind = "curator_set" // a person put them together
)

// LinkPlace says where a link stood.
type LinkPlace string

// The places of a link.
const (
	PlaceCommitMessage LinkPlace = "commit_message"
	PlacePullTitle     LinkPlace = "pull_title"
	PlacePullBody      LinkPlace = "pull_body"
	PlaceManifest      LinkPlace = "manifest"
	PlaceCommandLine   LinkPlace = "command_line"
)

// Cue is a reason to believe in the candidate, for the reviewer's eye.
type Cue struct {
	Kind CueKind `json:"kind"`
	// Detail is the evidence, one short line.
	Detail string `json:"detail"`
}

// CueKind tells cues apart.
type CueKind string

// The kinds of cue.
const (
	CueAPIEvolution     CueKind = "api_evolution"
	CueMigration        CueKind = "dependency_migration"
	CueProviderConsumer CueKind = "provider_consumer"
	CueClientServer     CueKind = "client_server"
	CueProtocol         CueKind = "schema_protocol"
	CueSharedIdentifier CueKind = "shared_identifiers"
	CueStatedDependency CueKind = "stated_dependency"
)

// Score is the sum of its parts, each explained.
type Score struct {
	Total float64     `json:"total"`
	Parts []ScorePart `json:"parts"`
}

// ScorePart is one term of a score.
type ScorePart struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"` // what it adds to the total
	Detail string  `json:"detail"`
}

// DropReason says why mine did not propose what it found. Drops are recorded,
// not forgotten: the funnel counts them.
type DropReason string

// The reasons of mine for a drop.
const (
	DropDocsOnly     DropReason = "docs_only"
	DropTestsOnly    DropReason = "tests_only"
	DropConfigOnly   DropReason = "config_only"
	DropManifestOnly DropReason = "manifest_only"
	DropBotBump      DropReason = "bot_bump"
	DropBackport     DropReason = "backport"
	DropCopy         DropReason = "copy" // the same patch, or the same commit, in both repositories
	DropRevert       DropReason = "revert"
	DropFork         DropReason = "fork"
	DropVendoring    DropReason = "vendoring"
	DropRelease      DropReason = "release"
	DropMention      DropReason = "mere_mention"
	DropOutOfWindow  DropReason = "out_of_window"
	DropUnresolved   DropReason = "unresolved" // the other side is in no repository at hand
	DropNoChange     DropReason = "no_change"  // it names an issue or a range, not a change
	DropTooLarge     DropReason = "too_large"
	DropMissingBlob  DropReason = "missing_blob"
	DropLowScore     DropReason = "low_score"
)

// NewCandidateID derives the ID from the sides alone: for people the names and
// pull numbers (or short head ids), for uniqueness a hash over every side's
// repository key, base and head.
func NewCandidateID(sides []Side) CandidateID {
	h := sha256.New()
	sorted := slices.Clone(sides)
	slices.SortFunc(sorted, func(a, b Side) int { return strings.Compare(a.Repo.Key(), b.Repo.Key()) })
	var names []string
	for _, s := range sorted {
		fmt.Fprintf(h, "%s %s %s\n", s.Repo.Key(), s.Base, s.Head)
		change := strconv.Itoa(s.Pull)
		if s.Pull == 0 {
			change = string(s.Head[:min(7, len(s.Head))])
		}
		names = append(names, readableName(s.Repo)+"-"+change)
	}
	readable := strings.Join(names, "_")
	if len(readable) > 100 {
		readable = readable[:100]
	}
	return CandidateID(readable + "-" + hex.EncodeToString(h.Sum(nil))[:10])
}

// readableName returns the repository's own name as ParseCandidateID takes it.
func readableName(r RepoName) string {
	dotted := strings.FieldsFunc(strings.ToLower(r.Name()), func(c rune) bool { return c == '.' })
	if name := strings.Trim(strings.Join(dotted, "."), "._-"); name != "" {
		return name
	}
	return "repo"
}

// RecordKind implements Record.
func (Candidate) RecordKind() Kind { return KindCandidate }

// RecordKey implements Record.
func (c Candidate) RecordKey() string { return string(c.ID) }

// Validate implements Record.
func (c Candidate) Validate() error {
	if len(c.Sides) < 2 {
		return errors.New("a candidate needs two sides or more")
	}
	if len(c.Sides) > MaxSides {
		return fmt.Errorf("a candidate has at most %d sides, this one %d", MaxSides, len(c.Sides))
	}
	seen := map[string]bool{}
	for _, s := range c.Sides {
		if s.Repo == "" || s.Base == "" || s.Head == "" {
			return fmt.Errorf("side %q: repository, base and head are required", s.Repo)
		}
		if seen[s.Repo.Key()] {
			return fmt.Errorf("repository %s stands on two sides", s.Repo)
		}
		seen[s.Repo.Key()] = true
	}
	for _, l := range c.Links {
		if !seen[l.From.Key()] || !seen[l.To.Key()] {
			return fmt.Errorf("link %s → %s: not both are sides", l.From, l.To)
		}
	}
	if want := NewCandidateID(c.Sides); c.ID != want {
		return fmt.Errorf("id %s does not follow from the sides (want %s)", c.ID, want)
	}
	return nil
}

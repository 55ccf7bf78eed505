// Package crossref finds, in the texts that people write, what they refer to:
// issues, pull requests, commits, ranges, files, repositories, module versions
// and tickets, in every form seen in commit messages and pull request bodies.
//
// The package is pure: text in, references out. It asks nobody whether what
// it found exists. It never panics and takes linear time on any bytes.
package crossref

import (
	"strconv"
	"strings"

	"crossswe/schemas"
)

// Kind says what a reference names.
type Kind string

// The kinds of reference.
const (
	KindIssueOrPull   Kind = "issue_or_pull" // a number: GitHub has one counter for both
	KindPull          Kind = "pull"
	KindCommit        Kind = "commit"
	KindCompare       Kind = "compare" // a range of commits, Base to Head
	KindFile          Kind = "file"    // a path at a SHA or Ref
	KindTree          Kind = "tree"    // a branch, tag, archive or directory
	KindRepo          Kind = "repo"
	KindModuleVersion Kind = "module_version" // a Go pseudo-version
	KindDiscussion    Kind = "discussion"
	KindActionsRun    Kind = "actions_run"
	KindTicket        Kind = "ticket" // a key of another tracker, NODE-7317
)

// Rel is what the words around a reference say about it, seen from the change
// that the text describes.
type Rel string

// The relations. The empty one means that no words were recognised.
const (
	RelDependsOn  Rel = "depends_on"  // this change needs the other
	RelNeededBy   Rel = "needed_by"   // the other needs this change
	RelCompanion  Rel = "companion"   // they go together
	RelCloses     Rel = "closes"      // a closing keyword stands right before it
	RelRefs       Rel = "refs"        // "see", "relates to": a mention that says no more
	RelBackportOf Rel = "backport_of" // the same change elsewhere
	RelSupersedes Rel = "supersedes"  // this change replaces the other
	RelOwnPR      Rel = "own_pr"      // the pull request that this commit came from
)

// Reference is one reference as it stands in a text. Fields that do not belong
// to its Kind are zero. Names keep the spelling of the text; nothing is
// resolved.
type Reference struct {
	Kind Kind
	// Host is "github.com" for every address of github.com and its mirrors
	// (www, api, redirect), or a configured GitHub Enterprise host. It is empty
	// when the text does not tell the repository.
	Host  string
	Owner string
	Repo  string
	// RepoNameOnly is the repository's name where the text names no owner
	// ("dask#7558"); Owner and Repo are empty then.
	RepoNameOnly string
	Number       int   // issue, pull request or discussion
	Run          int64 // actions run
	// SHA is a commit id as written, lower-cased: 7 to 40 digits, 12 for a
	// module version.
	SHA string
	// Timestamp is the 14 digits of a module version.
	Timestamp string
	// Module is the module path of a module version, when the line has it.
	Module string
	// Base and Head are the ends of a compare view.
	Base, Head string
	// Ref is a branch or tag. A branch whose name holds a slash cannot be told
	// from a path: Ref is the first segment then, and Path the rest.
	Ref   string
	Path  string
	Lines string // "L10" or "L10-L20"
	// Sub is the part of a pull request's page, or "patch" and "diff".
	Sub    string
	Anchor string // the URL's fragment, without the "#"
	Key    string // ticket
	Rel    Rel
	// Local says that the reference names the context repository itself.
	Local bool
	// BotNoise says that it was written the way update bots write links, so
	// that GitHub does not connect them.
	BotNoise bool
	// InCode says that it stands in inline code or an indented block, or in a
	// fence when Options.Code asks for those.
	InCode bool
	// Quoted says that it stands in a quoted line ("> …").
	Quoted bool
	// LowConfidence marks what GitHub itself would not link, or would link
	// elsewhere: the author's meaning was guessed.
	LowConfidence bool
	// Start and End are the byte span of Text.
	Start, End int
	Text       string
}

// RepoName returns the repository, false when the text does not name it fully.
func (r Reference) RepoName() (schemas.RepoName, bool) {
	if r.Owner == "" || r.Repo == "" {
		return "", false
	}
	return repoName(r.Host, r.Owner, r.Repo), true
}

// String returns the normal form, the same for every way of writing the same
// target: "owner/repo#12", "owner/repo@sha", "owner/repo@base...head",
// "owner/repo@ref:path#L1-L2", "owner/repo", "repo#12", "KEY-1", and "sha" where
// the text names no repository. A host other than github.com stands before the
// owner.
func (r Reference) String() string {
	name := r.RepoNameOnly
	if full, ok := r.RepoName(); ok {
		name = string(full)
	}
	switch r.Kind {
	case KindIssueOrPull, KindPull, KindDiscussion:
		return name + "#" + strconv.Itoa(r.Number)
	case KindCompare:
		return name + "@" + r.Base + "..." + r.Head
	case KindActionsRun:
		return name + "/actions/runs/" + strconv.FormatInt(r.Run, 10)
	case KindTicket:
		return r.Key
	case KindModuleVersion:
		if name == "" {
			name = r.Module
		}
	}
	return strings.TrimPrefix(name+r.revision(), "@")
}

func (r Reference) revision() string {
	s := ""
	if at := r.SHA + r.Ref; at != "" {
		s = "@" + at
	}
	if r.Path != "" {
		s += ":" + r.Path
	}
	if r.Lines != "" {
		s += "#" + r.Lines
	}
	return s
}

func repoName(host, owner, repo string) schemas.RepoName {
	if host == "" || host == githubHost {
		return schemas.RepoName(owner + "/" + repo)
	}
	return schemas.RepoName(host + "/" + owner + "/" + repo)
}

// Renames maps the Key of a repository's old name to its new name. Chains are
// followed.
type Renames map[string]schemas.RepoName

// Name returns the present name of a repository, the name itself when it was
// not renamed. A circle of renames ends at some name within it.
func (rn Renames) Name(name schemas.RepoName) schemas.RepoName {
	for range len(rn) {
		next, ok := rn[name.Key()]
		if !ok {
			break
		}
		name = next
	}
	return name
}

// Canonical returns ref with the present owner and repository; its Text stays
// what was written.
func (rn Renames) Canonical(ref Reference) Reference {
	old, ok := ref.RepoName()
	if !ok {
		return ref
	}
	if name := rn.Name(old); name != old {
		ref.Host, ref.Owner, ref.Repo = name.Host(), name.Owner(), name.Name()
	}
	return ref
}

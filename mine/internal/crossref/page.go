package crossref

import (
	"strconv"
	"strings"
)

// page reads the part of a GitHub path behind "owner/repo". Pages that name
// no change, such as a wiki, are no reference at all.
func page(name slug, rest []string) (Reference, bool) {
	ref := Reference{Owner: name.owner, Repo: name.repo}
	if len(rest) == 0 {
		ref.Kind = KindRepo
		return ref, true
	}
	if len(rest) == 1 {
		return Reference{}, false
	}
	args := rest[1:]
	switch rest[0] {
	case "pull", "pulls":
		return pullPage(ref, args)
	case "issues", "issue":
		return numberPage(ref, KindIssueOrPull, args)
	case "discussions":
		return numberPage(ref, KindDiscussion, args)
	case "commit", "commits":
		return commitPage(ref, rest[0], args)
	case "compare":
		return comparePage(ref, strings.Join(args, "/"))
	case "blob", "blame", "raw", "edit", "contents":
		return filePage(ref, args)
	case "tree":
		return treePage(ref, args)
	case "archive", "tarball", "zipball":
		return archivePage(ref, args)
	case "releases":
		return releasePage(ref, args)
	case "actions":
		return runPage(ref, args)
	case "git":
		return page(name, args)
	}
	return Reference{}, false
}

func numberPage(ref Reference, kind Kind, args []string) (Reference, bool) {
	ref.Kind = kind
	n, end, ok := numberAt([]byte(args[0]), 0)
	if !ok {
		return Reference{}, false
	}
	ref.Number = n
	switch args[0][end:] {
	case ".patch", ".diff":
		ref.Sub = args[0][end+1:]
	}
	return ref, true
}

func pullPage(ref Reference, args []string) (Reference, bool) {
	ref, ok := numberPage(ref, KindPull, args)
	if ok && len(args) > 1 {
		ref.Sub = args[1]
	}
	if ok && len(args) > 2 && isSHA(args[2]) {
		ref.SHA = strings.ToLower(args[2])
	}
	return ref, ok
}

// commitPage reads a commit, or the list of a branch's commits.
func commitPage(ref Reference, segment string, args []string) (Reference, bool) {
	sha := args[0]
	for _, suffix := range []string{".patch", ".diff"} {
		if s, ok := strings.CutSuffix(sha, suffix); ok {
			sha, ref.Sub = s, suffix[1:]
		}
	}
	if isSHA(sha) {
		ref.Kind, ref.SHA = KindCommit, strings.ToLower(sha)
		return ref, true
	}
	if segment == "commit" {
		return Reference{}, false
	}
	return treePage(ref, args)
}

func comparePage(ref Reference, span string) (Reference, bool) {
	ref.Kind = KindCompare
	for _, suffix := range []string{".patch", ".diff"} {
		if s, ok := strings.CutSuffix(span, suffix); ok {
			span, ref.Sub = s, suffix[1:]
		}
	}
	base, head, found := strings.Cut(span, "...")
	if !found {
		base, head, found = strings.Cut(span, "..")
	}
	if !found { // GitHub compares with the default branch then
		base, head = "", span
	}
	ref.Base, ref.Head = base, head
	return ref, head != ""
}

func filePage(ref Reference, args []string) (Reference, bool) {
	ref, ok := treePage(ref, args)
	ref.Kind = KindFile
	return ref, ok && ref.Path != ""
}

func treePage(ref Reference, args []string) (Reference, bool) {
	ref.Kind = KindTree
	if len(args) > 2 && args[0] == "refs" && (args[1] == "heads" || args[1] == "tags") {
		args = args[2:]
	}
	ref.Path = strings.Join(args[1:], "/")
	return setRevision(ref, args[0]), args[0] != ""
}

// archivePage reads the address of a source archive; its ref may hold slashes.
func archivePage(ref Reference, args []string) (Reference, bool) {
	if len(args) > 2 && args[0] == "refs" {
		args = args[2:]
	}
	name := strings.Join(args, "/")
	for _, suffix := range []string{".tar.gz", ".zip", ".tgz"} {
		name = strings.TrimSuffix(name, suffix)
	}
	ref.Kind = KindTree
	return setRevision(ref, name), name != ""
}

func releasePage(ref Reference, args []string) (Reference, bool) {
	if len(args) < 2 || args[0] != "tag" && args[0] != "download" {
		return Reference{}, false
	}
	tag := args[1:]
	if args[0] == "download" {
		tag = args[1 : len(args)-1]
	}
	ref.Kind, ref.Ref = KindTree, strings.Join(tag, "/")
	return ref, ref.Ref != ""
}

func runPage(ref Reference, args []string) (Reference, bool) {
	if len(args) < 2 || args[0] != "runs" {
		return Reference{}, false
	}
	run, err := strconv.ParseInt(args[1], 10, 64)
	ref.Kind, ref.Run = KindActionsRun, run
	return ref, err == nil && run > 0
}

// setRevision stores a commit id as SHA and any other name as Ref.
func setRevision(ref Reference, rev string) Reference {
	mixed := strings.ContainsAny(rev, "0123456789") && strings.ContainsAny(strings.ToLower(rev), "abcdef")
	if isSHA(rev) && (len(rev) == 40 || mixed) {
		ref.SHA = strings.ToLower(rev)
	} else {
		ref.Ref = rev
	}
	return ref
}

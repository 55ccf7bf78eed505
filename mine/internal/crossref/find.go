package crossref

import "crossswe/schemas"

const githubHost = "github.com"

// Options says how to read a text.
type Options struct {
	// Context is the repository in which the text stands: "#12" is its number.
	Context schemas.RepoName
	// Hosts are GitHub Enterprise hosts whose URLs count, beside github.com and
	// the context's own host.
	Hosts []string
	// Names are the names of known repositories, without owners. They decide
	// forms that could be plain words, such as "pylint issue #12".
	Names []string
	// Renames tell which old names are the context repository, for Local.
	Renames Renames
	// Code reads inside code fences too.
	Code bool
	// Comments reads inside HTML comments too.
	Comments bool
	// Subject says that the first line is a commit's subject, which names its
	// own pull request as "title (#12)" or "Merge pull request #12 from …".
	Subject bool
}

// Find returns the references of text, ordered by Start; their spans do not
// overlap. The result is nil when there is none. A text yields its first
// 10,000 references at most.
func Find(text []byte, opt Options) []Reference {
	s := newScanner(text, opt)
	s.run()
	if len(s.refs) == 0 {
		return nil
	}
	s.markLocal()
	refs, shown := rendered(text, s.refs, opt)
	if opt.Subject {
		refs = readSubject(shown, refs)
	}
	relate(shown, refs)
	if len(refs) == 0 {
		return nil
	}
	return refs
}

package crossref

import "strings"

// phrase is a run of words that says what the reference after it is to the
// change.
type phrase struct {
	words []string
	rel   Rel // "" takes back what a shorter phrase within it would say
	// reach is how many words may stand between the phrase and the reference,
	// not counting fillers such as "the" and "pull request".
	reach int
	// negated phrases hold their own "not".
	negated bool
}

// phraseRows lists the phrases before a reference, separated by commas.
var phraseRows = []struct {
	rel   Rel
	reach int
	list  string
}{
	{RelDependsOn, 8, "depends on,depend on,dependent on,dependant on,depending on,depends upon,relies on,rely on,relying on," +
		"blocked by,blocked on,blocked until,waiting on,waiting for,waits for,wait for,prerequisite,prerequisites,prereq,prereqs," +
		"pre requisite,pre requisites,hinges on,builds on,builds upon,built on top of,on top of,stacked on,stacks on," +
		"merge after,merged after,land after,landed after,lands after,after merging"},
	{RelDependsOn, 2, "requires,require,requiring,needs,need,needing,pending"},
	{RelDependsOn, 0, "dependencies,depends,required"},
	{RelNeededBy, 8, "needed for,needed by,needed in,required for,required by,required in,necessary for,dependency of," +
		"dependency for,prerequisite for,prerequisite of,prerequisite to,prereq for,prereq of,precursor to,precursor for," +
		"depended on by,depended upon by,will be used by,will be used in,to be used by,to be used in,preparation for," +
		"prepares for,prepare for,preparing for,prep for,groundwork for,in support of,to support,paves the way for"},
	{RelNeededBy, 3, "unblocks,unblock,unblocking,enables,enable"},
	{RelNeededBy, 1, "blocks,blocking,dependents"},
	{RelCompanion, 6, "companion,companions,sibling,siblings,sister,twin,counterpart,pairs with,paired with,goes with,go with," +
		"goes together with,goes along with,go along with,in tandem with,in conjunction with,in lockstep with,hand in hand with," +
		"accompanies,accompanying,accompanied by,coordinated with,coordinates with,joint with,matching pr,matching pull request," +
		"matching change,must be merged with,merged together with"},
	{RelCompanion, 3, "partner,partners,together with,alongside,corresponding"},
	{RelCloses, 0, "close,closes,closed,fix,fixes,fixed,resolve,resolves,resolved"},
	{RelRefs, 4, "see,see also,ref,refs,reference,references,relates to,relate to,related to,related,xref,x ref,cf,part of"},
	{RelBackportOf, 4, "backport of,backports,backport,backporting,backported from,cherry picked from,cherry pick of,cherry picks," +
		"cherry pick,cherry picked,cherry picking,cherrypick of,cherrypicked from,port of,ported from,port from,forward port of"},
	{RelSupersedes, 3, "supersedes,supersede,superseding,supercedes,replaces,replacement for,replacement of,obsoletes"},
	{RelOwnPR, 0, "pr url,pull request resolved"},
	{"", 8, "superseded by,replaced by,obsoleted by,fixed by,fixed in,fixed with,closed by,closed in,resolved by,resolved in," +
		"introduced in,introduced by,broken by,broke in,regression from,caused by,reverts,revert of,reverted by,reverted in," +
		"backported to,backported in,ported to,instead of,unlike,similar to,independent of,we need,i need,you need,need to," +
		"needs to,need it,need this,requires a,needs a,needs more,needs review,required checks,updated dependencies," +
		"update dependencies,bump dependencies,dev dependencies"},
}

// notMergedUntil spells out the ways of saying that a change has to wait.
func notMergedUntil() string {
	var list []string
	for _, not := range []string{"not", "shouldnt", "cant", "cannot", "dont", "wont", "mustnt", "couldnt"} {
		for _, act := range []string{"be merged", "merge", "be landed", "land", "be released", "release", "merge this", "merge it"} {
			for _, until := range []string{"until", "before", "without", "unless"} {
				list = append(list, not+" "+act+" "+until)
			}
		}
	}
	return strings.Join(list, ",")
}

// leadPhrases are the phrases before a reference by their first word.
var leadPhrases = func() map[string][]phrase {
	byWord := map[string][]phrase{}
	for _, row := range phraseRows {
		addPhrases(byWord, row.list, phrase{rel: row.rel, reach: row.reach})
	}
	addPhrases(byWord, notMergedUntil(), phrase{rel: RelDependsOn, reach: 8, negated: true})
	return byWord
}()

// tailPhrases are the phrases after a reference by their first word.
var tailPhrases = func() map[string][]phrase {
	byWord := map[string][]phrase{}
	for _, must := range []string{"must", "should", "needs to", "need to", "has to", "have to"} {
		for _, act := range []string{"be merged", "be landed", "land", "merge", "go in", "be released", "get merged"} {
			for _, first := range []string{"first", "before", "prior"} {
				addPhrases(byWord, must+" "+act+" "+first, phrase{rel: RelDependsOn})
			}
		}
	}
	addPhrases(byWord, "is a prerequisite,are prerequisites,is a dependency,is required,are required,is needed,are needed,"+
		"will enable this,enables this,enable this,unblocks this,unblock this,will unblock this,blocks this,block this,"+
		"will make this,makes this possible,needs merging first,is blocking this,are blocking this", phrase{rel: RelDependsOn})
	addPhrases(byWord, "depends on this,depends on it,depend on this,needs this,need this,requires this,require this,"+
		"relies on this,builds on this,is blocked by this,is blocked on this,is waiting for this,is waiting on this,"+
		"will use this,is required by this", phrase{rel: RelNeededBy})
	addPhrases(byWord, "is required by this,is needed by this,is needed for this,is required for this", phrase{rel: RelDependsOn})
	return byWord
}()

func addPhrases(byWord map[string][]phrase, list string, p phrase) {
	for text := range strings.SplitSeq(list, ",") {
		p.words = strings.Fields(text)
		byWord[p.words[0]] = append(byWord[p.words[0]], p)
	}
}

var (
	fillers = wordSet("the this that these those a an of in to for on at by with from is issue issues bug pr prs pull request " +
		"requests commit commits change changes mr gh github following upstream")
	closingFillers = wordSet("issue issues bug bugs pr pull request ticket gh github the")
	negators       = wordSet("not doesnt dont didnt isnt arent no longer never without wont cannot cant")
	connectors     = wordSet("and or also as well plus")
	waitWords      = wordSet("after once until when unless")
	mergedWords    = wordSet("merged landed released published available lands land merges in")
	auxiliaries    = wordSet("is are gets get has have been be")
)

// match returns the phrase that words begin with, the longest one.
func match(byWord map[string][]phrase, words []string) (phrase, bool) {
	best := phrase{}
	for _, p := range byWord[words[0]] {
		if len(p.words) > len(best.words) && hasPrefix(words, p.words) {
			best = p
		}
	}
	return best, len(best.words) > 0
}

func hasPrefix(words, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i, w := range prefix {
		if words[i] != w {
			return false
		}
	}
	return true
}

// leadRel returns what the words before a reference say of it; ok is false
// when they hold no phrase that reaches it. The last phrase counts, but a mere
// "see" gives way to a stronger one before it.
func leadRel(words []string) (rel Rel, ok bool) {
	lastEnd := 0
	for i := range words {
		p, found := match(leadPhrases, words[i:])
		end := i + len(p.words)
		if !found || end <= lastEnd || !p.reaches(words[end:]) {
			continue
		}
		lastEnd = end
		said := p.rel
		if i > 0 && negators[words[i-1]] && !p.negated {
			said = ""
		}
		if said == RelRefs && ok {
			continue
		}
		rel, ok = said, true
	}
	return rel, ok
}

// reaches reports whether few enough words stand between the phrase and the
// reference.
func (p phrase) reaches(between []string) bool {
	skip := fillers
	if p.rel == RelCloses || p.rel == RelOwnPR {
		skip = closingFillers
	}
	n := 0
	for _, w := range between {
		if !skip[w] {
			n++
		}
	}
	return n <= p.reach
}

// adjacentRel returns what a phrase says that ends at the end of before, fillers aside.
func adjacentRel(before []byte) Rel {
	words := sentenceBefore(before)
	for len(words) > 0 && fillers[words[len(words)-1]] {
		if p, ok := endsWithPhrase(words); ok {
			return p.rel
		}
		words = words[:len(words)-1]
	}
	p, _ := endsWithPhrase(words)
	return p.rel
}

func endsWithPhrase(words []string) (phrase, bool) {
	for i := max(0, len(words)-6); i < len(words); i++ {
		if p, ok := match(leadPhrases, words[i:]); ok && i+len(p.words) == len(words) {
			return p, true
		}
	}
	return phrase{}, false
}

// tailRel returns what the words after a reference say of it.
func tailRel(words []string) Rel {
	for i := range min(len(words), 3) {
		if p, ok := match(tailPhrases, words[i:]); ok {
			return p.rel
		}
	}
	return ""
}

// waitsForMerge reports whether the words around a reference say "until … is merged".
func waitsForMerge(lead, tail []string) bool {
	if len(lead) == 0 || !waitWords[lead[len(lead)-1]] {
		return false
	}
	i := 0
	for i < len(tail) && i < 2 && auxiliaries[tail[i]] {
		i++
	}
	return i < len(tail) && mergedWords[tail[i]] && (i > 0 || tail[i] != "merged" && tail[i] != "in")
}

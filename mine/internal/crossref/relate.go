package crossref

import "bytes"

const (
	leadWindow = 200 // bytes before a reference in which words are read
	tailWindow = 160
)

// relater sets the relations of references from the words around them. It
// goes from one reference to the next, and reads each byte a bounded number
// of times.
type relater struct {
	text    []byte
	refs    []Reference
	heading Rel // what the last heading says of the list below it
	linked  []linkage
	// first tells which references begin their line.
	first []bool
}

// linkage says how a reference hangs together with the one before it.
type linkage int

const (
	apart    linkage = iota
	together         // only separators between them
)

// relate sets Rel in refs, which stand in text.
func relate(text []byte, refs []Reference) {
	r := relater{text: text, refs: refs, linked: make([]linkage, len(refs)), first: make([]bool, len(refs))}
	for i := range refs {
		r.before(i)
	}
	for i := 0; i < len(refs); {
		end := i + 1
		for end < len(refs) && r.linked[end] == together {
			end++
		}
		r.after(i, end)
		i = end
	}
}

// before reads what stands before reference i: words in its sentence, else
// the reference before it in the same list, else the heading above the list.
func (r *relater) before(i int) {
	ref := &r.refs[i]
	from := 0
	if i > 0 {
		from = r.refs[i-1].End
	}
	gap := r.text[from:max(from, labelStart(r.text, ref.Start))]
	r.readHeadings(gap, i == 0)
	listed, empty := r.lineLead(gap, i == 0)
	r.first[i] = empty
	if i > 0 {
		r.linked[i] = connection(gap, labelStart(r.text, r.refs[i-1].Start) < r.refs[i-1].Start)
	}
	if ref.Rel != "" || ref.BotNoise { // a bot's links come with other people's words
		return
	}
	lead := gap[max(0, len(gap)-leadWindow):]
	if ref.Local {
		lead = insideParentheses(lead)
	}
	words := sentenceBefore(lead)
	rel, ok := leadRel(words)
	switch {
	case ok:
	case r.waits(i, words):
		rel = RelDependsOn
	case r.linked[i] == together && r.refs[i-1].Rel != RelOwnPR:
		rel = r.refs[i-1].Rel
	case listed || empty:
		rel = r.heading
	}
	if fits(*ref, rel) && !r.aside(*ref, rel) {
		ref.Rel = rel
	}
}

// insideParentheses cuts lead at a parenthesis that is still open, if words
// follow it: "needs a rule (refs #12)". The number of another repository is
// worth more guessing.
func insideParentheses(lead []byte) []byte {
	open := bytes.LastIndexByte(lead, '(')
	if open < 0 || bytes.IndexByte(lead[open:], ')') >= 0 || !hasWord(lead[open:]) {
		return lead
	}
	return lead[open+1:]
}

// aside reports whether the words before ref speak of something else, since
// it stands in parentheses: "fix the require rule (#12)" is a title with its
// own number, and "test fixes (owner/repo#12)" closes nothing.
func (r *relater) aside(ref Reference, rel Rel) bool {
	if ref.Start == 0 || r.text[ref.Start-1] != '(' || labelStart(r.text, ref.Start) != ref.Start {
		return false
	}
	alone := ref.End < len(r.text) && r.text[ref.End] == ')'
	return rel == RelCloses || bareLocal(ref) && alone
}

func (r *relater) waits(i int, lead []string) bool {
	return waitsForMerge(lead, sentenceAfter(r.tail(i), false))
}

// tail returns the text from reference i to the next, within bounds.
func (r *relater) tail(i int) []byte {
	end := min(len(r.text), r.refs[i].End+tailWindow)
	if i+1 < len(r.refs) {
		end = min(end, r.refs[i+1].Start)
	}
	return r.text[r.refs[i].End:end]
}

// after reads the words behind a group of references, "… will enable this",
// for those of which nothing is known yet.
func (r *relater) after(from, to int) {
	for _, ref := range r.refs[from:to] {
		if ref.Rel != "" && ref.Rel != RelRefs || ref.BotNoise {
			return
		}
	}
	rel := tailRel(sentenceAfter(r.tail(to-1), r.first[from]))
	if rel == "" {
		return
	}
	for i := from; i < to; i++ {
		if fits(r.refs[i], rel) {
			r.refs[i].Rel = rel
		}
	}
}

// fits reports whether rel can be said of ref.
func fits(ref Reference, rel Rel) bool {
	switch ref.Kind {
	case KindFile, KindCompare, KindActionsRun, KindDiscussion:
		if rel != RelRefs {
			return false
		}
	}
	switch rel {
	case RelCloses:
		return ref.Number > 0 && ref.RepoNameOnly == "" || ref.Kind == KindTicket
	case RelBackportOf:
		return ref.Kind == KindIssueOrPull || ref.Kind == KindPull || ref.Kind == KindCommit
	case RelOwnPR:
		return ref.Kind == KindPull && ref.Local
	}
	return true
}

// readHeadings keeps the heading up to date over the full lines of a gap.
func (r *relater) readHeadings(gap []byte, atStart bool) {
	for at := 0; ; atStart = true {
		n := bytes.IndexByte(gap[at:], '\n')
		if n < 0 {
			return
		}
		line := gap[at : at+n]
		at += n + 1
		if atStart {
			r.readHeading(line)
		}
	}
}

func (r *relater) readHeading(line []byte) {
	content, _ := afterQuoteMarks(line, 0)
	indent, body := indentation(line, content)
	text := bytes.TrimRight(line[body:], " \t\r*_")
	switch {
	case len(text) == 0 || indent >= 2 || bulletEnd(text) > 0:
	case text[len(text)-1] == ':' || text[0] == '#' || bytes.HasPrefix(text, []byte("**")):
		r.heading, _ = leadRel(sentenceBefore(text[max(0, len(text)-leadWindow):]))
	case !onlyConnectors(text):
		r.heading = ""
	}
}

// lineLead tells how the line of a reference begins: with a bullet, or with
// nothing before the reference. A line of plain words ends the list.
func (r *relater) lineLead(gap []byte, atStart bool) (listed, empty bool) {
	n := bytes.LastIndexByte(gap, '\n')
	if n < 0 && !atStart {
		return false, false
	}
	line := gap[n+1:]
	content, _ := afterQuoteMarks(line, 0)
	_, body := indentation(line, content)
	bullet := bulletEnd(line[body:])
	empty = !hasWord(line[body+bullet:])
	if bullet == 0 && !empty {
		r.heading = ""
	}
	return bullet > 0, empty
}

func hasWord(t []byte) bool {
	return bytes.ContainsFunc(t, func(c rune) bool { return c < 128 && is(byte(c), clsWord) || c >= 128 })
}

// onlyConnectors reports whether text has no words but "and" and the like.
func onlyConnectors(text []byte) bool {
	if len(text) > 40 {
		return false
	}
	for _, w := range splitWords(text) {
		if !connectors[w] {
			return false
		}
	}
	return true
}

// connection classifies the text between two references. Separators and "and"
// keep them together, on one line or in a list; anything else parts them, and
// so does the end of a parenthesis, unless it closes a link.
func connection(gap []byte, link bool) linkage {
	if link && len(gap) > 0 && gap[0] == ')' {
		gap = gap[1:]
	}
	if len(gap) > 80 {
		return apart
	}
	lines := bytes.Split(gap, []byte("\n"))
	said, bullet := false, false
	for i, line := range lines {
		if i > 0 {
			content, _ := afterQuoteMarks(line, 0)
			indent, body := indentation(line, content)
			n := bulletEnd(line[body:])
			bullet = n > 0 || indent >= 2 && i == len(lines)-1
			line = line[body+n:]
		}
		if !onlyConnectors(line) {
			return apart
		}
		said = said || hasWord(line)
	}
	first := bytes.TrimRight(lines[0], " \t\r")
	switch {
	case len(lines) == 1 && (bytes.Contains(gap, []byte(". ")) || bytes.ContainsAny(gap, "()")):
		return apart
	case len(lines) == 1, bullet, said, bytes.HasSuffix(first, []byte(",")):
		return together
	}
	return apart
}

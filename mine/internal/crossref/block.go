package crossref

import "bytes"

// blocks walks over the lines of a text and tells which references are
// rendered: those in code fences and HTML comments are dropped unless asked
// for, those in inline code and quotes are marked. It follows CommonMark where
// that decides what a reader sees, and keeps one state per line.
type blocks struct {
	text   []byte
	opt    Options
	refs   []Reference // in order of Start
	next   int         // first reference that no region has reached yet
	kept   []Reference
	marked int // everything before it belongs to a region
	// shown is text with the hidden regions blanked, a copy as soon as there is one.
	shown  []byte
	copied bool

	fence       []byte // the opening run of a fence, nil outside
	fenceQuoted bool
	noComment   bool // no "-->" follows any more
	afterBlank  bool
	indented    bool
	inList      bool
}

// region is what a part of a text is to its reader.
type region int

const (
	plain region = iota
	inlineCode
	indentedCode
	fenced
	comment
)

// rendered returns the references that count, and the text with everything
// hidden turned into blanks.
func rendered(text []byte, refs []Reference, opt Options) ([]Reference, []byte) {
	b := blocks{text: text, opt: opt, refs: refs, kept: refs[:0], shown: text, afterBlank: true}
	for at := 0; at < len(text); {
		at = b.line(at, lineEnd(text, at))
	}
	return b.kept, b.shown
}

// lineEnd returns the end of the line at i, its newline included.
func lineEnd(t []byte, i int) int {
	if n := bytes.IndexByte(t[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(t)
}

// line handles one line and returns where the next one starts; a comment may
// take it further than end.
func (b *blocks) line(at, end int) int {
	content, quoted := afterQuoteMarks(b.text[:end], at)
	first := len(b.kept)
	next := b.content(at, content, end, quoted)
	for i := first; quoted && i < len(b.kept) && b.kept[i].Start < end; i++ {
		b.kept[i].Quoted = true
	}
	return next
}

// content handles a line that starts at at, and behind its quote marks at content.
func (b *blocks) content(at, content, end int, quoted bool) int {
	if b.fence != nil && b.fenceQuoted && !quoted {
		b.fence = nil
	}
	if b.fence != nil && !b.fenceQuoted {
		content = at
	}
	indent, body := indentation(b.text[:end], content)
	if b.fence != nil {
		if closesFence(b.text[body:end], b.fence) {
			b.fence = nil
		}
		b.mark(end, fenced)
		return end
	}
	if run := fenceRun(b.text[body:end]); run != nil {
		b.fence, b.fenceQuoted = run, quoted
		b.mark(end, fenced)
		return end
	}
	if b.indentedLine(indent, b.text[body:end]) {
		b.mark(end, indentedCode)
		return end
	}
	return b.inline(body, end)
}

// indentedLine keeps track of indented code: four columns after a blank line,
// outside lists.
func (b *blocks) indentedLine(indent int, body []byte) bool {
	if len(bytes.TrimSpace(body)) == 0 {
		b.afterBlank = true
		return false
	}
	deep := indent >= 4 && !b.inList && (b.afterBlank || b.indented)
	if indent < 2 {
		b.inList = bulletEnd(body) > 0
	}
	b.indented, b.afterBlank = deep, false
	return deep
}

// inline handles the code spans and comments of a line, and of the lines into
// which its comments run. It returns where the next line starts.
func (b *blocks) inline(start, end int) int {
	var missing [17]bool // lengths of backtick runs that this line does not close
	for at := start; at < end; {
		n := bytes.IndexAny(b.text[at:end], "`<")
		if n < 0 {
			break
		}
		at += n
		if b.text[at] == '`' {
			at = b.codeSpan(at, end, missing[:])
			continue
		}
		next := b.commentAt(at, at == start)
		if next > end {
			end, missing = lineEnd(b.text, next), [17]bool{}
		}
		at = max(next, at+1)
	}
	b.mark(end, plain)
	return end
}

// codeSpan handles the run of backticks at at and returns where it, or the
// span that it opens, ends.
func (b *blocks) codeSpan(at, end int, missing []bool) int {
	run := runLength(b.text[at:end], '`')
	open := at + run
	if run >= len(missing) || missing[run] {
		return open
	}
	for i := open; i < end; {
		n := bytes.IndexByte(b.text[i:end], '`')
		if n < 0 {
			break
		}
		i += n
		size := runLength(b.text[i:end], '`')
		if size == run {
			b.mark(open, plain)
			b.mark(i, inlineCode)
			return i + size
		}
		i += size
	}
	missing[run] = true
	return open
}

// commentAt returns the end of the HTML comment at at, or at when there is
// none. One that is never closed hides the rest only if it begins its line.
func (b *blocks) commentAt(at int, startsLine bool) int {
	if !bytes.HasPrefix(b.text[at:], []byte("<!--")) {
		return at
	}
	end := -1
	if !b.noComment {
		end = bytes.Index(b.text[at+2:], []byte("-->"))
	}
	switch {
	case end >= 0:
		end += at + 2 + len("-->")
	case startsLine:
		end = len(b.text)
	default:
		b.noComment = true
		return at
	}
	b.mark(at, plain)
	b.mark(end, comment)
	return end
}

// mark says that everything from the last mark to upTo is of kind r.
func (b *blocks) mark(upTo int, r region) {
	hidden := r == fenced && !b.opt.Code || r == comment && !b.opt.Comments
	if hidden {
		b.blank(b.marked, upTo)
	}
	b.marked = upTo
	for ; b.next < len(b.refs) && b.refs[b.next].Start < upTo; b.next++ {
		if hidden {
			continue
		}
		ref := b.refs[b.next]
		ref.InCode = r == inlineCode || r == indentedCode || r == fenced
		b.kept = append(b.kept, ref)
	}
}

func (b *blocks) blank(from, to int) {
	if !b.copied {
		b.shown, b.copied = bytes.Clone(b.text), true
	}
	for i := from; i < to; i++ {
		if b.shown[i] != '\n' {
			b.shown[i] = ' '
		}
	}
}

func runLength(t []byte, c byte) int {
	n := 0
	for n < len(t) && t[n] == c {
		n++
	}
	return n
}

// afterQuoteMarks returns where the content of the line at i begins, and
// whether quote marks stand before it.
func afterQuoteMarks(line []byte, i int) (content int, quoted bool) {
	for {
		j := i
		for j < len(line) && j-i < 3 && line[j] == ' ' {
			j++
		}
		if j >= len(line) || line[j] != '>' {
			return i, quoted
		}
		i, quoted = j+1, true
		if i < len(line) && line[i] == ' ' {
			i++
		}
	}
}

// indentation returns the columns of white space at i and where they end.
func indentation(line []byte, i int) (columns, end int) {
	for ; i < len(line); i++ {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += 4
		default:
			return columns, i
		}
	}
	return columns, i
}

// fenceRun returns the run of marks that opens a code fence, nil when the line
// opens none.
func fenceRun(line []byte) []byte {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	n := runLength(line, line[0])
	if n < 3 || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return nil
	}
	return line[:n]
}

func closesFence(line, fence []byte) bool {
	n := runLength(line, fence[0])
	return n >= len(fence) && len(bytes.TrimSpace(line[n:])) == 0
}

// bulletEnd returns the length of the list marker, with its task box, that
// line begins with; 0 when it begins with none.
func bulletEnd(line []byte) int {
	n := runEnd(line[:min(len(line), 9)], 0, clsDigit)
	switch {
	case n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')'):
		n++
	case n == 0 && len(line) > 0 && bytes.IndexByte([]byte("-*+"), line[0]) >= 0:
		n = 1
	default:
		return 0
	}
	if n == len(line) || line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	n = skipBlanks(line, n)
	if len(line) >= n+3 && line[n] == '[' && line[n+2] == ']' {
		n = skipBlanks(line, n+3)
	}
	return n
}

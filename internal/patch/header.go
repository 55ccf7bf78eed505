package patch

import (
	"bytes"
	"strconv"
	"strings"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// fileHeader gathers what the lines before the first hunk say.
type fileHeader struct {
	patch    FilePatch
	from, to string // rename or copy from, to
	labels   bool   // "---" and "+++" lines were read
}

func (p *parser) fileHeader() (fileHeader, error) {
	var h fileHeader
	first, ok := p.peek()
	if !ok {
		return h, errTruncated
	}
	names, ok := bytes.CutPrefix(first, []byte("diff --git "))
	if !ok {
		return h, errNoHeader
	}
	p.next()
	h.patch.Status = schemas.FileModified
	for {
		line, ok := p.peek()
		if !ok {
			break
		}
		known, err := h.extended(string(line))
		if err != nil {
			return h, err
		}
		if !known {
			break
		}
		p.next()
	}
	if err := h.name(string(names)); err != nil {
		return h, err
	}
	return h, p.labelLines(&h)
}

// extended takes in one of git's extended header lines; known is false when
// the line is none.
func (h *fileHeader) extended(line string) (known bool, err error) {
	for _, form := range headerForms {
		value, ok := strings.CutPrefix(line, form.key)
		if ok {
			return true, form.read(h, value)
		}
	}
	return false, nil
}

var headerForms = []struct {
	key  string
	read func(h *fileHeader, value string) error
}{
	{"old mode ", func(h *fileHeader, v string) error { return readMode(v, &h.patch.OldMode) }},
	{"new mode ", func(h *fileHeader, v string) error { return readMode(v, &h.patch.NewMode) }},
	{"deleted file mode ", func(h *fileHeader, v string) error {
		h.patch.Status = schemas.FileDeleted
		return readMode(v, &h.patch.OldMode)
	}},
	{"new file mode ", func(h *fileHeader, v string) error {
		h.patch.Status = schemas.FileAdded
		return readMode(v, &h.patch.NewMode)
	}},
	{"copy from ", func(h *fileHeader, v string) error { return h.moved(schemas.FileCopied, v, &h.from) }},
	{"copy to ", func(h *fileHeader, v string) error { return h.moved(schemas.FileCopied, v, &h.to) }},
	{"rename from ", func(h *fileHeader, v string) error { return h.moved(schemas.FileRenamed, v, &h.from) }},
	{"rename to ", func(h *fileHeader, v string) error { return h.moved(schemas.FileRenamed, v, &h.to) }},
	{"similarity index ", func(h *fileHeader, v string) error { return readPercent(v, &h.patch.Similarity) }},
	{"dissimilarity index ", func(_ *fileHeader, v string) error { return readPercent(v, new(int)) }},
	{"index ", func(h *fileHeader, v string) error { return h.index(v) }},
}

func (h *fileHeader) moved(status schemas.FileStatus, value string, to *string) error {
	h.patch.Status = status
	var err error
	*to, err = unquote(value)
	return err
}

// index reads "OID..OID" and, when the mode does not change, " MODE".
func (h *fileHeader) index(value string) error {
	ids, mode, hasMode := strings.Cut(value, " ")
	before, after, ok := strings.Cut(ids, "..")
	if !ok || !isHex(before) || !isHex(after) {
		return errBadHeader
	}
	if strings.Trim(before, "0") != "" {
		h.patch.OldOID = gitrepo.OID(before)
	}
	if strings.Trim(after, "0") != "" {
		h.patch.NewOID = gitrepo.OID(after)
	}
	if !hasMode {
		return nil
	}
	if err := readMode(mode, &h.patch.OldMode); err != nil {
		return err
	}
	h.patch.NewMode = h.patch.OldMode
	return nil
}

// name settles the paths from "a/PATH b/PATH" and the rename lines.
func (h *fileHeader) name(pair string) error {
	f := &h.patch
	if f.Status == schemas.FileRenamed || f.Status == schemas.FileCopied {
		f.OldPath, f.NewPath = h.from, h.to
		if !isPair(pair, h.from, h.to) {
			return errNames
		}
		return nil
	}
	path, err := samePath(pair)
	if err != nil {
		return err
	}
	if f.Status != schemas.FileAdded {
		f.OldPath = path
	}
	if f.Status != schemas.FileDeleted {
		f.NewPath = path
	}
	return nil
}

// isPair reports whether pair is "a/FROM b/TO" in one of the ways to write it.
func isPair(pair, from, to string) bool {
	if from == "" || to == "" {
		return false
	}
	for _, left := range []string{"a/" + from, label("a/", from), rawLabel("a/", from)} {
		if right, ok := strings.CutPrefix(pair, left+" "); ok && isLabel(right, "b/", to) {
			return true
		}
	}
	return false
}

// samePath reads "a/PATH b/PATH" where both paths are one: blanks in the path
// are no matter, since both halves are equally long.
func samePath(pair string) (string, error) {
	if len(pair)%2 == 0 {
		return "", errNames
	}
	left, right := pair[:len(pair)/2], pair[len(pair)/2+1:]
	before, err := unquoteLabel("a/", left)
	if err != nil {
		return "", err
	}
	after, err := unquoteLabel("b/", right)
	if err != nil {
		return "", err
	}
	if before != after || before == "" || pair[len(pair)/2] != ' ' {
		return "", errNames
	}
	return before, nil
}

// labelLines reads the lines "--- a/PATH" and "+++ b/PATH", if they are there,
// and holds them against the header.
func (p *parser) labelLines(h *fileHeader) error {
	line, ok := p.peek()
	if !ok || !bytes.HasPrefix(line, []byte("--- ")) {
		return nil
	}
	h.labels = true
	for _, want := range []struct{ marker, prefix, path string }{{"--- ", "a/", h.patch.OldPath}, {"+++ ", "b/", h.patch.NewPath}} {
		line, err := p.next()
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(string(line[:len(line)-1]), want.marker)
		if !ok || !isLabel(strings.TrimSuffix(name, "\t"), want.prefix, want.path) {
			return errNames
		}
	}
	return nil
}

// isLabel reports whether text names the path, or nothing when path is "".
func isLabel(text, prefix, path string) bool {
	if path == "" {
		return text == "/dev/null"
	}
	got, err := unquoteLabel(prefix, text)
	return err == nil && got == path
}

func readMode(s string, to *gitrepo.Mode) error {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil || len(s) != 6 {
		return errBadHeader
	}
	*to = gitrepo.Mode(n)
	return nil
}

func readPercent(s string, to *int) error {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
	if err != nil || n < 0 || n > 100 || !strings.HasSuffix(s, "%") {
		return errBadHeader
	}
	*to = n
	return nil
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}

package audit

import (
	"archive/tar"
	"encoding/csv"
	"path"
	"regexp"
	"strings"
)

var pythonRun = regexp.MustCompile(`[-_.]+`)

// pythonName reports whether a file's name begins with the distribution's name,
// as wheels, archives and records of installations are named: name-1.2….
func (s Sibling) pythonName(base string) bool {
	i := strings.LastIndex(base, "-")
	for j := strings.Index(base, "-"); j >= 0 && j <= i; {
		if strings.ToLower(pythonRun.ReplaceAllString(base[:j], "-")) == s.Name && j+1 < len(base) && base[j+1] >= '0' && base[j+1] <= '9' {
			return true
		}
		next := strings.Index(base[j+1:], "-")
		if next < 0 {
			return false
		}
		j += 1 + next
	}
	return false
}

// pythonAt finds wheels and archives of a distribution.
func (s Sibling) pythonAt(file string, kind byte) string {
	base := path.Base(file)
	if kind != tar.TypeReg || !s.pythonName(base) {
		return ""
	}
	for _, ext := range []string{".whl", ".tar.gz", ".zip", ".egg"} {
		if strings.HasSuffix(base, ext) {
			return "a release of " + s.Name
		}
	}
	return ""
}

// pythonRecord reports whether a file lists what an installation of the
// distribution consists of.
func (s Sibling) pythonRecord(file string) bool {
	dir := path.Base(path.Dir(file))
	return path.Base(file) == "RECORD" && strings.HasSuffix(dir, ".dist-info") && s.pythonName(dir)
}

// pythonIn says what is wrong with such a list: an editable installation holds
// no code but what leads to the checkout.
func (s Sibling) pythonIn(record []byte) string {
	r := csv.NewReader(strings.NewReader(string(record)))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	for {
		row, err := r.Read()
		if err != nil {
			return ""
		}
		top, _, below := strings.Cut(row[0], "/")
		if !below && strings.HasSuffix(top, ".py") && !strings.HasPrefix(top, "_") {
			return "an installed copy of " + s.Name
		}
		if below && !strings.HasPrefix(row[0], "..") && !strings.HasSuffix(top, ".dist-info") && top != "__pycache__" && strings.HasSuffix(row[0], ".py") {
			return "an installed copy of " + s.Name
		}
	}
}

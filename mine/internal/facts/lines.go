package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// delta is the lines that a change of one file added and removed, as bags: a
// moved line counts as neither. That is enough for words and fingerprints and
// needs no alignment.
type delta struct{ added, removed [][]byte }

func diffLines(old, new []byte) delta {
	bag := map[string]int{}
	for line := range bytes.Lines(old) {
		bag[string(bytes.TrimSpace(line))]++
	}
	var d delta
	for line := range bytes.Lines(new) {
		key := string(bytes.TrimSpace(line))
		if bag[key] > 0 {
			bag[key]--
			continue
		}
		if key != "" {
			d.added = append(d.added, line)
		}
	}
	for line := range bytes.Lines(old) {
		key := string(bytes.TrimSpace(line))
		if bag[key] > 0 && key != "" {
			bag[key]--
			d.removed = append(d.removed, line)
		}
	}
	return d
}

// shortestPrint is the number of lines below which two changes may be equal
// by chance.
const shortestPrint = 4

// fingerprint is the same for changes that add and remove the same lines,
// wherever they stand and however they are indented; "" for small ones.
func fingerprint(deltas []delta) string {
	var lines []string
	for _, d := range deltas {
		for _, l := range d.added {
			lines = append(lines, "+"+string(bytes.TrimSpace(l)))
		}
		for _, l := range d.removed {
			lines = append(lines, "-"+string(bytes.TrimSpace(l)))
		}
	}
	if len(lines) < shortestPrint {
		return ""
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range lines {
		h.Write([]byte(l + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

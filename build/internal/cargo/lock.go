package cargo

import (
	"bytes"
	"strings"
)

// Locked is one package of a lock file.
type Locked struct {
	Name, Version string
	// Source is where it comes from, "" for packages of the workspace and for
	// other directories.
	Source string
}

// Lock returns the packages of a lock file, of any format's version.
func Lock(body []byte) []Locked {
	var all []Locked
	for _, b := range lockBlocks(body) {
		if b.isPackage {
			all = append(all, b.Locked)
		}
	}
	return all
}

// CutLock returns the lock file without the packages for which drop says yes,
// and without notes on patches that were not used. Cargo adds what is missing
// and keeps the rest.
func CutLock(body []byte, drop func(Locked) bool) []byte {
	var out bytes.Buffer
	for _, b := range lockBlocks(body) {
		if b.unused || b.isPackage && drop(b.Locked) {
			continue
		}
		out.Write(b.text)
	}
	return out.Bytes()
}

// lockBlock is a table of the file with what follows up to the next.
type lockBlock struct {
	Locked
	isPackage, unused bool
	text              []byte
}

// lockBlocks splits the file, which Cargo writes in one form: a table's header
// and each key begin a line.
func lockBlocks(body []byte) []lockBlock {
	var all []lockBlock
	for line := range bytes.Lines(body) {
		text := strings.TrimSpace(string(line))
		if bytes.HasPrefix(line, []byte("[")) || len(all) == 0 {
			all = append(all, lockBlock{isPackage: text == "[[package]]" || text == "[root]", unused: text == "[[patch.unused]]"})
		}
		b := &all[len(all)-1]
		b.text = append(b.text, line...)
		key, value, ok := strings.Cut(text, " = ")
		if !ok {
			continue
		}
		value = strings.Trim(value, `"`)
		switch key {
		case "name":
			b.Name = value
		case "version":
			b.Version = value
		case "source":
			b.Source = value
		}
	}
	return all
}

package checkout

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"crossswe/internal/gitrepo"
)

// indexEntry is one path of git's index. The format is described in git's
// gitformat-index(5).
type indexEntry struct {
	gitrepo.Entry
	// Size and Mtime are those of the file in the work tree.
	Size  int64
	Mtime int64
	// Absent marks a path whose blob is not at hand: git then takes its
	// absence from the work tree for right.
	Absent bool
}

const (
	flagExtended     = 0x4000
	flagSkipWorktree = 0x4000 // of the extended flags
	maxNameLen       = 0xfff
)

// writeIndex returns an index whose bytes follow from the entries alone. Only
// size and whole seconds of the modification time are filled in: the
// repository is configured to compare nothing else (core.checkStat minimal).
func writeIndex(entries []indexEntry) ([]byte, error) {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b indexEntry) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	b.WriteString("DIRC")
	put32(&b, indexVersion(entries))
	put32(&b, uint32(len(entries)))
	sum := sha1.New()
	for _, e := range entries {
		oid, err := hex.DecodeString(string(e.OID))
		if err != nil {
			return nil, fmt.Errorf("writing the index: object id of %q: %w", e.Path, err)
		}
		if len(oid) == sha256.Size {
			sum = sha256.New()
		}
		e.write(&b, oid)
	}
	return seal(b.Bytes(), sum), nil
}

func seal(body []byte, sum hash.Hash) []byte {
	sum.Write(body)
	return sum.Sum(body)
}

func indexVersion(entries []indexEntry) uint32 {
	if slices.ContainsFunc(entries, func(e indexEntry) bool { return e.Absent }) {
		return 3
	}
	return 2
}

func (e indexEntry) write(b *bytes.Buffer, oid []byte) {
	start := b.Len()
	fields := []uint32{0, 0, uint32(e.Mtime), 0, 0, 0, uint32(e.Mode), 0, 0, uint32(e.Size)}
	for _, f := range fields {
		put32(b, f)
	}
	b.Write(oid)
	flags := uint16(min(len(e.Path), maxNameLen))
	if e.Absent {
		put16(b, flags|flagExtended)
		put16(b, flagSkipWorktree)
	} else {
		put16(b, flags)
	}
	b.WriteString(e.Path)
	pad := 8 - (b.Len()-start)%8
	b.Write(make([]byte, pad))
}

func put32(b *bytes.Buffer, v uint32) { b.Write(binary.BigEndian.AppendUint32(nil, v)) }

func put16(b *bytes.Buffer, v uint16) { b.Write(binary.BigEndian.AppendUint16(nil, v)) }

package audit

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// window is the length of the piece of a needle that is looked for by a
// rolling hash; shorter needles are none.
const window = 24

// maxNeedle bounds what is compared of a needle after the hash fits.
const maxNeedle = 200

// hashBase is the multiplier of the polynomial hash over 64-bit overflow.
const hashBase = 0x9E3779B97F4A7C15

// matcher finds many byte strings in a stream in one pass (Rabin and Karp,
// "Efficient randomized pattern-matching algorithms", 1987). It is safe for
// concurrent use once made.
type matcher struct {
	needles [][]byte
	byHash  map[uint64][]int
	filter  [1 << 11]uint64 // a bit for each value of a hash's top 17 bits
	drop    uint64          // hashBase^(window-1), to take the oldest byte out
	longest int
	buffers sync.Pool
}

// newMatcher makes a matcher. A needle shorter than the window never matches.
func newMatcher(needles [][]byte) *matcher {
	m := &matcher{byHash: map[uint64][]int{}, drop: 1, longest: window}
	for range window - 1 {
		m.drop *= hashBase
	}
	for i, n := range needles {
		n = n[:min(len(n), maxNeedle)]
		m.needles = append(m.needles, n)
		if len(n) < window {
			continue
		}
		m.longest = max(m.longest, len(n))
		h := hash(n[:window])
		m.byHash[h] = append(m.byHash[h], i)
		m.filter[h>>47>>6] |= 1 << (h >> 47 & 63)
	}
	return m
}

func hash(b []byte) uint64 {
	var h uint64
	for _, c := range b {
		h = h*hashBase + uint64(c) + 1
	}
	return h
}

// scan reads r to its end and calls hit for every occurrence of a needle.
func (m *matcher) scan(r io.Reader, hit func(needle int)) error {
	b, _ := m.buffers.Get().(*[]byte)
	if b == nil {
		b = new(make([]byte, 1<<18))
	}
	defer m.buffers.Put(b)
	buf, held := *b, 0
	for {
		n, err := io.ReadFull(r, buf[held:])
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return err
		}
		text := buf[:held+n]
		starts := len(text) - m.longest + 1
		if end {
			starts = len(text) - window + 1
		}
		m.find(text, starts, hit)
		if end {
			return nil
		}
		held = copy(buf, text[starts:])
	}
}

// find looks for needles that begin before starts.
func (m *matcher) find(text []byte, starts int, hit func(int)) {
	if starts <= 0 {
		return
	}
	h := hash(text[:window])
	for i := 0; ; i++ {
		if m.filter[h>>47>>6]>>(h>>47&63)&1 == 1 {
			for _, k := range m.byHash[h] {
				if bytes.HasPrefix(text[i:], m.needles[k]) {
					hit(k)
				}
			}
		}
		if i+1 >= starts {
			return
		}
		h = (h-(uint64(text[i])+1)*m.drop)*hashBase + uint64(text[i+window]) + 1
	}
}

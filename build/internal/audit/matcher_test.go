package audit

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func found(t *testing.T, needles [][]byte, text []byte) []int {
	t.Helper()
	seen := map[int]bool{}
	if err := newMatcher(needles).scan(iotest.HalfReader(bytes.NewReader(text)), func(i int) { seen[i] = true }); err != nil {
		t.Fatal(err)
	}
	var all []int
	for i := range needles {
		if seen[i] {
			all = append(all, i)
		}
	}
	return all
}

func TestMatcher(t *testing.T) {
	long := strings.Repeat("abcdefghij", 40)
	needles := [][]byte{[]byte("a needle of twenty-four!"), []byte("a needle of twenty-five!!"), []byte("short"), []byte(long), []byte("a needle of twenty-four! and more of the same")}
	filler := strings.Repeat("hay ", 1<<17)
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"nothing", filler, nil},
		{"empty", "", nil},
		{"at the start", "a needle of twenty-four!" + filler, []int{0}},
		{"at the end", filler + "a needle of twenty-five!!", []int{1}},
		{"two with one beginning", filler + "a needle of twenty-four! and more of the same", []int{0, 4}},
		{"a beginning alone is none", filler + "a needle of twenty-four", nil},
		{"over the edge of a buffer", strings.Repeat("x", 1<<18-10) + "a needle of twenty-four!", []int{0}},
		{"over the edge, long", strings.Repeat("x", 1<<18-150) + long, []int{3}},
		{"exactly the window", "a needle of twenty-four!", []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, found(t, needles, []byte(c.text))); diff != "" {
				t.Errorf("needles (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add([]byte("some text that holds a needle and some more"), 10, 30, 100)
	f.Fuzz(func(t *testing.T, text []byte, from, to, pad int) {
		if from < 0 || to > len(text) || from > to || pad < 0 || pad > 1<<19 {
			return
		}
		text = append(bytes.Repeat([]byte{'.'}, pad), text...)
		from, to = from+pad, to+pad
		needles := [][]byte{text[from:to], append(slices.Clone(text[from:to]), "never"...)}
		var want []int
		for i, n := range needles {
			if len(n) >= window && bytes.Contains(text, n[:min(len(n), maxNeedle)]) {
				want = append(want, i)
			}
		}
		if diff := cmp.Diff(want, found(t, needles, text)); diff != "" {
			t.Errorf("needles (-want +got):\n%s", diff)
		}
	})
}

func BenchmarkMatcher(b *testing.B) {
	var needles [][]byte
	for i := range 2000 {
		needles = append(needles, []byte(strings.Repeat(string(rune('a'+i%26)), 10)+"func (c *Client) number"+strings.Repeat("z", i%40)))
	}
	m := newMatcher(needles)
	text := bytes.Repeat([]byte("	if err := c.retryRefused(call); err != nil {\n"), 1<<16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := m.scan(bytes.NewReader(text), func(int) {}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTelling(t *testing.T) {
	for line, want := range map[string]bool{
		`return c.again(call, defaultRetries)`:               true,
		`"github.com/pion/transport/v4/test/somewhere"`:      false,
		`stun "github.com/pion/stun/v3/somewhere"`:           false,
		`const { a, b } = require("somewhere/or/other.js")`:  false,
		`import { something } from "somewhere/or/other.js";`: false,
		`}`:                                     false,
		`// ----------------------------------`: false,
		`// SPDX-License-Identifier: MIT OR Apache-2.0 OR ISC`: false,
		`short line`: false,
	} {
		if got := telling([]byte(line)); got != want {
			t.Errorf("%s: got %v, want %v", line, got, want)
		}
	}
}

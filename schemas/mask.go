package schemas

import (
	"fmt"
	"math/bits"
	"strings"
)

// MaxSides bounds a candidate's repositories: 2^5 = 32 masks, and five is the
// largest instance of the paper's dataset.
const MaxSides = 5

// Mask says which repositories have their gold patch applied: bit i stands for
// the i-th repository. 0 is all-base; FullMask(n) has every patch.
type Mask uint32

// FullMask returns the mask with the patches of all n repositories.
func FullMask(n int) Mask { return 1<<n - 1 }

// Has reports whether repository i is patched.
func (m Mask) Has(i int) bool { return m>>i&1 == 1 }

// Contains reports whether every repository of s is patched in m.
func (m Mask) Contains(s Mask) bool { return m&s == s }

// Count returns the number of patched repositories.
func (m Mask) Count() int { return bits.OnesCount32(uint32(m)) }

// Name writes the mask over n repositories as "A0B1": one letter and one digit
// per repository, in order.
func (m Mask) Name(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(byte('A' + i))
		b.WriteByte('0' + byte(m>>i&1))
	}
	return b.String()
}

// ParseMask reads what Name writes.
func ParseMask(s string) (Mask, error) {
	if len(s)%2 != 0 || len(s) == 0 || len(s) > 2*MaxSides {
		return 0, fmt.Errorf("mask %q: want a form like A0B1", s)
	}
	var m Mask
	for i := 0; i < len(s); i += 2 {
		if s[i] != byte('A'+i/2) || (s[i+1] != '0' && s[i+1] != '1') {
			return 0, fmt.Errorf("mask %q: want a form like A0B1", s)
		}
		m |= Mask(s[i+1]-'0') << (i / 2)
	}
	return m, nil
}

package patch

import "errors"

// Prefix returns the same patch with every path below dir: what applies in a
// checkout applies one directory or more above it. Dir is relative, clean and
// slash-separated. Paths are quoted anew where they must be.
func Prefix(patch []byte, dir string) ([]byte, error) { return nil, errors.ErrUnsupported }

// Join returns one patch of several, each below its own directory, in order.
// Every non-empty one ends with exactly one newline already.
func Join(patches ...[]byte) []byte { return nil }

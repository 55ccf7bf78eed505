package patch

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
)

// Prefix returns the same patch with every path below dir: what applies in a
// checkout applies one directory or more above it. Dir is relative, clean and
// slash-separated. Paths are quoted anew where they must be; hunks stay as
// they are. The error is a *ParseError when patch is none.
func Prefix(patch []byte, dir string) ([]byte, error) {
	if !fs.ValidPath(dir) || dir == "." || strings.ContainsRune(dir, 0) {
		return nil, fmt.Errorf("prefixing a patch: %q is no clean relative directory", dir)
	}
	files, err := Parse(patch)
	if err != nil {
		return nil, fmt.Errorf("prefixing a patch: %w", err)
	}
	var out bytes.Buffer
	for _, f := range files {
		f.writePrefixed(&out, dir)
	}
	return out.Bytes(), nil
}

// writePrefixed writes the header line by line with other names, and then the
// rest unchanged.
func (f FilePatch) writePrefixed(out *bytes.Buffer, dir string) {
	before, after := f.OldPath, f.NewPath
	if before == "" {
		before = after
	}
	if after == "" {
		after = before
	}
	before, after = dir+"/"+before, dir+"/"+after
	for line := range bytes.Lines(f.header) {
		key, _, _ := strings.Cut(string(line), " ")
		switch {
		case key == "diff":
			fmt.Fprintf(out, "diff --git %s %s\n", label("a/", before), label("b/", after))
		case bytes.HasPrefix(line, []byte(key+" from ")) && key != "index":
			fmt.Fprintf(out, "%s from %s\n", key, quoted(before))
		case bytes.HasPrefix(line, []byte(key+" to ")) && key != "index":
			fmt.Fprintf(out, "%s to %s\n", key, quoted(after))
		case key == "---" && f.OldPath != "":
			out.WriteString(labelLine("--- ", "a/", before))
		case key == "+++" && f.NewPath != "":
			out.WriteString(labelLine("+++ ", "b/", after))
		default:
			out.Write(line)
		}
	}
	out.Write(f.Raw[len(f.header):])
}

// Join returns several patches as one, in order. Every patch that is not empty
// ends with its own newline.
func Join(patches ...[]byte) []byte { return bytes.Join(patches, nil) }

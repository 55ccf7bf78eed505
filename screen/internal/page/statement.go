package page

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"crossswe/schemas"
)

// Statement writes a problem statement with what the lint found in it.
func Statement(w io.Writer, s schemas.Statement) {
	fmt.Fprintf(w, "%s   %s, approved by %s\n\n", s.Candidate, Line(s.Method, 40), cmp.Or(Safe(s.Approved), "nobody"))
	fmt.Fprintln(w, strings.TrimRight(Safe(s.Text), "\n"))
	fmt.Fprintf(w, "\nInterface: %s\n", cmp.Or(Line(strings.Join(s.Interface, ", "), 2000), "none"))
	if s.Linted == "" {
		fmt.Fprintln(w, "The lint has not read this text yet: publish does.")
	}
	for _, f := range s.Findings {
		fmt.Fprintf(w, "%s: %q %s\n", Line(f.Rule, 40), Line(f.Text, 200), Line(f.Detail, 400))
	}
}

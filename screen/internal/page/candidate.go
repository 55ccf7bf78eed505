// Package page writes what reviewers read on a terminal. Titles, bodies and
// paths come from strangers: all of it goes through Safe.
package page

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"crossswe/schemas"
	"crossswe/screen/internal/review"
)

// maxFiles and maxBody bound what one side takes on the screen; -json has all.
const (
	maxFiles = 60
	maxBody  = 4000
)

// Candidate writes a case for a reviewer. Visible are the reviews that the
// reader may see.
func Candidate(w io.Writer, c review.Case, visible []schemas.Review) {
	fmt.Fprintf(w, "%s   %s, score %.2f\n", c.Candidate.ID, c.Standing.Status, c.Candidate.Score.Total)
	for i, s := range c.Candidate.Sides {
		side(w, string(rune('A'+i)), s)
	}
	links(w, c.Candidate.Links)
	cues(w, c.Candidate.Cues)
	score(w, c.Candidate.Score)
	judgements(w, c, visible)
}

func side(w io.Writer, letter string, s schemas.Side) {
	fmt.Fprintf(w, "\n%s  %s", letter, s.Repo)
	if s.Pull > 0 {
		fmt.Fprintf(w, "#%d", s.Pull)
	}
	fmt.Fprintf(w, "   %s, %s, licence %s, merged %s\n", s.Role, cmp.Or(Line(s.Language, 40), "no language"), cmp.Or(Line(s.License, 60), "unknown"), s.MergedAt.UTC().Format(time.DateOnly))
	fmt.Fprintf(w, "   %s..%s, %d commits\n", s.Base.Short(), s.Head.Short(), s.Commits)
	fmt.Fprintf(w, "   %s\n", Line(s.Title, 200))
	if len(s.Labels) > 0 {
		fmt.Fprintf(w, "   labels: %s\n", Line(strings.Join(s.Labels, ", "), 200))
	}
	indented(w, s.Body)
	files(w, s.Files)
}

func indented(w io.Writer, body string) {
	if len(body) > maxBody {
		body = strings.ToValidUTF8(body[:maxBody], "") + "\n[…]"
	}
	if body = strings.TrimSpace(body); body == "" {
		return
	}
	for line := range strings.SplitSeq(Safe(body), "\n") {
		fmt.Fprintf(w, "   | %s\n", line)
	}
}

func files(w io.Writer, list []schemas.File) {
	for i, f := range list {
		if i == maxFiles {
			fmt.Fprintf(w, "   … and %d files more\n", len(list)-i)
			return
		}
		fmt.Fprintf(w, "   %-9s %-8s %5s %5s  %s", f.Class, f.Status, fmt.Sprintf("+%d", f.Added), fmt.Sprintf("-%d", f.Deleted), Line(f.Path, 200))
		if f.OldPath != "" {
			fmt.Fprintf(w, " (was %s)", Line(f.OldPath, 200))
		}
		if f.Missing {
			fmt.Fprint(w, " (blob missing)")
		}
		fmt.Fprintln(w)
	}
}

func links(w io.Writer, list []schemas.Link) {
	fmt.Fprintln(w, "\nLinks")
	for _, l := range list {
		fmt.Fprintf(w, "   %s → %s   %s in %s", l.From, l.To, l.Kind, l.Where)
		if l.Path != "" {
			fmt.Fprintf(w, " %s", Line(l.Path, 200))
		}
		if l.OldVersion != "" || l.NewVersion != "" {
			fmt.Fprintf(w, " (%s → %s)", cmp.Or(Line(l.OldVersion, 80), "none"), cmp.Or(Line(l.NewVersion, 80), "none"))
		}
		fmt.Fprintf(w, "\n      %s\n", Line(l.Text, 400))
	}
}

func cues(w io.Writer, list []schemas.Cue) {
	fmt.Fprintln(w, "\nCues")
	for _, c := range list {
		fmt.Fprintf(w, "   %s: %s\n", c.Kind, Line(c.Detail, 400))
	}
}

func score(w io.Writer, s schemas.Score) {
	fmt.Fprintln(w, "\nScore")
	for _, p := range s.Parts {
		fmt.Fprintf(w, "   %+6.2f  %s: %s\n", p.Value, Line(p.Name, 60), Line(p.Detail, 400))
	}
}

func judgements(w io.Writer, c review.Case, visible []schemas.Review) {
	fmt.Fprintln(w, "\nReviews")
	for _, r := range visible {
		role := ""
		if r.Adjudication {
			role = ", adjudication"
		}
		fmt.Fprintf(w, "   %s  %s: %s (%s)%s %s\n", r.At.UTC().Format(time.DateTime), Safe(r.Reviewer), r.Choice, r.Reason, role, task(r.Intent, r.Domain))
		if r.Notes != "" {
			fmt.Fprintf(w, "      %s\n", Line(r.Notes, 400))
		}
	}
	if hidden := len(c.Reviews) - len(visible); hidden > 0 {
		fmt.Fprintf(w, "   %d by others, hidden until the candidate is decided\n", hidden)
	}
	if d := c.Standing.Decision; d != nil {
		fmt.Fprintf(w, "Decision: %s (%s), by %s %s\n", d.Choice, d.Reason, d.How, task(d.Intent, d.Domain))
	}
}

func task(intent schemas.TaskIntent, domain string) string {
	parts := slices.DeleteFunc([]string{string(intent), domain}, func(s string) bool { return s == "" })
	return strings.Join(parts, ", ")
}

package page

import (
	"fmt"
	"io"

	"crossswe/internal/agreement"
	"crossswe/screen/internal/review"
)

// List writes one line per case. It shows how many reviews there are, never
// what they say.
func List(w io.Writer, cases []review.Case) {
	for _, c := range cases {
		state := string(c.Standing.Status)
		if d := c.Standing.Decision; d != nil {
			state += ": " + string(d.Choice)
		}
		fmt.Fprintf(w, "%7.2f  %-16s %d reviews  %s\n", c.Candidate.Score.Total, state, len(c.Standing.Counting), c.Candidate.ID)
		for _, s := range c.Candidate.Sides {
			fmt.Fprintf(w, "         %s: %s\n", s.Repo, Line(s.Title, 90))
		}
	}
}

// Agreement writes the agreement of the reviewers.
func Agreement(w io.Writer, a review.Agreement) {
	for _, p := range a.Pairs {
		fmt.Fprintf(w, "Cohen's kappa, %s and %s: %s\n", Safe(p.First), Safe(p.Second), Estimate(p.Cohen))
	}
	fmt.Fprintf(w, "Fleiss' kappa: %s\n", Estimate(a.Fleiss))
	fmt.Fprintf(w, "Krippendorff's alpha: %s\n", Estimate(a.Krippendorff))
}

// Estimate writes one coefficient with its interval.
func Estimate(e agreement.Estimate) string {
	switch {
	case e.Units == 0:
		return "undefined, no candidate has enough reviews"
	case !e.Defined:
		return fmt.Sprintf("undefined, all reviews of %d candidates say the same", e.Units)
	case !e.HasInterval:
		return fmt.Sprintf("%.2f over %d candidates", e.Value, e.Units)
	}
	return fmt.Sprintf("%.2f (95 %%: %.2f to %.2f) over %d candidates", e.Value, e.Low, e.High, e.Units)
}

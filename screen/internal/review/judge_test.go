package review

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

const id = schemas.CandidateID("a-1_b-2-0123456789")

var two = Policy{Reviewers: 2, Adjudicators: []string{"Zoe"}}

// say reads "ann keep, bob drop:fork, zoe! keep": reviews a minute apart, with
// ! for an adjudication.
func say(s string) []schemas.Review {
	var all []schemas.Review
	for i, part := range strings.Split(s, ", ") {
		if part == "" {
			continue
		}
		name, what, _ := strings.Cut(part, " ")
		choice, reason, _ := strings.Cut(what, ":")
		r := schemas.Review{Candidate: id, Reviewer: strings.TrimSuffix(name, "!"), Choice: schemas.Choice(choice), Reason: schemas.ReasonCode(reason),
			Adjudication: strings.HasSuffix(name, "!"), At: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)}
		if reason == "" {
			r.Reason = map[schemas.Choice]schemas.ReasonCode{schemas.ChoiceKeep: schemas.ReasonJoint, schemas.ChoiceDrop: schemas.ReasonMention, schemas.ChoiceUnsure: schemas.ReasonInsufficient}[r.Choice]
		}
		all = append(all, r)
	}
	return all
}

// outcome sums up a standing: status, and choice (reason) how reviewers.
func outcome(s Standing) string {
	if s.Decision == nil {
		return string(s.Status)
	}
	d := s.Decision
	return string(s.Status) + ": " + string(d.Choice) + " " + string(d.Reason) + " by " + string(d.How) + " of " + strings.Join(d.Reviewers, "+")
}

func TestJudge(t *testing.T) {
	kept := &schemas.Decision{Candidate: id, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, How: schemas.HowImported, Reviewers: []string{"eve"}}
	tests := []struct {
		name    string
		policy  Policy
		reviews string
		earlier *schemas.Decision
		want    string
	}{
		{"no review", two, "", nil, "open"},
		{"one of two", two, "ann keep", nil, "open"},
		{"the same person twice is one", two, "ann keep, ANN keep", nil, "open"},
		{"both keep", two, "ann keep, bob keep", nil, "decided: keep joint by agreement of ann+bob"},
		{"both drop, for different reasons", two, "bob drop:fork, ann drop:bot_bump", nil, "decided: drop fork by agreement of ann+bob"},
		{"the most frequent reason", Policy{Reviewers: 3}, "ann drop:fork, bob drop:ci_only, cid drop:ci_only", nil, "decided: drop ci_only by agreement of ann+bob+cid"},
		{"they differ", two, "ann keep, bob drop", nil, "disagreed"},
		{"one is unsure", two, "ann keep, bob unsure", nil, "disagreed"},
		{"both are unsure", two, "ann unsure, bob unsure", nil, "disagreed"},
		{"a change of mind settles it", two, "ann keep, bob drop, bob keep", nil, "decided: keep joint by agreement of ann+bob"},
		{"adjudicated", two, "ann keep, bob drop, zoe! drop:fork", nil, "decided: drop fork by adjudication of ann+bob+zoe"},
		{"adjudicated twice: the later", two, "ann keep, bob drop, zoe! drop, zoe! keep", nil, "decided: keep joint by adjudication of ann+bob+zoe"},
		{"an unsure adjudicator settles nothing", two, "ann keep, bob drop, zoe! unsure", nil, "disagreed"},
		{"somebody else does not adjudicate", two, "ann keep, bob drop, eve! keep", nil, "disagreed"},
		{"nobody adjudicates their own", two, "zoe keep, bob drop, zoe! keep", nil, "disagreed"},
		{"the adjudication stands", two, "ann keep, bob drop, zoe! keep, ann drop", nil, "decided: keep joint by adjudication of ann+bob+zoe"},
		{"an adjudication before enough reviews waits", two, "ann keep, zoe! keep", nil, "open"},
		{"one reviewer is enough", Policy{Reviewers: 1}, "ann drop", nil, "decided: drop mere_mention by agreement of ann"},
		{"one reviewer, unsure", Policy{Reviewers: 1}, "ann unsure", nil, "disagreed"},
		{"an imported decision", two, "", kept, "decided: keep joint by imported of eve"},
		{"an imported decision and one review", two, "ann drop", kept, "decided: keep joint by imported of eve"},
		{"an earlier decision, now disputed", two, "ann keep, bob drop", kept, "disputed: keep joint by imported of eve"},
		{"an earlier decision, overruled by agreement", two, "ann drop, bob drop", kept, "decided: drop mere_mention by agreement of ann+bob"},
		{"an earlier decision, overruled by an adjudicator", two, "zoe! drop", kept, "decided: drop mere_mention by adjudication of zoe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Judge(tt.policy, id, say(tt.reviews), tt.earlier)
			if outcome(got) != tt.want {
				t.Errorf("got %s, want %s", outcome(got), tt.want)
			}
			if got.Decision != nil {
				if err := got.Decision.Validate(); err != nil {
					t.Error(err)
				}
			}
			backwards := say(tt.reviews)
			slices.Reverse(backwards)
			if diff := cmp.Diff(got, Judge(tt.policy, id, backwards, tt.earlier)); diff != "" {
				t.Errorf("the order of the records matters:\n%s", diff)
			}
		})
	}
}

func TestADecisionHasTheTimeAndTaskOfItsReviews(t *testing.T) {
	reviews := say("ann keep, bob keep, zoe! keep")[:2]
	reviews[0].Domain = "web"
	reviews[1].Intent, reviews[1].Domain = schemas.IntentAPI, "networking"
	want := schemas.Decision{Candidate: id, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, Intent: schemas.IntentAPI, Domain: "web",
		How: schemas.HowAgreement, Reviewers: []string{"ann", "bob"}, At: reviews[1].At}
	if diff := cmp.Diff(&want, Judge(two, id, reviews, nil).Decision); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMay(t *testing.T) {
	const reviews = "ann keep, bob drop"
	tests := []struct {
		name, reviews, who string
		policy             Policy
		adjudicates        bool
		refused            string // part of the error
	}{
		{"an open candidate", "", "ann", two, false, ""},
		{"an adjudicator as a reviewer", "ann keep", "zoe", two, false, ""},
		{"a change of mind", reviews, "Bob", two, false, ""},
		{"a third person in a disagreement", reviews, "eve", two, false, "disagree"},
		{"nobody to settle it", reviews, "eve", Policy{Reviewers: 2}, false, "names nobody"},
		{"the adjudicator", reviews, "zoe", two, true, ""},
		{"the adjudicator was a reviewer", "ann keep, zoe drop", "zoe", two, false, ""},
		{"a third person after the decision", "ann keep, bob keep", "eve", two, false, "decided"},
		{"the adjudicator after the decision", "ann keep, bob keep", "ZOE", two, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := May(tt.policy, Judge(tt.policy, id, say(tt.reviews), nil), tt.who)
			refused := err != nil && tt.refused != "" && strings.Contains(err.Error(), tt.refused)
			if got != tt.adjudicates || (err == nil) != (tt.refused == "") || (err != nil && !refused) {
				t.Errorf("got %v, %v; want %v, %q", got, err, tt.adjudicates, tt.refused)
			}
		})
	}
}

func TestReviewersAreBlindUntilTheDecision(t *testing.T) {
	tests := []struct{ name, reviews, who, want string }{
		{"their own", "ann keep", "Ann", "ann"},
		{"not another's", "ann keep", "bob", ""},
		{"nor in a disagreement", "ann keep, bob drop", "bob", "bob"},
		{"somebody who says no name", "ann keep, bob drop", "", ""},
		{"the adjudicator before the disagreement", "ann keep", "zoe", ""},
		{"the adjudicator of a disagreement", "ann keep, bob drop", "zoe", "ann+bob"},
		{"an adjudicator who is a party", "zoe keep, bob drop", "zoe", "zoe"},
		{"everybody after the decision", "ann keep, bob keep", "", "ann+bob"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reviews := say(tt.reviews)
			var names []string
			for _, r := range Visible(two, Judge(two, id, reviews, nil), reviews, tt.who) {
				names = append(names, r.Reviewer)
			}
			if got := strings.Join(names, "+"); got != tt.want {
				t.Errorf("%q sees %q, want %q", tt.who, got, tt.want)
			}
		})
	}
}

func TestWaits(t *testing.T) {
	tests := []struct {
		reviews, who string
		want         bool
	}{
		{"", "ann", true}, {"ann keep", "ann", false}, {"ann keep", "bob", true}, {"ann keep", "", true},
		{"ann keep, bob drop", "zoe", true}, {"ann keep, bob drop", "eve", false}, {"ann keep, bob drop", "ann", false},
		{"ann keep, bob keep", "", false}, {"ann keep, bob keep", "zoe", false},
	}
	for _, tt := range tests {
		if got := Waits(two, Judge(two, id, say(tt.reviews), nil), tt.who); got != tt.want {
			t.Errorf("after %q, for %q: got %v, want %v", tt.reviews, tt.who, got, tt.want)
		}
	}
}

func TestCasesAreOrderedByScore(t *testing.T) {
	candidates := []schemas.Candidate{{ID: "b", Score: schemas.Score{Total: 1}}, {ID: "c", Score: schemas.Score{Total: 5}}, {ID: "a", Score: schemas.Score{Total: 1}}, {ID: id, Score: schemas.Score{Total: 9}}}
	d := schemas.Decision{Candidate: "c", Choice: schemas.ChoiceDrop}
	var got []string
	for _, c := range Cases(two, candidates, say("ann keep"), []schemas.Decision{d}) {
		got = append(got, string(c.Candidate.ID)+" "+string(c.Standing.Status))
	}
	want := []string{string(id) + " open", "c decided", "a open", "b open"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

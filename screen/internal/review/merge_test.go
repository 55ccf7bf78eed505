package review

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func casesOf(reviews string, recorded *schemas.Decision) []Case {
	var decisions []schemas.Decision
	if recorded != nil {
		decisions = append(decisions, *recorded)
	}
	return Cases(two, []schemas.Candidate{{ID: id}, {ID: "other-1_x-2-0123456789"}}, say(reviews), decisions)
}

func linesOf(t *testing.T, reviews []schemas.Review, decisions ...schemas.Decision) string {
	t.Helper()
	body, err := Lines(reviews, decisions)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func summary(c Change) string {
	var parts []string
	for _, r := range c.Reviews {
		parts = append(parts, r.Reviewer+" "+string(r.Choice))
	}
	for _, d := range c.Decisions {
		parts = append(parts, string(d.How)+": "+string(d.Choice))
	}
	return strings.Join(parts, ", ")
}

func TestImport(t *testing.T) {
	keep := schemas.Decision{Candidate: id, Choice: schemas.ChoiceKeep, Reason: schemas.ReasonJoint, How: schemas.HowAgreement, Reviewers: []string{"ann", "bob"}}
	drop := keep
	drop.Choice, drop.Reason = schemas.ChoiceDrop, schemas.ReasonFork
	stranger := say("ann keep")
	stranger[0].Candidate = "nobody-1_x-2-0123456789"
	changed := say("ann drop")
	tests := []struct {
		name     string
		have     string
		recorded *schemas.Decision
		file     string
		want     string // of the change
		fault    string // part of the error
	}{
		{"nothing", "", nil, "\n\n", "", ""},
		{"reviews that agree", "", nil, linesOf(t, say("ann keep, bob keep")), "ann keep, bob keep, agreement: keep", ""},
		{"the second review", "ann keep", nil, linesOf(t, say("ann keep, bob keep")), "bob keep, agreement: keep", ""},
		{"twice the same line", "", nil, linesOf(t, append(say("ann keep"), say("ann keep")...)), "ann keep", ""},
		{"a decision without reviews", "", nil, linesOf(t, nil, keep), "imported: keep", ""},
		{"a decision with its reviews", "", nil, linesOf(t, say("ann keep, bob keep"), keep), "ann keep, bob keep, agreement: keep", ""},
		{"the decision on record", "", &keep, linesOf(t, nil, keep), "", ""},
		{"an adjudication", "ann keep, bob drop", nil, linesOf(t, say(", , zoe! keep")), "zoe keep, adjudication: keep", ""},
		{"a stranger's adjudication", "ann keep, bob drop", nil, linesOf(t, say(", , eve! keep")), "", "line 1: eve adjudicates"},
		{"an unknown candidate", "", nil, linesOf(t, stranger), "", "line 1: candidate nobody-1_x-2-0123456789 is not known"},
		{"another review at the same time", "ann keep", nil, linesOf(t, changed), "", "line 1: it differs"},
		{"another decision", "", &keep, linesOf(t, nil, drop), "", "line 1: it says drop, but"},
		{"a decision against its reviews", "", nil, linesOf(t, say("ann keep, bob keep"), drop), "", "line 3: it says drop, but the reviews"},
		{"two decisions", "", nil, linesOf(t, nil, keep, drop), "", "line 2: it says drop, line 1 says keep"},
		{"every fault with its line", "", nil, "{}\nnonsense\n" + linesOf(t, say("ann keep")) + "{\"record\":\"verdict\",\"body\":{}}", "", "line 4: record \"verdict\""},
		{"an invalid review", "", nil, strings.Replace(linesOf(t, say("ann keep")), "keep", "maybe", 1), "", "line 1: reading review"},
		{"two records on a line", "", nil, strings.TrimSpace(linesOf(t, say("ann keep"))) + "{}", "", "line 1: data after"},
		{"a line without end", "", nil, strings.Repeat(" ", MaxLine+1), "", "line 1: longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cases := casesOf(tt.have, tt.recorded)
			entries, err := Read(strings.NewReader(tt.file))
			var change Change
			if err == nil {
				change, err = Merge(two, cases, entries)
			}
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) || summary(change) != "" {
					t.Errorf("got %q, %v; want only the error %q", summary(change), err, tt.fault)
				}
				return
			}
			if err != nil || summary(change) != tt.want {
				t.Fatalf("got %q, %v; want %q", summary(change), err, tt.want)
			}
			checkIdempotent(t, cases, change, entries)
		})
	}
}

// checkIdempotent imports the same entries into what the first import made.
func checkIdempotent(t *testing.T, cases []Case, change Change, entries []Entry) {
	t.Helper()
	var reviews []schemas.Review
	var decisions []schemas.Decision
	var candidates []schemas.Candidate
	for _, c := range cases {
		candidates, reviews = append(candidates, c.Candidate), append(reviews, c.Reviews...)
		if c.Recorded != nil {
			decisions = append(decisions, *c.Recorded)
		}
	}
	after := Cases(two, candidates, append(reviews, change.Reviews...), append(decisions, change.Decisions...))
	again, err := Merge(two, after, entries)
	if err != nil || summary(again) != "" {
		t.Errorf("a second import changes %q, %v", summary(again), err)
	}
}

func TestReadCountsTheFaultsItDoesNotShow(t *testing.T) {
	_, err := Read(strings.NewReader(strings.Repeat("x\n", maxFaults+7)))
	if err == nil || !strings.HasSuffix(err.Error(), "and 7 more") || strings.Count(err.Error(), "line ") != maxFaults {
		t.Errorf("got %v", err)
	}
}

func TestLinesComeBackAsWritten(t *testing.T) {
	reviews := say("ann keep, bob drop:fork, zoe! keep")
	reviews[0].Notes = "tab\tnewline\nemoji 🦀 quote\" \u2028"
	entries, err := Read(strings.NewReader(linesOf(t, reviews)))
	if err != nil {
		t.Fatal(err)
	}
	var got []schemas.Review
	for _, e := range entries {
		got = append(got, *e.Review)
	}
	if diff := cmp.Diff(reviews, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAdd(t *testing.T) {
	r := say("ann keep")[0]
	change, err := Add(two, casesOf("ann drop", nil), r)
	if err != nil || len(change.Reviews) != 1 || !change.Reviews[0].At.Equal(r.At.Add(tick)) {
		t.Errorf("a second review in the same second: got %+v, %v", change, err)
	}
	r.Reviewer = "zoe"
	if change, err = Add(two, casesOf("ann keep, bob drop", nil), r); err != nil || summary(change) != "zoe keep, adjudication: keep" {
		t.Errorf("an adjudication: got %q, %v", summary(change), err)
	}
	r.Choice, r.Reason = schemas.ChoiceUnsure, schemas.ReasonOther
	if _, err = Add(two, casesOf("ann keep, bob drop", nil), r); err == nil {
		t.Error("an unsure adjudication was taken")
	}
	r.Candidate = "nobody"
	if _, err = Add(two, casesOf("", nil), r); err == nil {
		t.Error("a review of an unknown candidate was taken")
	}
}

func TestAgree(t *testing.T) {
	var reviews []schemas.Review
	for i, choices := range []string{"ann keep, bob keep", "ann drop, bob drop", "bob keep, ann drop", "ann keep, bob drop, ANN drop", "ann keep", "ann keep, bob drop, zoe! keep"} {
		for _, r := range say(choices) {
			r.Candidate = schemas.CandidateID(fmt.Sprintf("c-%d", i))
			reviews = append(reviews, r)
		}
	}
	a := Agree(2, reviews)
	if len(a.Pairs) != 1 || a.Pairs[0].First != "ann" || a.Pairs[0].Cohen.Units != 5 {
		t.Fatalf("got pairs %+v", a.Pairs)
	}
	// keep/keep 1, keep/drop 2, drop/keep 1, drop/drop 1: (0.4 - 0.48) / 0.52.
	if got := a.Pairs[0].Cohen.Value; got < -0.154 || got > -0.153 {
		t.Errorf("Cohen: got %g, want -0.154", got)
	}
	if a.Fleiss.Units != 5 || a.Krippendorff.Units != 5 {
		t.Errorf("got %d and %d units, want 5 and 5", a.Fleiss.Units, a.Krippendorff.Units)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"record":"review","body":{"candidate":"a-1","reviewer":"r","choice":"keep","reason":"joint","at":"2026-01-01T00:00:00Z"}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		entries, err := Read(bytes.NewReader(file))
		if err != nil && entries != nil {
			t.Error("entries beside an error")
		}
		for _, e := range entries {
			if (e.Review == nil) == (e.Decision == nil) {
				t.Errorf("line %d holds neither or both", e.Line)
			}
		}
		if change, err := Merge(two, casesOf("ann keep", nil), entries); err != nil && summary(change) != "" {
			t.Errorf("a change beside the error %v", err)
		}
	})
}

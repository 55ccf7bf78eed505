package schemas

import (
	"strings"
	"time"
)

var (
	at   = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	shaA = CommitSHA(strings.Repeat("a", 40))
	shaB = CommitSHA(strings.Repeat("b", 40))
	shaC = CommitSHA(strings.Repeat("c", 64))
	dig  = Digest("sha256:" + strings.Repeat("0", 64))
)

// fullCandidate returns a candidate with some lists filled and others nil, as
// the others of this file do.
func fullCandidate() Candidate {
	sides := []Side{
		{Repo: "Ann/lib", Pull: 7, Base: shaA, Head: shaB, Title: "Add x", MergedAt: at, Role: RoleProvider, Language: "Go",
			Files: []File{{Path: "x.go", Status: FileAdded, Class: ClassSource, Added: 3}}},
		{Repo: "bob/app", Base: shaA, Head: shaC, Title: "Use x", MergedAt: at, Role: RoleConsumer, Labels: []string{"bug"}},
	}
	return Candidate{
		ID: NewCandidateID(sides), Origin: OriginMined, Sides: sides,
		Links:      []Link{{From: "bob/app", To: "ann/LIB", Kind: LinkVersion, Text: "lib v1", Where: PlaceManifest, Path: "go.mod"}},
		Score:      Score{Total: 2, Parts: []ScorePart{{Name: "version", Value: 2}}},
		WindowFrom: at, WindowTo: at,
	}
}

func fullReview() Review {
	return Review{Candidate: fullCandidate().ID, Reviewer: "r1", Choice: ChoiceKeep, Reason: ReasonJoint, Intent: IntentBugFix, Domain: "web & api", At: at}
}

func fullDecision() Decision {
	return Decision{Candidate: fullCandidate().ID, Choice: ChoiceKeep, Reason: ReasonJoint, How: HowAgreement, Reviewers: []string{"r1", "r2"}, At: at}
}

func fullSpec() Spec {
	return Spec{Candidate: fullCandidate().ID, Base: "golang:1.26", History: HistoryPast,
		Repos: []RepoSpec{
			{Repo: "ann/lib", Dir: "lib", Base: shaA, Targets: []Target{{Name: "./...", Runner: RunnerGo, Command: Command{Run: []string{"go", "test"}}, Report: "/tmp/r"}}},
			{Repo: "bob/app", Dir: "app", Base: shaA},
		},
		Links: []LinkSpec{{Ecosystem: "go", Consumer: "bob/app", Provider: "ann/lib", Name: "lib", Prove: Command{Run: []string{"go", "list"}}, Want: "/testbed/lib"}},
	}
}

func fullEnvironment() Environment {
	return Environment{Candidate: fullCandidate().ID, Spec: fullSpec(), SpecDigest: dig, Dockerfile: dig, Image: "crossswe/env:1", ImageID: dig, BuiltAt: at}
}

func fullVerdict() Verdict {
	id := NewTestID("bob/app", "pkg", []string{"TestX"}, 1)
	return Verdict{Candidate: fullCandidate().ID, Kind: VerdictJoint, Level: LevelSingleTest, Evidence: EvidenceNew, Repos: []RepoName{"ann/lib", "bob/app"},
		Image: "crossswe/env:1", ImageID: dig, FailToPass: []TestID{id}, Joint: []TestID{id}, VerifiedAt: at,
		Health: MaskRow{Name: "A0B0", Outcome: OutcomeFail},
		Masks:  []MaskRow{{Mask: 3, Name: "A1B1", Outcome: OutcomePass}, {Mask: 1, Name: "A1B0", Outcome: OutcomeFail, Failure: FailureAssertion}},
		Tests:  []TestRow{{ID: id, Touch: TouchNew, Needs: []Mask{3}, Joint: true, Repo: "bob/app"}}}
}

func fullStatement() Statement {
	return Statement{Candidate: fullCandidate().ID, Text: "# Task", Method: "extractive", At: at}
}

func fullInstance() Instance {
	return Instance{InstanceID: string(fullCandidate().ID), Patch: "p", Image: "i", FailToPass: []string{"t"}, Repos: make([]InstanceRepo, 2), CreatedAt: at}
}

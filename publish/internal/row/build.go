// Package row makes the dataset's row of a verified candidate. It is pure:
// records and patches in, a row or a typed refusal out.
package row

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crossswe/internal/leaveout"
	"crossswe/internal/patch"
	"crossswe/schemas"
)

// Input is everything a row is made of.
type Input struct {
	Candidate   schemas.Candidate
	Decision    schemas.Decision
	Environment schemas.Environment
	Verdict     schemas.Verdict
	Statement   schemas.Statement
	// Patches stand in the order of Verdict.Repos.
	Patches []Patches
	Options Options
}

// Patches are the gold and the test patch of one repository.
type Patches struct{ Gold, Test []byte }

// Options are the curator's.
type Options struct {
	Canary string
	// Program is the version of the program, for the provenance.
	Program string
	// Timeout bounds one command of the evaluation whose spec gives no limit.
	Timeout time.Duration
}

// Build makes the row. A *Refusal says why there can be none; another error is
// a fault of the records, which do not belong together.
func Build(in Input) (schemas.Instance, error) {
	sides, err := in.sides()
	if err != nil {
		return schemas.Instance{}, err
	}
	tests, left, err := chooseTests(in.Verdict)
	if err != nil {
		return schemas.Instance{}, err
	}
	r := schemas.Instance{
		InstanceID: string(in.Candidate.ID), Version: in.Environment.SpecDigest.Hex()[:12],
		ProblemStatement: in.Statement.Text, StatementApproved: in.Statement.Approved != "", Interface: list(in.Statement.Interface),
		Image: in.image(), ImageName: in.image(), ImageBytes: in.Environment.SizeBytes,
		FailToPass: tests.failToPass, PassToPass: tests.passToPass, JointTests: tests.joint, SingleSideTests: tests.singleSide,
		LogParser: logParser, EvalType: evalType,
		Verdict: string(in.Verdict.Kind), JointLevel: string(in.Verdict.Level), Evidence: string(in.Verdict.Evidence),
		TaskIntent: string(in.Decision.Intent), Domain: in.Decision.Domain,
		Masks: masks(in.Verdict), DenyList: denyList(sides), Canary: in.Options.Canary,
	}
	if err := fillPatches(&r, sides); err != nil {
		return schemas.Instance{}, err
	}
	fillSides(&r, sides)
	if r.EvalScript, err = Script(leaveout.Spec(in.Environment.Spec, in.Verdict.LeftOut), testPatches(sides), ScriptOptions{Timeout: in.Options.Timeout}); err != nil {
		return schemas.Instance{}, err
	}
	if r.Provenance, err = provenance(in, left); err != nil {
		return schemas.Instance{}, err
	}
	if err := textual(r); err != nil {
		return schemas.Instance{}, err
	}
	r.Digest, err = digest(r)
	return r, err
}

// image is the name by which others can have the image: by digest where it was
// pushed, else the name on the machine that built it.
func (in Input) image() string {
	return string(cmp.Or(in.Environment.Pushed, in.Environment.Image))
}

// side is one repository of the row.
type side struct {
	schemas.Side
	dir string
	Patches
}

// sides joins what the records say about each repository, in the verdict's
// order, which is that of the masks' bits.
func (in Input) sides() ([]side, error) {
	switch v := in.Verdict; {
	case v.ImageID != in.Environment.ImageID:
		return nil, fmt.Errorf("the verdict is of image %s, the environment has %s", v.ImageID, in.Environment.ImageID)
	case len(in.Patches) != len(v.Repos):
		return nil, fmt.Errorf("%d repositories have %d pairs of patches", len(v.Repos), len(in.Patches))
	case in.Environment.SpecDigest == "":
		return nil, fmt.Errorf("the environment has no spec digest")
	}
	var all []side
	for i, repo := range in.Verdict.Repos {
		s := slices.IndexFunc(in.Candidate.Sides, func(s schemas.Side) bool { return s.Repo.Same(repo) })
		e := slices.IndexFunc(in.Environment.Spec.Repos, func(r schemas.RepoSpec) bool { return r.Repo.Same(repo) })
		if s < 0 || e < 0 {
			return nil, fmt.Errorf("repository %s of the verdict is not in the candidate and the environment", repo)
		}
		if base := in.Environment.Spec.Repos[e].Base; base != in.Candidate.Sides[s].Base {
			return nil, fmt.Errorf("%s has base %s in the candidate and %s in the environment", repo, in.Candidate.Sides[s].Base, base)
		}
		if in.Candidate.Sides[s].MergedAt.IsZero() {
			return nil, fmt.Errorf("%s has no merge time", repo)
		}
		all = append(all, side{in.Candidate.Sides[s], in.Environment.Spec.Repos[e].Dir, in.Patches[i]})
	}
	return all, nil
}

// fillPatches sets the patches, of each repository and over all, and the sizes.
func fillPatches(r *schemas.Instance, sides []side) error {
	var gold, tests [][]byte
	for _, s := range sides {
		g, err := patch.Prefix(s.Gold, s.dir)
		if err != nil {
			return fmt.Errorf("gold patch of %s: %w", s.Repo, err)
		}
		t, err := patch.Prefix(s.Test, s.dir)
		if err != nil {
			return fmt.Errorf("test patch of %s: %w", s.Repo, err)
		}
		gold, tests = append(gold, g), append(tests, t)
	}
	joined := patch.Join(gold...)
	r.Patch, r.TestPatch = string(joined), string(patch.Join(tests...))
	files, err := patch.Parse(joined)
	if err != nil {
		return fmt.Errorf("gold patch: %w", err)
	}
	for _, f := range files {
		added, deleted := f.Counts()
		r.ChangedFiles++
		r.ChangedLines += int32(added + deleted)
	}
	return nil
}

// fillSides sets what is told of each repository and what follows from all of them.
func fillSides(r *schemas.Instance, sides []side) {
	var repos, bases, languages []string
	for _, s := range sides {
		repos, bases = append(repos, string(s.Repo)), append(bases, string(s.Base))
		if s.Language != "" {
			languages = append(languages, s.Language)
		}
		r.Repos = append(r.Repos, schemas.InstanceRepo{
			Repo: string(s.Repo), Dir: s.dir, BaseCommit: string(s.Base), HeadCommit: string(s.Head), PullNumber: int32(s.Pull),
			Role: string(s.Role), Language: s.Language, License: s.License, Patch: string(s.Gold), TestPatch: string(s.Test), MergedAt: s.MergedAt.UTC(),
		})
		if s.MergedAt.After(r.LatestMergeAt) {
			r.LatestMergeAt = s.MergedAt.UTC()
		}
	}
	slices.Sort(languages)
	r.Repo, r.BaseCommit, r.Languages = strings.Join(repos, "+"), strings.Join(bases, "+"), list(slices.Compact(languages))
	r.EnvironmentSetupCommit, r.CreatedAt = r.BaseCommit, r.LatestMergeAt
}

func masks(v schemas.Verdict) []schemas.InstanceMask {
	rows := []schemas.InstanceMask{}
	for _, m := range v.Masks {
		patched := []string{}
		for _, repo := range m.Patched {
			patched = append(patched, string(repo))
		}
		rows = append(rows, schemas.InstanceMask{
			Mask: m.Name, Patched: patched, Runs: int32(m.Runs), Passed: int32(m.Passed), Failed: int32(m.Failed),
			Errored: int32(m.Errored), Skipped: int32(m.Skipped), Verdict: string(m.Outcome), Failure: string(m.Failure),
		})
	}
	return rows
}

// denyList names the pages that show the solution: prefixes of URLs, and the
// short forms that people and tools use.
func denyList(sides []side) []string {
	list := []string{}
	for _, s := range sides {
		host, name := s.Repo.Host(), s.Repo.Owner()+"/"+s.Repo.Name()
		web, api := "https://"+host+"/"+name, "https://"+host+"/api/v3/repos/"+name
		if host == "github.com" {
			api = "https://api.github.com/repos/" + name
		}
		if s.Pull > 0 {
			list = append(list, fmt.Sprintf("%s#%d", s.Repo, s.Pull), fmt.Sprintf("%s/pull/%d", web, s.Pull), fmt.Sprintf("%s/pulls/%d", api, s.Pull), fmt.Sprintf("%s/issues/%d", api, s.Pull))
		}
		for _, c := range []schemas.CommitSHA{s.Head, s.Merge} {
			if c != "" {
				list = append(list, fmt.Sprintf("%s/commit/%s", web, c), fmt.Sprintf("%s/commits/%s", api, c))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// provenance is one line of JSON: where the row comes from, without people.
func provenance(in Input, left int) (string, error) {
	v := in.Verdict
	body, err := json.Marshal(struct {
		Program     string              `json:"program"`
		Candidate   schemas.CandidateID `json:"candidate"`
		Origin      schemas.Origin      `json:"origin"`
		ReducedFrom schemas.CandidateID `json:"reduced_from,omitempty"`
		SpecDigest  schemas.Digest      `json:"spec_digest"`
		Dockerfile  schemas.Digest      `json:"dockerfile"`
		ImageID     schemas.Digest      `json:"image_id"`
		Edited      bool                `json:"spec_edited"`
		Decision    schemas.DecisionHow `json:"decision"`
		Statement   string              `json:"statement"`
		Repetitions int                 `json:"repetitions"`
		VerifiedAt  time.Time           `json:"verified_at"`
		Host        schemas.HostFacts   `json:"host"`
		FlakyTests  int                 `json:"flaky_tests"`
		LeftOut     int                 `json:"tests_left_out"` // their names fit no test log
	}{
		in.Options.Program, in.Candidate.ID, in.Candidate.Origin, in.Candidate.ReducedFrom, in.Environment.SpecDigest, in.Environment.Dockerfile,
		in.Environment.ImageID, in.Environment.Edited, in.Decision.How, in.Statement.Method, v.Repetitions, v.VerifiedAt.UTC(), v.Host, len(v.Flaky), left,
	})
	return string(body), err
}

// textual refuses a row whose texts are not UTF-8: a string column holds
// nothing else, and an altered patch would not apply.
func textual(r schemas.Instance) error {
	for name, text := range map[string]string{"patch": r.Patch, "test_patch": r.TestPatch, "problem_statement": r.ProblemStatement, "eval_script": r.EvalScript} {
		if !utf8.ValidString(text) {
			return &Refusal{NotText, name + " is not UTF-8"}
		}
	}
	return nil
}

// digest is the SHA-256 of the row's JSON without the digest.
func digest(r schemas.Instance) (string, error) {
	r.Digest = ""
	body, err := schemas.Encode(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// list returns the strings, an empty list for none.
func list(s []string) []string { return append([]string{}, s...) }

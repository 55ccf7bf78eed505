package patch

import (
	"context"
	"fmt"

	"crossswe/internal/gitrepo"
)

// Prove applies the patches to base by "git apply", alone and in both orders,
// and compares the outcome with head's tree, less what Missing and Gitlinks
// name. The error is a *ProofError when they differ or do not apply.
func Prove(ctx context.Context, repo *gitrepo.Repo, s Sides) error {
	before, after, err := s.expected(ctx, repo)
	if err != nil {
		return fmt.Errorf("proving the split: %w", err)
	}
	steps := []struct {
		name    string
		patches [][]byte
		want    gitrepo.OID
	}{
		{"nothing", nil, s.Trees.Base},
		{"gold alone", [][]byte{s.Gold}, s.Trees.Gold},
		{"test alone", [][]byte{s.Test}, s.Trees.Test},
		{"gold and test", [][]byte{s.Gold, s.Test}, after},
		{"test and gold", [][]byte{s.Test, s.Gold}, after},
	}
	for _, step := range steps {
		got, err := repo.Apply(ctx, before, step.patches...)
		if err == nil && got != step.want {
			err = fmt.Errorf("got tree %s, want %s", got, step.want)
		}
		if err != nil {
			return &ProofError{Step: step.name, Err: err}
		}
	}
	return nil
}

// ProofError says that a split does not give head again.
type ProofError struct {
	Step string // which patches, in which order
	Err  error  // what went wrong: a *gitrepo.ApplyError, or other trees
}

// Error implements error.
func (e *ProofError) Error() string { return "proving the split, " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ProofError) Unwrap() error { return e.Err }

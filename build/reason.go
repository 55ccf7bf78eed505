package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"crossswe/build/internal/checkout"
	"crossswe/build/internal/infer"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/internal/container"
	"crossswe/internal/gitrepo"
	"crossswe/internal/jobs"
	"crossswe/internal/mirrors"
	"crossswe/internal/patch"
	"crossswe/schemas"
)

// gaveUp says that a candidate is dropped, and why.
type gaveUp struct {
	reason schemas.BuildReason
	detail string // one line
}

// Error implements error.
func (g *gaveUp) Error() string { return string(g.reason) + ": " + g.detail }

func giveUp(reason schemas.BuildReason, format string, args ...any) error {
	return &gaveUp{reason, oneLine(fmt.Sprintf(format, args...))}
}

// reason turns an error that is about the candidate into a *gaveUp; every
// other error is a fault of the machinery and stays as it is.
func reason(err error) error {
	var (
		refusal *infer.Refusal
		missing *gitrepo.MissingObjectError
		shallow *gitrepo.ShallowError
		proof   *patch.ProofError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refusal):
		return giveUp(refusal.Reason, "%v", err)
	case errors.Is(err, mirrors.ErrUnknown), errors.Is(err, gitrepo.ErrNotRepository):
		return giveUp(schemas.BuildNoRepository, "%v", err)
	case errors.As(err, &missing), errors.Is(err, gitrepo.ErrNoCommit):
		return giveUp(schemas.BuildMissingObject, "%v", err)
	case errors.As(err, &shallow):
		return giveUp(schemas.BuildShallow, "%v", err)
	case errors.As(err, &proof), errors.Is(err, patch.ErrEntangled):
		return giveUp(schemas.BuildPatchUnproved, "%v", err)
	case errors.Is(err, link.ErrWorkspace):
		return giveUp(schemas.BuildBadSpec, "%v", err)
	case errors.Is(err, checkout.ErrUnsafePath), errors.Is(err, gitrepo.ErrTooLarge):
		return giveUp(schemas.BuildUnsupported, "%v", err)
	}
	return err
}

// networkFault matches the log lines of package managers that could not reach
// their registry: the next run may.
var networkFault = regexp.MustCompile(`(?i)dial tcp|i/o timeout|TLS handshake timeout|connection (?:reset|refused|timed out)|no such host|\bEAI_AGAIN\b|\bECONNRESET\b|\bETIMEDOUT\b|\bECONNREFUSED\b|\bENOTFOUND\b|50[0234] (?:Bad Gateway|Service Unavailable|Gateway Time-?out|Internal Server Error)|Temporary failure (?:in name resolution|resolving)`)

// buildReason says what a failed image build means for the candidate. file is
// the spec to edit.
func buildReason(err error, plan recipe.Plan, file string) error {
	var failed *container.BuildError
	if !errors.As(err, &failed) || errors.Is(err, container.ErrNoSpace) {
		return err
	}
	tail := strings.Join(failed.Tail, "\n")
	why := plan.Reason(failed.Step)
	fetches := why == schemas.BuildDependency || why == schemas.BuildNoToolchain
	switch {
	case failed.Failure == container.FailureTimeout:
		return giveUp(schemas.BuildTimeout, "%v; the last line was %q", err, lastLine(failed.Tail))
	case failed.Failure == container.FailureBase:
		return giveUp(schemas.BuildNoBaseImage, "%v", err)
	case fetches && networkFault.MatchString(tail):
		return fmt.Errorf("a registry could not be reached: %w: %s", err, lastLine(failed.Tail))
	}
	return giveUp(why, "%s: %q; the spec to edit is %s (build -init writes it)", failed.Error(), lastLine(failed.Tail), file)
}

// failure is the typed reason of a fault of the machinery, where there is one.
func failure(err error) schemas.BuildReason {
	switch {
	case errors.Is(err, container.ErrNoSpace), errors.Is(err, errDiskFull):
		return schemas.BuildNotEnoughSpace
	case errors.Is(err, errBase):
		return schemas.BuildNoBaseImage
	case errors.Is(err, container.ErrRegistryDenied):
		return schemas.BuildRegistryDenied
	case errors.Is(err, container.ErrRegistryUnreachable):
		return schemas.BuildRegistryUnreachable
	}
	return ""
}

// fault says what a fault of the machinery means for the candidates that follow:
// they would meet it too, or, when a base image cannot be had, need not.
func fault(err error) error {
	switch {
	case hopeless(err):
		return &jobs.UnfitError{Err: err}
	case errors.Is(err, errBase):
		return &jobs.SingleError{Err: err}
	}
	return err
}

// hopeless reports whether every further candidate would meet the fault.
func hopeless(err error) bool { return container.Unfit(err) || errors.Is(err, errDiskFull) }

// colour matches the escape sequences with which the builder marks standard error.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// lastLine returns the last line that says something.
func lastLine(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(colour.ReplaceAllString(lines[i], ""))
		if l != "" && !strings.HasPrefix(l, "The command '") && !strings.HasPrefix(l, "Removing intermediate") {
			return l
		}
	}
	return ""
}

const maxDetail = 600

// oneLine makes a detail of a text: one line, cut.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxDetail {
		s = strings.ToValidUTF8(s[:maxDetail], "") + "…"
	}
	return s
}

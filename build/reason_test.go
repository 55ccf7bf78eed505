package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"crossswe/build/internal/checkout"
	"crossswe/build/internal/infer"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/internal/container"
	"crossswe/internal/gitrepo"
	"crossswe/internal/mirrors"
	"crossswe/internal/patch"
	"crossswe/schemas"
)

func TestReason(t *testing.T) {
	for _, c := range []struct {
		err  error
		want schemas.BuildReason // "" for a fault of the machinery
	}{
		{&infer.Refusal{Reason: schemas.BuildNoTarget, Detail: "x"}, schemas.BuildNoTarget},
		{mirrors.ErrUnknown, schemas.BuildNoRepository},
		{gitrepo.ErrNotRepository, schemas.BuildNoRepository},
		{gitrepo.ErrNoCommit, schemas.BuildMissingObject},
		{&gitrepo.MissingObjectError{OID: "1"}, schemas.BuildMissingObject},
		{&gitrepo.ShallowError{}, schemas.BuildShallow},
		{&patch.ProofError{Err: errors.New("x")}, schemas.BuildPatchUnproved},
		{patch.ErrEntangled, schemas.BuildPatchUnproved},
		{link.ErrWorkspace, schemas.BuildBadSpec},
		{checkout.ErrUnsafePath, schemas.BuildUnsupported},
		{container.ErrNoEngine, ""},
		{errors.New("anything else"), ""},
	} {
		got := reason(fmt.Errorf("reading x/y: %w", c.err))
		var gone *gaveUp
		switch {
		case c.want == "" && errors.As(got, &gone):
			t.Errorf("%v: given up as %s, want a fault", c.err, gone.reason)
		case c.want != "" && (!errors.As(got, &gone) || gone.reason != c.want):
			t.Errorf("%v: got %v, want %s", c.err, got, c.want)
		}
	}
	if reason(nil) != nil {
		t.Error("no error has a reason")
	}
}

func TestBuildReason(t *testing.T) {
	plan := recipe.Plan{Steps: []recipe.Step{{Text: "FROM x", Reason: schemas.BuildNoBaseImage}, {Text: "RUN fetch", Reason: schemas.BuildDependency}, {Text: "RUN build", Reason: schemas.BuildStep}}}
	failed := func(kind container.BuildFailure, step int, tail ...string) error {
		return &container.BuildError{Failure: kind, Step: step, Steps: 3, Instruction: "RUN x", Message: "m", Tail: tail}
	}
	for _, c := range []struct {
		name   string
		err    error
		want   schemas.BuildReason
		detail string
	}{
		{"a step", failed(container.FailureCommand, 3, "\x1b[91mthe last words", "\x1b[0mRemoving intermediate container 1"), schemas.BuildStep, "the last words"},
		{"a dependency", failed(container.FailureCommand, 2, "npm error 404 Not Found - GET x"), schemas.BuildDependency, "specs/x.yaml"},
		{"a registry out of reach", failed(container.FailureCommand, 2, "dial tcp 1.2.3.4:443: i/o timeout"), "", ""},
		{"such words of a build step", failed(container.FailureCommand, 3, "dial tcp 1.2.3.4:443: i/o timeout"), schemas.BuildStep, "i/o timeout"},
		{"a base image", failed(container.FailureBase, 1), schemas.BuildNoBaseImage, ""},
		{"too slow", failed(container.FailureTimeout, 3, "compiling"), schemas.BuildTimeout, "compiling"},
		{"a full disk", failed(container.FailureCommand, 3, "write /x: no space left on device"), "", ""},
		{"no failure of a build", container.ErrNoEngine, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := buildReason(c.err, plan, "specs/x.yaml")
			var gone *gaveUp
			if errors.As(got, &gone) != (c.want != "") {
				t.Fatalf("got %v, want %q", got, c.want)
			}
			if gone != nil && (gone.reason != c.want || !strings.Contains(gone.detail, c.detail) || strings.Contains(gone.detail, "\n")) {
				t.Errorf("got %s: %s, want %s: … %s …", gone.reason, gone.detail, c.want, c.detail)
			}
		})
	}
}

func TestCheckSpace(t *testing.T) {
	if err := checkSpace(0, t.TempDir(), "/nowhere/at/all"); err != nil {
		t.Error(err)
	}
	if err := checkSpace(1<<30, t.TempDir()); !errors.Is(err, errDiskFull) || !hopeless(err) || failure(err) != schemas.BuildNotEnoughSpace {
		t.Errorf("got %v, want errDiskFull", err)
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine(" a\n\tb \x00c"); got != "a b \x00c" {
		t.Errorf("got %q", got)
	}
	if got := oneLine(strings.Repeat("é", 1000)); len(got) > maxDetail+4 || !strings.HasSuffix(got, "é…") {
		t.Errorf("got %d bytes ending in %q", len(got), got[len(got)-8:])
	}
}

func TestFailure(t *testing.T) {
	for _, c := range []struct {
		err  error
		want schemas.BuildReason
	}{
		{container.ErrNoSpace, schemas.BuildNotEnoughSpace},
		{errBase, schemas.BuildNoBaseImage},
		{fmt.Errorf("%w: %w", errBase, container.ErrRegistryUnreachable), schemas.BuildNoBaseImage},
		{container.ErrRegistryDenied, schemas.BuildRegistryDenied},
		{container.ErrRegistryUnreachable, schemas.BuildRegistryUnreachable},
		{errors.New("anything else"), ""},
	} {
		if got := failure(fmt.Errorf("pushing image x: %w", c.err)); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
		var gone *gaveUp
		if errors.As(reason(c.err), &gone) {
			t.Errorf("%v: given up as %s, want a fault", c.err, gone.reason)
		}
	}
}

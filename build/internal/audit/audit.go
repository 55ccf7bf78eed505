// Package audit proves that an image is clean and leaks nothing of its own
// solution: every layer is read for hunks of the patches and for published
// copies of the siblings, and git is asked in a container what each checkout
// holds. What it reads is hostile and bounded.
package audit

import (
	"context"
	"fmt"
	"io"
	"path"

	"crossswe/build/internal/cargo"
	"crossswe/build/internal/link"
	"crossswe/internal/container"
	"crossswe/schemas"
)

// The checks, as AuditCheck.Name and AuditFinding.Check name them.
const (
	checkHunks     = "hunks"
	checkSiblings  = "sibling_releases"
	checkGit       = "git_directories"
	checkVariables = "build_variables"
	checkClean     = "checkout_clean"
	checkBase      = "checkout_at_base"
	checkRefs      = "checkout_refs"
	checkObjects   = "checkout_objects"
)

// Checkout is one repository in the image.
type Checkout struct {
	Repo schemas.RepoName
	Dir  string // absolute
	Base schemas.CommitSHA
	// Missing are the paths that the checkout lacks, since their blobs are not
	// at hand.
	Missing []string
}

// Image audits the image whose layers "docker save" writes to save, and a
// container of which is running as c. The error is for faults of the engine.
func Image(ctx context.Context, save io.Reader, c *container.Container, checkouts []Checkout, rules Rules) (schemas.Audit, error) {
	for _, co := range checkouts {
		rules.Checkouts = append(rules.Checkouts, co.Dir)
	}
	audit, err := Layers(save, rules)
	if err != nil {
		return audit, err
	}
	for _, co := range checkouts {
		checks, findings, err := inspect(ctx, c, co)
		if err != nil {
			return audit, fmt.Errorf("auditing the checkout of %s: %w", co.Repo, err)
		}
		audit.Checks = append(audit.Checks, checks...)
		audit.Findings = append(audit.Findings, findings...)
	}
	audit.Clean = len(audit.Findings) == 0
	return audit, nil
}

// Layers audits the layers of an image as "docker save" writes it.
func Layers(save io.Reader, rules Rules) (schemas.Audit, error) {
	a := &layerAudit{rules: rules, packs: map[string]string{}, findings: []schemas.AuditFinding{}}
	if err := a.image(save); err != nil {
		return schemas.Audit{}, err
	}
	if a.layers == 0 {
		return schemas.Audit{}, fmt.Errorf("reading the image: it has no layer")
	}
	seen := fmt.Sprintf("%d files and %d archives in %d layers", a.files, a.archives, a.layers)
	return schemas.Audit{
		Clean:    len(a.findings) == 0,
		Findings: a.findings,
		Checks: []schemas.AuditCheck{
			{Name: checkHunks, Looked: rules.Needles.Count(), Subject: "hunks of the gold and test patches, in " + seen},
			{Name: checkSiblings, Looked: len(rules.Siblings), Subject: "packages of the set, in " + seen},
			{Name: checkGit, Looked: len(a.packs), Subject: "git directories, in " + seen},
			{Name: checkVariables, Looked: len(rules.Secrets), Subject: "values of build variables, in the image's record"},
		},
	}, nil
}

// testbedPath is a checkout's directory in the image.
func testbedPath(dir string) string { return path.Join(schemas.TestbedDir, dir) }

// CheckoutsOf lists the checkouts of a spec.
func CheckoutsOf(spec schemas.Spec) []Checkout {
	var all []Checkout
	for _, r := range spec.Repos {
		all = append(all, Checkout{Repo: r.Repo, Dir: testbedPath(r.Dir), Base: r.Base})
	}
	return all
}

// lines are the version lines of a link, as its ecosystem counts them.
func lines(l schemas.LinkSpec) []string {
	if l.Ecosystem == link.Cargo {
		return cargo.Lines(l.Versions)
	}
	return link.Majors(l.Versions)
}

// SiblingsOf lists the packages of a spec whose releases must be nowhere.
func SiblingsOf(spec schemas.Spec) []Sibling {
	dirs := map[string]string{}
	for _, r := range spec.Repos {
		dirs[r.Repo.Key()] = r.Dir
	}
	var all []Sibling
	for _, l := range spec.Links {
		all = append(all, Sibling{Ecosystem: l.Ecosystem, Name: l.Name, Majors: lines(l), Versions: l.Versions,
			Dir: path.Join(testbedPath(dirs[l.Provider.Key()]), l.ProviderDir)})
	}
	return all
}

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/gitrepo/gitrepotest"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// ecosystem is a pair of repositories of one ecosystem: a provider, and a
// consumer whose change needs the provider's.
type ecosystem struct {
	name               string
	provider, consumer change
	// joint are the tests that pass only when both change.
	joint []string
	// trap are files of the consumer, at base and head, with which it does not
	// use its sibling's checkout; void is what the reason then says.
	trap map[string]string
	void string
}

// change is a repository, and what its change writes.
type change struct {
	repo       string
	base, head map[string]string
}

// ecosystems are those whose packages the registries in reach provide.
var ecosystems = []ecosystem{
	maven,
	python,
	cargo,
	cmakePackage,
	cmakeContent,
}

func TestEcosystems(t *testing.T) {
	for _, e := range ecosystems {
		t.Run(e.name, func(t *testing.T) {
			t.Run("joint", func(t *testing.T) { checkJoint(t, e) })
			t.Run("void link", func(t *testing.T) { checkVoid(t, e) })
		})
	}
}

// pairPipeline makes the two repositories and their candidate, which is kept.
func pairPipeline(t *testing.T, e ecosystem, trap map[string]string) (p *pipeline, id string) {
	t.Helper()
	p = &pipeline{dir: t.TempDir()}
	config := "repositories:\n  list:\n"
	args := []string{"-json", "-add"}
	for i, c := range []change{e.provider, e.consumer} {
		files := gitrepotest.Files{}
		add := func(all map[string]string) {
			for name, text := range all {
				files[name] = gitrepotest.Text(strings.TrimPrefix(text, "\n"))
			}
		}
		r := gitrepotest.New(t)
		add(c.base)
		if i == 1 {
			add(trap)
		}
		base := r.Commit("Begin", files)
		add(c.head)
		if i == 1 {
			add(trap)
		}
		head := r.Commit("Go on", files, base)
		r.Git("update-ref", "refs/heads/main", string(head))
		config += fmt.Sprintf("    - name: %s\n      path: %s\n", c.repo, r.Dir)
		args = append(args, fmt.Sprintf("%s@%s..%s", c.repo, base, head))
	}
	p.write(t, "pipeline.yaml", config+strings.Replace(settings, "screen:\n", "screen:\n  reviewers: 1\n", 1))
	p.makeTmp(t)
	p.must(t, "mine", args...)
	for _, c := range records[schemas.Candidate](t, p) {
		id = string(c.ID)
	}
	p.must(t, "screen", "decide", id, "keep", "-reviewer", "cleo", "-reason", "joint")
	return p, id
}

func checkJoint(t *testing.T, e ecosystem) {
	p, id := pairPipeline(t, e, nil)
	p.must(t, "build", id)
	for _, env := range records[schemas.Environment](t, p) {
		for _, l := range env.Links {
			if !l.Holds {
				t.Errorf("the link %s does not hold: %q", l.Name, l.Got)
			}
		}
		if len(env.Links) == 0 || !env.Audit.Clean {
			t.Errorf("%d links, audit %+v", len(env.Links), env.Audit.Findings)
		}
	}
	p.must(t, "verify", id)
	for _, v := range records[schemas.Verdict](t, p) {
		var joint []string
		for _, id := range v.Joint {
			joint = append(joint, string(id))
		}
		slices.Sort(joint)
		if diff := cmp.Diff(e.joint, joint); diff != "" {
			body, err := json.MarshalIndent(v, "", " ")
			t.Errorf("joint tests differ (-want +got):\n%s\n%s %v", diff, bytes.TrimSpace(body), err)
		}
	}
}

func checkVoid(t *testing.T, e ecosystem) {
	p, id := pairPipeline(t, e, e.trap)
	p.run(t, "build", id)
	items := p.items(t, store.StageBuild)
	if len(items) != 1 || items[0].Reason != string(schemas.BuildLinkVoid) || !strings.Contains(items[0].Detail, e.void) {
		t.Errorf("the trap ended in %+v, want %s: … %s", items, schemas.BuildLinkVoid, e.void)
	}
}

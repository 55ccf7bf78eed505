package gitrepo_test

import (
	"testing"

	"crossswe/internal/gitrepo"
	"crossswe/internal/gitrepo/gitrepotest"
)

func TestDescribe(t *testing.T) {
	r := gitrepotest.New(t)
	first := r.Commit("first", gitrepotest.Files{"a": gitrepotest.Text("1")})
	second := r.Commit("second", gitrepotest.Files{"a": gitrepotest.Text("2")}, first)
	third := r.Commit("third", gitrepotest.Files{"a": gitrepotest.Text("3")}, second)
	r.Git("tag", "v1.2-rc-3", string(second))
	r.Git("tag", "nightly", string(third))
	repo, err := gitrepo.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		distance int
		tag      string
	}{{string(third), 1, "v1.2-rc-3"}, {string(second), 0, "v1.2-rc-3"}, {string(first), 0, ""}} {
		sha, err := repo.Resolve(t.Context(), c.name)
		if err != nil {
			t.Fatal(err)
		}
		tag, distance, ok, err := repo.Describe(t.Context(), sha)
		if err != nil || tag != c.tag || distance != c.distance || ok != (c.tag != "") {
			t.Errorf("%s: got %q, %d, %v, %v; want %q, %d", sha.Short(), tag, distance, ok, err, c.tag, c.distance)
		}
	}
	if _, _, _, err := repo.Describe(t.Context(), "0123456789012345678901234567890123456789"); err == nil {
		t.Error("a commit that is not there is described")
	}
}

package schemas

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProvidersFirst(t *testing.T) {
	link := func(consumer, provider RepoName) LinkSpec { return LinkSpec{Consumer: consumer, Provider: provider} }
	repos := []RepoSpec{{Repo: "o/app"}, {Repo: "o/mid"}, {Repo: "o/lone"}, {Repo: "o/lib"}}
	tests := []struct {
		name  string
		links []LinkSpec
		want  []int
	}{
		{"no links", nil, []int{0, 1, 2, 3}},
		{"a chain", []LinkSpec{link("o/app", "o/mid"), link("o/mid", "o/lib")}, []int{3, 1, 0, 2}},
		{"a circle", []LinkSpec{link("o/app", "o/mid"), link("o/mid", "o/app")}, []int{1, 0, 2, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Spec{Repos: repos, Links: tt.links}.ProvidersFirst()); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

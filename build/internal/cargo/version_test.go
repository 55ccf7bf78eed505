package cargo

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReqs holds requirements against the versions that Cargo's book lists for
// each form.
func TestReqs(t *testing.T) {
	for _, c := range []struct {
		req      string
		yes, not []string
	}{
		{"1.2.3", []string{"1.2.3", "1.9.0"}, []string{"1.2.2", "2.0.0", "1.3.0-beta.1"}},
		{"^1.2", []string{"1.2.0", "1.3.7"}, []string{"1.1.9", "2.0.0"}},
		{"0.2.3", []string{"0.2.3", "0.2.9"}, []string{"0.3.0", "0.2.2"}},
		{"0.0.3", []string{"0.0.3"}, []string{"0.0.4"}},
		{"0.0", []string{"0.0.0", "0.0.9"}, []string{"0.1.0"}},
		{"0", []string{"0.0.1", "0.9.9"}, []string{"1.0.0"}},
		{"~1.2.3", []string{"1.2.3", "1.2.9"}, []string{"1.3.0"}},
		{"~1", []string{"1.0.0", "1.9.0"}, []string{"2.0.0"}},
		{"*", []string{"0.0.1", "7.0.0"}, []string{"1.0.0-rc.1"}},
		{"1.*", []string{"1.0.0", "1.9.9"}, []string{"2.0.0"}},
		{"1.2.*", []string{"1.2.9"}, []string{"1.3.0"}},
		{"=1.2.3", []string{"1.2.3"}, []string{"1.2.4"}},
		{"=0.102.0-alpha.6", []string{"0.102.0-alpha.6"}, []string{"0.102.0-alpha.7", "0.102.0"}},
		{"0.102.0-alpha.1", []string{"0.102.0-alpha.7", "0.102.0", "0.102.1"}, []string{"0.102.1-alpha.1", "0.101.9"}},
		{">=1.2, <1.5", []string{"1.2.0", "1.4.9"}, []string{"1.5.0", "1.1.9"}},
		{">1.2", []string{"1.3.0"}, []string{"1.2.9"}},
		{">1.2.3", []string{"1.2.4"}, []string{"1.2.3"}},
		{"<=1.2", []string{"1.2.9", "0.1.0"}, []string{"1.3.0"}},
	} {
		r, ok := ParseReq(c.req)
		if !ok {
			t.Errorf("%q cannot be read", c.req)
			continue
		}
		for _, s := range slices.Concat(c.yes, c.not) {
			v, ok := ParseVersion(s)
			if !ok {
				t.Fatalf("version %q cannot be read", s)
			}
			if got, want := r.Matches(v), slices.Contains(c.yes, s); got != want {
				t.Errorf("%q matches %s: %t, want %t", c.req, s, got, want)
			}
		}
	}
	for _, bad := range []string{"", "x y", "1.2.3.4", "=>1", "1.-2", ">=", "1,,2"} {
		if r, ok := ParseReq(bad); ok {
			t.Errorf("%q was read as %v", bad, r)
		}
	}
}

func TestCompare(t *testing.T) {
	// The order is semver.org's own example.
	ordered := []string{"0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1"}
	shuffled := slices.Clone(ordered)
	slices.Sort(shuffled)
	slices.SortFunc(shuffled, func(a, b string) int {
		v, _ := ParseVersion(a)
		w, _ := ParseVersion(b)
		return v.Compare(w)
	})
	if diff := cmp.Diff(ordered, shuffled); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name            string
		reqs, preferred []string
		want            string
	}{
		{"the first that fits", []string{"^0.103.2"}, []string{"0.103.2", "0.103.1"}, "0.103.2"},
		{"its own does not fit", []string{"^0.103.2"}, []string{"0.103.1"}, "0.103.2"},
		{"several consumers", []string{"0.2.1", "0.2.2"}, []string{"0.2.1"}, "0.2.2"},
		{"a pinned pre-release", []string{"=0.102.0-alpha.7", "0.102.0-alpha.1"}, []string{"0.102.0-alpha.6"}, "0.102.0-alpha.7"},
		{"nobody asks", nil, []string{"1.2.3"}, "1.2.3"},
		{"they do not agree", []string{"=1.2.3", "=1.2.4"}, []string{"1.2.3"}, ""},
		{"above", []string{">1.2.3"}, nil, "1.2.4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reqs []Req
			for _, s := range c.reqs {
				r, _ := ParseReq(s)
				reqs = append(reqs, r)
			}
			var preferred []Version
			for _, s := range c.preferred {
				v, _ := ParseVersion(s)
				preferred = append(preferred, v)
			}
			v, ok := Choose(reqs, preferred)
			got := v.String()
			if !ok {
				got = ""
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	got := Lines([]string{"1.2.3", "^1", "0.103.1", "=0.102.0-alpha.6", "0.0.7", "*", ">=2, <3", "nonsense"})
	if diff := cmp.Diff([]string{"0.0.7", "0.102", "0.103", "1", "2", "3"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func FuzzReq(f *testing.F) {
	for _, s := range []string{"1.2", ">=1, <2", "=0.1.0-a.1", "*", "~1.*"} {
		f.Add(s, "1.2.3-rc.1+x")
	}
	f.Fuzz(func(t *testing.T, req, version string) {
		r, _ := ParseReq(req)
		v, ok := ParseVersion(version)
		if !ok {
			return
		}
		r.Matches(v)
		if again, ok := ParseVersion(v.String()); !ok || again.Compare(v) != 0 {
			t.Errorf("%q is written as %q, which is another version", version, v)
		}
		Choose([]Req{r}, []Version{v})
	})
}

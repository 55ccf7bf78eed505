package schemas

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseRepoName(t *testing.T) {
	tests := []struct {
		name, in, want, host, key string // want "" refuses
	}{
		{"plain", "Pion/ice", "Pion/ice", "github.com", "pion/ice"},
		{"github.com is dropped", "github.com/pion/ice", "pion/ice", "github.com", "pion/ice"},
		{"enterprise host", "git.example.com:8443/a/b", "git.example.com:8443/a/b", "git.example.com:8443", "git.example.com:8443/a/b"},
		{"dots and dashes", "a-b/c.d_e-f", "a-b/c.d_e-f", "github.com", "a-b/c.d_e-f"},
		{"no owner", "ice", "", "", ""},
		{"empty owner", "/ice", "", "", ""},
		{"parent directory", "a/..", "", "", ""},
		{"blank", "a/b c", "", "", ""},
		{"newline", "a/b\n", "", "", ""},
		{"four parts", "a.b/c/d/e", "", "", ""},
		{"host without dot", "host/a/b", "", "", ""},
		{"owner ends in a dash", "a-/b", "", "", ""},
		{"name too long", "a/" + strings.Repeat("x", 101), "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseRepoName(tt.in)
			if string(got) != tt.want || (err == nil) != (tt.want != "") {
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			}
			if err == nil && (got.Host() != tt.host || got.Key() != tt.key) {
				t.Errorf("host %q key %q; want %q %q", got.Host(), got.Key(), tt.host, tt.key)
			}
		})
	}
}

func TestRepoNameParts(t *testing.T) {
	for in, want := range map[RepoName][2]string{"a/b": {"a", "b"}, "h.x/a/b": {"a", "b"}, "b": {"", "b"}} {
		if got := [2]string{in.Owner(), in.Name()}; got != want {
			t.Errorf("%s: got %v, want %v", in, got, want)
		}
	}
	if !RepoName("A/b").Same("a/B") || RepoName("a/b").Same("a/c") {
		t.Error("names are compared without regard to case")
	}
}

func TestParsedNamesInJSON(t *testing.T) {
	sha40, sha64 := strings.Repeat("A", 40), strings.Repeat("0", 64)
	tests := []struct {
		name string
		in   string
		to   any
		ok   bool
	}{
		{"commit, lower-cased", sha40, new(CommitSHA), true},
		{"sha-256 commit", sha64, new(CommitSHA), true},
		{"no commit", "", new(CommitSHA), true},
		{"short commit", "abc1234", new(CommitSHA), false},
		{"commit with a letter", strings.Repeat("g", 40), new(CommitSHA), false},
		{"digest", "sha256:" + sha64, new(Digest), true},
		{"digest without algorithm", sha64, new(Digest), false},
		{"upper-case digest", "sha256:" + strings.Repeat("A", 64), new(Digest), false},
		{"candidate", "a-1_b-2-0123456789", new(CandidateID), true},
		{"candidate that climbs", "a/../b", new(CandidateID), false},
		{"upper-case candidate", "A-1", new(CandidateID), false},
		{"repository", "a/b", new(RepoName), true},
		{"no repository", "a", new(RepoName), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, _ := json.Marshal(tt.in)
			if err := json.Unmarshal(body, tt.to); (err == nil) != tt.ok {
				t.Errorf("got %v, want ok = %v", err, tt.ok)
			}
		})
	}
}

func TestShortAndHex(t *testing.T) {
	if got := CommitSHA(strings.Repeat("a", 40)).Short(); got != "aaaaaaaaaaaa" {
		t.Errorf("got %q", got)
	}
	if got := CommitSHA("ab").Short(); got != "ab" {
		t.Errorf("got %q", got)
	}
	if got := Digest("sha256:00").Hex(); got != "00" {
		t.Errorf("got %q", got)
	}
}

func FuzzParseRepoName(f *testing.F) {
	for _, s := range []string{"a/b", "h.x/a/b", "../..", "a/b\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRepoName(s)
		if err != nil {
			return
		}
		again, err := ParseRepoName(string(r))
		if err != nil || again != r {
			t.Errorf("%q became %q, then %q, %v", s, r, again, err)
		}
		if r.Owner() == "" || r.Name() == "" || strings.Contains(r.Name(), "/") || r.Name() == ".." {
			t.Errorf("%q: owner %q, name %q", s, r.Owner(), r.Name())
		}
	})
}

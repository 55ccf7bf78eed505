package schemas

import "testing"

func TestMaskNames(t *testing.T) {
	tests := []struct {
		mask Mask
		n    int
		name string
	}{{0, 2, "A0B0"}, {1, 2, "A1B0"}, {2, 2, "A0B1"}, {3, 2, "A1B1"}, {5, 3, "A1B0C1"}, {31, 5, "A1B1C1D1E1"}}
	for _, tt := range tests {
		if got := tt.mask.Name(tt.n); got != tt.name {
			t.Errorf("%d over %d: got %s, want %s", tt.mask, tt.n, got, tt.name)
		}
		if got, err := ParseMask(tt.name); got != tt.mask || err != nil {
			t.Errorf("%s: got %d, %v; want %d", tt.name, got, err, tt.mask)
		}
	}
	for _, bad := range []string{"", "A", "A2", "B0", "A0C0", "a0b0", "A0B", "A0B0C0D0E0F0"} {
		if m, err := ParseMask(bad); err == nil {
			t.Errorf("%q was read as %d", bad, m)
		}
	}
}

func TestMaskSets(t *testing.T) {
	if FullMask(3) != 7 || FullMask(3).Count() != 3 || !Mask(2).Has(1) || Mask(2).Has(0) {
		t.Error("FullMask, Count or Has")
	}
	if !Mask(7).Contains(5) || Mask(4).Contains(5) || !Mask(0).Contains(0) {
		t.Error("Contains")
	}
}

func TestTestID(t *testing.T) {
	tests := []struct {
		name string
		id   TestID
		want [4]string // the id, its repository, unit and name
	}{
		{"plain", NewTestID("a/b", "pkg/x", []string{"TestX"}, 1), [4]string{"a/b::pkg/x::TestX", "a/b", "pkg/x", "TestX"}},
		{"suite path", NewTestID("a/b", "t.js", []string{"s", "does x"}, 1), [4]string{"a/b::t.js::s > does x", "a/b", "t.js", "s > does x"}},
		{"second of its name", NewTestID("a/b", "t.js", []string{"x"}, 2), [4]string{"a/b::t.js::x #2", "a/b", "t.js", "x #2"}},
		{"colons in the name", NewTestID("a/b", "t.rs", []string{"m::f"}, 1), [4]string{"a/b::t.rs::m::f", "a/b", "t.rs", "m::f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := [4]string{string(tt.id), string(tt.id.Repo()), tt.id.Unit(), tt.id.Name()}; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if !NewTestID("a/b", "u", []string{LoadName}, 1).IsLoad() || NewTestID("a/b", "u", []string{"x"}, 1).IsLoad() {
		t.Error("IsLoad")
	}
}

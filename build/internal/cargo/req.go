package cargo

import (
	"slices"
	"strings"
)

// Req is a version requirement of a manifest: all its comparators must hold.
type Req []comparator

type comparator struct {
	op string // ^ ~ = > >= < <= *
	partial
}

// ParseReq reads a requirement: "1.2", "~1.2", ">=1, <3", "*".
func ParseReq(s string) (Req, bool) {
	var req Req
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		op := part[:len(part)-len(strings.TrimLeft(part, "^~=<>"))]
		p, ok := parsePartial(part[len(op):])
		switch {
		case !ok || op != "" && !slices.Contains([]string{"^", "~", "=", ">", ">=", "<", "<="}, op):
			return nil, false
		case strings.ContainsAny(part, "*xX") && op == "" && p.Pre == "":
			op = "*"
		case op == "":
			op = "^"
		}
		req = append(req, comparator{op, p})
	}
	return req, true
}

// Matches reports whether a version satisfies the requirement, by the rules of
// Cargo: a pre-release only where a comparator names one of the same release.
func (r Req) Matches(v Version) bool {
	for _, c := range r {
		if !c.matches(v) {
			return false
		}
	}
	return v.Pre == "" || slices.ContainsFunc(r, func(c comparator) bool {
		return c.Pre != "" && c.compareRelease(v) == 0
	})
}

func (c comparator) matches(v Version) bool {
	switch c.op {
	case ">":
		return v.Compare(c.Version) > 0 && (c.parts == 3 || !c.prefix(v))
	case ">=":
		return v.Compare(c.Version) >= 0
	case "<":
		return v.Compare(c.Version) < 0
	case "<=":
		return v.Compare(c.Version) <= 0 || c.parts < 3 && c.prefix(v)
	case "=", "*":
		return c.prefix(v) && (c.parts < 3 || v.Pre == c.Pre)
	case "~":
		return v.Compare(c.Version) >= 0 && c.upTo(v, min(c.parts, 2))
	}
	return v.Compare(c.Version) >= 0 && c.upTo(v, c.caret())
}

// prefix reports whether the numbers that the comparator names are the version's.
func (c comparator) prefix(v Version) bool { return c.upTo(v, c.parts) }

// upTo reports whether the first n numbers are the same.
func (c comparator) upTo(v Version, n int) bool {
	return (n < 1 || v.Major == c.Major) && (n < 2 || v.Minor == c.Minor) && (n < 3 || v.Patch == c.Patch)
}

// caret is how many numbers ^ holds fast: up to the first that is not zero.
func (c comparator) caret() int {
	switch {
	case c.Major > 0 || c.parts < 2:
		return min(c.parts, 1)
	case c.Minor > 0 || c.parts < 3:
		return 2
	}
	return 3
}

// Bounds are the versions that the requirement itself names: one of them
// satisfies most requirements.
func (r Req) Bounds() []Version {
	var all []Version
	for _, c := range r {
		v := c.Version
		if c.op == ">" {
			v.Patch, v.Pre = v.Patch+1, ""
		}
		all = append(all, v)
	}
	return all
}

// Choose returns the version that all requirements allow: the first of the
// preferred ones, else the highest that a requirement names.
func Choose(reqs []Req, preferred []Version) (Version, bool) {
	fits := func(v Version) bool {
		return !slices.ContainsFunc(reqs, func(r Req) bool { return !r.Matches(v) })
	}
	if i := slices.IndexFunc(preferred, fits); i >= 0 {
		return preferred[i], true
	}
	var bounds []Version
	for _, r := range reqs {
		bounds = append(bounds, r.Bounds()...)
	}
	slices.SortFunc(bounds, func(a, b Version) int { return b.Compare(a) })
	if i := slices.IndexFunc(bounds, fits); i >= 0 {
		return bounds[i], true
	}
	return Version{}, false
}

// Lines returns the version lines that versions and requirements name.
func Lines(versions []string) []string {
	var all []string
	for _, s := range versions {
		if r, ok := ParseReq(s); ok {
			for _, c := range r {
				if c.parts > 0 {
					all = append(all, c.Line())
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

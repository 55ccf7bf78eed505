package detect

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// costly are features that a stable compiler and the registry's crates cannot
// give: they need a nightly, or a certified build of a C library.
var costly = regexp.MustCompile(`(?i)(?:^|[/_-])(?:fips|nightly|unstable)(?:$|[/_-])`)

// cargoFeatures chooses the features for a target. Tests behind a feature that
// is off run without a word, so all features are on, as long as CI does not
// show that they do not go together.
func cargoFeatures(r Repo, t CargoTarget) (args []string, from string) {
	calls := ciFeatures(r.Head, t.Package.Manifest.Name)
	if len(calls) > 0 && !slices.ContainsFunc(calls, func(f cargoFlags) bool { return f.all }) {
		return ciChoice(calls, t)
	}
	from = "all features: CI names none"
	if len(calls) > 0 {
		from = "all features, as in CI"
	}
	names := featureNames(t.Package)
	var kept, left []string
	for _, n := range names {
		if t.Package.isCostly(n, map[string]bool{}) {
			left = append(left, n)
		} else {
			kept = append(kept, n)
		}
	}
	if len(left) == 0 {
		return []string{"--all-features"}, from
	}
	kept = slices.DeleteFunc(kept, func(n string) bool { return !atBase(r, t.Package.Dir, n) })
	return []string{"--features=" + strings.Join(kept, ",")}, fmt.Sprintf("%s, but for %s, which need more than a stable compiler", from, strings.Join(left, ", "))
}

// ciChoice takes the call of CI with the most features; those that the target
// requires are added.
func ciChoice(calls []cargoFlags, t CargoTarget) ([]string, string) {
	best := slices.MaxFunc(calls, func(a, b cargoFlags) int {
		if len(a.features) != len(b.features) {
			return len(a.features) - len(b.features)
		}
		return less(b.noDefault) - less(a.noDefault)
	})
	features := slices.Clone(best.features)
	for _, l := range t.Package.Tests {
		if t.Kind == "test" && l.Name == t.Name {
			features = append(features, l.Features...)
		}
	}
	slices.Sort(features)
	features = slices.DeleteFunc(slices.Compact(features), func(f string) bool { return costly.MatchString(f) })
	var args []string
	if best.noDefault {
		args = append(args, "--no-default-features")
	}
	if len(features) > 0 {
		args = append(args, "--features="+strings.Join(features, ","))
	}
	return args, "the features of a call of cargo test in CI"
}

func less(b bool) int {
	if b {
		return 1
	}
	return 0
}

// featureNames returns the features of a package, those of optional
// dependencies that no feature names as "dep:…" included.
func featureNames(p CargoPackage) []string {
	names := slices.Sorted(maps.Keys(p.Features))
	hidden := map[string]bool{}
	for _, list := range p.Features {
		for _, item := range list {
			if d, ok := strings.CutPrefix(item, "dep:"); ok {
				hidden[d] = true
			}
		}
	}
	for _, d := range p.Deps {
		if d.Optional && !hidden[d.Key] && !slices.Contains(names, d.Key) {
			names = append(names, d.Key)
		}
	}
	return names
}

// isCostly reports whether a feature, or one that it enables, is costly.
func (p CargoPackage) isCostly(name string, seen map[string]bool) bool {
	if costly.MatchString(name) {
		return true
	}
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(p.Features[name], func(item string) bool { return p.isCostly(item, seen) })
}

// atBase reports whether the package had the feature before the change.
func atBase(r Repo, dir, name string) bool {
	for _, p := range CargoPackages(r.Base) {
		if p.Dir == dir {
			return slices.Contains(featureNames(p), name)
		}
	}
	return false
}

// Package agreement measures how far several raters agree on nominal
// categories beyond what chance would give: Cohen's kappa, Fleiss' kappa and
// Krippendorff's alpha. It is pure and its results are the same on every run.
//
// 1 is full agreement, 0 what chance gives, below 0 is worse than chance. All
// three are undefined when every rating is of one category, since then nothing
// could have disagreed by chance.
package agreement

// Unit holds the ratings of one thing, one category per rater. For Cohen and
// Fleiss the order does not matter between units of equal length, except that
// Cohen's first and second rating are those of the first and second rater.
type Unit []string

// Estimate is one coefficient.
type Estimate struct {
	// Units is the number of units that had a part in it.
	Units int
	// Defined is false when there is nothing to compute it from: no unit with
	// two ratings, or one category only.
	Defined bool
	Value   float64
	// Low and High are the ends of the 95 % interval; HasInterval is false
	// when too few resamples are defined.
	HasInterval bool
	Low, High   float64
}

// coefficient computes a value from units that all have two ratings or more.
type coefficient func([]Unit) (value float64, defined bool)

// Cohen returns Cohen's kappa of two raters (Cohen 1960) over the units that
// both rated; units with another number of ratings are left out.
func Cohen(units []Unit) Estimate {
	return estimate(withRatings(units, 2, 2), cohen)
}

// Fleiss returns Fleiss' kappa (Fleiss 1971) over the units with exactly n
// ratings, whoever gave them; the others are left out.
func Fleiss(units []Unit, n int) Estimate {
	return estimate(withRatings(units, max(n, 2), max(n, 2)), fleiss)
}

// Krippendorff returns Krippendorff's alpha for nominal data (Krippendorff
// 2011) over the units with two ratings or more.
func Krippendorff(units []Unit) Estimate {
	return estimate(withRatings(units, 2, 1<<30), krippendorff)
}

func withRatings(units []Unit, low, high int) []Unit {
	var kept []Unit
	for _, u := range units {
		if len(u) >= low && len(u) <= high {
			kept = append(kept, u)
		}
	}
	return kept
}

func estimate(units []Unit, f coefficient) Estimate {
	e := Estimate{Units: len(units)}
	if e.Value, e.Defined = f(units); !e.Defined {
		return e
	}
	e.Low, e.High, e.HasInterval = bootstrap(units, f)
	return e
}

func cohen(units []Unit) (float64, bool) {
	n := float64(len(units))
	first, second := map[string]float64{}, map[string]float64{}
	observed := 0.0
	for _, u := range units {
		first[u[0]]++
		second[u[1]]++
		if u[0] == u[1] {
			observed++
		}
	}
	expected := 0.0
	for category, count := range first {
		expected += count * second[category]
	}
	return beyondChance(observed/n, expected/(n*n))
}

func fleiss(units []Unit) (float64, bool) {
	total, all := map[string]float64{}, 0.0
	observed := 0.0
	for _, u := range units {
		n := float64(len(u))
		agreeing := 0.0
		for category, count := range countOf(u) {
			total[category] += count
			agreeing += count * (count - 1)
		}
		all += n
		observed += agreeing / (n * (n - 1))
	}
	expected := 0.0
	for _, count := range total {
		expected += count * count
	}
	return beyondChance(observed/float64(len(units)), expected/(all*all))
}

// krippendorff works on the coincidence matrix, of which only the diagonal and
// the margins matter for nominal data.
func krippendorff(units []Unit) (float64, bool) {
	margin, all, diagonal := map[string]float64{}, 0.0, 0.0
	for _, u := range units {
		n, agreeing := float64(len(u)), 0.0
		for category, count := range countOf(u) {
			margin[category] += count
			agreeing += count * (count - 1)
		}
		all += n
		diagonal += agreeing / (n - 1)
	}
	expected := 0.0
	for _, count := range margin {
		expected += count * (count - 1)
	}
	return beyondChance(diagonal/all, expected/(all*(all-1)))
}

func countOf(u Unit) map[string]float64 {
	count := map[string]float64{}
	for _, category := range u {
		count[category]++
	}
	return count
}

// beyondChance is the form that all three share. Sums over maps are sums of
// whole numbers, so their order does not change them.
func beyondChance(observed, expected float64) (float64, bool) {
	if !(expected < 1) { // also without units, when it is not a number
		return 0, false
	}
	return (observed - expected) / (1 - expected), true
}

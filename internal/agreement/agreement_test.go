package agreement

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// columns turns raters' rows, "." for a missing rating, into units.
func columns(rows ...string) []Unit {
	var units []Unit
	for i := range strings.Fields(rows[0]) {
		var u Unit
		for _, row := range rows {
			if v := strings.Fields(row)[i]; v != "." {
				u = append(u, v)
			}
		}
		units = append(units, u)
	}
	return units
}

// counts turns a table of ratings per category into units.
func counts(table ...[]int) []Unit {
	var units []Unit
	for _, row := range table {
		var u Unit
		for category, n := range row {
			u = append(u, slices.Repeat(Unit{string(rune('a' + category))}, n)...)
		}
		units = append(units, u)
	}
	return units
}

// pairs turns a two-by-two table of two raters into units.
func pairs(yy, yn, ny, nn int) []Unit {
	return slices.Concat(slices.Repeat([]Unit{{"y", "y"}}, yy), slices.Repeat([]Unit{{"y", "n"}}, yn),
		slices.Repeat([]Unit{{"n", "y"}}, ny), slices.Repeat([]Unit{{"n", "n"}}, nn))
}

var (
	// The worked example of Fleiss' kappa in Wikipedia: 14 raters, 10 subjects.
	fleissExample = counts([]int{0, 0, 0, 0, 14}, []int{0, 2, 6, 4, 2}, []int{0, 0, 3, 5, 6}, []int{0, 3, 9, 2, 0}, []int{2, 2, 8, 1, 1},
		[]int{7, 7, 0, 0, 0}, []int{3, 2, 6, 3, 0}, []int{2, 5, 3, 2, 2}, []int{6, 5, 2, 1, 0}, []int{0, 2, 2, 3, 7})
	// Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections A, B and C.
	alphaA = columns("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
	alphaB = columns("a a b b d c c c e d d a", "b a b b b c c c e d d d")
	alphaC = columns("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
)

func TestPublishedExamples(t *testing.T) {
	tests := []struct {
		name string
		got  Estimate
		want float64
		n    int
	}{
		{"Cohen: 50 grant proposals", Cohen(pairs(20, 5, 10, 15)), 0.4, 50},
		{"Cohen: same agreement, other margins", Cohen(pairs(45, 15, 25, 15)), 0.1304, 100},
		{"Cohen: same agreement, opposed margins", Cohen(pairs(25, 35, 5, 35)), 0.2593, 100},
		{"Fleiss: 14 raters", Fleiss(fleissExample, 14), 0.2099, 10},
		{"Krippendorff: binary, two observers", Krippendorff(alphaA), 0.095, 10},
		{"Krippendorff: nominal, two observers", Krippendorff(alphaB), 0.692, 12},
		{"Krippendorff: nominal, missing values", Krippendorff(alphaC), 0.743, 11},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if math.Abs(tt.got.Value-tt.want) > 0.0005 || !tt.got.Defined || tt.got.Units != tt.n {
				t.Errorf("got %+v, want %g over %d units", tt.got, tt.want, tt.n)
			}
			if !tt.got.HasInterval || tt.got.Low > tt.got.Value || tt.got.High < tt.got.Value {
				t.Errorf("the interval %g to %g does not hold %g", tt.got.Low, tt.got.High, tt.got.Value)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	full := []Unit{{"y", "y"}, {"n", "n"}, {"y", "y"}}
	for name, e := range map[string]Estimate{"Cohen": Cohen(full), "Fleiss": Fleiss(full, 2), "Krippendorff": Krippendorff(full)} {
		if e.Value != 1 || !e.Defined {
			t.Errorf("%s of full agreement: got %+v, want 1", name, e)
		}
	}
	if e := Cohen([]Unit{{"y", "n"}, {"n", "y"}}); e.Value != -1 {
		t.Errorf("full disagreement: got %+v, want -1", e)
	}
}

func TestUndefined(t *testing.T) {
	tests := []struct {
		name  string
		units []Unit
	}{
		{"no unit", nil},
		{"one rating each", []Unit{{"y"}, {"n"}}},
		{"one category only", []Unit{{"y", "y"}, {"y", "y"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, e := range map[string]Estimate{"Cohen": Cohen(tt.units), "Fleiss": Fleiss(tt.units, 2), "Krippendorff": Krippendorff(tt.units)} {
				if e.Defined || e.HasInterval || e.Value != 0 {
					t.Errorf("%s: got %+v, want undefined", name, e)
				}
			}
		})
	}
}

func TestTheIntervalIsReproducibleAndNarrowsWithMoreUnits(t *testing.T) {
	few, many := Cohen(pairs(20, 5, 10, 15)), Cohen(pairs(200, 50, 100, 150))
	if again := Cohen(pairs(20, 5, 10, 15)); again != few {
		t.Errorf("got %+v, then %+v", few, again)
	}
	if many.High-many.Low >= (few.High-few.Low)/2 {
		t.Errorf("500 units give %g to %g, 50 give %g to %g", many.Low, many.High, few.Low, few.High)
	}
	// Fleiss, Cohen and Everitt's standard error of the first example is 0.127.
	if width := few.High - few.Low; math.Abs(width-2*1.96*0.127) > 0.06 {
		t.Errorf("the interval is %g wide, want about 0.50", width)
	}
	if one := Krippendorff([]Unit{{"y", "n"}}); one.HasInterval {
		t.Errorf("one unit has an interval: %+v", one)
	}
}

func TestUnitsWithOtherNumbersOfRatingsAreLeftOut(t *testing.T) {
	units := append(pairs(20, 5, 10, 15), Unit{"y"}, Unit{"n", "n", "n"})
	if got, want := Cohen(units), Cohen(pairs(20, 5, 10, 15)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

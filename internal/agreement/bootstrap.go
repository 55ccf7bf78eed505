package agreement

import (
	"math/rand/v2"
	"slices"
)

// resamples is enough for two stable digits of a 95 % interval.
const resamples = 2000

// bootstrap returns the 95 % percentile interval over resamples of the units.
// The generator's seed is fixed, so that the same ratings give the same
// figures in every card. Resamples with one category only are undefined and
// left out; with more of those than of others there is no interval.
func bootstrap(units []Unit, f coefficient) (low, high float64, ok bool) {
	random := rand.New(rand.NewPCG(uint64(len(units)), 95))
	sample := make([]Unit, len(units))
	var values []float64
	for range resamples {
		for i := range sample {
			sample[i] = units[random.IntN(len(units))]
		}
		if v, defined := f(sample); defined {
			values = append(values, v)
		}
	}
	if len(units) < 2 || len(values) < resamples/2 {
		return 0, 0, false
	}
	slices.Sort(values)
	tail := len(values) / 40
	return values[tail], values[len(values)-1-tail], true
}

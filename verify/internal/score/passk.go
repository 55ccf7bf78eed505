package score

import "math"

// Interval is an estimate with its 95 % confidence interval, all between 0 and 1.
type Interval struct{ Value, Low, High float64 }

// z is the normal quantile of a two-sided 95 % interval.
const z = 1.959963984540054

// passAtK is the mean over instances of the probability that at least one of k
// attempts, drawn without replacement from the n that were made, resolves it
// (Chen et al. 2021, Evaluating Large Language Models Trained on Code, eq. 1):
// 1 - C(n-c, k)/C(n, k). An instance with fewer attempts counts those that are
// missing as failed. ok is false when k is more than 1 and no instance has k
// attempts.
func passAtK(attempts, resolved []int, k int) (est Interval, ok bool) {
	sum := 0.0
	for i, n := range attempts {
		ok = ok || n >= k || k == 1
		sum += unbiased(max(n, k), resolved[i], k)
	}
	if !ok || len(attempts) == 0 {
		return Interval{}, false
	}
	return wilson(sum, len(attempts)), true
}

// unbiased is 1 - C(n-c, k)/C(n, k), as a product that does not overflow.
func unbiased(n, c, k int) float64 {
	if n-c < k {
		return 1
	}
	fail := 1.0
	for i := n - c + 1; i <= n; i++ {
		fail *= 1 - float64(k)/float64(i)
	}
	return 1 - fail
}

// wilson is the Wilson score interval (Wilson 1927) of a mean over n instances
// whose sum of successes, which may be fractions, is given.
func wilson(sum float64, n int) Interval {
	m := float64(n)
	p := sum / m
	center := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{Value: p, Low: max(center-half, 0), High: min(center+half, 1)}
}

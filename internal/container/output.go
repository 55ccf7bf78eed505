package container

import "io"

// budget is the number of bytes that writers may pass on together.
type budget struct {
	left      int64
	truncated bool
}

// newBudget returns a budget of limit bytes, DefaultMaxOutput when it is zero.
func newBudget(limit int64) *budget {
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	return &budget{left: limit}
}

// writer returns a writer to w that draws on the budget; nil drops everything,
// at no cost to the budget.
func (b *budget) writer(w io.Writer) *cappedWriter { return &cappedWriter{w: w, budget: b} }

// cappedWriter takes everything, so that whoever writes is never held up, and
// passes on what the budget allows. It keeps the first error of its target and
// then drops the rest. Not for concurrent use with another of the same budget.
type cappedWriter struct {
	w      io.Writer
	budget *budget
	err    error
}

// Write never fails.
func (c *cappedWriter) Write(p []byte) (int, error) {
	if c.w == nil || c.err != nil || len(p) == 0 {
		return len(p), nil
	}
	keep := p[:min(int64(len(p)), c.budget.left)]
	c.budget.left -= int64(len(keep))
	if len(keep) < len(p) {
		c.budget.truncated = true
	}
	if len(keep) > 0 {
		_, c.err = c.w.Write(keep)
	}
	return len(p), nil
}

package audit

import (
	"fmt"
	"strings"
	"testing"
)

func TestLeaks(t *testing.T) {
	tests := []struct {
		name         string
		lines, found int
		long         bool // the lines are long
		want         bool
	}{
		{"one short line of one", 1, 1, false, false},
		{"one long line of one", 1, 1, true, true},
		{"one of two", 2, 1, true, false},
		{"two of four", 4, 2, false, true},
		{"two of five", 5, 2, false, false},
		{"three of thirty", 30, 3, false, true},
		{"three idioms of a whole new file", 150, 3, true, false},
		{"a tenth of a whole new file", 150, 15, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, found := Hunk{}, map[string]bool{}
			for i := range tt.lines {
				line := fmt.Sprintf("line %d", i)
				if tt.long {
					line += strings.Repeat(" of a long kind", 3)
				}
				h.Lines = append(h.Lines, []byte(line))
				found[line] = i < tt.found
			}
			if got := h.leaks(found); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

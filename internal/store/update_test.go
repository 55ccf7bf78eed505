package store

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"golang.org/x/sync/errgroup"
)

// Counting by reading and writing loses a count whenever two read the same.
func TestUpdatesDoNotOverlap(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		stores := []*Store{open(t, place), open(t, place), open(t, place)} // as three processes would
		var g errgroup.Group
		for i := range 30 {
			g.Go(func() error {
				return stores[i%3].Update(t.Context(), func(ctx context.Context, view *Store) (Batch, error) {
					text, err := view.Mark(ctx, "count")
					if err != nil {
						return Batch{}, err
					}
					n, _ := strconv.Atoi(text)
					return Batch{Marks: []Mark{{Name: "count", Value: strconv.Itoa(n + 1)}}}, nil
				})
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		if got, err := stores[0].Mark(t.Context(), "count"); got != "30" || err != nil {
			t.Errorf("counted %q, %v; want 30", got, err)
		}
	})
}

func TestAnUpdateThatIsRefusedWritesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, place string) {
		s := open(t, place)
		refused := errors.New("refused")
		err := s.Update(t.Context(), func(context.Context, *Store) (Batch, error) {
			return Batch{Marks: []Mark{{Name: "m", Value: "1"}}}, refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("got %v, want %v", err, refused)
		}
		if got, err := s.Mark(t.Context(), "m"); got != "" || err != nil {
			t.Errorf("mark %q, %v; want none", got, err)
		}
	})
}

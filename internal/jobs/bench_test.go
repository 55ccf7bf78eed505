package jobs

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"crossswe/internal/store"
)

// BenchmarkJob measures what a job costs beside its work: being enqueued, taken,
// and completed with a result. Every commit reaches the disk. One worker on
// SQLite, as a stage has; fifty on PostgreSQL, as many machines together.
func BenchmarkJob(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmark(b, filepath.Join(b.TempDir(), "s.db"), 1) })
	b.Run("postgres", func(b *testing.B) { benchmark(b, postgres.Database(b), 50) })
}

func benchmark(b *testing.B, place string, workers int) {
	s, err := store.Open(b.Context(), place)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	all := tasks(b.N)
	opt := Options{
		Store: s, Stage: store.StageBuild, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Workers: workers,
		Work: func(ctx context.Context, j *Job) error { return j.Commit(ctx, kept(j.ID)) },
	}
	b.ResetTimer()
	if err := Drain(b.Context(), opt, all, false); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	if got, err := s.Items(b.Context(), store.StageBuild, store.Kept); len(got) != b.N || err != nil {
		b.Fatalf("%d results, %v; want %d", len(got), err, b.N)
	}
}

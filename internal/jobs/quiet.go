package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// quiet is a log for River: only what is wrong, and each kind of it once a
// minute, for River looks at the database several times a second. Outcomes are
// logged by the stages.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(&quietHandler{Handler: log.Handler(), said: &said{at: map[string]time.Time{}}})
}

type quietHandler struct {
	slog.Handler
	said *said
}

// said is when each message was let through last.
type said struct {
	mu sync.Mutex
	at map[string]time.Time
}

// Enabled implements slog.Handler.
func (h *quietHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (h *quietHandler) Handle(ctx context.Context, r slog.Record) error {
	if h.said.lately(r.Message, r.Time) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (s *said) lately(message string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.at[message]) < time.Minute {
		return true
	}
	s.at[message] = now
	return false
}

// WithAttrs implements slog.Handler.
func (h *quietHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return &quietHandler{h.Handler.WithAttrs(a), h.said}
}

// WithGroup implements slog.Handler.
func (h *quietHandler) WithGroup(name string) slog.Handler {
	return &quietHandler{h.Handler.WithGroup(name), h.said}
}

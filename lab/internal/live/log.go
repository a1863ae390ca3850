package live

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// linesPerSecond limits the log, since anyone who can connect can cause lines.
const linesPerSecond = 50

// sparing is a log handler that passes on a limited number of records a second, and then reports
// how many it dropped.
type sparing struct {
	slog.Handler
	quota *quota // shared by the handlers derived from it
}

type quota struct {
	mu      sync.Mutex
	since   time.Time
	passed  int
	dropped int // since the last record passed on
}

// take reports whether a line may be written, and how many were dropped before it.
func (q *quota) take(now time.Time) (dropped int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Sub(q.since) >= time.Second {
		q.since, q.passed = now, 0
	}
	if q.passed == linesPerSecond {
		q.dropped++
		return 0, false
	}
	q.passed++
	dropped, q.dropped = q.dropped, 0
	return dropped, true
}

func (s *sparing) Handle(ctx context.Context, r slog.Record) error {
	dropped, ok := s.quota.take(time.Now())
	if !ok {
		return nil
	}
	if dropped > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("dropped", dropped))
	}
	return s.Handler.Handle(ctx, r)
}

func (s *sparing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &sparing{s.Handler.WithAttrs(attrs), s.quota}
}

func (s *sparing) WithGroup(name string) slog.Handler {
	return &sparing{s.Handler.WithGroup(name), s.quota}
}

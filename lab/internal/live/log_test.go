package live

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The number of log lines a second is limited, and the next line reports how many are missing.
func TestSparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := new(logBook)
		log := slog.New(&sparing{Handler: slog.NewTextHandler(book, nil), quota: new(quota)})
		others := log.With("a", 1).WithGroup("g")
		for range linesPerSecond {
			log.Warn("line")
			others.Warn("line", "b", 2)
		}
		if n := strings.Count(book.String(), "msg=line"); n != linesPerSecond || strings.Contains(book.String(), "dropped") {
			t.Errorf("%d lines, want %d:\n%s", n, linesPerSecond, book)
		}
		time.Sleep(time.Second)
		log.Warn("last")
		log.Warn("and one more")
		lines := strings.Split(strings.TrimSpace(book.String()), "\n")
		if len(lines) != linesPerSecond+2 || !strings.HasSuffix(lines[linesPerSecond], "dropped=50") || strings.Contains(lines[linesPerSecond+1], "dropped") {
			t.Errorf("the last lines are %q", lines[linesPerSecond:])
		}
		if !strings.Contains(lines[1], "a=1") || !strings.Contains(lines[1], "g.b=2") {
			t.Errorf("a line of another logger: %s", lines[1])
		}
	})
}

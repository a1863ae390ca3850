package concurrent_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// noLeaks makes t wait, when it ends, until the goroutines that it has started have ended. If one
// never ends, go test shows it when the time is up.
func noLeaks(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	})
}

// drops counts the calls of a Drop by handle.
type drops[T any] struct {
	calls map[berth.Handle[T]]int
	last  T
}

func (d *drops[T]) drop(h berth.Handle[T], v *T) {
	if d.calls == nil {
		d.calls = map[berth.Handle[T]]int{}
	}
	d.calls[h]++
	d.last = *v
}

// want fails unless Drop was called n times for h.
func (d *drops[T]) want(t *testing.T, h berth.Handle[T], n int) {
	t.Helper()
	if d.calls[h] != n {
		t.Errorf("Drop was called %d times for %v, want %d", d.calls[h], h, n)
	}
}

// mustAcquire returns a lease of h.
func mustAcquire[T any](
	t *testing.T, p *concurrent.Pool[T], h berth.Handle[T],
) *concurrent.Lease[T] {
	t.Helper()
	l := new(concurrent.Lease[T])
	var ok bool
	if *l, ok = p.Acquire(h); !ok {
		t.Fatalf("Acquire(%v) = false of a live handle", h)
	}
	return l
}

// mustBeGone fails if h finds anything.
func mustBeGone[T any](t *testing.T, p *concurrent.Pool[T], h berth.Handle[T]) {
	t.Helper()
	if v, ok := p.Get(h); ok {
		t.Errorf("Get(%v) = %v, want nothing", h, v)
	}
	if p.Contains(h) {
		t.Errorf("Contains(%v) = true, want false", h)
	}
	if _, ok := p.Acquire(h); ok {
		t.Errorf("Acquire(%v) = true, want false", h)
	}
	if p.Use(h, func(v *T) { t.Errorf("Use(%v) finds %v", h, *v) }) {
		t.Errorf("Use(%v) = true, want false", h)
	}
	if p.Delete(h) {
		t.Errorf("Delete(%v) = true, want false", h)
	}
	for g := range p.All() {
		if g == h {
			t.Errorf("All visits %v", h)
		}
	}
}

// mustPanic runs f, and fails unless it panics with a text that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panic %v, want %q", r, want)
		}
	}()
	f()
}

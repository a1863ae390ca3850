package crowds

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

// noLeaks makes t wait, when it ends, until the goroutines that it has started have ended, and fail
// if GOMAXPROCS has changed.
func noLeaks(t *testing.T) {
	t.Helper()
	before, procs := runtime.NumGoroutine(), runtime.GOMAXPROCS(0)
	t.Cleanup(func() {
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
		if n := runtime.GOMAXPROCS(0); n != procs {
			t.Errorf("GOMAXPROCS is %d, was %d", n, procs)
		}
	})
}

func TestSumsByHand(t *testing.T) {
	// One value, and one operation of the goroutine that has it, which is the last.
	w := wantShared(1)
	for _, c := range sizes {
		g := c.goroutines - 1
		if got := w[c.metric("get")]; got != 1 {
			t.Errorf("get by %d: %d, want 1", c.goroutines, got)
		}
		fresh := uint64(1 + g + 1)
		if got := w[c.metric("in_flight")]; got != fresh+1 {
			t.Errorf("in_flight by %d: %d, want %d", c.goroutines, got, fresh+1)
		}
		kept, replaced := uint64(1+contentsWeight), 1+fresh+contentsWeight*fresh
		if got := w[c.metric("mixed")]; got != kept && got != replaced {
			t.Errorf("mixed by %d: %d, want %d or %d", c.goroutines, got, kept, replaced)
		}
	}
	// 20 values, 4 operations: 4 lives in flight, numbered from 21.
	if got := wantShared(20)["in_flight_1"]; got != 21+22+23+24+4 {
		t.Errorf("in_flight_1 of 20 values: %d", got)
	}
	if got := wantShared(20)["in_flight_2"]; got != 21+23+22+24+4 {
		t.Errorf("in_flight_2 of 20 values: %d", got)
	}
	h := wantHeld(2001)
	if h["bytes_full"] != 2001*2002/2 || h["bytes_left"] != 1+1001+2001+1998 {
		t.Errorf("held: %v", h)
	}
	for metric, sum := range wantShared(1000) {
		if sum == 0 {
			t.Errorf("%s has no sum", metric)
		}
	}
}

func TestAllAgree(t *testing.T) {
	noLeaks(t)
	for _, n := range []int{1, 65, 3001} {
		jobs := measuretest.Plan(t, measuretest.Of(t, Family),
			measure.Sizing{N: n, Reps: 2, Quick: true, Hasty: true})
		measuretest.Check(t, measuretest.Run(t, jobs, Family.Impls), jobs, Family.Impls)
	}
}

// Each of these has one defect.
type (
	idleRemove struct{ lockedPool } // reports a removal that it does not do
	coyRemove  struct{ lockedPool } // does not report a removal
	sameGet    struct {             // finds the first value
		lockedPool
		first atomic.Uint64
	}
	lossy struct { // loses every 100th value
		lockedPool
		n atomic.Uint64
	}
	late struct { // stores another value
		lockedPool
	}
	shy struct { // finds nothing in the end
		lockedPool
		removed atomic.Uint64
	}
)

func (c *idleRemove) Remove(uint64) bool { return true }

func (c *coyRemove) Remove(key uint64) bool {
	c.lockedPool.Remove(key)
	return false
}

func (c *sameGet) Insert(v words) uint64 {
	key := c.lockedPool.Insert(v)
	c.first.CompareAndSwap(0, key)
	return key
}

func (c *sameGet) Get(uint64) words { return c.lockedPool.Get(c.first.Load()) }

func (c *lossy) Insert(v words) uint64 {
	key := c.lockedPool.Insert(v)
	if c.n.Add(1)%100 == 0 {
		c.lockedPool.Remove(key)
	}
	return key
}

func (c *late) Insert(v words) uint64 {
	v.A = max(v.A, 2) - 1
	return c.lockedPool.Insert(v)
}

func (c *shy) Remove(key uint64) bool {
	c.removed.Add(1)
	return c.lockedPool.Remove(key)
}

func (c *shy) Get(key uint64) words {
	if c.removed.Load() > 0 {
		return words{}
	}
	return c.lockedPool.Get(key)
}

func TestDefectsAreFound(t *testing.T) {
	noLeaks(t)
	impl := func(name string, c func() Table) measure.Impl {
		return measure.Impl{Name: name, Kit: Kit{Table: c}}
	}
	f := measuretest.With(Family, lockedPoolImpl,
		impl("idle remove", func() Table { return new(idleRemove) }),
		impl("coy remove", func() Table { return new(coyRemove) }),
		impl("same get", func() Table { return new(sameGet) }),
		impl("lossy", func() Table { return new(lossy) }),
		impl("late", func() Table { return new(late) }),
		impl("shy", func() Table { return new(shy) }),
	)
	// The metrics that each defect makes wrong.
	wrong := map[string]string{
		"idle remove": "bytes_left",
		"coy remove":  "mixed in_flight p999 p9999 bytes_left",
		"same get":    "get mixed in_flight p999 p9999 bytes_full bytes_left collect",
		"lossy":       "get mixed in_flight p999 p9999 bytes_full bytes_left collect",
		"late":        "get mixed in_flight p999 p9999 bytes_full bytes_left collect",
		"shy":         "mixed in_flight p999 p9999 bytes_left",
	}
	jobs := measuretest.Plan(t, measuretest.Of(t, f), measure.Sizing{N: 3000, Reps: 1, Quick: true, Hasty: true})
	rec := measuretest.Run(t, jobs, f.Impls)
	measuretest.CheckRight(t, rec, func(impl, _, metric string) bool {
		op := metric
		for _, c := range sizes {
			if base, ok := strings.CutSuffix(metric, c.metric("")); ok {
				op = base
			}
		}
		return !slices.Contains(strings.Fields(wrong[impl]), op)
	})
}

package berth

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/slots"
)

// store is a Pool or a Dense.
type store[T any] interface {
	View[T]
	Insert(v T) Handle[T]
	InsertFunc(f func(Handle[T], *T)) Handle[T]
	New() (Handle[T], *T)
	Remove(h Handle[T]) (T, bool)
	Delete(h Handle[T]) bool
	RemoveFunc(f func(Handle[T], *T) bool) int
	Clear()
	Clip()
	Grow(n int)
	Cap() int
	Stats() Stats
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
	MarshalJSON() ([]byte, error)
	AgeForTest(slots, lives int)
	checkInvariants()
}

var defragModes = []Defrag{DefragDeferred, DefragImmediate, DefragManual}

// eachMode runs f for a Dense of n numbers in each mode.
func eachMode(t *testing.T, n int, f func(t *testing.T, d *Dense[int], hs []Handle[int])) {
	t.Helper()
	for _, m := range defragModes {
		t.Run("defrag="+m.String(), func(t *testing.T) {
			d := NewDense[int](DenseConfig{Defrag: m, Seed: 1})
			hs := make([]Handle[int], n)
			for i := range hs {
				hs[i] = d.Insert(i)
			}
			f(t, d, hs)
			d.checkInvariants()
		})
	}
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

// newDense returns a Dense of the numbers 0 to n-1.
func newDense(c DenseConfig, n int) *Dense[int] {
	d := NewDense[int](c)
	for i := range n {
		d.Insert(i)
	}
	return d
}

// hookedDense returns a new Dense with hooks.
func hookedDense[T any](c DenseConfig, hs Hooks[T]) *Dense[T] {
	d := NewDense[T](c)
	DenseSetHooks(d, hs)
	return d
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

// spike inserts n values and removes those for which keep is false.
func spike(p *Pool[uint64], n int, keep func(i int) bool) {
	hs := make([]Handle[uint64], n)
	for i := range hs {
		hs[i] = p.Insert(uint64(i))
	}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		if !keep(i) {
			p.Remove(hs[i])
		}
	}
}

func fillAndDrain(p *Pool[uint64], n int) {
	for i := range n {
		p.Insert(uint64(i))
	}
	for h := range p.All() {
		p.Remove(h)
	}
}

// age leaves every vacant slot in memory the given number of lives.
func age[T any](p *Pool[T], lives uint32) {
	for _, b := range p.dir {
		for i := range slots.BlockSlots {
			if b != nil && b.Free>>i&1 != 0 {
				b.Gens[i] = p.state.Base - 2*lives
			}
		}
	}
}

// mallocs returns the number of allocations of f, and their bytes.
func mallocs(f func()) (n, bytes int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that no other goroutine allocates meanwhile
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return int(b.Mallocs - a.Mallocs), int(b.TotalAlloc - a.TotalAlloc)
}

// fewer returns n, or checked if containers check themselves after each change, which takes long.
func fewer(n, checked int) int {
	if invariants.On {
		return checked
	}
	return n
}

// heapBytes returns the bytes of live objects.
func heapBytes() int {
	var s runtime.MemStats
	for range 2 { // the first may be one that has begun earlier
		runtime.GC()
	}
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// handleAt returns the handle of the value in a slot, or at a place.
func handleAt[T any](c interface{ At(i int) (Handle[T], *T) }, i int) Handle[T] {
	h, _ := c.At(i)
	return h
}

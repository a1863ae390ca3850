package wheel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
)

// model is a wheel as a list of timers in the order in which they were started.
type model struct {
	now     uint64
	pending []modelTimer
}

type modelTimer struct {
	due    uint64
	handle Handle[int]
	data   int
}

// tick returns the data of the timers that fire.
func (m *model) tick() (fired []int) {
	m.now++
	m.pending = slices.DeleteFunc(m.pending, func(t modelTimer) bool {
		if t.due == m.now {
			fired = append(fired, t.data)
		}
		return t.due == m.now
	})
	return fired
}

// check checks the invariants, and that w has the timers of m.
func check(t *testing.T, w *Wheel[int], m *model) {
	t.Helper()
	if w.Now() != m.now || w.Len() != len(m.pending) {
		t.Fatalf("tick %d with %d timers, want tick %d with %d", w.Now(), w.Len(), m.now, len(m.pending))
	}
	n := 0
	for l := range w.buckets {
		for i := range w.buckets[l] {
			b := &w.buckets[l][i]
			var prev berth.Handle[timer[int]]
			for h := b.first; !h.IsZero(); n++ {
				at := w.timers.Ptr(h)
				if at == nil || at.prev != prev || w.bucketOf(at.due) != b || at.due <= w.now {
					t.Fatalf("tick %d: level %d, bucket %d has %v: %+v", w.now, l, i, h, at)
				}
				prev, h = h, at.next
			}
			if b.last != prev {
				t.Fatalf("level %d, bucket %d ends with %v, want %v", l, i, b.last, prev)
			}
		}
	}
	if n != w.Len() {
		t.Fatalf("%d timers in buckets, want %d", n, w.Len())
	}
}

// drive calls random methods of a wheel that is at tick now, and of a model.
func drive(t *testing.T, seed, now uint64) {
	random := rand.New(rand.NewPCG(seed, now))
	w, m := Wheel[int]{now: now}, model{now: now}
	var known []Handle[int] // stale ones, too
	start := func() {
		delay := random.Uint64() >> random.UintN(64)
		if random.IntN(2) == 0 {
			delay = random.Uint64N(200)
		}
		data := len(known)
		h := w.Start(delay, data)
		known = append(known, h)
		due := m.now + max(delay, 1)
		if due < m.now {
			due = math.MaxUint64
		}
		m.pending = append(m.pending, modelTimer{due, h, data})
	}
	stop := func() {
		h := known[random.IntN(len(known))]
		i := slices.IndexFunc(m.pending, func(t modelTimer) bool { return t.handle == h })
		data, ok := w.Stop(h)
		if ok != (i >= 0) || ok && data != m.pending[i].data {
			t.Fatalf("Stop(%v) = %d, %v; the model has it at %d", h, data, ok, i)
		}
		if ok {
			m.pending = slices.Delete(m.pending, i, i+1)
		}
	}
	start()
	for range 1500 {
		switch random.IntN(4) {
		case 0:
			start()
		case 1:
			stop()
		default:
			var fired []int
			w.Tick(func(data int) {
				if w.timers.Contains(known[data].Handle) {
					t.Fatalf("timer %d fires while it is pending", data)
				}
				fired = append(fired, data)
			})
			if want := m.tick(); !slices.Equal(fired, want) {
				t.Fatalf("tick %d fires %v, want %v", w.now, fired, want)
			}
		}
		check(t, &w, &m)
	}
}

func TestModel(t *testing.T) {
	for seed := range uint64(3) {
		drive(t, seed, 0)
		for level := 1; level < levels; level++ {
			drive(t, seed, 1<<(level*slotBits)-50) // 50 ticks before all lower levels begin again
			drive(t, seed, 63<<(level*slotBits)-3)
		}
	}
}

// TestFireChanges has timers that, when they fire, stop others of the same tick and start new ones.
func TestFireChanges(t *testing.T) {
	var w Wheel[int]
	handles := make([]Handle[int], 6)
	for i := range handles {
		handles[i] = w.Start(1, i)
	}
	var fired []int
	var next Handle[int]
	w.Tick(func(data int) {
		fired = append(fired, data)
		for _, i := range []int{data - 1, data, data + 1} { // fired, firing, and due now
			if i >= 0 && i < len(handles) {
				if _, ok := w.Stop(handles[i]); ok != (i > data) {
					t.Errorf("in the call for %d, Stop of %d returns %v", data, i, ok)
				}
			}
		}
		next = w.Start(0, 10+data)
	})
	if want := []int{0, 2, 4}; !slices.Equal(fired, want) || w.Len() != 3 {
		t.Errorf("fired %v, want %v; %d pending, want 3", fired, want, w.Len())
	}
	fired = nil
	w.Tick(func(data int) { fired = append(fired, data) })
	if want := []int{10, 12, 14}; !slices.Equal(fired, want) {
		t.Errorf("the next tick fires %v, want %v", fired, want)
	}
	if _, ok := w.Stop(next); ok {
		t.Error("Stop of a timer that has fired returns true")
	}
}

// TestPanic has a panic in the call for the second of four timers.
func TestPanic(t *testing.T) {
	var w Wheel[int]
	for i := range 4 {
		w.Start(64, i)
	}
	var fired []int
	fire := func(data int) {
		if fired = append(fired, data); len(fired) == 2 {
			panic("fire")
		}
	}
	for range 63 {
		w.Tick(fire)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		w.Tick(fire)
	}()
	w.Start(1, 4)
	w.Tick(fire)
	if want := []int{0, 1, 2, 3, 4}; !slices.Equal(fired, want) || w.Len() != 0 || w.Now() != 65 {
		t.Errorf("fired %v, want %v; %d pending at %d", fired, want, w.Len(), w.Now())
	}
}

// TestNestedTick calls Tick in fire, past the tick at which the same bucket is used again.
func TestNestedTick(t *testing.T) {
	var w Wheel[uint64]
	var fired []uint64
	fire := func(due uint64) {
		if due != w.Now() {
			t.Errorf("a timer due at %d fires at %d", due, w.Now())
		}
		fired = append(fired, due)
	}
	for _, due := range []uint64{1, 1, 2, 65, 66} {
		w.Start(due, due)
	}
	w.Tick(func(due uint64) {
		fire(due)
		for w.Now() < 64 {
			w.Tick(fire)
		}
	})
	w.Tick(fire)
	w.Tick(fire)
	if want := []uint64{1, 1, 2, 65, 66}; !slices.Equal(fired, want) {
		t.Errorf("fired %v, want %v", fired, want)
	}
}

// TestForeign stops timers of one wheel by handles of another.
func TestForeign(t *testing.T) {
	var a, b Wheel[int]
	h := a.Start(5, 1)
	b.Start(5, 2)
	if _, ok := b.Stop(h); ok || b.Len() != 1 {
		t.Error("a handle of another wheel stops a timer")
	}
	if _, ok := b.Stop(Handle[int]{}); ok {
		t.Error("the zero handle stops a timer")
	}
}

func TestAllocations(t *testing.T) {
	var w Wheel[int]
	for i := range 1000 {
		w.Start(uint64(i), i)
	}
	restart := func(data int) { w.Start(uint64(data), data) }
	got := testing.AllocsPerRun(1000, func() {
		w.Stop(w.Start(70, 0))
		w.Tick(restart)
	})
	if got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

func TestDeleteFunc(t *testing.T) {
	var w Wheel[int]
	m := model{}
	for i := range 300 {
		delay := uint64(1 + i*37%200)
		m.pending = append(m.pending, modelTimer{delay, w.Start(delay, i), i})
	}
	odd := func(data int) bool { return data%2 != 0 }
	w.DeleteFunc(odd)
	m.pending = slices.DeleteFunc(m.pending, func(t modelTimer) bool { return odd(t.data) })
	check(t, &w, &m)
	for range 200 {
		var fired []int
		w.Tick(func(data int) { fired = append(fired, data) })
		if want := m.tick(); !slices.Equal(fired, want) {
			t.Fatalf("tick %d fires %v, want %v", w.now, fired, want)
		}
	}
	w.DeleteFunc(odd) // nothing
	check(t, &w, &m)
}

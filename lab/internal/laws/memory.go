package laws

import (
	"fmt"
	"runtime"
	"weak"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

func askCollected(fresh func() Subject) Cell {
	s := fresh()
	if s.Objects == nil {
		return None("holds no values with pointers")
	}
	o := s.Objects()
	gone, hs := comeAndGo(o)
	kept := reachable(gone)
	runtime.KeepAlive(hs) // and not after this point
	keptStill := reachable(gone)
	runtime.KeepAlive(o)
	switch {
	case keptStill > 0:
		return No(fmt.Sprintf("keeps %d of %d reachable", keptStill, len(gone)))
	case kept > 0:
		return Partly("only when its handle is gone too")
	}
	return Yes("at once")
}

// comeAndGo inserts objects and removes all but the first. It returns weak pointers to the removed
// ones, and the handles.
//
//go:noinline
func comeAndGo(o Objects) (gone []weak.Pointer[Object], hs []any) {
	for i := range few + 1 {
		v := &Object{uint64(i)}
		hs = append(hs, o.insert(v))
		if i > 0 {
			gone = append(gone, weak.Make(v))
		}
	}
	for i := len(hs) - 1; i > 0; i-- {
		o.remove(hs[i])
	}
	return gone, hs
}

// reachable counts the objects that a collection leaves.
func reachable(ps []weak.Pointer[Object]) (n int) {
	runtime.GC()
	for _, p := range ps {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

// NoPointers is the answer about pointers of a collection without them.
const NoPointers = "hands out none"

// written is stored through a pointer, to be found in the collection.
const written = 1 << 40

func askPtrGrow(fresh func() Subject) Cell {
	s := fresh()
	h := s.Insert(1)
	if s.Ptr == nil {
		return None(NoPointers)
	}
	p := s.Ptr(h)
	insertAll(s, 2, 10_000)
	*p = written
	if v, _ := s.Get(h); v != written {
		return No("a write through it is lost")
	}
	return Yes("valid")
}

func askPtrOthers(fresh func() Subject) Cell {
	const n = 2000
	s := fresh()
	hs := insertAll(s, 1, n)
	if s.Ptr == nil {
		return None(NoPointers)
	}
	p := s.Ptr(hs[n-1])
	removeAll(s, hs[1:n-1])
	values(s) // a loop may close holes
	*p = written
	if hasExactly(s, []uint64{1, written}) {
		return Yes("valid")
	}
	if hasExactly(s, []uint64{1, n}) {
		return No("a write through it is lost")
	}
	return No("a write through it changes another value")
}

func askSteady(fresh func() Subject) Cell {
	const live, rounds = 1000, 1000
	run := fresh().steady(live)
	run(20 * rounds)
	mallocs, bytes := ^uint64(0), uint64(0)
	for range 5 { // the minimum excludes the allocations of other goroutines
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(rounds)
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n < mallocs {
			mallocs, bytes = n, after.TotalAlloc-before.TotalAlloc
		}
	}
	each := (mallocs + rounds/2) / rounds
	switch {
	case mallocs == 0:
		return Yes("nothing")
	case each == 0:
		return No("allocates now and then")
	}
	return No(fmt.Sprintf("%s, in %s, for each insert",
		counted(bytes/mallocs*each, "byte"), counted(each, "allocation")))
}

// counted is a number of things.
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// held is the memory of a spike: bytes with all values, and with few.
type held struct{ all, few float64 }

// afterSpike inserts 100 000 values and removes all but 25. It calls then before the last
// measurement.
func afterSpike(s Subject, then func()) held {
	var looks []float64
	s.spike(100_000, 25, func() {
		if len(looks) == 2 {
			then()
		}
		runtime.GC() // once, since nothing here has a finalizer
		looks = append(looks, measure.HeapNow())
	})
	runtime.KeepAlive(s)
	return held{looks[1] - looks[0], looks[2] - looks[0]}
}

// cell describes in words how much is kept, since a map's figure varies slightly.
func (h held) cell() Cell {
	switch share := h.few / h.all; {
	case share < 0.01:
		return Yes("keeps under 1 %")
	case share < 0.1:
		return Yes("keeps under a tenth")
	case share < 0.45:
		return No("keeps less than half")
	case share < 0.55:
		return No("keeps half")
	case share < 0.95:
		return No("keeps more than half")
	case share < 1.05:
		return No("keeps all")
	}
	return No("keeps all, and grows")
}

func askSpike(fresh func() Subject) Cell { return afterSpike(fresh(), func() {}).cell() }

func askClip(fresh func() Subject) Cell {
	s, has := fresh(), false
	h := afterSpike(s, func() { has = called(s.Clip) })
	if !has {
		return None("has no such call")
	}
	return h.cell()
}

func askHandle(fresh func() Subject) Cell {
	s := fresh()
	if s.Least > 0 && s.Least < s.size {
		return None(fmt.Sprintf("%d, or %d as an option", s.size, s.Least))
	}
	return None(fmt.Sprint(s.size))
}

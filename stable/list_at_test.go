package stable_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// churned returns a list that has had many inserts, removals and truncations, and its live keys.
func churned[T any, I stable.Index, D stable.Identifier[D]](
	c stable.Config, r *rand.Rand, n int, value func(i int) T,
) (l *stable.ListOf[T, I, D], ks []stable.Key[T, I, D]) {
	l = stable.NewOf[T, I, D](c)
	for i := range 3 * n {
		if len(ks) > n || len(ks) > 0 && r.IntN(5) < 2 {
			at := r.IntN(len(ks))
			l.Delete(ks[at])
			ks = slices.Delete(ks, at, at+1)
		} else if k := l.Insert(value(i)); !k.IsZero() {
			ks = append(ks, k)
		}
	}
	if len(ks) > 0 && r.IntN(2) == 0 { // a hole, and a truncation
		slices.SortFunc(ks, func(a, b stable.Key[T, I, D]) int { return int(a.Index()) - int(b.Index()) })
		from := r.IntN(len(ks))
		for _, k := range ks[from:min(from+n/2, len(ks))] {
			l.Delete(k)
		}
	}
	return l, slices.Collect(berth.Handles(l))
}

// same fails unless a and b hold the same values under the same keys.
func same[T comparable, I stable.Index, D stable.Identifier[D]](
	t *testing.T, what string, a, b *stable.ListOf[T, I, D],
) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Fatalf("%s: %d values, want %d", what, a.Len(), b.Len())
	}
	for k, v := range b.All() {
		if w, ok := a.Get(k); !ok || w != *v {
			t.Fatalf("%s: %v finds %v, %v, want %v", what, k, w, ok, *v)
		}
	}
	if got, want := slices.Collect(berth.Handles(a)), slices.Collect(berth.Handles(b)); !slices.Equal(got, want) {
		t.Fatalf("%s: keys %v, want %v", what, got, want)
	}
}

// sameAhead fails unless a and b issue the same keys for the same calls.
func sameAhead[T any, I stable.Index, D stable.Identifier[D]](
	t *testing.T, what string, a, b *stable.ListOf[T, I, D], seed uint64,
) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	var ks []stable.Key[T, I, D]
	for i := range 200 {
		var v T
		g, err := a.TryInsert(v)
		k, want := b.TryInsert(v)
		if g != k || !errors.Is(err, want) {
			t.Fatalf("%s: insert %d gives %v, %v, want %v, %v", what, i, g, err, k, want)
		}
		if ks = append(ks, k); i%3 == 0 {
			at := r.IntN(len(ks))
			if a.Delete(ks[at]) != b.Delete(ks[at]) {
				t.Fatalf("%s: Delete(%v) differs", what, ks[at])
			}
		}
		if a.Touched() != b.Touched() {
			t.Fatalf("%s: Touched = %d, want %d", what, a.Touched(), b.Touched())
		}
	}
	a.CheckInvariants()
}

func eachConfig(f func(c stable.Config)) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			f(stable.Config{Placement: p, Truncate: tr, Seed: 1})
		}
	}
}

// A mirror that receives a subset of a list, in any order, has the same values under the same keys,
// and no others.
func TestInsertAtMirror(t *testing.T) {
	eachConfig(func(c stable.Config) {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 5))
			l, ks := churned[int, uint32, stable.Counter32](c, r, 300, func(i int) int { return i })
			r.Shuffle(len(ks), func(i, j int) { ks[i], ks[j] = ks[j], ks[i] })
			switch sub := ks[:r.IntN(len(ks)+1)]; seed % 3 {
			case 1:
				slices.SortFunc(sub, func(a, b key) int { return int(a.Index()) - int(b.Index()) })
			case 2:
				slices.SortFunc(sub, func(a, b key) int { return int(b.Index()) - int(a.Index()) })
			}
			n := r.IntN(len(ks) + 1)
			m := stable.New[int](c)
			last := stable.Counter32(0)
			for _, k := range ks[:n] {
				v, _ := l.Get(k)
				if err := m.InsertAt(k, v); err != nil {
					t.Fatalf("%+v: InsertAt(%v): %v", c, k, err)
				}
				m.CheckInvariants()
				last = max(last, k.ID())
			}
			for i, k := range ks {
				if v, ok := m.Get(k); ok != (i < n) || ok && v != *l.Ptr(k) {
					t.Fatalf("%+v: %v of %d finds %d, %v", c, k, n, v, ok)
				}
			}
			if n > 0 {
				if k := m.Insert(0); k.ID() != last+1 {
					t.Errorf("%+v: Insert gives %v after %d", c, k, last)
				}
			}
			m.CheckInvariants()
		}
	})
}

// Values that were removed and are put back, in any order, are found under their keys, and the list
// then continues as if nothing had happened, apart from the order of vacant slots.
func TestInsertAtUndo(t *testing.T) {
	eachConfig(func(c stable.Config) {
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 6))
			l, ks := churned[int, uint32, stable.Counter32](c, r, 400, func(i int) int { return i })
			was := l.Clone()
			r.Shuffle(len(ks), func(i, j int) { ks[i], ks[j] = ks[j], ks[i] })
			removed := ks[:r.IntN(len(ks)+1)]
			for _, k := range removed {
				l.Delete(k)
			}
			if seed%2 == 0 {
				slices.Reverse(removed)
			} else {
				r.Shuffle(len(removed), func(i, j int) { removed[i], removed[j] = removed[j], removed[i] })
			}
			for _, k := range removed {
				if err := l.InsertAt(k, *was.Ptr(k)); err != nil {
					t.Fatalf("%+v: InsertAt(%v): %v", c, k, err)
				}
				l.CheckInvariants()
			}
			same(t, fmt.Sprintf("%+v", c), l, was)
			if a, b := l.Insert(0), was.Insert(0); a.ID() != b.ID() ||
				c.Placement < stable.Quartered && a != b {
				t.Errorf("%+v: Insert after undo = %v, want %v", c, a, b)
			}
		}
	})
}

// InsertAt refuses what it cannot do, and then changes nothing.
func TestInsertAtRefuses(t *testing.T) {
	type big = [1 << 12]byte
	var at = stable.KeyForTest[int, uint32, stable.Counter32]
	eachConfig(func(c stable.Config) {
		var zero stable.List[int]
		l := stable.New[int](c)
		ks := fill(t, l, 10)
		l.Delete(ks[4])
		was := l.Clone()
		end := uint32(l.Touched())
		for _, x := range []struct {
			k    key
			want error
		}{
			{key{}, stable.ErrStale},
			{at(4, 0), stable.ErrStale},
			{ks[3], stable.ErrTaken},
			{at(3, 1), stable.ErrTaken},
			{at(end+1<<20+1, 5), stable.ErrRange},
			{at(1<<26, 5), stable.ErrRange},
		} {
			err := l.InsertAt(x.k, 5)
			if !errors.Is(err, x.want) || err.Error() != x.want.Error()+": ListOf.InsertAt: "+x.k.String() {
				t.Errorf("%+v: InsertAt(%v) = %v, want %v", c, x.k, err, x.want)
			}
			if x.want != stable.ErrTaken && !errors.Is(zero.InsertAt(x.k, 5), x.want) {
				t.Errorf("%+v: InsertAt(%v) into the zero list is not refused", c, x.k)
			}
		}
		if zero.Cap() != 0 || zero.Touched() != 0 {
			t.Errorf("the zero list is %v", &zero)
		}
		same(t, "after refusals", l, was)
		sameAhead(t, "after refusals", l, was, 1)
	})
	wide := stable.NewOf[int, uint64, stable.Counter32](stable.Config{})
	for _, i := range []uint64{math.MaxUint64, math.MaxInt &^ 3, 1 << 40} {
		k := stable.KeyForTest[int, uint64, stable.Counter32](i, 5)
		if err := wide.InsertAt(k, 1); !errors.Is(err, stable.ErrFull) {
			t.Errorf("InsertAt(%v) = %v, want ErrFull", k, err)
		}
	}
	large := stable.NewOf[big, uint32, stable.Counter32](stable.Config{})
	k := stable.KeyForTest[big, uint32, stable.Counter32](1<<29, 5)
	if err := large.InsertAt(k, big{}); !errors.Is(err, stable.ErrFull) {
		t.Errorf("InsertAt of a large value = %v, want ErrFull", err)
	}
	short := stable.NewOf[int, uint16, stable.Counter32](stable.Config{})
	last := stable.KeyForTest[int, uint16, stable.Counter32](math.MaxUint16, 5)
	if err := short.InsertAt(last, 1); err != nil || short.Touched() != 1<<16 {
		t.Errorf("InsertAt of the last slot = %v, and %d touched", err, short.Touched())
	}
}

// InsertAt goes as far as there is memory, and 2^20 slots beyond the end.
func TestInsertAtFar(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[struct{}, uint32, stable.Counter32](stable.Config{Placement: p, Capacity: 3 << 20})
		at := stable.KeyForTest[struct{}, uint32, stable.Counter32]
		if err := l.InsertAt(at(3<<20-1, 1), struct{}{}); err != nil {
			t.Errorf("%v: InsertAt within Cap = %v", p, err)
		}
		if err := l.InsertAt(at(4<<20, 2), struct{}{}); err != nil || l.Touched() != 4<<20+1 {
			t.Errorf("%v: InsertAt 2^20 beyond the end = %v", p, err)
		}
		if err := l.InsertAt(at(8<<20, 3), struct{}{}); !errors.Is(err, stable.ErrRange) {
			t.Errorf("%v: InsertAt beyond that = %v", p, err)
		}
		if n := l.Len(); n != 2 || p == stable.FirstFree && l.Insert(struct{}{}).Index() != 0 {
			t.Errorf("%v: %d values", p, n)
		}
	}
}

// A counter continues behind the identifiers that InsertAt was given, also where it wraps around.
func TestInsertAtAndIdentifiers(t *testing.T) {
	const most = math.MaxUint32
	for _, x := range []struct{ first, last, id, next stable.Counter32 }{
		{10, 20, 15, 21}, // given before
		{10, 20, 10, 21},
		{10, 20, 20, 21},
		{10, 20, 21, 22},
		{10, 20, 3000, 3001},
		{10, 20, most, 1},
		{10, 20, 8, 9},
		{10, 20, 9, 0},           // the last one: all are used up
		{most - 5, 20, 30, 31},   // wrapped around
		{most - 5, 20, most, 21}, // given before
		{most - 5, 20, 3, 21},
		{most - 5, most - 2, 3, 4},
		{most - 5, most - 2, most, 1},
		{most - 5, most - 2, most - 3, most - 1},
		{1, most, 7, 0},
	} {
		l := stable.New[int](stable.Config{})
		l.AgeForTest(x.first, x.last)
		k := stable.KeyForTest[int, uint32](0, x.id)
		if err := l.InsertAt(k, 1); err != nil {
			t.Errorf("%+v: %v", x, err)
		}
		if k, err := l.TryInsert(1); k.ID() != x.next || (x.next == 0) != errors.Is(err, stable.ErrSpent) {
			t.Errorf("%+v: Insert = %v, %v", x, k, err)
		}
		wide := stable.NewOf[int, uint16, stable.Counter64](stable.Config{})
		up := func(d stable.Counter32) stable.Counter64 {
			return stable.Counter64(int64(int32(d))) // keeps the distance to both ends
		}
		wide.AgeForTest(up(x.first), up(x.last))
		mustInsertAt(t, wide, stable.KeyForTest[int, uint16](0, up(x.id)), 1)
		if k := wide.Insert(1); k.ID() != up(x.next) {
			t.Errorf("%+v, as Counter64: Insert = %v", x, k)
		}
	}
	for seed := range uint32(20) {
		first := stable.New[int](stable.Config{Seed: seed + 1}).Insert(0)
		for _, ahead := range []stable.Counter32{0, 1, 100} {
			l := stable.New[int](stable.Config{Seed: seed + 1})
			id := first.ID() + ahead
			mustInsertAt(t, l, stable.KeyForTest[int, uint32](5, id), 1)
			if k := l.Insert(2); k.ID() != id+1 {
				t.Errorf("seed %d: Insert after %d = %v", seed+1, id, k)
			}
		}
	}
}

// A list with identifiers of its own type takes any of them, and gives its own as before.
func TestInsertAtOwnIdentifiers(t *testing.T) {
	for _, p := range placements {
		l := stable.NewOf[bool, uint64, wide](stable.Config{Placement: p})
		k := stable.KeyForTest[bool, uint64](7, wide{9: 1})
		if err := l.InsertAt(k, true); err != nil {
			t.Fatal(err)
		}
		l.CheckInvariants()
		if a, b := l.Insert(false), l.Insert(false); a.ID() != (wide{1}) || b.ID() != (wide{2}) {
			t.Errorf("%v: Insert = %v, %v", p, a, b)
		}
		if v, ok := l.Get(k); !v || !ok {
			t.Errorf("%v: Get(%v) = %v, %v", p, k, v, ok)
		}
		l.CheckInvariants()
	}
}

// InsertAt calls OnInsert, which may remove the value or panic.
func TestInsertAtHooks(t *testing.T) {
	eachConfig(func(c stable.Config) {
		l := stable.New[int](c)
		ks := fill(t, l, 5)
		var log []key
		l.SetHooks(hooks{OnInsert: func(k key, v *int) {
			log = append(log, k)
			switch *v {
			case 1:
				panic("no")
			case 2:
				l.Delete(k)
			}
		}})
		at := func(i uint32) key { return stable.KeyForTest[int](i, ks[4].ID()+stable.Counter32(i)) }
		was := l.Clone()
		was.SetHooks(hooks{})
		if msg := panics(func() { mustInsertAt(t, l, at(20), 1) }); msg != "no" || l.Contains(at(20)) {
			t.Errorf("%+v: a panic in OnInsert: %q", c, msg)
		}
		l.CheckInvariants()
		if err := l.InsertAt(at(21), 2); err != nil || l.Contains(at(21)) {
			t.Errorf("%+v: OnInsert removes the value: %v", c, err)
		}
		same(t, fmt.Sprintf("%+v", c), l, was)
		if err := l.InsertAt(at(22), 3); err != nil || !l.Contains(at(22)) {
			t.Errorf("%+v: %v", c, err)
		}
		if want := []key{at(20), at(21), at(22)}; !slices.Equal(log, want) {
			t.Errorf("%+v: OnInsert called for %v, want %v", c, log, want)
		}
		if errors.Is(l.InsertAt(at(22), 3), nil) || len(log) != 3 {
			t.Errorf("%+v: OnInsert was called for a refused value", c)
		}
		l.CheckInvariants()
	})
}

// Loops whose body puts values back follow their rules: those that live throughout are visited once,
// and the loops end.
func TestInsertAtInLoops(t *testing.T) {
	eachConfig(func(c stable.Config) {
		for seed := range uint64(4) {
			for name, loop := range map[string]func(l *stable.List[int], visit func(k key)){
				"All": func(l *stable.List[int], visit func(k key)) {
					for k := range l.All() {
						visit(k)
					}
				},
				"Backward": func(l *stable.List[int], visit func(k key)) {
					for k := range stable.Backward(l) {
						visit(k)
					}
				},
				"Values": func(l *stable.List[int], visit func(k key)) {
					for v := range l.Values() {
						visit(stable.KeyAt(l, uint32(*v)))
					}
				},
				"Spans": func(l *stable.List[int], visit func(k key)) {
					for k, s := range l.Spans() {
						for i := range s {
							if g := stable.KeyAt(l, k.Index()+uint32(i)); !g.IsZero() {
								visit(g)
							}
						}
					}
				},
			} {
				r := rand.New(rand.NewPCG(seed, 8))
				l, ks := churned[int, uint32, stable.Counter32](c, r, 200, func(int) int { return 0 })
				for k, v := range l.All() {
					*v = int(k.Index())
				}
				gone := map[key]bool{} // removed at any time
				seen := map[key]int{}
				loop(l, func(k key) {
					seen[k]++
					for range 3 {
						if g := ks[r.IntN(len(ks))]; l.Delete(g) {
							gone[g] = true
						}
						if g := ks[r.IntN(len(ks))]; !l.Contains(g) {
							mustInsertAt(t, l, g, int(g.Index()))
						}
					}
					l.CheckInvariants()
				})
				for _, k := range ks {
					if seen[k] > 1 && !gone[k] || seen[k] == 0 && !gone[k] {
						t.Errorf("%+v, %s: %v was visited %d times", c, name, k, seen[k])
					}
				}
			}
		}
	})
}

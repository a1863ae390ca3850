package berth

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/poison"
)

// A reserved handle finds nothing, keeps its slot and its place within Limit, and is filled once.
func TestReserve(t *testing.T) {
	p := NewPool[int](Config{Limit: 3, Seed: 1})
	calls := 0
	SetHooks(p, Hooks[int]{OnInsert: func(Handle[int], *int) { calls++ }})
	h, other := Reserve(p), p.Insert(1)
	absent := func() {
		t.Helper()
		if _, ok := p.Remove(h); ok || p.Contains(h) || p.Ptr(h) != nil || p.Delete(h) {
			t.Errorf("%v finds something", h)
		}
		for g := range p.All() {
			if g == h {
				t.Errorf("All visits %v", h)
			}
		}
		if g, v := p.At(p.IndexOf(other) - 1); v != nil {
			t.Errorf("At finds %v in a reserved slot", g)
		}
		if err := InsertAt(p, h, 1); !errors.Is(err, ErrTaken) {
			t.Errorf("InsertAt(%v) = %v, want ErrTaken", h, err)
		}
		for s := range p.Slots() {
			if (s.Live|s.Vacant|s.Retired)&1 != 0 {
				t.Errorf("the reserved slot is in %+v", s)
			}
		}
		p.checkInvariants()
	}
	absent()
	if s := p.Stats(); s.Reserved != 1 || s.Live != 1 || p.Len() != 1 || s.Vacant != 62 || s.Limit != 3 {
		t.Errorf("Len %d, %+v", p.Len(), s)
	}
	p.Clear()
	p.Clip()
	other = p.Insert(2)
	absent()
	p.Insert(3)
	if h := p.Insert(4); !h.IsZero() || !Reserve(p).IsZero() || p.Cap() != 3 {
		t.Errorf("Insert = %v beyond the Limit", h)
	}
	calls = 0
	if !Fill(p, h, 5) || Fill(p, h, 6) || Cancel(p, h) || calls != 1 {
		t.Errorf("a handle is not filled exactly once; %d calls of OnInsert", calls)
	}
	if v, ok := p.Get(h); v != 5 || !ok || p.Len() != 3 || p.Stats().Reserved != 0 {
		t.Errorf("Get = %v, %v; Len %d", v, ok, p.Len())
	}
	if !p.Delete(h) || Fill(p, h, 7) {
		t.Error("a removed handle is filled, or not removed")
	}
	if s := p.Stats(); s.Inserts != 4 || s.Removes != 2 {
		t.Errorf("%+v", s)
	}
	p.checkInvariants()
}

// Grow makes room for values beside the reserved ones.
func TestReserveGrow(t *testing.T) {
	var p Pool[int]
	for range 60 {
		Reserve(&p)
	}
	p.Grow(64)
	if s := p.Stats(); s.Vacant < 64 {
		t.Errorf("Grow(64): %+v", s)
	}
}

// At Limit 1 a reserved handle leaves no room, and the Pool does not begin anew.
func TestReserveLimit(t *testing.T) {
	p := NewPool[int](Config{Limit: 1, Seed: 9, Truncate: TruncateNever})
	h := Reserve(p)
	p.Grow(10)
	q := p.Clone()
	for _, p := range []*Pool[int]{p, q} {
		if g := p.Insert(1); !g.IsZero() || p.Stats().Limit != 1 || p.seed() != 9 {
			t.Errorf("Insert = %v, %+v", g, p.Stats())
		}
		if !Fill(p, h, 1) || p.Len() != 1 || !p.Delete(h) || p.Insert(2).IsZero() {
			t.Errorf("%v is not filled", h)
		}
		p.checkInvariants()
	}
}

func TestCancel(t *testing.T) {
	var zero Pool[int]
	if Cancel(&zero, HandleFromUint64[int](1<<32)) || Fill(&zero, Handle[int]{}, 1) {
		t.Error("a zero Pool has reserved a handle")
	}
	for _, limit := range []int{0, 1} {
		p := NewPool[int](Config{Limit: limit})
		h := Reserve(p)
		if !Cancel(p, h) || Cancel(p, h) || Fill(p, h, 1) || p.Contains(h) {
			t.Error("a handle is not given up exactly once")
		}
		g := p.Insert(2)
		if g == h || p.IndexOf(g) != 0 || p.Stats().Reserved != 0 || p.Stats().Inserts != 1 {
			t.Errorf("%v follows %v, %+v", g, h, p.Stats())
		}
		p.checkInvariants()
	}
}

// Only a handle that Reserve has issued can be filled.
func TestFillOthers(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	refused := func(h Handle[int]) {
		t.Helper()
		if Fill(p, h, 9) || Cancel(p, h) {
			t.Errorf("%v is filled or given up", h)
		}
		p.checkInvariants()
	}
	h := Reserve(p)
	refused(Handle[int]{})
	for _, u := range []uint64{1, 64, 1 << 20, 1 << 32, 2 << 32} {
		refused(HandleFromUint64[int](h.Uint64() + u))
		refused(HandleFromUint64[int](h.Uint64() - u))
	}
	p.InsertFunc(func(h Handle[int], _ *int) { refused(h) })
	live := p.Insert(1)
	p.Delete(p.Insert(2))
	p.InsertFunc(func(h Handle[int], _ *int) { refused(h) }) // a slot that was used before
	refused(live)
	p.Delete(live)
	refused(live)
	if !Fill(p, h, 1) {
		t.Error("a reserved handle is refused")
	}
}

// A slot in its last life can be reserved, and is then used up.
func TestReserveLastLife(t *testing.T) {
	first := NewPool[int](Config{Seed: 1}).Insert(1)
	for _, fill := range []bool{false, true} {
		p := NewPool[int](Config{Seed: 1, Truncate: TruncateNever})
		p.AgeForTest(1, 1)
		h := Reserve(p)
		if p.IndexOf(h) != -1 || p.Stats().Retired != 0 {
			t.Errorf("IndexOf = %d, %+v", p.IndexOf(h), p.Stats())
		}
		if fill {
			Fill(p, h, 1)
			p.Delete(h)
		} else {
			Cancel(p, h)
		}
		if p.Stats().Retired != 1 || Fill(p, h, 1) || p.IndexOf(p.Insert(1)) != 1 {
			t.Errorf("the slot of %v is not used up, %+v", h, p.Stats())
		}
		if g := Reserve(p); Fill(p, first, 1) || Cancel(p, first) || !Fill(p, g, 1) {
			t.Errorf("the first handle of a slot that is used up is reserved")
		}
		p.checkInvariants()
	}
}

// Reserved handles are saved and loaded, within Limit.
func TestReserveSaved(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	var hs []Handle[int]
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 1000 {
		if h := p.Insert(i); r.IntN(2) == 0 {
			p.Delete(h)
		}
		if r.IntN(5) == 0 {
			hs = append(hs, Reserve(p))
		}
	}
	data, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	most := p.Len() + len(hs)
	for i, limit := range []int{0, most, most - 1, 0, most, most - 1} {
		q := NewPool[int](Config{Seed: 2, Limit: limit})
		Reserve(q)
		err := loadsAny[i/3](q, data)
		q.checkInvariants()
		if limit == most-1 {
			if !errors.Is(err, ErrFull) || q.Stats().Reserved != 1 {
				t.Errorf("%v with one value too many, %+v", err, q.Stats())
			}
			continue
		}
		if s := q.Stats(); err != nil || s.Reserved != len(hs) || s.Live != p.Len() || s.Limit != limit {
			t.Fatalf("%v, %+v, want %d reserved", err, s, len(hs))
		}
		for i, h := range slices.Clone(hs) {
			if i%2 == 0 && !Fill(q, h, -1) || i%2 == 1 && !Cancel(q, h) {
				t.Errorf("%v is not reserved", h)
			}
		}
		if s := q.Stats(); s.Reserved != 0 || s.Live != p.Len()+(len(hs)+1)/2 {
			t.Errorf("%+v", s)
		}
		q.checkInvariants()
	}
	d := NewDense[int](DenseConfig{})
	if err := d.UnmarshalBinary(data); err == nil {
		t.Error("a Dense loads a Pool")
	}
}

// A chunk with a reserved slot stays in memory, and goes after that.
func TestReserveKeepsChunk(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	var hs []Handle[int]
	for i := range 10_000 {
		hs = append(hs, p.Insert(i))
	}
	p.Delete(hs[5000])
	h := Reserve(p)
	for _, h := range hs {
		p.Delete(h)
	}
	p.Clip()
	p.checkInvariants()
	if p.Stats().Chunks != 1 || !Fill(p, h, 7) {
		t.Errorf("%v is lost, %+v", h, p.Stats())
	}
	if v, ok := p.Remove(h); v != 7 || !ok {
		t.Errorf("Remove = %d, %v", v, ok)
	}
	p.Clip()
	if p.Stats().Chunks != 0 {
		t.Errorf("%+v in an empty Pool", p.Stats())
	}
	p.checkInvariants()
}

// A chunk of reserved slots is not the spare one, so inserts and removals keep theirs.
func TestReserveSpare(t *testing.T) {
	var p Pool[int]
	var hs []Handle[int]
	for p.Insert(0); p.Stats().Chunks < 3; {
		hs = append(hs, Reserve(&p))
	}
	p.Delete(p.Insert(1))
	grown := p.Stats().Grown
	for range 1000 {
		p.Delete(p.Insert(1))
	}
	if got := p.Stats().Grown; got != grown {
		t.Errorf("1000 inserts and removals allocate %d chunks", got-grown)
	}
	for _, h := range hs {
		Cancel(&p, h)
	}
	if s := p.Stats(); s.Chunks > 2 {
		t.Errorf("nothing is reserved: %+v", s)
	}
	p.checkInvariants()
}

// With the build tag, a write through a stale pointer into a reserved slot is found, once.
func TestReservePoison(t *testing.T) {
	if !poison.On {
		t.Skip("needs the build tag berth_poison")
	}
	for _, f := range []func(p *Pool[int], h Handle[int]) bool{
		Cancel[int], func(p *Pool[int], h Handle[int]) bool { return Fill(p, h, 1) },
	} {
		p := NewPool[int](Config{Seed: 1})
		h := p.Insert(1)
		v := p.Ptr(h)
		p.Delete(h)
		g := Reserve(p)
		*v = 7 //nolint:berthends // the misuse that is tested
		mustPanic(t, "write through a stale pointer", func() { f(p, g) })
		if !f(p, g) {
			t.Errorf("%v is lost", g)
		}
		p.checkInvariants()
	}
}

// A Rewind gives back the reservations of its frame.
func TestReserveHistory(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	s := NewHistory(p, HistoryConfig{Frames: 4})
	h, g := Reserve(p), Reserve(p)
	f := s.Mark()
	Fill(p, h, 1)
	Cancel(p, g)
	late := Reserve(p)
	for g := range s.Changed(f) {
		if g != h {
			t.Errorf("%v has changed", g)
		}
	}
	if err := s.Rewind(f); err != nil {
		t.Fatal(err)
	}
	if p.Stats().Reserved != 2 || p.Contains(h) || Fill(p, late, 1) || !Fill(p, g, 2) || !Fill(p, h, 3) {
		t.Errorf("the reservations are not those of the frame: %+v", p.Stats())
	}
	p.checkInvariants()
}

func TestReserveAllocates(t *testing.T) {
	if poison.On {
		t.Skip("poison compares values with their types")
	}
	var p Pool[int]
	p.Insert(1)
	if n := testing.AllocsPerRun(100, func() {
		h, g := Reserve(&p), Reserve(&p)
		Fill(&p, g, 1)
		p.Delete(g)
		Cancel(&p, h)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

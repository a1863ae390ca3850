package concurrent_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"unsafe"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/internal/poison"
)

type config = concurrent.Config[int]

func TestString(t *testing.T) {
	p := concurrent.New(config{Shards: 3})
	p.Insert(1)
	if got, want := p.String(), "concurrent.Pool[int](1 in 4 shards)"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	got, want := new(concurrent.Pool[int]).String(), concurrent.New(config{}).String()
	if got != want {
		t.Errorf("String() of a zero Pool = %q, want %q", got, want)
	}
}

func TestConfigPanics(t *testing.T) {
	for _, c := range []struct {
		c    config
		want string
	}{
		{config{Capacity: -1}, "concurrent: New: Capacity must not be negative (got -1)"},
		{config{Limit: -2}, "concurrent: New: Limit must not be negative (got -2)"},
		{config{Shards: -3}, "concurrent: New: Shards must not be negative (got -3)"},
		{config{Shards: 4097}, "concurrent: New: Shards must be at most 4096 (got 4097)"},
		{config{Truncate: 9}, "concurrent: New: unknown Truncate(9)"},
	} {
		mustPanic(t, c.want, func() { concurrent.New(c.c) })
	}
	if math.MaxInt > math.MaxInt32 {
		big := math.MaxInt
		mustPanic(t, "Capacity is more than 2^32 slots (got "+strconv.Itoa(big)+")",
			func() { concurrent.New(config{Capacity: big}) })
		mustPanic(t, "Capacity is more than 1 TiB of slots (got 1073741824)", func() {
			concurrent.New(concurrent.Config[[2048]byte]{Capacity: 1 << 30})
		})
	}
	concurrent.New(config{Shards: 4096, Limit: 3, Capacity: math.MaxInt32}) // Limit clamps Capacity
}

// The shards together have room for Capacity values.
func TestCapacity(t *testing.T) {
	for _, n := range []int{1, 64, 65, 129, 1000} {
		p := concurrent.New(config{Shards: 2, Capacity: n})
		if s := p.Stats(); s.Vacant < n {
			t.Errorf("%d slots of a Capacity of %d", s.Vacant, n)
		}
	}
}

// Law 4: with a Seed, the handles do not depend on the machine, also if Shards is 0.
func TestSeedGivesHandles(t *testing.T) {
	run := func(procs int) (hs []berth.Handle[int]) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		p := concurrent.New(config{Seed: 7, Capacity: 100})
		for i := range 500 {
			h := p.Insert(i)
			if i%3 == 0 {
				p.Delete(h)
			}
			hs = append(hs, h, p.InsertFunc(func(_ berth.Handle[int], v *int) { *v = i }))
		}
		for h := range p.All() {
			hs = append(hs, h)
		}
		return hs
	}
	one := run(1)
	for _, procs := range []int{2, 8, 64} {
		if !slices.Equal(one, run(procs)) {
			t.Errorf("other handles with a GOMAXPROCS of %d than with 1", procs)
		}
	}
	sum := fnv.New64a()
	for _, h := range one {
		_ = binary.Write(sum, binary.LittleEndian, h.Uint64())
	}
	if got := sum.Sum64(); got != 0x7b807144c11cdc56 {
		t.Errorf("the handles have the sum %#x, and had another one before", got)
	}
}

// Shards keep or release the memory of empty chunks as Truncate says.
func TestTruncate(t *testing.T) {
	for mode, keeps := range map[berth.Truncate]bool{
		berth.TruncateMemory: false, berth.TruncateLength: true, berth.TruncateNever: true,
	} {
		p := concurrent.New(config{Shards: 2, Truncate: mode})
		for i := range 10_000 {
			p.Insert(i)
		}
		full := p.Stats().Chunks
		for h := range p.All() {
			p.Delete(h)
		}
		if now := p.Stats().Chunks; now == full != keeps || now > full {
			t.Errorf("%v: %d chunks when full, and %d when empty", mode, full, now)
		}
	}
}

func TestSizes(t *testing.T) {
	if n := unsafe.Sizeof(berth.Handle[int]{}); n != 8 {
		t.Errorf("a Handle takes %d bytes, want 8", n)
	}
	if n, most := unsafe.Sizeof(concurrent.Lease[int]{}), 8+2*unsafe.Sizeof(uintptr(0)); n > most {
		t.Errorf("a Lease takes %d bytes, want at most %d", n, most)
	}
}

func TestDeleteUnderLease(t *testing.T) {
	var d drops[string]
	p := concurrent.New(concurrent.Config[string]{Shards: 2, Drop: d.drop})
	h := p.Insert("held")
	l, m := mustAcquire(t, p, h), mustAcquire(t, p, h)
	if !p.Delete(h) {
		t.Error("Delete under a lease is false")
	}
	mustBeGone(t, p, h)
	for range 1000 {
		p.Delete(p.Insert("another"))
	}
	if p.Len() != 0 || *l.Value() != "held" || l.Handle() != h {
		t.Errorf("Len %d, the leased value is %q", p.Len(), *l.Value())
	}
	l.Release()
	d.want(t, h, 0)
	p.CheckInvariants()
	m.Release()
	d.want(t, h, 1)
	if d.last != "held" {
		t.Errorf("Drop got %q, want %q", d.last, "held")
	}
	p.CheckInvariants()
}

// The slot is not used again before Drop returns, and is empty after that.
func TestDropBeforeReuse(t *testing.T) {
	var p *concurrent.Pool[int]
	var inside berth.Handle[int]
	p = concurrent.New(config{Shards: 1, Drop: func(h berth.Handle[int], v *int) {
		if *v != 1 {
			return
		}
		inside = p.Insert(2)
		if uint32(inside.Uint64()) == uint32(h.Uint64()) {
			t.Errorf("%v reuses the slot of %v, which Drop has", inside, h)
		}
		mustBeGone(t, p, h)
		if _, err := concurrent.Take(t.Context(), p, h); !errors.Is(err, berth.ErrStale) {
			t.Errorf("Take(%v) in its Drop: %v", h, err)
		}
		p.Clear() // of 2
		if *v != 1 {
			t.Errorf("the value that Drop has is %d, want 1", *v)
		}
	}})
	h := p.Insert(1)
	p.Delete(h)
	if again := p.Insert(3); uint32(again.Uint64()) != uint32(h.Uint64()) {
		t.Errorf("Insert = %v, want the slot of %v", again, h)
	}
	mustBeGone(t, p, inside)
	p.CheckInvariants()
}

func TestLeaseMisuse(t *testing.T) {
	p := concurrent.New(config{Shards: 1, Seed: 1})
	h := p.Insert(1)
	l := mustAcquire(t, p, h)
	l.Release()
	mustPanic(t, "concurrent: Lease.Release: the Lease is released, or was never acquired (handle "+
		h.String()+")", l.Release)
	mustPanic(t, "concurrent: Lease.Value: the Lease is released", func() { l.Value() })
	if l.Handle() != h {
		t.Errorf("Handle() = %v after Release, want %v", l.Handle(), h)
	}
	var zero concurrent.Lease[int]
	mustPanic(t, "never acquired (handle none)", zero.Release)
	if !p.Delete(h) {
		t.Error("the value does not survive the misuse")
	}
}

// A copied lease is released twice: beyond the count, and when the slot has another value.
func TestLeaseCopied(t *testing.T) {
	const want = "concurrent: Lease.Release: the value has no lease left, so a Lease was copied"
	p := concurrent.New(config{Shards: 1})
	for _, after := range []func(h berth.Handle[int]){
		func(berth.Handle[int]) {},
		func(h berth.Handle[int]) { p.Delete(h) },
		func(h berth.Handle[int]) { p.Delete(h); p.Insert(2) },
		func(h berth.Handle[int]) {
			p.Delete(h)
			g := p.Insert(2)
			mustAcquire(t, p, g) // in the same slot; its lease is not the copy's
		},
	} {
		h := p.Insert(1)
		l := mustAcquire(t, p, h)
		twice := l.CopyForTest()
		l.Release()
		after(h)
		mustPanic(t, want, twice.Release)
		p.CheckInvariants()
	}
}

// No number of leases hides a live value. Beyond what a word can count, a lease is refused.
func TestManyLeases(t *testing.T) {
	p := concurrent.New(config{Shards: 1})
	for _, n := range []uint64{1<<16 - 1, 1<<31 - 4, 1<<31 - 3} {
		h := p.Insert(1)
		p.SetLeasesForTest(h, n-1)
		l := mustAcquire(t, p, h)
		steps := 0
		count := func() {
			for range p.All() {
				steps++
			}
			if p.Use(h, func(*int) { steps++ }) {
				steps++
			}
		}
		if n < 1<<31-3 {
			count()
		} else {
			k := mustAcquire(t, p, h) // no removal makes the word that of a reserved slot
			mustPanic(t, "2^31-2 leases of "+h.String(), count)
			mustPanic(t, "2^31-2 leases of "+h.String(), func() { p.Acquire(h) })
			k.Release()
			count()
		}
		if _, ok := p.Get(h); steps != 3 || !ok || !p.Contains(h) || p.Len() != 1 {
			t.Errorf("%d leases: %d steps, want 3; Get %v, Len %d", n, steps, ok, p.Len())
		}
		if !p.Delete(h) {
			t.Errorf("%d leases: Delete is false", n)
		}
		mustBeGone(t, p, h)
		if concurrent.Fill(p, h, 2) || concurrent.Cancel(p, h) {
			t.Errorf("%d leases: a removed value is reserved", n)
		}
		l.Release()
		mustBeGone(t, p, h)
		p.CheckInvariants()
	}
}

func TestUsePanics(t *testing.T) {
	noLeaks(t)
	var d drops[int]
	p := concurrent.New(config{Shards: 1, Drop: d.drop})
	h := p.Insert(1)
	mustPanic(t, "bomb", func() { p.Use(h, func(*int) { p.Delete(h); panic("bomb") }) })
	d.want(t, h, 1)
	h = p.Insert(1)
	goexit(func() { p.Use(h, func(*int) { p.Delete(h); runtime.Goexit() }) })
	d.want(t, h, 1)
	if p.Stats().Live != 0 || p.Len() != 0 {
		t.Errorf("%+v", p.Stats())
	}
	p.CheckInvariants()
}

// goexit runs f, which calls Goexit, in a goroutine.
func goexit(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// Whoever ends a value gets the panic of Drop, and the slot is vacated.
func TestDropPanics(t *testing.T) {
	noLeaks(t)
	exit := false
	p := concurrent.New(config{Shards: 1, Drop: func(berth.Handle[int], *int) {
		if exit {
			runtime.Goexit()
		}
		panic("bomb")
	}})
	h := p.Insert(1)
	mustPanic(t, "bomb", func() { p.Delete(h) })
	l := mustAcquire(t, p, p.Insert(2))
	p.Delete(l.Handle())
	mustPanic(t, "bomb", l.Release)
	p.Insert(3)
	mustPanic(t, "bomb", p.Clear)
	exit = true
	goexit(func() { p.Delete(p.Insert(4)) })
	if s := p.Stats(); s.Live != 0 || s.Vacant != 64 {
		t.Errorf("%+v, want 64 vacant slots", s)
	}
	p.CheckInvariants()
}

func TestInsertFunc(t *testing.T) {
	noLeaks(t)
	p := concurrent.New(config{Shards: 1, Limit: 2, Drop: func(berth.Handle[int], *int) {
		t.Error("Drop of a value that was not built")
	}})
	var given berth.Handle[int]
	h := p.InsertFunc(func(h berth.Handle[int], v *int) {
		given = h
		mustBeGone(t, p, h)
		if _, err := concurrent.Take(t.Context(), p, h); !errors.Is(err, berth.ErrStale) {
			t.Errorf("Take of a value under construction: %v", err)
		}
		p.Clear()
		if p.Len() != 0 || p.Insert(1).IsZero() || !p.Insert(2).IsZero() {
			t.Errorf("a value under construction must count towards Limit, not Len (%d)", p.Len())
		}
		*v = 9
	})
	if v, ok := p.Get(h); h != given || !ok || v != 9 {
		t.Errorf("InsertFunc = %v, want %v; Get = %d, %v", h, given, v, ok)
	}
	if p.InsertFunc(func(berth.Handle[int], *int) { t.Error("f is called at Limit") }) != (berth.Handle[int]{}) {
		t.Error("InsertFunc at Limit returns a handle")
	}
	q := concurrent.New(config{Shards: 1, Limit: 1, Drop: func(berth.Handle[int], *int) { t.Error("Drop") }})
	no := errors.New("no")
	if h, err := concurrent.InsertErr(q, func(h berth.Handle[int], v *int) error {
		given, *v = h, 1
		return no
	}); !h.IsZero() || !errors.Is(err, no) {
		t.Errorf("InsertErr = %v, %v", h, err)
	}
	mustBeGone(t, q, given)
	mustPanic(t, "bomb", func() {
		q.InsertFunc(func(h berth.Handle[int], _ *int) { given = h; panic("bomb") })
	})
	goexit(func() { q.InsertFunc(func(berth.Handle[int], *int) { runtime.Goexit() }) })
	mustBeGone(t, q, given)
	h, err := concurrent.InsertErr(q, func(_ berth.Handle[int], v *int) error {
		if *v != 0 {
			t.Errorf("the slot holds %d", *v)
		}
		*v = 5
		return nil
	})
	if v, ok := q.Get(h); v != 5 || !ok || err != nil || h == given {
		t.Errorf("InsertErr = %v, %v after an InsertFunc that panicked with %v; Get = %d", h, err, given, v)
	}
	if h, err := concurrent.InsertErr(q, func(berth.Handle[int], *int) error { return nil }); !h.IsZero() || !errors.Is(err, berth.ErrFull) {
		t.Errorf("InsertErr at Limit = %v, %v", h, err)
	}
	q.CheckInvariants()
}

func TestLimit(t *testing.T) {
	for _, shards := range []int{1, 4} {
		p := concurrent.New(config{Shards: shards, Limit: 3})
		hs := []berth.Handle[int]{p.Insert(0), p.Insert(1), p.Insert(2)}
		if _, err := p.TryInsert(3); !errors.Is(err, berth.ErrFull) {
			t.Errorf("TryInsert at Limit: %v, want ErrFull", err)
		}
		l := mustAcquire(t, p, hs[0])
		p.Delete(hs[0])
		if h, err := p.TryInsert(3); h.IsZero() || err != nil {
			t.Errorf("TryInsert = %v, %v, though the removed value no longer counts", h, err)
		}
		l.Release()
		if !p.Insert(4).IsZero() {
			t.Error("a released lease makes room beyond Limit")
		}
		if v, err := concurrent.Take(t.Context(), p, hs[1]); v != 1 || err != nil || p.Insert(5).IsZero() {
			t.Errorf("Take = %d, %v, and makes no room", v, err)
		}
		for range concurrent.Drain(p) {
		}
		for range 3 {
			if p.Insert(6).IsZero() {
				t.Error("Drain makes no room")
			}
		}
		p.Clear()
		if p.Len() != 0 || p.Insert(7).IsZero() {
			t.Error("Clear makes no room")
		}
		p.CheckInvariants()
	}
}

// A shard has its part of the indices. No handle may name a slot of the next shard.
func TestShardExhausted(t *testing.T) {
	p := concurrent.New(concurrent.Config[struct{}]{Shards: 4096, Seed: 1, Limit: math.MaxInt32})
	h := p.Insert(struct{}{})
	if n := p.FillShardForTest(h); n != 1<<20-1 {
		t.Errorf("%d more values fit into the shard, want %d", n, 1<<20-1)
	}
	others := func() {
		for range 4096 - 1 {
			if p.Insert(struct{}{}).IsZero() {
				t.Fatal("another shard is full")
			}
		}
	}
	others()
	if h, err := p.TryInsert(struct{}{}); !errors.Is(err, berth.ErrFull) {
		t.Errorf("TryInsert into a full shard = %v, %v, want ErrFull", h, err)
	}
	others()
	if h := p.InsertFunc(func(berth.Handle[struct{}], *struct{}) {
		t.Error("InsertFunc calls f in a full shard")
	}); !h.IsZero() {
		t.Errorf("InsertFunc into a full shard = %v", h)
	}
	p.CheckInvariants()
	if s, want := p.Stats(), 1<<20+2*4095; p.Len() != want || s.Live != want ||
		s.Inserts != uint64(want) || s.Removes != 0 {
		t.Errorf("Len() = %d, %+v, want %d inserts", p.Len(), s, want)
	}
}

// A slot at the end of its generations is retired.
func TestRetirement(t *testing.T) {
	p := concurrent.New(config{Shards: 2, Seed: 1})
	p.AgeForTest(128, 1)
	var hs []berth.Handle[int]
	for i := range 200 {
		hs = append(hs, p.Insert(i))
	}
	l := mustAcquire(t, p, hs[0])
	for _, h := range hs {
		p.Delete(h)
	}
	if s := p.Stats(); s.Retired != 127 {
		t.Errorf("%d slots are retired, want 127, and one that is leased", s.Retired)
	}
	l.Release()
	for range 200 {
		hs = append(hs, p.Insert(1))
	}
	for _, h := range hs[:200] {
		mustBeGone(t, p, h)
	}
	if s := p.Stats(); s.Retired != 128 {
		t.Errorf("%d slots are retired, want 128", s.Retired)
	}
	p.CheckInvariants()
}

func TestDrainAndClearUnderLease(t *testing.T) {
	for _, end := range []struct {
		name string
		do   func(p *concurrent.Pool[int]) int
	}{
		{"Drain", func(p *concurrent.Pool[int]) (n int) {
			for range concurrent.Drain(p) {
				n++
			}
			return n
		}},
		{"Clear", func(p *concurrent.Pool[int]) int { p.Clear(); return 0 }},
	} {
		for _, dropping := range []bool{false, true} {
			t.Run(fmt.Sprint(end.name, dropping), func(t *testing.T) {
				var d drops[int]
				c := config{Shards: 4, Limit: 300}
				if dropping {
					c.Drop = d.drop
				}
				p := concurrent.New(c)
				var hs []berth.Handle[int]
				var leases []*concurrent.Lease[int]
				for i := range 200 {
					hs = append(hs, p.Insert(i))
					if i%3 == 0 {
						leases = append(leases, mustAcquire(t, p, hs[i]))
					}
				}
				drained := end.do(p)
				if end.name == "Drain" && drained != 200-len(leases) {
					t.Errorf("Drain yields %d values, want %d", drained, 200-len(leases))
				}
				if p.Len() != 0 {
					t.Errorf("Len() = %d, want 0", p.Len())
				}
				p.CheckInvariants()
				for i, l := range leases {
					if *l.Value() != 3*i {
						t.Errorf("a leased value is %d, want %d", *l.Value(), 3*i)
					}
					d.want(t, l.Handle(), 0)
					l.Release()
				}
				if want := 200 - drained; dropping && len(d.calls) != want {
					t.Errorf("%d values are dropped, want %d", len(d.calls), want)
				}
				for _, h := range hs {
					mustBeGone(t, p, h)
				}
				p.CheckInvariants()
			})
		}
	}
}

// The body of All has a lease, and may remove its own value.
func TestAllLeases(t *testing.T) {
	var d drops[int]
	p := concurrent.New(config{Shards: 4, Drop: d.drop})
	for i := range 100 {
		p.Insert(i)
	}
	for h, v := range p.All() {
		was := *v
		p.Delete(h)
		p.Insert(-1)
		d.want(t, h, 0)
		if *v != was {
			t.Errorf("the value of %v is %d after its removal in a step, want %d", h, *v, was)
		}
	}
	mustPanic(t, "bomb", func() {
		for h := range p.All() {
			p.Delete(h)
			panic("bomb")
		}
	})
	p.Clear()
	if n := len(d.calls); n < 200 {
		t.Errorf("%d values are dropped, want 200 at least", n)
	}
	for h, n := range d.calls {
		if n != 1 {
			t.Errorf("Drop was called %d times for %v", n, h)
		}
	}
	p.CheckInvariants()
}

// A loop ends even if its body inserts into each of its shards at every step. It visits no slot that
// the shard did not have when the loop began.
func TestLoopEnds(t *testing.T) {
	for _, truncate := range []berth.Truncate{berth.TruncateMemory, berth.TruncateNever} {
		p := concurrent.New(config{Shards: 1, Truncate: truncate})
		for i := range 200 {
			p.Insert(i)
		}
		slots, steps := p.Stats().Live+p.Stats().Vacant, 0
		for range p.All() {
			p.Insert(-1)
			if steps++; steps > slots {
				t.Fatalf("a loop over 200 values in %d slots does not end", slots)
			}
		}
		if steps < 200 {
			t.Errorf("a loop over 200 values makes %d steps", steps)
		}
	}
}

// A steady state allocates nothing, once each shard has its memory.
func TestSteadyState(t *testing.T) {
	nothing := func(berth.Handle[int], *int) {}
	for _, c := range []config{
		{Shards: 4, Seed: 1}, {Shards: 4, Seed: 1, Drop: nothing}, {Shards: 4, Seed: 1, Limit: 5000},
	} {
		for _, n := range []int{0, 3, 1000} {
			p := concurrent.New(c)
			for range 40 {
				p.Delete(p.Insert(0)) // each shard has memory
			}
			hs := make([]berth.Handle[int], n)
			for i := range hs {
				hs[i] = p.Insert(i)
			}
			at, sum := 0, 0
			got := testing.AllocsPerRun(500, func() {
				h := p.Insert(1)
				l, _ := p.Acquire(h)
				p.Delete(h)
				l.Release()
				p.Delete(p.Insert(2))
				p.Delete(p.InsertFunc(func(_ berth.Handle[int], v *int) { *v = 3 }))
				h = p.Insert(4)
				v, _ := concurrent.Take(context.Background(), p, h)
				if sum += v + p.Len(); n > 0 {
					at = (at + 7) % n
					p.Use(hs[at], func(v *int) { sum += *v })
				}
			})
			if got != 0 {
				t.Errorf("%+v, %d values: %v allocations, want none", c, n, got)
			}
			if got := testing.AllocsPerRun(20, func() {
				for _, v := range p.All() {
					sum += *v
				}
				sum += p.Stats().Live
			}); got != 0 {
				t.Errorf("%d values: a loop makes %v allocations, want none", n, got)
			}
		}
	}
}

// Leases of many values at a time allocate blocks of words. These are kept, or go with the values.
func TestLeasesAllocate(t *testing.T) {
	p := concurrent.New(config{Shards: 2, Seed: 1})
	var hs []berth.Handle[int]
	for i := range 50_000 {
		hs = append(hs, p.Insert(i))
	}
	leases := make([]concurrent.Lease[int], 1000)
	at := 0
	turn := func() {
		for i := range leases {
			at = (at + 31*64) % len(hs)
			leases[i], _ = p.Acquire(hs[at])
		}
		for i := range leases {
			leases[i].Release()
		}
	}
	for range 40 {
		turn()
	}
	if n := testing.AllocsPerRun(20, turn); n != 0 {
		t.Errorf("1000 leases of 50000 values: %v allocations, want none", n)
	}
	full := p.Stats().Bytes
	for _, h := range hs[10:] {
		p.Delete(h)
	}
	p.CheckInvariants()
	if left := p.Stats().Bytes; left > full/10 {
		t.Errorf("%d bytes with 50000 values, %d with 10", full, left)
	}
	for _, h := range hs[:10] {
		mustAcquire(t, p, h).Release()
	}
}

type object struct{ _ [4]uint64 }

// C5: what a removed value pointed to is free when its last lease ends, and not before.
func TestNothingKept(t *testing.T) {
	p := concurrent.New(concurrent.Config[*object]{Shards: 2})
	h, w := insertObject(p)
	l := mustAcquire(t, p, h)
	p.Delete(h)
	collect()
	if w.Value() == nil {
		t.Error("the value of a lease was collected")
	}
	l.Release()
	collect()
	if w.Value() != nil {
		t.Error("a value is kept after Delete and the last Release")
	}
	h, w = insertObject(p)
	m := mustAcquire(t, p, h)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := concurrent.Take(ended, p, h); err == nil {
		t.Error("Take does not fail")
	}
	m.Release()
	collect()
	if w.Value() != nil {
		t.Error("a value is kept after a Take that failed and the last Release")
	}
	runtime.KeepAlive(p)
}

//go:noinline
func insertObject(
	p *concurrent.Pool[*object],
) (h berth.Handle[*object], w weak.Pointer[object]) {
	o := &object{}
	return p.Insert(o), weak.Make(o)
}

func collect() {
	runtime.GC()
	runtime.GC()
}

// With the build tag, a write through a pointer whose lease has ended is found.
func TestPoison(t *testing.T) {
	if !poison.On {
		t.Skip("needs the build tag berth_poison")
	}
	p := concurrent.New(config{Shards: 1, Seed: 1})
	h := p.Insert(1)
	l := mustAcquire(t, p, h)
	v := l.Value()
	p.Delete(h)
	*v = 2 // under its lease
	l.Release()
	*v = 3 //nolint:berthends // the misuse that is tested
	mustPanic(t, "write through a stale pointer to the value of "+h.String(), func() { p.Insert(4) })
}

package stable_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// CopyFrom gives what Clone gives, whatever the receiver was before.
func TestCopyFromIsClone(t *testing.T) {
	number := func(i int) int { return i }
	var from, to []*stable.List[int]
	made := func(n int, seed uint64) (ls []*stable.List[int]) {
		eachConfig(func(c stable.Config) {
			c.Seed = uint32(seed)
			l, _ := churned[int, uint32, stable.Counter32](c, rand.New(rand.NewPCG(seed, 7)), n, number)
			ls = append(ls, l)
		})
		return ls
	}
	for seed, n := range []int{0, 1, 40, 700} {
		from = append(from, made(n, uint64(seed)+1)...)
		to = append(to, made(n, uint64(seed)+10)...)
	}
	from = append(from, new(stable.List[int]))
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Capacity: 100, Min: 12})
		fill(t, l, 9)
		l.Clear()
		from = append(from, l)
	}
	for i, q := range from {
		want := q.Clone()
		for k := i % 7; k < len(to); k += 7 {
			l := to[k].Clone()
			l.CopyFrom(q)
			l.CheckInvariants()
			what := fmt.Sprintf("CopyFrom of list %d into %d", i, k)
			same(t, what, l, want)
			if !sameCounters(l.Stats(), want.Stats()) || l.Cap() != want.Cap() || l.Touched() != want.Touched() {
				t.Fatalf("%s: %+v, %v, want %+v, %v", what, l.Stats(), l, want.Stats(), want)
			}
			sameAhead(t, what, l, want.Clone(), uint64(k))
			same(t, what+", the original", q, want)
		}
		sameAhead(t, "the original", q.Clone(), want, 1)
	}
}

// CopyFrom of a list itself changes nothing, and a list copied from another is independent of it.
func TestCopyFromIsIndependent(t *testing.T) {
	eachConfig(func(c stable.Config) {
		l := stable.New[int](c)
		ks := fill(t, l, 30)
		l.Delete(ks[3])
		was := l.Clone()
		l.CopyFrom(l)
		same(t, "CopyFrom of itself", l, was)
		var m stable.List[int]
		for range 3 {
			m.CopyFrom(l)
			for k, v := range m.All() {
				if *v++; *v%3 == 0 {
					m.Delete(k)
				}
			}
			fill(t, &m, 50)
			same(t, "the original", l, was)
		}
		sameAhead(t, "the original", l, was, 1)
	})
}

// The hooks of the receiver stay, and none is called.
func TestCopyFromAndHooks(t *testing.T) {
	calls := 0
	count := func(key, *int) { calls++ }
	from, to := stable.New[int](stable.Config{}), stable.New[int](stable.Config{})
	from.SetHooks(hooks{OnInsert: func(key, *int) { t.Error("the hook of the original is called") }})
	to.SetHooks(hooks{OnInsert: count, OnRemove: count})
	fill(t, to, 5)
	calls = 0
	if to.CopyFrom(from); calls != 0 || to.Len() != 0 {
		t.Errorf("CopyFrom calls %d hooks", calls)
	}
	to.Delete(to.Insert(1))
	if calls != 2 {
		t.Errorf("after CopyFrom, %d hooks are called, want 2", calls)
	}
	to.CheckInvariants()
}

// CopyFrom keeps the memory of the receiver, and later truncations give it back as they would.
func TestCopyFromAndMemory(t *testing.T) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			few := stable.New[int](stable.Config{Placement: p, Truncate: tr})
			fill(t, few, 40)
			l := stable.New[int](stable.Config{Placement: (p + 1) % 5, Capacity: 1000})
			had := memory(t, l, (p+1)%5)
			l.CopyFrom(few)
			if memory(t, l, p) != had || l.Cap() != few.Cap() {
				t.Fatalf("%v: memory for %d slots, want %d; Cap = %d", p, memory(t, l, p), had, l.Cap())
			}
			many := l.Clone()
			fill(t, many, 900)
			if n := testing.AllocsPerRun(1, func() { l.CopyFrom(many); l.CopyFrom(few) }); n > 2 {
				t.Errorf("%v: CopyFrom into memory that fits allocates %v times", p, n)
			}
			for k := range stable.Backward(l) {
				if k.Index() > 2 {
					l.Delete(k)
				}
			}
			if got := memory(t, l, p); tr == berth.TruncateMemory && got > 64 || tr != berth.TruncateMemory && got < had {
				t.Errorf("%v, %v: with 3 values left, memory for %d slots", p, tr, got)
			}
			l.CopyFrom(few)
			l.Clip()
			if memory(t, l, p) > 64 {
				t.Errorf("%v: after Clip, memory for %d slots", p, memory(t, l, p))
			}
			l.CheckInvariants()
		}
	}
	big, small := stable.New[int](stable.Config{Capacity: 1000}), stable.New[int](stable.Config{Truncate: berth.TruncateMemory})
	fill(t, small, 3)
	big.CopyFrom(small)
	if big.Clear(); memory(t, big, stable.FirstFree) != 4 {
		t.Errorf("after Clear, memory for %d slots", memory(t, big, stable.FirstFree))
	}
}

// The values that CopyFrom replaces are not kept alive.
func TestCopyFromKeepsNothing(t *testing.T) {
	eachConfig(func(c stable.Config) {
		l, q := stable.New[*[64]byte](c), stable.New[*[64]byte](c)
		var ws []weak.Pointer[[64]byte]
		for range 50 {
			v := new([64]byte)
			l.Insert(v)
			ws = append(ws, weak.Make(v))
		}
		for range 9 {
			q.Insert(nil)
		}
		l.CopyFrom(q)
		l.Delete(l.Insert(nil)) // under berth_poison, the old memory stays until then
		runtime.GC()
		for i, w := range ws {
			if w.Value() != nil {
				t.Fatalf("%+v: value %d is kept", c, i)
			}
		}
		runtime.KeepAlive(l)
	})
}

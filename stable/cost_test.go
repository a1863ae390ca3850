package stable_test

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/costtest"
	"github.com/seed505807e1/berth/stable"
)

// allocsOf returns how many objects a call of f allocates after the first call.
func allocsOf(f func()) float64 {
	f()
	return testing.AllocsPerRun(5, f)
}

// Methods documented as never allocating do not allocate.
func TestNeverAllocates(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Min: 4})
		ks := fill(t, l, 200)
		for i := range ks {
			if i%3 == 0 {
				l.Remove(ks[i])
			}
		}
		k, stale := ks[1], ks[0]
		sum, other := 0, stable.New[int](stable.Config{})
		others := func(f func(o stable.ListOthers[int])) func() {
			return func() {
				stable.Apply(l, k, func(_ *int, o stable.ListOthers[int]) { f(o) })
			}
		}
		for name, f := range map[string]func(){
			"String": func() {
				for i := range stable.Placement(5) {
					sum += len(i.String())
				}
				for i := range berth.TruncateNever + 1 {
					sum += len(i.String())
				}
			},
			"counters": func() {
				sum += int(stable.Counter32(7).Next() + stable.Counter32(0).Start(7))
				sum += int(stable.Counter64(7).Next() + stable.Counter64(0).Start(7))
			},
			"keys": func() {
				if sum += int(k.Index()) + int(k.ID()); k.IsZero() {
					sum++
				}
			},
			"lookups": func() {
				for _, k := range []stable.ListKey[int]{k, stale, {}} {
					if v, ok := l.Get(k); ok && l.Ptr(k) != nil && l.Contains(k) {
						at, _ := l.At(k.Index())
						sum += v + int(at.ID())
					}
				}
				sum += l.Len() + l.Cap() + l.Touched() + l.Stats().Live
			},
			"insert and remove": func() {
				k, _ := l.TryInsert(5)
				l.Remove(k)
				l.Remove(stale)
				l.Remove(l.Insert(6))
				if k, v := l.New(); v != nil && l.Delete(k) && !l.Delete(stale) {
					sum++
				}
			},
			"HandleView": func() {
				v, h := stable.ByHandle(l), stable.HandleOf(ks[2])
				if x, ok := v.Get(h); ok && v.Contains(h) && stable.KeyOf(h) == ks[2] {
					sum += x + *v.Ptr(h) + v.Len()
				}
				for h := range v.All() {
					sum += int(h.Uint64())
				}
				for x := range v.Values() {
					sum += *x
				}
				for _, s := range v.Spans() {
					sum += len(s)
				}
			},
			"InsertAt": func() {
				v, _ := l.Remove(k)
				if l.InsertAt(k, v) == nil {
					sum++
				}
			},
			"CopyFrom":       func() { other.CopyFrom(l) },
			"Grow with room": func() { l.Grow(l.Cap() - l.Len()) },
			"Others": others(func(o stable.ListOthers[int]) {
				v, _ := o.Get(ks[2])
				if sum += v + o.Len(); o.Contains(k) || o.Ptr(ks[2]) == nil {
					sum++
				}
				for range o.All() {
					sum++
				}
			}),
		} {
			if n := allocsOf(f); n != 0 {
				t.Errorf("%v: %s: %v allocations, want 0", p, name, n)
			}
		}
		for tr := berth.TruncateLength; tr <= berth.TruncateNever; tr++ {
			c := stable.New[int](stable.Config{Placement: p, Truncate: tr})
			if n := allocsOf(func() {
				for i := range 300 {
					c.Insert(i)
				}
				c.Clear()
			}); n != 0 && tr == berth.TruncateNever || n > 20 {
				t.Errorf("%v, %v: filling and Clear allocate %v times", p, tr, n)
			}
		}
		if sum == 0 {
			t.Error("the loops visited nothing")
		}
	}
}

// hidden returns v in a way that hides it from the compiler.
func hidden[V any](v V) V { return map[bool]V{true: v}[true] }

// The compiler cannot inline an iterator behind an interface or a function value. The loop then
// allocates the iterator, its body, and the variable that the body changes, and as much again if
// the iterator uses another.
func TestLoopsNotInlined(t *testing.T) {
	l := stable.New[int](stable.Config{})
	fill(t, l, 100)
	view, all := hidden[stable.ListView[int]](l), hidden(l.All)
	traverse, backward := hidden(stable.Traverse[int, uint32, stable.Counter32]), hidden(stable.Backward[int, uint32, stable.Counter32])
	touched, at := hidden(l.Touched), hidden(l.At)
	var others stable.ListView[int]
	stable.Apply(l, stable.KeyAt(l, 3), func(_ *int, o stable.ListOthers[int]) { others = hidden[stable.ListView[int]](o) })
	sum := 0
	for name, f := range map[string]func(){
		"View.All*": func() {
			for k := range view.All() {
				sum += int(k.Index())
			}
		},
		"Traverse*": func() {
			for e := range traverse(l) {
				sum += *e.Value
			}
		},
		"Backward*": func() {
			for _, v := range backward(l) {
				sum += *v
			}
		},
		"Others.All*": func() {
			for _, v := range others.All() {
				sum += *v
			}
		},
		"Others.Values": func() {
			for v := range others.Values() {
				sum += *v
			}
		},
		"Others.Spans": func() {
			for _, s := range others.Spans() {
				sum += len(s)
			}
		},
		"View.All": func() {
			for _, v := range view.All() {
				sum += *v
			}
		},
		"View.Values": func() {
			for v := range view.Values() {
				sum += *v
			}
		},
		"View.Spans": func() {
			for _, s := range view.Spans() {
				sum += len(s)
			}
		},
		"function value": func() {
			for _, v := range all() {
				sum += *v
			}
		},
	} {
		want := 3.0
		if strings.HasSuffix(name, "*") {
			want = 6 + costtest.Older
		}
		if n := allocsOf(f); n < 1 || n > want {
			t.Errorf("%s: %v allocations, want 1 to %v", name, n, want)
		}
	}
	if n := allocsOf(func() {
		for i := range uint32(touched()) {
			if _, v := at(i); v != nil {
				sum += *v
			}
		}
	}); n != 0 {
		t.Errorf("loop over slot numbers: %v allocations, want 0", n)
	}
	if sum == 0 {
		t.Error("nothing was visited")
	}
}

// memory returns the number of slots for which l has memory, and fails if its parts differ.
func memory(t *testing.T, l *stable.List[int], p stable.Placement) int {
	t.Helper()
	ids, vals, links := l.CapsForTest()
	linked := p >= stable.Quartered || p == stable.FirstFreeHeap
	if ids != vals || linked && links != ids || !linked && links != 0 {
		t.Fatalf("%v: memory for %d identifiers, %d values and %d links", p, ids, vals, links)
	}
	return ids
}

// Under TruncateMemory a list that was just cut has memory for twice its length, or four times.
// Under TruncateLength all memory of a spike stays until Clip, which leaves as much as is needed.
func TestMemoryAfterASpike(t *testing.T) {
	for _, p := range placements {
		times := 4
		if p >= stable.Quartered {
			times = 2
		}
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			l := stable.New[int](stable.Config{Placement: p, Truncate: tr})
			ks := fill(t, l, 5000)
			peak := memory(t, l, p)
			for i := len(ks) - 1; i >= 5; i-- {
				cuts, was := l.Stats().Truncated, memory(t, l, p)
				l.Remove(ks[i])
				cut := l.Touched()
				if p >= stable.Quartered {
					cut = l.Cap()
				}
				if got := memory(t, l, p); tr != berth.TruncateMemory && got != peak ||
					tr == berth.TruncateMemory && l.Stats().Truncated > cuts && got > max(4, times*cut) {
					t.Fatalf("%v, %v: with %d values in %d slots, memory for %d slots", p, tr, l.Len(), cut, got)
				} else if got < was && got > max(4, 2*cut) {
					t.Fatalf("%v, %v: memory for %d slots became that for %d, with %d in use", p, tr, was, got, cut)
				}
			}
			if l.Clip(); memory(t, l, p) != l.Cap() || l.Cap() > 8 || l.Cap() < l.Len() {
				t.Errorf("%v, %v: Clip with 5 values: Cap = %d, memory for %d slots", p, tr, l.Cap(), memory(t, l, p))
			}
			l.Clear()
			if l.Clip(); memory(t, l, p) != 0 {
				t.Errorf("%v, %v: after Clip of an empty list, memory for %d slots", p, tr, memory(t, l, p))
			}
		}
	}
}

// Long after a burst of 10 000, loops look at no more slots than before it, except under
// QuarteredStepwise, whose order keeps values far out.
func TestLoopsReturnAfterABurst(t *testing.T) {
	for _, p := range placements {
		l := stable.New[int](stable.Config{Placement: p, Seed: 1})
		rest := uint64(1)
		touched := [255]int{}
		for step := range touched {
			come := 1
			if step == 100 {
				come += 10_000
			}
			for range come {
				rest = rest*6364136223846793005 + 1442695040888963407
				l.Insert(1 + int(rest>>33)%50)
			}
			l.RemoveFunc(func(_ stable.ListKey[int], ttl *int) bool {
				*ttl--
				return *ttl == 0
			})
			touched[step] = l.Touched()
		}
		before, after := 0.0, 0.0
		for i := range 40 {
			before += float64(touched[60+i]) / 40
			after += float64(touched[215+i]) / 40
		}
		if back := after <= 1.5*before; back != (p != stable.QuarteredStepwise) {
			t.Errorf("%v: loops look at %.1f slots before the burst, %.1f long after", p, before, after)
		}
		if at := touched[160]; p.String()[:5] == "First" && at > 100 {
			t.Errorf("%v: 60 steps after the burst, loops look at %d slots", p, at)
		}
	}
}

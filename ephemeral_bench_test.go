package berth_test

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// BenchmarkEphemeral simulates particles: one is inserted each step, and 10 000 at step 100; all
// age, and die within 50 steps. It compares ways to age and remove them.
func BenchmarkEphemeral(b *testing.B) {
	for name, run := range map[string]func() int{
		"Pool/by=all":         func() int { return lives(&poolAll{}) },
		"Pool/by=spans":       func() int { return lives(&poolSpans{}) },
		"Pool/by=removeFunc":  func() int { return lives(&poolRemoveFunc{}) },
		"Dense/by=slice":      func() int { return lives(&denseSlice{}) },
		"Dense/by=removeFunc": func() int { return lives(&denseRemoveFunc{}) },
		"Dense/by=each":       func() int { return lives(&denseEach{}) },
		"slice":               func() int { return lives(&plainSlice{}) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if n := run(); n != 10_255-ephemeralLeft {
					b.Fatalf("%d have died", n)
				}
			}
		})
	}
}

type aging interface {
	insert(ttl uint32)
	age() int
}

const ephemeralLeft = 10_255 - 10231

func lives[A aging](a A) (deaths int) {
	r := uint64(1)
	for step := range 255 {
		come := 1
		if step == 100 {
			come += 10_000
		}
		for range come {
			r = r*6364136223846793005 + 1442695040888963407
			a.insert(1 + uint32(r>>32)%50)
		}
		deaths += a.age()
	}
	return deaths
}

type poolAll struct{ p berth.Pool[uint32] }

func (a *poolAll) insert(ttl uint32) { a.p.Insert(ttl) }
func (a *poolAll) age() (n int) {
	for h, t := range a.p.All() {
		if *t--; *t == 0 {
			a.p.Remove(h)
			n++
		}
	}
	return n
}

type poolSpans struct{ p berth.Pool[uint32] }

func (a *poolSpans) insert(ttl uint32) { a.p.Insert(ttl) }
func (a *poolSpans) age() (n int) {
	for first, ts := range a.p.Spans() {
		at := a.p.IndexOf(first)
		for i := range ts {
			if ts[i]--; ts[i] == 0 {
				h, _ := a.p.At(at + i)
				a.p.Remove(h)
				n++
			}
		}
	}
	return n
}

type poolRemoveFunc struct{ p berth.Pool[uint32] }

func (a *poolRemoveFunc) insert(ttl uint32) { a.p.Insert(ttl) }
func (a *poolRemoveFunc) age() (n int) {
	return a.p.RemoveFunc(func(_ berth.Handle[uint32], t *uint32) bool { *t--; return *t == 0 })
}

type denseSlice struct{ d berth.Dense[uint32] }

func (a *denseSlice) insert(ttl uint32) { a.d.Insert(ttl) }
func (a *denseSlice) age() (n int) {
	s := a.d.Slice()
	for i := range s {
		if s[i]--; s[i] == 0 {
			h, _ := a.d.At(i)
			a.d.Remove(h)
			n++
		}
	}
	return n
}

type denseRemoveFunc struct{ d berth.Dense[uint32] }

func (a *denseRemoveFunc) insert(ttl uint32) { a.d.Insert(ttl) }
func (a *denseRemoveFunc) age() (n int) {
	return a.d.RemoveFunc(func(_ berth.Handle[uint32], t *uint32) bool { *t--; return *t == 0 })
}

type denseEach struct{ d berth.Dense[uint32] }

func (a *denseEach) insert(ttl uint32) { a.d.Insert(ttl) }
func (a *denseEach) age() (n int) {
	berth.Each(&a.d, func(_ berth.Handle[uint32], t *uint32) berth.Control {
		if *t--; *t == 0 {
			n++
			return berth.LoopRemove
		}
		return berth.LoopContinue
	})
	return n
}

type plainSlice struct{ s []uint32 }

func (a *plainSlice) insert(ttl uint32) { a.s = append(a.s, ttl) }
func (a *plainSlice) age() (n int) {
	s := a.s
	for i := 0; i < len(s); {
		if s[i]--; s[i] == 0 {
			s[i] = s[len(s)-1]
			s = s[:len(s)-1]
			n++
			continue
		}
		i++
	}
	a.s = s
	return n
}

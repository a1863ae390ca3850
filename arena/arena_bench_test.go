package arena_test

import (
	"fmt"
	"testing"

	"github.com/seed505807e1/berth/arena"
)

// The loops are in functions that are not inlined, because a range loop inside b.Loop is slower
// than one outside. Each returns a sum, which its benchmark checks.

type cell16 struct{ A, B uint64 }

// run measures turn, which handles n values and returns their sum.
func run(b *testing.B, n, want int, turn func() int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if got := turn(); got != want {
			b.Fatalf("sum = %d, want %d", got, want)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
}

const bumps = 1000

// sumOf is the sum of the numbers below n.
func sumOf(n int) int { return n * (n - 1) / 2 }

//go:noinline
func bumpNew(a *arena.Arena) (sum int) {
	m := a.Mark()
	for i := range bumps {
		v := arena.New[cell16](a)
		v.A += uint64(i)
		sum += int(v.A)
	}
	a.Rewind(m)
	return sum
}

//go:noinline
func bumpBump(a *arena.Arena, p *arena.Bump[cell16]) (sum int) {
	m := a.Mark()
	for i := range bumps {
		v := p.New()
		v.A += uint64(i)
		sum += int(v.A)
	}
	a.Rewind(m)
	p.Clear()
	return sum
}

func BenchmarkBump(b *testing.B) {
	for kind, impl := range []string{"Fixed", "Chunked", "Virtual"} {
		b.Run(fmt.Sprintf("impl=%s/size=16", impl), func(b *testing.B) {
			a := benchArena(b, kind)
			run(b, bumps, sumOf(bumps), func() int { return bumpNew(a) })
		})
		b.Run(fmt.Sprintf("impl=%sBump/size=16", impl), func(b *testing.B) {
			a := benchArena(b, kind)
			p := arena.NewBump[cell16](a, 100)
			run(b, bumps, sumOf(bumps), func() int { return bumpBump(a, p) })
		})
	}
}

// benchArena returns an arena with room for many values, whose chunks are large.
func benchArena(b *testing.B, kind int) *arena.Arena {
	b.Helper()
	switch kind {
	case fixed:
		return arena.NewFixed(16 << 20)
	case chunked:
		return arena.NewChunked(64 << 10)
	}
	a, err := arena.NewVirtual(1<<30, arena.VirtualConfig{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Release() })
	return a
}

const many = 10_000

//go:noinline
func vecPush(a *arena.Arena) (sum int) {
	m := a.Mark()
	v := arena.NewVec[int](a)
	for i := range many {
		v.Push(i)
	}
	for _, x := range v.Slice() {
		sum += x
	}
	a.Rewind(m)
	return sum
}

//go:noinline
func vecReuse(v *arena.Vec[int]) (sum int) {
	v.Resize(0)
	for i := range many {
		v.Push(i)
	}
	for _, p := range v.All() {
		sum += *p
	}
	return sum
}

func BenchmarkVec(b *testing.B) {
	for kind, impl := range []string{"Fixed", "Chunked", "Virtual"} {
		b.Run("op=grow/impl="+impl, func(b *testing.B) {
			a := benchArena(b, kind)
			run(b, many, sumOf(many), func() int { return vecPush(a) })
		})
		b.Run("op=reuse/impl="+impl, func(b *testing.B) {
			v := arena.NewVec[int](benchArena(b, kind))
			run(b, many, sumOf(many), func() int { return vecReuse(v) })
		})
	}
}

//go:noinline
func dequePair(d *arena.Deque[int]) (sum int) {
	for i := range many {
		d.PushBack(i)
		x, _ := d.PopFront()
		sum += x
	}
	return sum
}

//go:noinline
func dequeFill(d *arena.Deque[int]) (sum int) {
	for i := range many {
		d.PushBack(i)
	}
	for range many {
		x, _ := d.PopFront()
		sum += x
	}
	return sum
}

func BenchmarkDeque(b *testing.B) {
	d := func() *arena.Deque[int] {
		return arena.NewDeque[int](arena.NewChunked(1<<20), arena.DequeConfig{})
	}
	b.Run("op=pair/impl=Deque", func(b *testing.B) {
		d := d()
		run(b, many, sumOf(many), func() int { return dequePair(d) })
	})
	b.Run("op=fill/impl=Deque", func(b *testing.B) {
		d := d()
		run(b, many, sumOf(many), func() int { return dequeFill(d) })
	})
}

// issuer is implemented by containers that issue handles.
type issuer[H comparable] interface {
	insert(v cell16) H
	remove(h H)
	get(h H) uint64
	sum() int
}

type (
	arenaPool struct{ *arena.Pool[cell16] }
	handles32 struct {
		*arena.Handles[cell16, arena.Handle32[cell16]]
	}
	handles64 struct {
		*arena.Handles[cell16, arena.Handle64[cell16]]
	}
)

func (p arenaPool) insert(v cell16) int                    { i, _ := p.Insert(v); return i }
func (p arenaPool) remove(i int)                           { p.Remove(i) }
func (p arenaPool) get(i int) uint64                       { return p.Ptr(i).A }
func (p handles32) insert(v cell16) arena.Handle32[cell16] { h, _ := p.Insert(v); return h }
func (p handles32) remove(h arena.Handle32[cell16])        { p.Delete(h) }
func (p handles32) get(h arena.Handle32[cell16]) uint64    { return p.Ptr(h).A }
func (p handles64) insert(v cell16) arena.Handle64[cell16] { h, _ := p.Insert(v); return h }
func (p handles64) remove(h arena.Handle64[cell16])        { p.Delete(h) }
func (p handles64) get(h arena.Handle64[cell16]) uint64    { return p.Ptr(h).A }

func (p arenaPool) sum() (n int) {
	for _, v := range p.All() {
		n += int(v.A)
	}
	return n
}

func (p handles32) sum() (n int) {
	for _, v := range p.All() {
		n += int(v.A)
	}
	return n
}

func (p handles64) sum() (n int) {
	for _, v := range p.All() {
		n += int(v.A)
	}
	return n
}

//go:noinline
func churn[H comparable, P issuer[H]](p P, hs []H) (sum int) {
	for i := range many {
		k := i * 7 % len(hs)
		p.remove(hs[k])
		hs[k] = p.insert(cell16{A: uint64(k)})
		sum += k
	}
	return sum
}

//go:noinline
func lookups[H comparable, P issuer[H]](p P, hs []H) (sum int) {
	for i := range hs {
		sum += int(p.get(hs[i*7%len(hs)]))
	}
	return sum
}

func benchmarkIssuer[H comparable, P issuer[H]](b *testing.B, impl string, p P) {
	hs := make([]H, many)
	for i := range hs {
		hs[i] = p.insert(cell16{A: uint64(i)})
	}
	b.Run("op=churn/impl="+impl, func(b *testing.B) {
		run(b, many, sumOf(many), func() int { return churn(p, hs) })
	})
	b.Run("op=get/impl="+impl, func(b *testing.B) {
		run(b, many, sumOf(many), func() int { return lookups(p, hs) })
	})
	b.Run("op=loop/impl="+impl, func(b *testing.B) {
		run(b, many, sumOf(many), p.sum)
	})
}

func BenchmarkPool(b *testing.B) {
	benchmarkIssuer[int](b, "arena", arenaPool{arena.NewPool[cell16](arena.NewChunked(1 << 20))})
}

func BenchmarkHandles(b *testing.B) {
	a := arena.NewChunked(1 << 20)
	benchmarkIssuer[arena.Handle32[cell16]](b, "arena32",
		handles32{arena.NewHandles[cell16, arena.Handle32[cell16]](a, arena.HandlesConfig{})})
	benchmarkIssuer[arena.Handle64[cell16]](b, "arena64",
		handles64{arena.NewHandles[cell16, arena.Handle64[cell16]](a, arena.HandlesConfig{})})
}

//go:noinline
func mapGets(m *arena.Map[uint64, int]) (sum int) {
	for i := range many {
		x, _ := m.Get(uint64(i) * 977)
		sum += x
	}
	return sum
}

//go:noinline
func mapFill(m *arena.Map[uint64, int]) (sum int) {
	m.Clear()
	for i := range many {
		m.Set(uint64(i)*977, i)
	}
	for _, v := range m.All() {
		sum += *v
	}
	return sum
}

//go:noinline
func mapChurn(m *arena.Map[uint64, int], at uint64) (sum int) {
	for i := range many {
		m.Set((at+uint64(i)+many)*977, i)
		if m.Delete((at + uint64(i)) * 977) {
			sum += i
		}
	}
	return sum
}

func BenchmarkMap(b *testing.B) {
	for _, op := range []string{"fill", "get", "churn"} {
		b.Run("op="+op+"/impl=arena", func(b *testing.B) {
			m := arena.NewMap[uint64, int](arena.NewChunked(1 << 20))
			mapFill(m)
			at := uint64(0)
			run(b, many, sumOf(many), map[string]func() int{
				"fill":  func() int { return mapFill(m) },
				"get":   func() int { return mapGets(m) },
				"churn": func() int { at += many; return mapChurn(m, at-many) },
			}[op])
		})
	}
}

// rewindTurn takes a lot of memory, writes to each page of it, and gives it back.
//
//go:noinline
func rewindTurn(a *arena.Arena, size int) (sum int) {
	m := a.Mark()
	s := arena.MakeSlice[byte](a, size, size)
	for i := 0; i < len(s); i += 4096 {
		s[i]++
		sum += int(s[i])
	}
	a.Rewind(m)
	return sum
}

func BenchmarkRewind(b *testing.B) {
	const size = 8 << 20
	for impl, keep := range map[string]int{"kept": 64 << 20, "givenBack": 1} {
		b.Run("impl="+impl, func(b *testing.B) {
			a, err := arena.NewVirtual(1<<30, arena.VirtualConfig{Keep: keep})
			if err != nil {
				b.Fatal(err)
			}
			run(b, size/4096, size/4096, func() int { return rewindTurn(a, size) })
			_ = a.Release()
		})
	}
	b.Run("impl=small", func(b *testing.B) {
		a := arena.NewFixed(1 << 10)
		run(b, 1, 1, func() int { return rewindTurn(a, 64) })
	})
}

//go:noinline
func appendEach(a *arena.Arena) (sum int) {
	a.Reset()
	var s []int
	for i := range many {
		s, _ = arena.Append(a, s, i)
	}
	for _, x := range s {
		sum += x
	}
	return sum
}

//go:noinline
func vecLens(v *arena.Vec[int]) (sum int) {
	for i := 0; i < v.Len(); i++ {
		sum += v.At(i)
	}
	return sum
}

//go:noinline
func nestedLens(n *arena.Nested[int]) (sum int) {
	for i := range many {
		sum += i * min(1, n.Len())
	}
	return sum
}

func BenchmarkAppend(b *testing.B) {
	for kind, impl := range []string{"Fixed", "Chunked", "Virtual"} {
		b.Run("op=append/impl="+impl, func(b *testing.B) {
			a := benchArena(b, kind)
			run(b, many, sumOf(many), func() int { return appendEach(a) })
		})
	}
}

func BenchmarkLen(b *testing.B) {
	a := benchArena(b, 1)
	v, n := arena.NewVec[int](a), new(arena.Nested[int])
	for i := range many {
		v.Push(i)
	}
	n.Push(a, 1)
	b.Run("op=at/impl=Vec", func(b *testing.B) {
		run(b, many, sumOf(many), func() int { return vecLens(v) })
	})
	b.Run("op=len/impl=Nested", func(b *testing.B) {
		run(b, many, sumOf(many), func() int { return nestedLens(n) })
	})
}

package arena_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
)

// The loops are in functions that are not inlined, because a range loop inside b.Loop is slower
// than one outside. Each returns a sum, which its benchmark checks.

type (
	cell16 struct{ A, B uint64 }
	cell64 struct {
		A uint64
		_ [7]uint64
	}
)

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

// indexed is the baseline: a slice, and the number of elements taken.
type indexed[T any] struct {
	s []T
	n int
}

// The functions for 16 and for 64 bytes are written out, since a generic function would measure the
// access to its dictionary.

//go:noinline
func bumpLocal16(s []cell16) (sum int) {
	at := 0
	for i := range bumps {
		v := &s[at]
		at++
		*v = cell16{}
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

//go:noinline
func bumpStruct16(x *indexed[cell16]) (sum int) {
	x.n = 0
	for i := range bumps {
		v := &x.s[x.n]
		x.n++
		*v = cell16{}
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

// take is the least that a call that makes a value in x must do. It checks nothing.
//
//go:noinline
func take[T any](x *indexed[T]) *T {
	v := (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x.s)), x.n))
	x.n += int(unsafe.Sizeof(*v))
	clear(unsafe.Slice(v, 1))
	return v
}

//go:noinline
func bumpCall16(x *indexed[cell16]) (sum int) {
	x.n = 0
	for i := range bumps {
		v := take(x)
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

//go:noinline
func bumpNew16(a *arena.Arena) (sum int) {
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
func bumpBump16(a *arena.Arena, p *arena.Bump[cell16]) (sum int) {
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

//go:noinline
func bumpHeap16(keep []*cell16) (sum int) {
	for i := range bumps {
		v := new(cell16)
		keep[i] = v
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

//go:noinline
func bumpLocal64(s []cell64) (sum int) {
	at := 0
	for i := range bumps {
		v := &s[at]
		at++
		*v = cell64{}
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

//go:noinline
func bumpStruct64(x *indexed[cell64]) (sum int) {
	x.n = 0
	for i := range bumps {
		v := &x.s[x.n]
		x.n++
		*v = cell64{}
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

//go:noinline
func bumpCall64(x *indexed[cell64]) (sum int) {
	x.n = 0
	for i := range bumps {
		v := take(x)
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

//go:noinline
func bumpNew64(a *arena.Arena) (sum int) {
	m := a.Mark()
	for i := range bumps {
		v := arena.New[cell64](a)
		v.A += uint64(i)
		sum += int(v.A)
	}
	a.Rewind(m)
	return sum
}

//go:noinline
func bumpBump64(a *arena.Arena, p *arena.Bump[cell64]) (sum int) {
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

//go:noinline
func bumpHeap64(keep []*cell64) (sum int) {
	for i := range bumps {
		v := new(cell64)
		keep[i] = v
		v.A += uint64(i)
		sum += int(v.A)
	}
	return sum
}

// bump holds the functions for cells of one size.
type bump[T any] struct {
	local  func([]T) int
	inside func(*indexed[T]) int
	call   func(*indexed[T]) int
	fresh  func(*arena.Arena) int
	bump   func(*arena.Arena, *arena.Bump[T]) int
	heap   func([]*T) int
}

func (f bump[T]) bench(b *testing.B, size int) {
	name := func(impl string) string { return fmt.Sprintf("impl=%s/size=%d", impl, size) }
	want := sumOf(bumps)
	b.Run(name("local"), func(b *testing.B) {
		s := make([]T, bumps)
		run(b, bumps, want, func() int { return f.local(s) })
	})
	b.Run(name("struct"), func(b *testing.B) {
		x := &indexed[T]{s: make([]T, bumps)}
		run(b, bumps, want, func() int { return f.inside(x) })
	})
	b.Run(name("call"), func(b *testing.B) {
		x := &indexed[T]{s: make([]T, bumps)}
		run(b, bumps, want, func() int { return f.call(x) })
	})
	for kind, impl := range []string{"Fixed", "Chunked", "Virtual"} {
		b.Run(name(impl), func(b *testing.B) {
			a := benchArena(b, kind)
			run(b, bumps, want, func() int { return f.fresh(a) })
		})
		b.Run(name(impl+"Bump"), func(b *testing.B) {
			a := benchArena(b, kind)
			p := arena.NewBump[T](a, 100)
			run(b, bumps, want, func() int { return f.bump(a, p) })
		})
	}
	b.Run(name("new"), func(b *testing.B) {
		keep := make([]*T, bumps)
		run(b, bumps, want, func() int { return f.heap(keep) })
	})
}

func BenchmarkBump(b *testing.B) {
	bump[cell16]{bumpLocal16, bumpStruct16, bumpCall16, bumpNew16, bumpBump16, bumpHeap16}.bench(b, 16)
	bump[cell64]{bumpLocal64, bumpStruct64, bumpCall64, bumpNew64, bumpBump64, bumpHeap64}.bench(b, 64)
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

//go:noinline
func sliceAppend(s []int) (sum int) {
	for i := range many {
		s = append(s, i)
	}
	for _, x := range s {
		sum += x
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
	b.Run("op=grow/impl=append", func(b *testing.B) {
		run(b, many, sumOf(many), func() int { return sliceAppend(nil) })
	})
	b.Run("op=reuse/impl=append", func(b *testing.B) {
		s := make([]int, 0, many)
		run(b, many, sumOf(many), func() int { return sliceAppend(s) })
	})
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

// slicePair is a queue in a slice, written in the usual way.
//
//go:noinline
func slicePair(s []int) (sum int) {
	for i := range many {
		s = append(s, i)
		sum += s[0]
		s = s[1:]
	}
	return sum
}

//go:noinline
func channelPair(c chan int) (sum int) {
	for i := range many {
		c <- i
		sum += <-c
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
	b.Run("op=pair/impl=slice", func(b *testing.B) {
		run(b, many, sumOf(many), func() int { return slicePair(nil) })
	})
	b.Run("op=pair/impl=channel", func(b *testing.B) {
		c := make(chan int, 10)
		run(b, many, sumOf(many), func() int { return channelPair(c) })
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
	berthPool struct{ *berth.Pool[cell16] }
	arenaPool struct{ *arena.Pool[cell16] }
	handles32 struct {
		*arena.Handles[cell16, arena.Handle32[cell16]]
	}
	handles64 struct {
		*arena.Handles[cell16, arena.Handle64[cell16]]
	}
)

func (p berthPool) insert(v cell16) berth.Handle[cell16]   { return p.Insert(v) }
func (p berthPool) remove(h berth.Handle[cell16])          { p.Remove(h) }
func (p berthPool) get(h berth.Handle[cell16]) uint64      { return p.Ptr(h).A }
func (p arenaPool) insert(v cell16) int                    { i, _ := p.Insert(v); return i }
func (p arenaPool) remove(i int)                           { p.Remove(i) }
func (p arenaPool) get(i int) uint64                       { return p.Ptr(i).A }
func (p handles32) insert(v cell16) arena.Handle32[cell16] { h, _ := p.Insert(v); return h }
func (p handles32) remove(h arena.Handle32[cell16])        { p.Delete(h) }
func (p handles32) get(h arena.Handle32[cell16]) uint64    { return p.Ptr(h).A }
func (p handles64) insert(v cell16) arena.Handle64[cell16] { h, _ := p.Insert(v); return h }
func (p handles64) remove(h arena.Handle64[cell16])        { p.Delete(h) }
func (p handles64) get(h arena.Handle64[cell16]) uint64    { return p.Ptr(h).A }

func (p berthPool) sum() (n int) {
	for _, v := range p.All() {
		n += int(v.A)
	}
	return n
}

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
	benchmarkIssuer[berth.Handle[cell16]](b, "berth", berthPool{berth.NewPool[cell16](berth.Config{})})
	benchmarkIssuer[int](b, "arena", arenaPool{arena.NewPool[cell16](arena.NewChunked(1 << 20))})
}

func BenchmarkHandles(b *testing.B) {
	a := arena.NewChunked(1 << 20)
	benchmarkIssuer[berth.Handle[cell16]](b, "berth", berthPool{berth.NewPool[cell16](berth.Config{})})
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
func goMapGets(m map[uint64]int) (sum int) {
	for i := range many {
		sum += m[uint64(i)*977]
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
func goMapFill(m map[uint64]int) (sum int) {
	clear(m)
	for i := range many {
		m[uint64(i)*977] = i
	}
	for _, v := range m {
		sum += v
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

//go:noinline
func goMapChurn(m map[uint64]int, at uint64) (sum int) {
	for i := range many {
		m[(at+uint64(i)+many)*977] = i
		n := len(m)
		if delete(m, (at+uint64(i))*977); len(m) < n {
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
		b.Run("op="+op+"/impl=go", func(b *testing.B) {
			m := map[uint64]int{}
			goMapFill(m)
			at := uint64(0)
			run(b, many, sumOf(many), map[string]func() int{
				"fill":  func() int { return goMapFill(m) },
				"get":   func() int { return goMapGets(m) },
				"churn": func() int { at += many; return goMapChurn(m, at-many) },
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

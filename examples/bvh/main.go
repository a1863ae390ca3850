// Bvh is the broad phase of a small physics simulation: a dynamic AABB tree, which is a bounding
// volume hierarchy (BVH) whose shapes move, come and go. Its nodes live in a berth.Pool. The same
// tree with pointers and an intrusive free list, as physics engines ported from C have it, computes
// the same positions.
//
// Run it with
//
//	go run ./examples/bvh
package main

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"time"
)

// broadphase is a tree. P refers to a shape in it.
type broadphase[P any] interface {
	Insert(box Box, shape uint32) P
	Move(p P, box Box) bool
	Query(box Box, visit func(shape uint32))
}

var (
	_ broadphase[Proxy]        = (*Tree)(nil)
	_ broadphase[*pointerNode] = (*pointerTree)(nil)
)

// body is a square that moves. Its numbers are multiples of 1/64, so that sums of them are exact.
type body struct{ x, y, dx, dy, radius float64 }

func (b *body) box() Box {
	return Box{b.x - b.radius, b.y - b.radius, b.x + b.radius, b.y + b.radius}
}

// scene is a square room of bodies. Two that touch exchange their velocities.
type scene[P any] struct {
	tree    broadphase[P]
	size    float64
	bodies  []body
	proxies []P

	pairs, moves int
}

// newScene returns n bodies in a room that is large enough for them.
func newScene[P any](tree broadphase[P], n int) *scene[P] {
	random := rand.New(rand.NewPCG(1, 2))
	s := &scene[P]{tree: tree, size: math.Ceil(3 * math.Sqrt(float64(n)))}
	number := func(limit float64) float64 { return float64(random.IntN(int(limit*64))) / 64 }
	for i := range n {
		b := body{number(s.size), number(s.size), number(0.5) - 0.25, number(0.5) - 0.25, number(1)}
		s.bodies = append(s.bodies, b)
		s.proxies = append(s.proxies, tree.Insert(b.box(), uint32(i)))
	}
	return s
}

func (s *scene[P]) step() {
	for i := range s.bodies {
		b := &s.bodies[i]
		if next := b.x + b.dx; next < 0 || next > s.size {
			b.dx = -b.dx
		}
		if next := b.y + b.dy; next < 0 || next > s.size {
			b.dy = -b.dy
		}
		b.x += b.dx
		b.y += b.dy
		if s.tree.Move(s.proxies[i], b.box()) {
			s.moves++
		}
	}
	for i := range s.bodies {
		b, box := &s.bodies[i], s.bodies[i].box()
		s.tree.Query(box, func(shape uint32) {
			o := &s.bodies[shape]
			if int(shape) > i && o.box().overlaps(box) { // each pair once
				s.pairs++
				b.dx, b.dy, o.dx, o.dy = o.dx, o.dy, b.dx, b.dy
			}
		})
	}
}

// sum returns a checksum of all positions.
func (s *scene[P]) sum() (sum uint64) {
	for i := range s.bodies {
		sum = bits.RotateLeft64(sum*31, 7) + math.Float64bits(s.bodies[i].x)
		sum = bits.RotateLeft64(sum*31, 7) + math.Float64bits(s.bodies[i].y)
	}
	return sum
}

// burst inserts n shapes, and removes them in another order. It returns a checksum of the shapes
// that a query finds in between.
func burst[P any](tree broadphase[P], remove func(P), n int) (sum uint64) {
	random := rand.New(rand.NewPCG(3, 4))
	proxies := make([]P, n)
	size := 3 * math.Sqrt(float64(n))
	for i := range proxies {
		x, y := size*random.Float64(), size*random.Float64()
		proxies[i] = tree.Insert(Box{x, y, x + 1, y + 1}, uint32(i))
	}
	tree.Query(Box{0, 0, 20, 20}, func(shape uint32) { sum = sum*31 + uint64(shape) })
	for _, i := range random.Perm(n) {
		remove(proxies[i])
	}
	return sum
}

// heap returns the bytes of the live heap.
func heap() int {
	runtime.GC()
	runtime.GC() // the first one may leave garbage to a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// collection returns the duration of the fastest of five collections, in milliseconds.
func collection() float64 {
	best := time.Hour
	for range 5 {
		start := time.Now()
		runtime.GC()
		best = min(best, time.Since(start))
	}
	return best.Seconds() * 1000
}

func run(out io.Writer) {
	const bodies, steps = 2000, 240
	var t Tree
	var before pointerTree
	s, p := newScene(&t, bodies), newScene(&before, bodies)
	same := true
	fmt.Fprintf(out, "%d bodies in a room; two that touch exchange their velocities\n", bodies)
	fmt.Fprintln(out, "step    pairs  changes of the tree  checksum of the positions")
	for i := range steps {
		s.step()
		p.step()
		same = same && s.sum() == p.sum()
		if (i+1)%(steps/4) == 0 {
			fmt.Fprintf(out, "%4d  %7d  %19d  %25.16x\n", i+1, s.pairs, s.moves, s.sum())
		}
	}
	fmt.Fprintln(out, "the tree of pointers has the same positions at each step:", same)
	for _, h := range s.proxies[1:] {
		t.Remove(h)
	}
	fmt.Fprintf(out, "all but one leave; removing one of them again: %v\n", t.Remove(s.proxies[1]))

	fmt.Fprintln(out, "100 000 shapes came and went      heap held   one collection")
	base := heap()
	burst(&t, func(h Proxy) { t.Remove(h) }, 100_000)
	held, took := heap(), collection()
	const row = "%-30s  %8.1f kB  %12.2f ms\n"
	fmt.Fprintf(out, row, "nodes in a berth.Pool", float64(held-base)/1000, took)
	for _, n := range p.proxies[1:] {
		before.Remove(n)
	}
	base = heap()
	burst(&before, before.Remove, 100_000)
	held, took = heap(), collection()
	fmt.Fprintf(out, row, "nodes in a free list", float64(held-base)/1000, took)
	runtime.KeepAlive(&t)
	runtime.KeepAlive(&before)
}

func main() { run(os.Stdout) }

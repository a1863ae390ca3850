package main

import (
	"runtime"
	"strconv"
	"testing"
)

const shapes = 10_000

// sums has the checksums of an operation's rounds, as the first implementation computed them.
type sums map[string][]uint64

// check fails b if an earlier implementation had another checksum in the same round.
func (s sums) check(b *testing.B, op string, round int, sum uint64) {
	if round < len(s[op]) {
		if want := s[op][round]; sum != want {
			b.Fatalf("round %d: checksum %#x, want %#x", round, sum, want)
		}
	} else if round == len(s[op]) {
		s[op] = append(s[op], sum)
	}
}

// run runs a benchmark of rounds.
func (s sums) run(b *testing.B, op, impl string, round func() (sum uint64)) {
	n := 0
	b.Run("op="+op+"/impl="+impl, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.check(b, op, n, round())
			n++
		}
	})
}

// BenchmarkTree measures both trees, one after the other, so that a collection finds the nodes of
// one of them only.
func BenchmarkTree(b *testing.B) {
	s := sums{}
	measure(b, s, "berth", func() (broadphase[Proxy], func(Proxy)) {
		t := new(Tree)
		return t, func(h Proxy) { t.Remove(h) }
	})
	measure(b, s, "freelist", func() (broadphase[*pointerNode], func(*pointerNode)) {
		t := new(pointerTree)
		return t, t.Remove
	})
}

func measure[P any](b *testing.B, s sums, impl string, newTree func() (broadphase[P], func(P))) {
	visited := uint64(0)
	visit := func(shape uint32) { visited = visited*31 + uint64(shape) }

	// Each operation has a scene of its own, so that its rounds do not depend on those of others.
	// A round is 1000 shapes, or a step.
	begin := func() (tree broadphase[P], remove func(P), sc *scene[P], next func() int) {
		tree, remove = newTree()
		i := 0
		return tree, remove, newScene(tree, shapes), func() int { i = (i + 3863) % shapes; return i }
	}
	{
		tree, _, sc, next := begin()
		s.run(b, "query-1000", impl, func() uint64 {
			visited = 0
			for range 1000 {
				tree.Query(sc.bodies[next()].box(), visit)
			}
			return visited
		})
	}
	{
		tree, remove, sc, next := begin()
		s.run(b, "remove-insert-1000", impl, func() uint64 {
			for range 1000 {
				i := next()
				remove(sc.proxies[i])
				sc.proxies[i] = tree.Insert(sc.bodies[i].box(), uint32(i))
			}
			visited = 0
			tree.Query(Box{0, 0, 20, 20}, visit)
			return visited
		})
	}
	{
		_, _, sc, _ := begin()
		s.run(b, "step", impl, func() uint64 { sc.step(); return sc.sum() })
	}

	for _, n := range []int{10_000, 100_000} {
		var sum uint64
		before := heap()
		tree, remove := newTree()
		op := "collect-after-" + strconv.Itoa(n)
		b.Run("op="+op+"/impl="+impl, func(b *testing.B) {
			if sum == 0 {
				sum = burst(tree, remove, n)
				s.check(b, op, 0, sum)
			}
			for b.Loop() {
				runtime.GC()
			}
			held := heap()
			b.ReportMetric(float64(held-before), "B-held")
		})
		runtime.KeepAlive(remove)
	}
}

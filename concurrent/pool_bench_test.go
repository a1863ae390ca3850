package concurrent_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// words is a value of 32 bytes.
type words struct{ a, b, c, d uint64 }

// table is what the benchmarks compare.
type table interface {
	insert(v words) uint64
	get(k uint64) words
	remove(k uint64) bool
}

type poolTable struct{ p concurrent.Pool[words] }

func (t *poolTable) insert(v words) uint64 { return t.p.Insert(v).Uint64() }
func (t *poolTable) get(k uint64) words {
	v, _ := t.p.Get(berth.HandleFromUint64[words](k))
	return v
}
func (t *poolTable) remove(k uint64) bool { return t.p.Delete(berth.HandleFromUint64[words](k)) }

// useTable is poolTable, and reads by a lease.
type useTable struct{ poolTable }

func (t *useTable) get(k uint64) (v words) {
	t.p.Use(berth.HandleFromUint64[words](k), func(x *words) { v = *x })
	return v
}

type lockedPool struct {
	mu sync.Mutex
	p  berth.Pool[words]
}

func (t *lockedPool) insert(v words) uint64 {
	t.mu.Lock()
	h := t.p.Insert(v)
	t.mu.Unlock()
	return h.Uint64()
}

func (t *lockedPool) get(k uint64) words {
	t.mu.Lock()
	v, _ := t.p.Get(berth.HandleFromUint64[words](k))
	t.mu.Unlock()
	return v
}

func (t *lockedPool) remove(k uint64) bool {
	t.mu.Lock()
	_, ok := t.p.Remove(berth.HandleFromUint64[words](k))
	t.mu.Unlock()
	return ok
}

var tables = []struct {
	name string
	make func() table
}{
	{"concurrent.Pool", func() table { return &poolTable{} }},
	{"concurrent.Use", func() table { return &useTable{} }},
	{"Mutex+berth.Pool", func() table { return &lockedPool{} }},
}

// benchValues is the number of values in each table.
const benchValues = 100_000

// worker is what one goroutine of a benchmark has.
type worker struct {
	t    table
	r    *rand.Rand
	all  []uint64 // the keys of all values, the value of key i being i+1
	mine []uint64 // a part of them that nobody else replaces
	base int      // the number of mine[0]
	sum  uint64   // what was read, less what should have been
}

// read adds a read of value i to the checksum.
func (w *worker) read(k uint64, i int) { w.sum += w.t.get(k).a - uint64(i) - 1 }

// benchOps are the operations, one call each. They need w.all, which replacing changes.
var benchOps = []struct {
	name string
	do   func(w *worker)
}{
	{"getRandom", func(w *worker) {
		i := w.r.IntN(len(w.all))
		w.read(w.all[i], i)
	}},
	{"getSame8", func(w *worker) {
		i := w.r.IntN(8)
		w.read(w.all[i], i)
	}},
	{"mixed95", func(w *worker) {
		i := w.r.IntN(len(w.mine))
		if w.r.IntN(20) == 0 {
			w.t.remove(w.mine[i])
			w.mine[i] = w.t.insert(words{uint64(w.base+i) + 1, 0, 0, 0})
		}
		w.read(w.mine[i], w.base+i)
	}},
	{"insertGetRemove", func(w *worker) {
		k := w.t.insert(words{8, 0, 0, 0})
		w.read(k, 7)
		if !w.t.remove(k) {
			w.sum++
		}
	}},
}

// BenchmarkPool compares tables under several goroutines. The results of all reads are checked.
func BenchmarkPool(b *testing.B) {
	for _, op := range benchOps {
		for _, each := range []int{1, 8} { // goroutines for each processor
			for _, t := range tables {
				name := fmt.Sprintf("op=%s/each=%d/impl=%s", op.name, each, t.name)
				b.Run(name, func(b *testing.B) { benchTable(b, t.make(), each, op.do) })
			}
		}
	}
}

func benchTable(b *testing.B, t table, each int, do func(w *worker)) {
	keys := make([]uint64, benchValues)
	for _, at := range rand.New(rand.NewPCG(1, 2)).Perm(benchValues) {
		keys[at] = t.insert(words{uint64(at) + 1, 0, 0, 0})
	}
	workers := each * runtime.GOMAXPROCS(0)
	var next, wrong atomic.Uint64
	runtime.GC()
	b.SetParallelism(each)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		n := int(next.Add(1)) - 1
		from, to := n*benchValues/workers, (n+1)*benchValues/workers
		w := &worker{t: t, r: rand.New(rand.NewPCG(uint64(n), 7)), all: keys,
			mine: keys[from:to], base: from}
		for pb.Next() {
			do(w)
		}
		wrong.Add(w.sum)
	})
	if wrong.Load() != 0 {
		b.Fatalf("the checksum is off by %d", int64(wrong.Load()))
	}
}

// BenchmarkCollect times one garbage collection while a table holds a million values.
func BenchmarkCollect(b *testing.B) {
	for _, t := range tables {
		if t.name == "concurrent.Use" {
			continue
		}
		b.Run("impl="+t.name, func(b *testing.B) {
			table, last := t.make(), uint64(0)
			for i := range 1_000_000 {
				last = table.insert(words{uint64(i), 0, 0, 0})
			}
			runtime.GC()
			for b.Loop() {
				runtime.GC()
			}
			if v := table.get(last); v.a != 999_999 {
				b.Errorf("the last value is %v", v)
			}
		})
	}
}

// BenchmarkReserve compares a handle in advance with an insert.
func BenchmarkReserve(b *testing.B) {
	for _, reserve := range []bool{false, true} {
		name := "impl=Insert"
		if reserve {
			name = "impl=Reserve+Fill"
		}
		b.Run(name, func(b *testing.B) {
			var p concurrent.Pool[words]
			p.Use(p.Insert(words{}), func(*words) {}) // as in a program with leases
			gone := 0
			for range b.N {
				var h berth.Handle[words]
				if reserve {
					h = concurrent.Reserve(&p)
					concurrent.Fill(&p, h, words{a: 1})
				} else {
					h = p.Insert(words{a: 1})
				}
				if p.Delete(h) {
					gone++
				}
			}
			if gone != b.N || p.Len() != 1 {
				b.Fatalf("%d of %d removed, %d left", gone, b.N, p.Len())
			}
		})
	}
}

package berth

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/slots"
)

// The loops below divide a Pool into parts of a fixed size, whatever the number of workers, so that
// results do not depend on it. Workers take parts one after the other.

const (
	densePart = 4096 // places of a part
)

// crew runs the parts of a parallel loop.
type crew struct {
	next  atomic.Int64
	parts int
	wg    sync.WaitGroup
	once  sync.Once
	ended bool // a worker has ended by a panic or by Goexit
	value any  // of the panic, or nil for Goexit
}

// workers returns the number of workers for n, as the caller of fn passed it, and parts.
func workers(fn string, n, parts int) int {
	if n < 0 {
		slots.PanicGot(fn, "n must not be negative", n)
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, parts)
}

// forkAt is the remaining work from which a loop starts goroutines: some times what it takes to
// start one, and to wake a thread for it. It is a variable for tests.
var forkAt = 50 * time.Microsecond

// alone calls part for the first numbers below parts, until the work that remains is worth the
// start of goroutines. It returns the number of parts that are done. It looks at the clock after
// each of the first parts, and then rarely, since a part may have no values.
func alone(parts int, part func(i int)) (done int) {
	if forkAt == 0 {
		return 0
	}
	for start := time.Now(); done < parts; {
		part(done)
		if done++; done > 8 && done&7 != 0 {
			continue
		}
		// The parts that remain should take as long as those that are done.
		if time.Since(start)*time.Duration(parts-done) >= forkAt*time.Duration(done) {
			break
		}
	}
	return done
}

// share calls part for each number below parts, from up to n goroutines, the caller's among them.
// It returns when all have ended. The panic or the Goexit of one is then raised in the caller.
func share(n, parts int, part func(i int)) {
	done := alone(parts, part)
	if n = min(n, parts-done); n <= 1 {
		for ; done < parts; done++ {
			part(done)
		}
		return
	}
	c := &crew{parts: parts}
	c.next.Store(int64(done))
	c.wg.Add(n)
	for range n - 1 {
		go c.work(part)
	}
	// The caller works too, and must wait for the others even if its part ends it.
	func() {
		defer c.wg.Wait()
		c.work(part)
	}()
	switch {
	case !c.ended:
	case c.value != nil:
		panic(c.value)
	default:
		runtime.Goexit()
	}
}

// work takes parts until there are none.
func (c *crew) work(part func(i int)) {
	done := false
	defer c.wg.Done()
	defer func() {
		if done {
			return
		}
		r := recover()
		c.once.Do(func() { c.ended, c.value = true, r })
		c.next.Store(int64(c.parts)) // the others stop
	}()
	for {
		i := int(c.next.Add(1)) - 1
		if i >= c.parts {
			break
		}
		part(i)
	}
	done = true
}

// spans calls f for the spans of the blocks from first to before end.
func poolSpans[T any](p *Pool[T], first, end int, f func(Handle[T], []T)) {
	for k := p.state.Live.Next(first); k >= 0 && k < end; k = p.state.Live.Next(k + 1) {
		b := p.dir[k]
		for w := b.Occ; w != 0; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			f(Handle[T]{id: look(p).ID(&b.Head, k, i)}, b.Vals[i:i+n:i+n])
		}
	}
}

// ParallelSpans calls f for the spans of [Pool.Spans] from n goroutines, or GOMAXPROCS if n is 0,
// and returns when all calls have ended. Each value is in one span. f may change the values, but
// must not insert, remove or otherwise change p; the build tag berth_invariants finds most such
// calls. If f panics or calls Goexit, so does ParallelSpans, after all goroutines have ended. It
// panics if n is negative.
//
// Goroutines take parts of 4096 slots. The caller's begins alone. In all parallel loops, it starts
// the others once the parts done so far show that some 50 µs of work remain. If n is 1, or p has
// one part, there is only the caller's.
//
// Cost: as Spans, divided by n; a goroutine costs some µs. It allocates for the goroutines, and
// nothing if n is 1 or p has one part. f itself is on the heap if it is a function literal that
// uses variables, in all parallel loops.
func ParallelSpans[T any](p *Pool[T], n int, f func(first Handle[T], span []T)) {
	const fn = "ParallelSpans"
	if n = workers(fn, n, look(p).Parts()); n <= 1 {
		s := look(p).Hold()
		poolSpans(p, 0, len(p.dir), f)
		look(p).MustHold(fn, s)
		return
	}
	poolShareSpans(p, fn, n, f)
}

// shareSpans is apart, so that nothing escapes in a loop without goroutines.
func poolShareSpans[T any](p *Pool[T], fn string, n int, f func(Handle[T], []T)) {
	s, end := look(p).Hold(), len(p.dir)
	share(n, look(p).Parts(), func(i int) {
		poolSpans(p, i*slots.PartBlocks, min((i+1)*slots.PartBlocks, end), f)
	})
	look(p).MustHold(fn, s)
}

// ParallelJoin calls f for the pairs of [Column.Join] from n goroutines, or GOMAXPROCS if n is 0. f
// may change the two, but must not change the Pool or a Column. Otherwise the rules for f and the
// parts are those of [ParallelSpans].
//
// Cost: as Join and a call for each value, divided by n; allocates as ParallelSpans.
func ParallelJoin[V, T any](c *Column[V, T], n int, f func(*T, *V)) {
	const fn = "ParallelJoin"
	parts := (len(c.dir) + slots.PartBlocks - 1) / slots.PartBlocks
	if n = workers(fn, n, parts); parts == 0 {
		return
	}
	s, members := look(c.p).Hold(), c.n
	if n <= 1 {
		joinBlocks(c, 0, len(c.dir), f)
	} else {
		shareJoin(c, n, parts, f)
	}
	if look(c.p).MustHold(fn, s); invariants.On && c.n != members {
		panic("berth: " + fn + ": f must not set or delete")
	}
}

// shareJoin is apart, so that nothing escapes in a loop without goroutines.
func shareJoin[V, T any](c *Column[V, T], n, parts int, f func(*T, *V)) {
	share(n, parts, func(i int) {
		joinBlocks(c, i*slots.PartBlocks, min((i+1)*slots.PartBlocks, len(c.dir)), f)
	})
}

// joinBlocks calls f for the pairs of the blocks from first to before end.
func joinBlocks[V, T any](c *Column[V, T], first, end int, f func(*T, *V)) {
	for k := c.live.Next(first); k >= 0 && k < end; k = c.live.Next(k + 1) {
		b, x := c.dir[k], c.p.dir[k]
		for w := b.Occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			f(&x.Vals[i], &b.Vals[i])
		}
	}
}

// ParallelRemoveFunc is [Pool.RemoveFunc] with f called from n goroutines, or GOMAXPROCS if n is 0.
// It removes the values after all calls of f have ended, in slot order. So the handles that later
// inserts issue are the same for any n. f is called for values that are independent of each other,
// and the rules for f are those of [ParallelSpans]. If f panics or calls Goexit in a loop with
// other goroutines, nothing is removed.
//
// Cost: as RemoveFunc, with the calls of f divided by n; allocates 8 bytes for each 64 slots, and
// for the goroutines. If there is only the caller's, it is RemoveFunc, and allocates nothing.
//
// Ends: the handles of the removed values, and pointers to them.
//
//berth:ends some of p
func ParallelRemoveFunc[T any](p *Pool[T], n int, f func(Handle[T], *T) bool) (removed int) {
	const fn = "ParallelRemoveFunc"
	if n = workers(fn, n, look(p).Parts()); n <= 1 {
		return removeCall(p, f)
	}
	doomed := poolDoomed(p, fn, n, f)
	if p.state.Rare.On().OnRemove == nil {
		for k, w := range doomed {
			for removed += bits.OnesCount64(w); w != 0; w &= w - 1 {
				p.Delete(Handle[T]{id: look(p).ID(&p.dir[k].Head, k, bits.TrailingZeros64(w))})
			}
		}
		return removed
	}
	var hs []Handle[T] // since OnRemove may give a slot to another value
	for k, w := range doomed {
		for ; w != 0; w &= w - 1 {
			hs = append(hs, Handle[T]{id: look(p).ID(&p.dir[k].Head, k, bits.TrailingZeros64(w))})
		}
	}
	for _, h := range hs {
		if p.Delete(h) {
			removed++
		}
	}
	return removed
}

// removeCall is RemoveFunc for callers that must not have copies of it.
//
//go:noinline
func removeCall[T any](p *Pool[T], f func(Handle[T], *T) bool) int { return p.RemoveFunc(f) }

// doomed returns the slots of each block whose values f returns true for.
func poolDoomed[T any](p *Pool[T], fn string, n int, f func(Handle[T], *T) bool) []uint64 {
	s, end := look(p).Hold(), len(p.dir)
	doomed := make([]uint64, end)
	share(n, look(p).Parts(), func(i int) {
		last := min((i+1)*slots.PartBlocks, end)
		live := &p.state.Live
		for k := live.Next(i * slots.PartBlocks); k >= 0 && k < last; k = live.Next(k + 1) {
			b := p.dir[k]
			for w := b.Occ; w != 0; w &= w - 1 {
				i := bits.TrailingZeros64(w)
				if f(Handle[T]{id: look(p).ID(&b.Head, k, i)}, &b.Vals[i]) {
					doomed[k] |= 1 << i
				}
			}
		}
	})
	look(p).MustHold(fn, s)
	return doomed
}

// ParallelTraverse is [Traverse] as calls of f from n goroutines, or GOMAXPROCS if n is 0. f
// may change the value of its entry, the pivot, and must only read from the others what no call
// changes. The other rules for f are those of [ParallelSpans].
//
// Goroutines take parts of 64 pivots. If n is 1, or p has one part, there is only the caller's.
//
// Cost: as Traverse, divided by n; allocates for the goroutines, and nothing if there is only the
// caller's.
func ParallelTraverse[T any](p *Pool[T], n int, f func(e Entry[T], others Others[T])) {
	const fn = "ParallelTraverse"
	s := look(p).Hold()
	if n = workers(fn, n, len(p.dir)); n <= 1 {
		for k := range len(p.dir) {
			poolPivots(p, k, f)
		}
	} else {
		poolSharePivots(p, n, f)
	}
	look(p).MustHold(fn, s)
}

// sharePivots is apart, so that nothing escapes in a loop without goroutines.
func poolSharePivots[T any](p *Pool[T], n int, f func(Entry[T], Others[T])) {
	share(n, len(p.dir), func(k int) { poolPivots(p, k, f) })
}

// pivots calls f for each value of block k.
func poolPivots[T any](p *Pool[T], k int, f func(Entry[T], Others[T])) {
	b := p.dir[k]
	if b == nil {
		return
	}
	for w := b.Occ; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		h := Handle[T]{id: look(p).ID(&b.Head, k, i)}
		f(Entry[T]{h, &b.Vals[i]}, Others[T]{p, h})
	}
}

// ParallelReduce computes a result from all values of p, in n goroutines, or GOMAXPROCS if n is 0.
// For each part of 4096 slots, it starts with the zero R, and calls f for each span in slot order,
// with the result so far. Then it calls merge on the results of the parts, in slot order, beginning
// with that of the first. Parts and order are the same for any n, and so is the result, also of
// floating-point numbers. The zero R must be neutral: a part without a value may add one. The rules
// for f are those of [ParallelSpans].
//
// Cost: as Spans, divided by n; allocates an R for each part and for the goroutines, and nothing if
// there is only the caller's.
func ParallelReduce[T, R any](
	p *Pool[T], n int, f func(result R, span []T) R, merge func(a, b R) R,
) (result R) {
	const fn = "ParallelReduce"
	s, parts := look(p).Hold(), look(p).Parts()
	if n = workers(fn, n, parts); n > 1 {
		return shareReduce(p, n, f, merge)
	}
	for i := range parts {
		var part R
		if part = reduce(p, i, part, f); i == 0 {
			result = part
		} else {
			result = merge(result, part)
		}
	}
	look(p).MustHold(fn, s)
	return result
}

// reduce calls f for each span of part i.
func reduce[T, R any](p *Pool[T], i int, result R, f func(R, []T) R) R {
	end := min((i+1)*slots.PartBlocks, len(p.dir))
	live := &p.state.Live
	for k := live.Next(i * slots.PartBlocks); k >= 0 && k < end; k = live.Next(k + 1) {
		b := p.dir[k]
		for w := b.Occ; w != 0; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			result = f(result, b.Vals[i:i+n:i+n])
		}
	}
	return result
}

// shareReduce is apart, so that nothing escapes in a loop without goroutines.
func shareReduce[T, R any](
	p *Pool[T], n int, f func(R, []T) R, merge func(R, R) R,
) R {
	s := look(p).Hold()
	results := make([]R, look(p).Parts())
	share(n, len(results), func(i int) {
		var zero R
		results[i] = reduce(p, i, zero, f)
	})
	look(p).MustHold("ParallelReduce", s)
	result := results[0]
	for _, r := range results[1:] {
		result = merge(result, r)
	}
	return result
}

// ParallelSlice calls f for parts of [Dense.Slice] from n goroutines, or GOMAXPROCS if n is 0. i is
// the place of the first element of part, so the same places of a [DenseColumn]'s Slice, taken
// before, are those of the part's values. It closes the holes first, and panics when Slice does.
// The rules for f are those of [ParallelSpans].
//
// Parts have 4096 values. If n is 1, or there is one part, there is only the caller's goroutine.
//
// Cost: as Slice, and the calls of f divided by n; allocates for the goroutines, and nothing if
// there is only the caller's.
//
// Ends: as Slice.
//
//berth:ends some of d
func ParallelSlice[T any](d *Dense[T], n int, f func(i int, part []T)) {
	const fn = "ParallelSlice"
	vals := d.Slice()
	parts := (len(vals) + densePart - 1) / densePart
	s := d.state.Index.Look().Hold()
	if n = workers(fn, n, parts); n > 1 {
		shareSlice(vals, n, parts, f)
	} else {
		for i := 0; i < len(vals); i += densePart {
			end := min(i+densePart, len(vals))
			f(i, vals[i:end:end])
		}
	}
	d.state.Index.Look().MustHold(fn, s)
}

// shareSlice is apart, so that nothing escapes in a loop without goroutines.
func shareSlice[T any](vals []T, n, parts int, f func(int, []T)) {
	share(n, parts, func(k int) {
		i := k * densePart
		end := min(i+densePart, len(vals))
		f(i, vals[i:end:end])
	})
}

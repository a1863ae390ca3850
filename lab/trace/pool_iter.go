package trace

import (
	"iter"

	"github.com/seed505807e1/berth"
)

// The loops below are written out so that the compiler can inline them into the calling loop, as it
// does those of a berth.Pool. A Pool that is not recorded allocates nothing.

// All is [berth.Pool.All]. It records a Pass.
func (p *Pool[T]) All() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		p.pass()
		for h, v := range p.pool.All() {
			if !yield(h, v) {
				return
			}
		}
	}
}

// Values is [berth.Pool.Values]. It records a Pass.
func (p *Pool[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		p.pass()
		for v := range p.pool.Values() {
			if !yield(v) {
				return
			}
		}
	}
}

// Backward is [berth.Backward]. It records a Pass.
func (p *Pool[T]) Backward() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		p.pass()
		for h, v := range berth.Backward(&p.pool) {
			if !yield(h, v) {
				return
			}
		}
	}
}

// Spans is [berth.Pool.Spans]. It records a Pass.
func (p *Pool[T]) Spans() iter.Seq2[berth.Handle[T], []T] {
	return func(yield func(berth.Handle[T], []T) bool) {
		p.pass()
		for h, s := range p.pool.Spans() {
			if !yield(h, s) {
				return
			}
		}
	}
}

// Traverse is [berth.Traverse]. It records one Pass, so the stream does not show that the loop
// is quadratic. Lookups and loops through the views are not recorded.
func (p *Pool[T]) Traverse() iter.Seq2[berth.Entry[T], berth.Others[T]] {
	return func(yield func(berth.Entry[T], berth.Others[T]) bool) {
		p.pass()
		for e, others := range berth.Traverse(&p.pool) {
			if !yield(e, others) {
				return
			}
		}
	}
}

// Pairs is [berth.Pairs]. It records one Pass, so the stream does not show that the loop is
// quadratic.
func (p *Pool[T]) Pairs() iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		p.pass()
		for v, w := range berth.Pairs(&p.pool) {
			if !yield(v, w) {
				return
			}
		}
	}
}

// ParallelSpans is [berth.ParallelSpans]. It records a Pass, whatever n is. f must not call a
// recorded method, since only one goroutine may write to the stream.
func (p *Pool[T]) ParallelSpans(n int, f func(first berth.Handle[T], span []T)) {
	p.pass()
	berth.ParallelSpans(&p.pool, n, f)
}

// ParallelRemoveFunc is [berth.ParallelRemoveFunc]. It records a Pass, and a Remove for each
// removed value, in slot order. f must not call a recorded method.
func (p *Pool[T]) ParallelRemoveFunc(n int, f func(berth.Handle[T], *T) bool) int {
	p.pass()
	return berth.ParallelRemoveFunc(&p.pool, n, f)
}

// ParallelTraverse is [berth.ParallelTraverse]. It records a Pass, as Traverse does. f must
// not call a recorded method.
func (p *Pool[T]) ParallelTraverse(n int, f func(e berth.Entry[T], others berth.Others[T])) {
	p.pass()
	berth.ParallelTraverse(&p.pool, n, f)
}

package trace

import (
	"iter"

	"github.com/seed505807e1/berth"
)

// The loops below are written out, so that the compiler can make them part of the loop that calls
// them, as it does those of a berth.Pool: a Pool that is not recorded allocates nothing.

// All is that of [berth.Pool], and a Pass.
func (p *Pool[T]) All() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		p.pass()
		for h, v := range p.pool().All() {
			if !yield(h, v) {
				return
			}
		}
	}
}

// Values is that of [berth.Pool], and a Pass.
func (p *Pool[T]) Values() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		p.pass()
		for v := range p.pool().Values() {
			if !yield(v) {
				return
			}
		}
	}
}

// Handles is that of [berth.Pool], and a Pass.
func (p *Pool[T]) Handles() iter.Seq[berth.Handle[T]] {
	return func(yield func(berth.Handle[T]) bool) {
		p.pass()
		for h := range p.pool().Handles() {
			if !yield(h) {
				return
			}
		}
	}
}

// Backward is that of [berth.Pool], and a Pass.
func (p *Pool[T]) Backward() iter.Seq2[berth.Handle[T], *T] {
	return func(yield func(berth.Handle[T], *T) bool) {
		p.pass()
		for h, v := range p.pool().Backward() {
			if !yield(h, v) {
				return
			}
		}
	}
}

// Spans is that of [berth.Pool], and a Pass.
func (p *Pool[T]) Spans() iter.Seq2[berth.Handle[T], []T] {
	return func(yield func(berth.Handle[T], []T) bool) {
		p.pass()
		for h, s := range p.pool().Spans() {
			if !yield(h, s) {
				return
			}
		}
	}
}

// Drain is that of [berth.Pool], and a Pass, and a Remove for each value that goes.
func (p *Pool[T]) Drain() iter.Seq2[berth.Handle[T], T] {
	return func(yield func(berth.Handle[T], T) bool) {
		p.pass()
		for h, v := range p.pool().Drain() {
			if !yield(h, v) {
				return
			}
		}
	}
}

// Traverse is that of [berth.Pool], and one Pass. Lookups and loops through the views are not
// recorded, so the stream does not say that the loop is quadratic.
func (p *Pool[T]) Traverse() iter.Seq2[berth.Entry[T], berth.Others[T]] {
	return func(yield func(berth.Entry[T], berth.Others[T]) bool) {
		p.pass()
		for e, others := range p.pool().Traverse() {
			if !yield(e, others) {
				return
			}
		}
	}
}

// Pairs is that of [berth.Pool], and one Pass: the stream does not say that the loop is quadratic.
func (p *Pool[T]) Pairs() iter.Seq2[*T, *T] {
	return func(yield func(*T, *T) bool) {
		p.pass()
		for v, w := range p.pool().Pairs() {
			if !yield(v, w) {
				return
			}
		}
	}
}

// Slots is that of [berth.Pool], and nothing in the stream.
func (p *Pool[T]) Slots() iter.Seq[berth.Slots] { return p.pool().Slots() }

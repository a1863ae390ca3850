// Package flags has code that is reported only with the flags.
package flags

import (
	"berth"
	"berth/arena"
	"bytes"
	"sync"
)

type E struct{ x int }

func some(v *arena.Vec[E]) {
	p := v.Ptr(0)
	v.Pop()
	p.x = 1 // want `p is stale: v.Pop on line 15 may end it`
}

func byCallback(p *berth.Pool[E], h berth.Handle[E]) {
	e := p.Ptr(h)
	p.RemoveFunc(func(berth.Handle[E], *E) bool { return true })
	e.x = 1 // want `e is stale: p.RemoveFunc on line 21 may end it`
}

func unchecked(p *berth.Pool[E], h berth.Handle[E]) int {
	p.Ptr(h).x = 1    // want `p.Ptr\(h\) is nil if the handle is stale`
	*p.Ptr(h) = E{}   // want `p.Ptr\(h\) is nil if the handle is stale`
	return p.Ptr(h).x // want `p.Ptr\(h\) is nil if the handle is stale`
}

func checked(p *berth.Pool[E], h berth.Handle[E]) {
	if e := p.Ptr(h); e != nil {
		e.x = 1
	}
}

var pool sync.Pool

func putUnless(b *bytes.Buffer, keep bool) {
	if !keep {
		pool.Put(b)
	}
}

func mayGiveBack(b *bytes.Buffer, keep bool) int {
	putUnless(b, keep)
	return b.Len() // want `b is stale: putUnless on line \d+ gave it back`
}

func mayGiveBackLater(b *bytes.Buffer, keep bool) *bytes.Buffer {
	defer putUnless(b, keep)
	return b
}

func mayGiveBackToGoroutine(b *bytes.Buffer, keep bool) {
	go b.Len()
	putUnless(b, keep)
}

package replay

import "fmt"

// op is what a container does: its kind in the low three bits, then whether the handle is kept,
// then the name of the value. A whole stream of them is in memory, so they are small.
type op uint32

// kind is a trace.Kind without Frame, which is no op here: it is where a segment ends.
type kind uint8

const (
	insert kind = iota
	remove
	get
	miss
	pass
	kinds
)

const (
	kindBits = 3
	keptBit  = 1 << kindBits
	nameBits = 32 - kindBits - 1
	mostName = 1<<nameBits - 1
)

func newOp(k kind, name uint32) op { return op(k) | op(name)<<(kindBits+1) }

func (o op) kind() kind   { return kind(o & (1<<kindBits - 1)) }
func (o op) name() uint32 { return uint32(o >> (kindBits + 1)) }

// kept reports, of a removal, whether the handle is looked up again although its value is gone; and
// of a miss, whether there is another one for this handle. Else it is forgotten, since a handle
// that is a pointer keeps its value alive.
func (o op) kept() bool { return o&keptBit != 0 }

func (k kind) String() string {
	if k < kinds {
		return [...]string{"insert", "remove", "get", "miss", "pass"}[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// sums are what a container has found.
type sums struct {
	gets   uint64 // the numbers of the values looked up
	passes uint64 // the numbers of the values that loops came by
	found  uint64 // lookups of values that are gone, and found something
}

func (s *sums) add(t sums) {
	s.gets += t.gets
	s.passes += t.passes
	s.found += t.found
}

// box is a container with the handles of its values, by name.
type box interface {
	// Start makes the container, empty. Before, there is only room for the handles.
	Start()
	// Run does what ops say.
	Run(ops []op) sums
	// Len is how many values live.
	Len() int
}

// names is what a program keeps beside its container: the handles of the living by name, and those
// of the dead that it has not forgotten.
type names[H any] struct {
	hs, old []H
	next    uint64 // the number of the next value
}

func newNames[H any](n int) names[H] { return names[H]{hs: make([]H, n), old: make([]H, n)} }

// take returns the handle of a value to be removed, and forgets it, or keeps it for misses.
func (t *names[H]) take(o op) H {
	n := o.name()
	h := t.hs[n]
	if o.kept() {
		t.old[n] = h
	}
	var none H
	t.hs[n] = none
	return h
}

// stale returns the handle of a value that is gone, and forgets it after its last lookup.
func (t *names[H]) stale(o op) H {
	n := o.name()
	h := t.old[n]
	if !o.kept() {
		var none H
		t.old[n] = none
	}
	return h
}

// fresh numbers a value.
func fresh[E Elem](next *uint64) (e E) {
	e[0] = *next
	*next++
	return e
}

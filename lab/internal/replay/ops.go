package replay

import "fmt"

// Elem is the type of replayed values. The first word is the number of the value, unique in its
// track. Above 64 bytes each size is at most a quarter larger than the one before: four sizes until
// they have doubled. From 64 to 1024 bytes these are size classes of Go's heap.
type Elem interface {
	[1]uint64 | [2]uint64 | [3]uint64 | [4]uint64 | [5]uint64 | [6]uint64 | [7]uint64 |
		[8]uint64 | [10]uint64 | [12]uint64 | [14]uint64 | [16]uint64 | [20]uint64 |
		[24]uint64 | [28]uint64 | [32]uint64 | [40]uint64 | [48]uint64 | [56]uint64 |
		[64]uint64 | [80]uint64 | [96]uint64 | [112]uint64 | [128]uint64
}

// MaxBytes is the size of the largest Elem.
const MaxBytes = 1024

// op is one operation: its kind in the low three bits, then whether the handle is kept, then the
// name of the value. It is small because the whole stream is in memory.
type op uint32

// kind is a trace.Kind other than Frame. A frame ends a segment instead of being an op.
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

// kept reports, for a removal, whether the handle is looked up again after its value is gone, and
// for a miss, whether another miss of the handle follows. Otherwise the handle is dropped, since a
// handle that is a pointer keeps its value alive.
func (o op) kept() bool { return o&keptBit != 0 }

func (k kind) String() string {
	if k < kinds {
		return [...]string{"insert", "remove", "get", "miss", "pass"}[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// sums are what a container has found.
type sums struct {
	gets   uint64 // the sum of the numbers of values looked up
	passes uint64 // the sum of the numbers of values visited by loops
	found  uint64 // lookups of removed values that found something
}

func (s *sums) add(t sums) {
	s.gets += t.gets
	s.passes += t.passes
	s.found += t.found
}

// box is a container with the handles of its values, by name.
type box interface {
	// Keep makes room for the handles of n names.
	Keep(n int)
	// Start creates the container, empty.
	Start()
	// Run executes ops.
	Run(ops []op) sums
	// Len returns the number of live values.
	Len() int
}

// names holds the handles that a program keeps beside its container: those of live values by name,
// and those of removed values that it has not forgotten.
type names[H any] struct {
	hs, old []H
	next    uint64 // the number of the next value
}

func (t *names[H]) Keep(n int) { t.hs, t.old = make([]H, n), make([]H, n) }

// Start is that of a container whose zero value is ready to use.
func (t *names[H]) Start() {}

// take returns the handle of a value to be removed. It forgets the handle unless later misses use
// it.
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

// stale returns the handle of a removed value, and forgets it after its last lookup.
func (t *names[H]) stale(o op) H {
	n := o.name()
	h := t.old[n]
	if !o.kept() {
		var none H
		t.old[n] = none
	}
	return h
}

func fresh[E Elem](next *uint64) (e E) {
	e[0] = *next
	*next++
	return e
}

// number returns the number of a value, or 0 if e is nil.
func number[E Elem](e *E) uint64 {
	if e == nil {
		return 0
	}
	return (*e)[0]
}

// count returns 1 for true.
func count(found bool) uint64 {
	if found {
		return 1
	}
	return 0
}

// sum adds up the numbers of vals.
func sum[E Elem](vals []E) (sum uint64) {
	for i := range vals {
		sum += vals[i][0]
	}
	return sum
}

// Default is recommended if no other container is clearly better.
const Default = "berth.Pool"

// container is one of the containers that a stream is replayed on.
type container struct {
	name, about string
	stale       string // what a stale handle does
	found       string // the noun for what it finds, if anything
	mind        string // the caveat of using it
	safe        bool   // a stale handle finds nothing, within the limits of forever
	forever     bool   // and without a limit on reuse
	pinned      bool   // values do not move while they live
	naive       bool   // plain Go
	ours        bool
}

package arena

import (
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth/internal/pages"
	"github.com/seed505807e1/berth/internal/poison"
)

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (a *Arena) CheckInvariants()         { a.checkInvariants() }
func (t *Typed[T]) CheckInvariants()      { t.checkInvariants() }
func (v *Vec[T]) CheckInvariants()        { v.checkInvariants() }
func (d *Deque[T]) CheckInvariants()      { d.checkInvariants() }
func (p *Pool[T]) CheckInvariants()       { p.checkInvariants() }
func (r *Handles[T, H]) CheckInvariants() { r.checkInvariants() }
func (m *Map[K, V]) CheckInvariants()     { m.checkInvariants() }

// AgeForTest makes the given number of slots in r, which must be empty, that can be used only lives
// times. Later slots are new.
func (r *Handles[T, H]) AgeForTest(slots, lives int) {
	if r.used != 0 || !r.Grow(slots) {
		panic("arena: AgeForTest: not empty, or no room")
	}
	for i := slots; i > 0; i-- {
		g := (r.base - uint32(lives)) & maxGeneration[H]()
		r.dir[(i-1)/blockSlots].meta[(i-1)&blockMask] = makeHandle[H](r.head, true, g)
		r.head = uint32(i)
	}
	r.used = uint32(slots)
	r.checkInvariants()
}

// PageSize is the size of a page of virtual memory.
func PageSize() int { return pages.Size() }

// wordOf returns the typeWord of t.
func wordOf(t reflect.Type) unsafe.Pointer {
	p := reflect.Zero(reflect.PointerTo(t)).Interface()
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

// TypeSlot returns the index of t in the types that an arena remembers.
func TypeSlot(t reflect.Type) int { return knownAt(wordOf(t)) }

// MustHold panics if t holds Go pointers.
func (a *Arena) MustHold(t reflect.Type) { a.mustHold(wordOf(t), "MustHold") }

// Poison reports whether rewound memory is overwritten.
const Poison = poison.On

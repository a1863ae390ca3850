package berth

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth/internal/poison"
)

// Hooks are functions that a container calls when values are inserted and removed: see
// [Pool.SetHooks] and [Dense.SetHooks]. Either may be nil.
//
// A change through a pointer calls no hook. If you keep an index by a field of the value, change
// that field in one function that also updates the index.
type Hooks[T any] struct {
	// OnInsert is called when a value is in place, before the insert returns. It may use the
	// container in any way, and may remove the value. If it panics, the value is removed without
	// OnRemove, since the insert has not returned its handle.
	OnInsert func(h Handle[T], v *T)
	// OnRemove is called for each value that is removed. h is already stale, also for Pool.IndexOf:
	// keep the slot's number in the value if OnRemove needs it. v points to a copy of the value and
	// is valid until OnRemove returns. OnRemove may use the container in any way. If it panics, the
	// value stays removed, and a Clear, Drain or other loop of removals stops.
	OnRemove func(h Handle[T], v *T)
}

// rare holds the fields that most Pools and Denses never need. It is allocated on first use, so
// that a small container stays small.
type rare struct {
	pending  []uint32  // Pool: slots under construction
	calm     [4]uint32 // memory of pending, unless more calls of InsertFunc are nested
	retired  int       // Pool: slots in memory that are used up
	lost     int       // Pool: slots of chunks that are used up
	hooks    hooks
	outside  []ref    // values for OnRemove, and for InsertFunc of a Dense
	clears   int      // Pool: running calls of Clear, with OnRemove
	after    Truncate // the mode to restore after them
	clearing []id     // memory for their list
	places   places   // Dense: memory of UnmarshalBinary
	columns  []column // Pool: its Columns, in the order of their creation
	told     bool     // Pool: it is the index of a Dense with DenseColumns

	beside []denseColumn // Dense: its DenseColumns

	recorded       slotRecorder  // Pool: of its History; or nil
	placesRecorded placeRecorder // Dense: likewise
}

// slotRecorder is the poolLog of a Pool's History. The Pool does not name the type, so that
// programs without a History need not compile it.
type slotRecorder interface {
	note(b *head, k, i int)
	noteAll(b *head, k int, slots uint64)
	placed(k int, b *head)
	dropped(k int)
	replaced()
	clip()
	check()
	settings() (now uint64, c HistoryConfig)
}

// placeRecorder is the denseLog of a Dense's History, likewise.
type placeRecorder interface {
	notePlace(i int)
	notePlaces(first, end int)
	moving(i, k int)
	movingAll(n int, from func(i int) int)
	closingUp()
	stayed()
	markEdited(h id)
	replaced()
	clip()
	settings() (now uint64, c HistoryConfig)
}

// rarely returns p.rare, allocated if necessary.
func (p *core) rarely() *rare {
	if p.rare == nil {
		p.rare = new(rare)
	}
	return p.rare
}

// building returns the slots under construction.
func (r *rare) building() []uint32 {
	if r == nil {
		return nil
	}
	return r.pending
}

// worn returns the number of slots that are used up: those in memory, and those of chunks without
// memory.
func (r *rare) worn() (retired, lost int) {
	if r == nil {
		return 0, 0
	}
	return r.retired, r.lost
}

// recorder returns the log of the Pool's History, or nil.
func (r *rare) recorder() slotRecorder {
	if r == nil {
		return nil
	}
	return r.recorded
}

// placeRecorder returns the log of the Dense's History, or nil.
func (r *rare) placeRecorder() placeRecorder {
	if r == nil {
		return nil
	}
	return r.placesRecorded
}

// forgetFrames makes the present state of p the beginning of a new frame of its History, if it has
// one, and forgets all others. It is called after p has got other contents as a whole.
func (p *core) forgetFrames() {
	if l := p.rare.recorder(); l != nil {
		l.replaced()
	}
}

// forgetFrames does so for d and its index.
func (d *dense) forgetFrames() {
	if l := d.rare.placeRecorder(); l != nil {
		l.replaced()
	}
}

// willChange tells the History of d, if it has one, that place i will change.
func (d *dense) willChange(i int) {
	if l := d.rare.placeRecorder(); l != nil {
		l.notePlace(i)
	}
}

// willMove tells it that the value at place i will move to place k.
func (d *dense) willMove(i, k int) {
	if l := d.rare.placeRecorder(); l != nil {
		l.moving(i, k)
	}
}

// bytes returns the memory that r holds, in bytes.
func (r *rare) bytes(size uintptr) int {
	if r == nil {
		return 0
	}
	n := int(unsafe.Sizeof(rare{}))
	if cap(r.pending) > len(r.calm) {
		n += cap(r.pending) * 4
	}
	n += r.places.bytes() + cap(r.clearing)*8 + cap(r.outside)*bits.UintSize/8
	return n + len(r.outside)*int(size)
}

// on returns the hooks.
func (r *rare) on() hooks {
	if r == nil {
		return hooks{}
	}
	return r.hooks
}

// hooks are Hooks without their type.
type hooks struct{ onInsert, onRemove func(h id, v ref) }

// adapt returns f for code that does not know T, or nil if f is nil.
//
//go:noinline
func adapt[T any](f func(Handle[T], *T)) func(id, ref) {
	if f == nil {
		return nil
	}
	return func(h id, v ref) { f(Handle[T]{id: h}, (*T)(v)) }
}

// SetHooks makes p call hs from now on when values are inserted and removed, instead of earlier
// hooks. The zero Hooks remove them. OnRemove is called by everything that removes values,
// including Clear and Drain. A Clone shares the hooks. If they maintain an index, it must
// distinguish the two Pools.
// Cost: O(1); allocates the first time. With hooks, Insert and Remove take about three times as
// long, plus the time of the hooks.
func (p *Pool[T]) SetHooks(hs Hooks[T]) {
	coreOf(p).setHooks(hooks{adapt(hs.OnInsert), adapt(hs.OnRemove)})
}

//go:noinline
func (p *core) setHooks(hs hooks) {
	p.ready(0)
	p.rarely().hooks = hs
	p.hooked = hs.onInsert != nil || hs.onRemove != nil
	p.setMax(p.max)
}

// SetHooks makes d call hs from now on when values are inserted and removed, instead of earlier
// hooks. The zero Hooks remove them. The rules at OnInsert and OnRemove of [DenseConfig] apply.
// Cost: O(1); allocates the first time. With hooks, Insert and Remove take about three times as
// long, plus the time of the hooks.
func (d *Dense[T]) SetHooks(hs Hooks[T]) {
	denseOf(d).setHooks(hooks{adapt(hs.OnInsert), adapt(hs.OnRemove)})
}

//go:noinline
func (d *dense) setHooks(hs hooks) {
	p := d.index.core()
	p.ready(0)
	d.rarely().hooks = hs
	p.hooked = hs.onInsert != nil || hs.onRemove != nil
	p.setMax(p.max)
}

// inserted calls OnInsert for the value v of h, and removes the value if OnInsert panics.
func (p *core) inserted(h id, v ref) {
	f := p.rare.on().onInsert
	if f == nil {
		return
	}
	done := false
	defer func() {
		if !done && p.ptr(h) != nil {
			p.close(h)
		}
	}()
	f(h, v)
	done = true
}

// borrow returns a pointer to a value outside the container, which is zero unless k is flat.
func (r *rare) borrow(k *kind) ref {
	n := len(r.outside) - 1
	if n < 0 {
		return reflect.New(typeOf(k)).UnsafePointer()
	}
	v := r.outside[n]
	r.outside[n] = nil // v is not given back after a panic
	r.outside = r.outside[:n]
	if poison.On && !k.refill(v) {
		panic("berth: write through a stale pointer from a hook or InsertFunc")
	}
	return v
}

// giveBack keeps the value at v, which borrow has returned, for the next borrow. A value that is
// not given back, since a hook or InsertFunc has panicked, is left to the collector.
func (r *rare) giveBack(k *kind, v ref) {
	if !k.flat || poison.On {
		k.vacate(v)
	}
	r.outside = append(r.outside, v)
}

// clearHooked removes each value that exists when it begins, and keeps their memory meanwhile.
func (p *core) clearHooked() {
	if p.truncate == TruncateMemory {
		p.dropSpares(0, p.chunks)
	}
	r := p.rare
	hs := r.clearing[:0]
	r.clearing = nil // OnRemove may call Clear again
	for k := p.live.First(); k >= 0; k = p.live.Next(k + 1) {
		b := p.dir[k]
		for w := b.occ; w != 0; w &= w - 1 {
			hs = append(hs, p.id(b, k, bits.TrailingZeros64(w)))
		}
	}
	p.beginClear()
	defer func() {
		if p.endClear(); r.clears == 0 {
			r.clearing = hs[:0]
		}
	}()
	for _, h := range hs {
		p.delete(h)
	}
}

// beginClear makes p keep its memory until endClear.
func (p *core) beginClear() {
	r := p.rarely()
	if r.clears == 0 {
		r.after = p.truncate
		p.truncate = max(p.truncate, TruncateLength)
	}
	r.clears++
}

func (p *core) endClear() {
	if p.rare.clears--; p.rare.clears == 0 {
		p.truncate = p.rare.after
	}
}

// setMode sets Truncate, or, inside of a Clear, the mode to restore after it.
func (p *core) setMode(t Truncate) {
	if r := p.rare; r != nil && r.clears > 0 {
		r.after, t = t, max(t, TruncateLength)
	}
	p.truncate = t
}

// mode returns Truncate, also inside of a Clear.
func (p *core) mode() Truncate {
	if r := p.rare; r != nil && r.clears > 0 {
		return r.after
	}
	return p.truncate
}

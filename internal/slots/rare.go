package slots

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// Rare holds the fields that most Pools and Denses never need. It is allocated on first use, so
// that a small container stays small.
type Rare struct {
	pending  []uint32  // Pool: slots under construction
	calm     [4]uint32 // memory of pending, unless more calls of InsertFunc are nested
	Reserved int       // Pool: handles that Reserve has issued, and whose values are to come
	Retired  int       // Pool: slots in memory that are used up
	Lost     int       // Pool: slots of chunks that are used up
	hooks    Hooks
	Outside  []Ref    // values for OnRemove, and for InsertFunc of a Dense
	Clears   int      // Pool: running calls of Clear, with OnRemove
	after    Truncate // the mode to restore after them
	clearing []ID     // memory for their list
	places   places   // Dense: memory of UnmarshalBinary
	Columns  []Column // Pool: its Columns and Orders, in the order of their creation
	Told     bool     // Pool: it is the index of a Dense with DenseColumns

	before any // Pool: nil, or a weak.Pointer[saver] to the memory before the last Decode

	Dropped func(first, n int) // Pool: called when n blocks from first on were released; or nil

	Beside []DenseColumn // Dense: its DenseColumns

	Recorded       slotRecorder  // Pool: of its History; or nil
	PlacesRecorded placeRecorder // Dense: likewise
}

// slotRecorder is the poolLog of a Pool's History. The Pool does not name the type, so that
// programs without a History need not compile it.
type slotRecorder interface {
	Note(b *Head, k, i int)
	NoteAll(k int, slots uint64)
	NoteReserved(k, i int)
	Placed(k int, b *Head)
	Dropped(k int)
	Replaced()
	Clip()
	Check()
	Settings() (now uint64, c Frames)
}

// placeRecorder is the denseLog of a Dense's History, likewise.
type placeRecorder interface {
	NotePlace(i int)
	NotePlaces(first, end int)
	Moving(i, k int)
	MovingAll(n int, from func(i int) int)
	ClosingUp()
	Stayed()
	MarkEdited(h ID)
	Replaced()
	Clip()
	Settings() (now uint64, c Frames)
}

// Column is a Column or an Order as its Pool sees it.
type Column interface {
	Leave(k, i int) // the value at slot i of block k is being removed
	Cleared()       // all values were removed
	Loaded()        // the Pool has other contents
	Cut(blocks int) // the Pool's directory was cut
	Check()         // panics with the number of an invariant that is violated
	columnHistory
}

// DenseColumn is a DenseColumn as its Dense sees it.
type DenseColumn interface {
	Move(i, k int)                 // the value at place i moves to the vacant place k
	Hold(i int)                    // the value at place i will be put down elsewhere
	Put(k int)                     // it is put down at place k
	Vacate(i int)                  // place i becomes a hole
	Cut(n int)                     // the places from n on are cut off
	CloseUp(live func(i int) bool) // the values move together; owner has those of the places so far
	Fit()                          // the capacity of the Dense has changed
	Loaded()                       // the Dense has other contents
	Check()                        // panics with the number of an invariant that is violated

	columnHistory
}

// Hooks are Hooks without their type.
type Hooks struct{ OnInsert, OnRemove func(h ID, v Ref) }

// Rarely returns p.Rare, allocated if necessary.
func (p *Core) Rarely() *Rare {
	if p.Rare == nil {
		p.Rare = new(Rare)
	}
	return p.Rare
}

// forgetFrames makes the present state of p the beginning of a new frame of its History, if it has
// one, and forgets all others. It is called after p has got other contents as a whole.
func (p *Core) forgetFrames() {
	if l := p.Rare.Recorder(); l != nil {
		l.Replaced()
	}
}

// SetMode sets Truncate, or, inside of a Clear, the mode to restore after it.
func (p *Core) SetMode(t Truncate) {
	if r := p.Rare; r != nil && r.Clears > 0 {
		r.after, t = t, max(t, TruncateLength)
	}
	p.Truncate = t
}

// Mode returns Truncate, also inside of a Clear.
func (p *Core) Mode() Truncate {
	if r := p.Rare; r != nil && r.Clears > 0 {
		return r.after
	}
	return p.Truncate
}

// Building returns the slots under construction.
func (r *Rare) Building() []uint32 {
	if r == nil {
		return nil
	}
	return r.pending
}

// Reserves returns the number of handles that are reserved.
func (r *Rare) Reserves() int {
	if r == nil {
		return 0
	}
	return r.Reserved
}

// Taken returns the number of slots that are neither vacant nor live nor used up: those under
// construction, and those of reserved handles.
func (r *Rare) Taken() int { return len(r.Building()) + r.Reserves() }

// Worn returns the number of slots that are used up: those in memory, and those of chunks without
// memory.
func (r *Rare) Worn() (retired, lost int) {
	if r == nil {
		return 0, 0
	}
	return r.Retired, r.Lost
}

// Recorder returns the log of the Pool's History, or nil.
func (r *Rare) Recorder() slotRecorder {
	if r == nil {
		return nil
	}
	return r.Recorded
}

// PlaceRecorder returns the log of the Dense's History, or nil.
func (r *Rare) PlaceRecorder() placeRecorder {
	if r == nil {
		return nil
	}
	return r.PlacesRecorded
}

// Bytes returns the memory that r holds, in bytes.
func (r *Rare) Bytes(size uintptr) int {
	if r == nil {
		return 0
	}
	n := int(unsafe.Sizeof(Rare{}))
	if cap(r.pending) > len(r.calm) {
		n += cap(r.pending) * 4
	}
	n += cap(r.places) + cap(r.clearing)*8 + cap(r.Outside)*bits.UintSize/8
	return n + len(r.Outside)*int(size)
}

// On returns the hooks.
func (r *Rare) On() Hooks {
	if r == nil {
		return Hooks{}
	}
	return r.hooks
}

// borrow returns a pointer to a value outside the container, which is zero unless k is flat.
func (r *Rare) borrow(k *kind) Ref {
	n := len(r.Outside) - 1
	if n < 0 {
		return reflect.New(TypeOf(k)).UnsafePointer()
	}
	v := r.Outside[n]
	r.Outside[n] = nil // v is not given back after a panic
	r.Outside = r.Outside[:n]
	if poison.On && !k.refill(v) {
		panic("berth: write through a stale pointer from a hook or InsertFunc")
	}
	return v
}

// giveBack keeps the value at v, which borrow has returned, for the next borrow. A value that is
// not given back, since a hook or InsertFunc has panicked, is left to the collector.
func (r *Rare) giveBack(k *kind, v Ref) {
	if !k.Flat || poison.On {
		k.vacate(v)
	}
	r.Outside = append(r.Outside, v)
}

// Tables returns the Columns and Orders of the Pool.
func (r *Rare) Tables() []Column {
	if r == nil {
		return nil
	}
	return r.Columns
}

// tells reports whether the Pool tells Columns and Orders, or a Dense its DenseColumns, of each
// removal.
func (r *Rare) tells() bool { return r != nil && (len(r.Columns) > 0 || r.Told) }

// Sides returns the DenseColumns of the Dense.
func (r *Rare) Sides() []DenseColumn {
	if r == nil {
		return nil
	}
	return r.Beside
}

// places records which places the data of a Dense has named so far. Bits would make a place wait
// for the one before it, in the same word.
type places []bool

// reset forgets all places, of which there will be n.
func (s *places) reset(n int) *places {
	if cap(*s) < n {
		*s = make(places, n)
	}
	*s = (*s)[:n]
	clear(*s)
	return s
}

// read reads n places.
func (s *places) read(r *wire.Reader, n int) {
	b := r.Next(4 * n)
	if r.Err() != nil {
		return
	}
	for ; len(b) >= 4; b = b[4:] {
		if i := binary.LittleEndian.Uint32(b); !s.add(i) {
			r.Fail(-int64(len(b)), noPlace(i, len(*s)))
			return
		}
	}
}

// add records place i. It reports false if there is no such place, or it was recorded before.
func (s *places) add(i uint32) bool {
	if uint64(i) >= uint64(len(*s)) || (*s)[i] {
		return false
	}
	(*s)[i] = true
	return true
}

// noPlace describes a wrong place in a Dense with n of them.
func noPlace(i uint32, n int) string {
	return fmt.Sprintf("place %d, of %d, is taken twice or does not exist", i, n)
}

// columnHistory is what the History of a container calls of a Column or a DenseColumn.
type columnHistory interface {
	Record(now uint64, c Frames) // the History records; now is its current frame
	Find(fn string)              // records unrecorded writes, or panics because of them
	Mark()
	Rewind(f uint64) // the container is already what it was
	Forget()         // the History is closed
	Clip()           // all memory that neither the Column nor a frame needs is to be released
}

package berth

import (
	"math/bits"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/poison"
)

// The compiler copies all methods of a generic type for each type that it is used with, whether or
// not a program calls them. So a Pool has little code of its own: the verbs and loops that must be
// fast, and one line for everything else. The rest are methods of core, which is not generic, and
// is compiled once.
//
// A core finds its values through its kind. Entry points of core are not inlined, since what they
// mention would be compiled in the package with the Pool.

// head is 64 slots without their values, which follow it in memory. A slot is vacant (its free bit
// is set), live (its occ bit is set), under construction by InsertFunc, or retired.
type head struct {
	occ, free uint64
	gens      [blockSlots]uint32 // odd while the slot is live
}

// block is 64 slots.
type block[T any] struct {
	head
	_    [0]func() // without it, the compiler makes a function that compares blocks
	vals [blockSlots]T
}

// state is all of a Pool but its directory. See the invariants at Pool.
type state struct {
	salt  uint32 // index of slot 0
	base  uint32 // even; generation of a slot that has never been used
	n     int    // live values
	quick int    // max, or 0 if every insert must do more than fill a slot
	calm  int    // max, or 0 if every removal must do more than empty a slot

	room        bitset.Queue // of blocks
	live        bitset.Set   // of blocks
	spare, gone bitset.Set   // of chunks
	floors      []uint32     // per chunk: how far beyond base its slots resume, or usedUp
	tail        uint32       // the floor of the chunks beyond len(floors)

	shift    uint8 // chunks have 1<<shift blocks
	truncate Truncate
	hooked   bool    // quick and calm are 0
	max      int     // Limit, less the slots under construction; 0 before init
	reserve  int     // slots that stay in memory
	chunks   int     // in memory
	spares   int     // members of spare
	ended    uint64  // removals
	grown    uint64  // chunks that were allocated
	released uint64  // chunks that were released
	supply   *supply // nil on Go's heap
	rare     *rare   // nil in most pools
	kind     *kind   // of the values; nil until the first change
}

// find returns the block of h's slot and the slot's number, or nil if h is not live.
func (p *core) find(h id) (*head, uint32) {
	s := h.index - p.salt
	if k := int(s >> 6); k < len(p.dir) {
		if b := p.dir[k]; b != nil && b.gens[s&63] == h.gen && h.gen&1 != 0 {
			return b, s
		}
	}
	return nil, 0
}

// ptr returns the value of h, or nil if h is not live.
func (p *core) ptr(h id) ref {
	b, s := p.find(h)
	if b == nil {
		return nil
	}
	return p.kind.val(b, int(s&63))
}

// place returns the number of the block with the slot of h, and a mask of the block's other slots.
// It returns -1 if h is not live.
//
//go:noinline
func (p *core) place(h id) (k int, rest uint64) {
	b, s := p.find(h)
	if b == nil {
		return -1, 0
	}
	return int(s >> 6), ^(uint64(1) << (s & 63))
}

// left reports whether block k, which was b, was released inside a loop. It must be inlined: a call
// leaves the loops fewer registers, and makes them four times slower.
func (p *core) left(k int, b *head) bool { return uint(k) >= uint(len(p.dir)) || p.dir[k] != b }

// id returns the handle of slot i of b, which is block k.
func (p *core) id(b *head, k, i int) id {
	return id{p.salt + uint32(k<<6+i), b.gens[i&63]}
}

// open makes the lowest vacant slot live in all cases. It returns a nil pointer if there is no
// slot.
//
//go:noinline
func (p *core) open() (id, ref) {
	if (p.room.Low >= len(p.dir) || p.n >= p.max) && !p.makeRoom() {
		return id{}, nil
	}
	k := p.room.Low
	b, i := p.take(k)
	p.occupy(b, k, i)
	return p.id(b, k, i), p.kind.val(b, i)
}

// take takes the lowest vacant slot of block k, which is room.Low. The slot is then under
// construction.
func (p *core) take(k int) (*head, int) {
	b := p.dir[k]
	i := bits.TrailingZeros64(b.free) & 63
	if l := p.rare.recorder(); l != nil {
		l.note(b, k, i)
	}
	if poison.On {
		p.reuse(b, k, i)
	}
	if b.free &= b.free - 1; b.free == 0 {
		p.room.Pop()
	}
	return b, i
}

// occupy makes slot i of b, which is block k, live. The slot was returned by take.
func (p *core) occupy(b *head, k, i int) {
	b.occ |= 1 << (i & 63)
	b.gens[i&63]++
	if !p.live.Has(k) {
		p.opened(k)
	}
	p.n++
	p.changed()
}

// new makes the lowest vacant slot live with a zero value, and calls OnInsert. The pointer is nil
// if there is no slot, or if OnInsert has removed the value.
//
//go:noinline
func (p *core) new() (id, ref) {
	h, x := p.open()
	if x == nil || !p.hooked {
		return h, x
	}
	p.inserted(h, x)
	return h, p.ptr(h)
}

// delete removes the value of h, if h is live, and reports whether it was.
//
//go:noinline
func (p *core) delete(h id) bool {
	b, _ := p.find(h)
	return b != nil && p.remove(h)
}

// remove removes the value of the live h in all cases.
func (p *core) remove(h id) bool {
	f := p.rare.on().onRemove
	if f == nil {
		p.close(h)
		return true
	}
	s := h.index - p.salt
	x := p.rare.borrow(p.kind)
	p.kind.copy(x, p.kind.val(p.dir[s>>6], int(s&63)), 1)
	p.close(h)
	f(h, x)
	p.rare.giveBack(p.kind, x)
	return true
}

// close vacates the slot of the live h in all cases.
func (p *core) close(h id) {
	s := h.index - p.salt
	k, i := int(s>>6), int(s&63)
	b := p.dir[k]
	if l := p.rare.recorder(); l != nil {
		l.note(b, k, i)
	}
	for _, c := range p.rare.tables() {
		c.leave(k, i)
	}
	p.kind.vacate(p.kind.val(b, i))
	p.closed(b, k, i)
}

// closeEmpty is close for a p without rare. The value of h is zero already.
func (p *core) closeEmpty(h id) {
	s := h.index - p.salt
	p.closed(p.dir[s>>6], int(s>>6), int(s&63))
}

// closed makes slot i of b, which is block k, vacant. It is live, and its value zero.
func (p *core) closed(b *head, k, i int) {
	b.occ &^= 1 << (i & 63)
	b.gens[i&63]++
	p.n--
	p.ended++
	if b.gens[i] == p.base {
		p.rarely().retired++
	} else {
		p.free(b, k, 1<<i)
	}
	if b.occ == 0 {
		p.emptied(k)
	}
	p.changed()
}

// free makes the slot of bit in b, which is block k, vacant.
func (p *core) free(b *head, k int, bit uint64) {
	if b.free == 0 {
		p.room.Add(k)
	}
	b.free |= bit
}

// copyBlock copies the block from.
func (k *kind) copyBlock(to, from *head) {
	*to = *from
	k.copy(valsOf(to), valsOf(from), blockSlots)
}

// leave empties b, which has left the directory with its values, for the loops that are in it.
func (k *kind) leave(b *head) {
	for w := b.occ; w != 0; w &= w - 1 {
		k.vacate(k.val(b, bits.TrailingZeros64(w)))
	}
	b.occ = 0
}

// vacate sets the value at v to the contents of a vacant slot: the zero T, or poison.
func (k *kind) vacate(v ref) {
	k.clear(v, 1)
	if poison.On {
		poison.FillAt(typeOf(k), v)
	}
}

// vacateRun is vacate for n adjacent values.
func (k *kind) vacateRun(v ref, n int) {
	k.clear(v, n)
	if poison.On {
		for i := range n {
			poison.FillAt(typeOf(k), k.at(v, i))
		}
	}
}

// refill sets the vacant value at v to the zero T. It reports false if it had been written to.
func (k *kind) refill(v ref) bool {
	ok := poison.IntactAt(typeOf(k), v)
	k.clear(v, 1)
	return ok
}

// isVacant reports whether the value at v is what vacate leaves.
func (k *kind) isVacant(v ref) bool {
	if poison.On {
		return poison.IntactAt(typeOf(k), v)
	}
	return reflect.NewAt(typeOf(k), v).Elem().IsZero()
}

// show returns a value for fmt.
func (k *kind) show(v ref) any { return reflect.NewAt(typeOf(k), v).Elem().Interface() }

// poison fills the values of b, which is new, with poison.
func (k *kind) poison(b *head) {
	if poison.On {
		for i := range blockSlots {
			poison.FillAt(typeOf(k), k.val(b, i))
		}
	}
}

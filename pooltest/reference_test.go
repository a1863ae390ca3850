package pooltest

import (
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// refBlock is the number of slots in a block of a reference.
const refBlock = 32

// usedUp is the mark of a block whose slots must not be used again.
const usedUp = 1

// tag is the handle of a reference, with the generation in the upper half and the index in the
// lower.
type tag uint64

// reference is a small container that keeps all the laws and does not use berth, to show that the
// suite is not tied to a Pool. If r.is(...) holds, it breaks one of them.
//
// Slots lie in blocks, which never move. One block that becomes empty is kept, and others are
// dropped. The mark of a dropped block is the generation at which its slots resume. Inserts take
// the lowest vacant slot.
type reference[V Item] struct {
	bug string

	blocks         []*slots[V]
	marks          []uint32
	low            int // no block below has a vacant slot
	idle           int // a block that was empty once, or -1
	n, limit       int
	building       int
	salt           uint32
	start          uint32 // generation of new slots
	locked         bool
	cursor         int // used by the defect oneCursor
	again          []int
	inserts        int
	leak           [][]byte
	last           any
	used           int // slots of used-up blocks
	late           []byte
	turned         bool // All goes backward
	keeps, forgets bool
}

type slots[V Item] struct {
	gens             [refBlock]uint32
	vals             [refBlock]V
	live, busy, dead uint32
	pad              []byte
}

var (
	refSeeds atomic.Uint32
	errFull  = errors.New("full")
)

// is reports whether r has the defect.
func (r *reference[V]) is(bug string) bool { return r.bug == bug }

func newReference[V Item](bug string, o Options) *reference[V] {
	r := &reference[V]{bug: bug, limit: o.Limit, idle: -1}
	seed := o.Seed
	if seed == 0 && !r.is("containers start alike") {
		seed = 1<<31 + refSeeds.Add(1)
	}
	if r.is("Seed is ignored") && o.Seed != 0 {
		seed = 1
	}
	r.salt = seed * 0x9E3779B9
	r.reserve(o.Capacity)
	return r
}

func (r *reference[V]) Len() int { return r.n }

func (r *reference[V]) Cap() int {
	n := 0
	for _, b := range r.blocks {
		if b != nil {
			n += refBlock - bits.OnesCount32(b.dead)
		}
	}
	return n
}

func (r *reference[V]) Grow(n int) {
	switch {
	case n < 0 && r.is("Grow accepts a negative count"):
		return
	case n < 0:
		panic("negative count")
	case r.is("Grow does nothing"):
		return
	case r.is("Grow leaks what is reserved already"):
		r.leak = append(r.leak, make([]byte, n*8))
	case r.is("Grow mixes up the units") && r.n > 0:
		r.remove(r.n / 2)
	}
	r.reserve(n)
}

func (r *reference[V]) reserve(n int) {
	if r.limit > 0 {
		n = min(n, r.limit-r.n-r.building)
	}
	for k := 0; r.Cap() < r.n+r.building+n; k++ {
		r.extend(k)
		if r.blocks[k] == nil && r.marks[k] != usedUp {
			r.open(k)
		}
	}
}

func (r *reference[V]) extend(k int) {
	if k == len(r.blocks) {
		r.blocks, r.marks = append(r.blocks, nil), append(r.marks, r.start)
	}
}

// open brings block k into memory.
func (r *reference[V]) open(k int) {
	if r.is("growth moves the values") {
		for i, b := range r.blocks {
			if b != nil {
				c := *b
				r.blocks[i] = &c
			}
		}
	}
	b := new(slots[V])
	for i := range b.gens {
		b.gens[i] = r.marks[k]
	}
	if r.is("blocks are far too large") {
		b.pad = make([]byte, 1<<16)
	}
	r.blocks[k] = b
	r.low = min(r.low, k)
}

// drop releases the memory of block k, which has no live value.
func (r *reference[V]) drop(k int) {
	b := r.blocks[k]
	r.blocks[k], r.marks[k] = nil, slices.Max(b.gens[:])
	if b.dead != 0 {
		r.marks[k] = usedUp
		r.used += refBlock
	}
	if r.forgets {
		r.marks[k] = r.start
	}
}

// take finds the lowest vacant slot and sets its busy bit.
func (r *reference[V]) take() (s int, ok bool) {
	off := 0
	if r.is("Limit is off by one") {
		off = 1
	}
	held := r.n + r.building
	if r.is("Limit overlooks values under construction") {
		held = r.n
	}
	if r.limit > 0 && held >= r.limit+off || r.locked {
		return 0, false
	}
	if n := len(r.again); n > 0 {
		s, r.again = r.again[n-1], r.again[:n-1]
		return s, r.blocks[s/refBlock] != nil
	}
	if r.is("slots are chosen at random") && rand.IntN(2) == 0 {
		r.low++
		defer func() { r.low = 0 }()
	}
	for ; ; r.low++ {
		r.extend(r.low)
		if r.marks[r.low] == usedUp && r.blocks[r.low] == nil {
			continue
		}
		if r.blocks[r.low] == nil {
			r.open(r.low)
		}
		b := r.blocks[r.low]
		if i := bits.TrailingZeros32(^(b.live | b.busy | b.dead)); i < refBlock {
			b.busy |= 1 << i
			return r.low*refBlock + i, true
		}
	}
}

func (r *reference[V]) tag(s int) tag {
	g := r.blocks[s/refBlock].gens[s%refBlock]
	if r.is("generations have 8 bits") {
		g &= 0xFF
	}
	if r.is("generations have 16 bits") {
		g &= 0xFFFF
	}
	return tag(g)<<32 | tag(r.salt+uint32(s))
}

func (r *reference[V]) publish(s int) tag {
	b, i := r.blocks[s/refBlock], s%refBlock
	b.busy &^= 1 << i
	if b.live>>i&1 == 0 {
		b.gens[i]++
		r.n++
	}
	b.live |= 1 << i
	r.inserts++
	if r.is("every 16th insert moves a block") && r.inserts%16 == 0 {
		c := *r.blocks[0]
		r.blocks[0] = &c
	}
	return r.tag(s)
}

func (r *reference[V]) Insert(v V) tag {
	s, ok := r.take()
	if !ok {
		return 0
	}
	if r.is("Insert allocates") {
		r.last = new([4]uint64)
	}
	r.blocks[s/refBlock].vals[s%refBlock] = v
	return r.publish(s)
}

func (r *reference[V]) TryInsert(v V) (tag, error) {
	if h := r.Insert(v); h != 0 || r.is("TryInsert has no error") {
		return h, nil
	}
	return 0, errFull
}

func (r *reference[V]) InsertFunc(f func(tag, *V)) tag {
	s, ok := r.take()
	if !ok {
		return 0
	}
	r.building++
	b, i, done := r.blocks[s/refBlock], s%refBlock, false
	defer func() {
		if done || r.is("a panic in InsertFunc leaks the slot") {
			return
		}
		r.building--
		if !r.is("a panic in InsertFunc keeps the value") {
			clear(b.vals[i : i+1])
		}
		b.busy &^= 1 << i
		if !r.is("a panic in InsertFunc keeps the generation") {
			b.gens[i]++
			r.bump(s)
		}
		r.low = min(r.low, s/refBlock)
	}()
	f(r.tag(s)+1<<32, &b.vals[i])
	done = true
	r.building--
	return r.publish(s)
}

// slot returns the slot of h, or one beyond all slots.
func (r *reference[V]) slot(h tag) int { return int(min(uint32(h)-r.salt, math.MaxInt32)) }

// find returns the slot of h, or -1.
func (r *reference[V]) find(h tag) int {
	if r.late != nil {
		r.salt = binary.LittleEndian.Uint32(r.late)
	}
	s := r.slot(h)
	if r.is("the zero handle names the first value") && h == 0 && len(r.blocks) > 0 &&
		r.blocks[0] != nil && r.blocks[0].live&1 != 0 {
		return 0
	}
	if r.is("lookups trust the index") && h != 0 && r.blocks[s/refBlock] == nil {
		return -1
	}
	if s/refBlock >= len(r.blocks) || r.blocks[s/refBlock] == nil {
		return -1
	}
	b := r.blocks[s/refBlock]
	live := b.live>>(s%refBlock)&1 != 0 || r.is("Remove leaves the slot readable")
	if !live || r.tag(s) != h && !r.is("lookups ignore the generation") {
		return -1
	}
	if r.is("live handles are refused after 4096 reuses") && h>>32 > 2*4096 ||
		r.is("live handles are refused after 3 reuses") && h>>32 > 2*3 {
		return -1
	}
	return s
}

func (r *reference[V]) Ptr(h tag) *V {
	s := r.find(h)
	if s < 0 {
		return nil
	}
	if r.is("a slot reads its neighbour") && s == 40 {
		s--
	}
	if p := &r.blocks[s/refBlock].vals[s%refBlock]; !r.is("Ptr points to a copy") {
		return p
	} else {
		c := *p
		return &c
	}
}

func (r *reference[V]) Get(h tag) (v V, ok bool) {
	if r.is("Get allocates") {
		r.last = new([4]uint64)
	}
	if p := r.Ptr(h); p != nil {
		return *p, true
	}
	return v, false
}

func (r *reference[V]) Contains(h tag) bool { return r.Ptr(h) != nil }

func (r *reference[V]) Remove(h tag) (v V, ok bool) {
	s := r.find(h)
	if s < 0 {
		old := r.slot(h)
		known := h != 0 && old/refBlock < len(r.blocks) && r.blocks[old/refBlock] != nil
		switch {
		case known && r.is("a second Remove counts"):
			r.n = max(0, r.n-1)
		case known && r.is("a second Remove frees the slot again"):
			r.again = append(r.again, old)
		case known && r.is("a second Remove removes the new owner") &&
			r.blocks[old/refBlock].live>>(old%refBlock)&1 != 0:
			s = old
		}
	}
	if s < 0 {
		return v, false
	}
	v = r.blocks[s/refBlock].vals[s%refBlock]
	b := r.blocks[s/refBlock]
	if r.is("the last value beside a hole stays") && s%refBlock > 0 &&
		(b.live|b.busy)>>(s%refBlock-1)&3 == 2 && b.live>>(s%refBlock) == 1 {
		return v, true
	}
	r.remove(s)
	return v, true
}

// remove makes the live slot s vacant.
func (r *reference[V]) remove(s int) {
	k := s / refBlock
	b := r.blocks[k]
	if b == nil || b.live>>(s%refBlock)&1 == 0 {
		return
	}
	r.vacate(s)
	if b.live|b.busy != 0 || strings.HasPrefix(r.bug, "memory never comes back") {
		return
	}
	if r.is("memory comes back from the end only") {
		for k := len(r.blocks) - 1; k >= 0; k-- {
			if b := r.blocks[k]; b != nil && b.live|b.busy != 0 {
				return
			} else if b != nil {
				r.drop(k)
			}
		}
		return
	}
	if i := r.idle; i >= 0 && i != k && r.blocks[i] != nil && r.blocks[i].live|r.blocks[i].busy == 0 {
		r.forgets = r.is("truncation forgets the generations")
		r.drop(max(i, k))
		r.forgets = false
		k = min(i, k)
	}
	r.idle = k
}

func (r *reference[V]) vacate(s int) {
	b, i := r.blocks[s/refBlock], s%refBlock
	if !r.keeps && !r.is("Remove keeps the value") && !r.is("Remove leaves the slot readable") {
		clear(b.vals[i : i+1])
	}
	b.live &^= 1 << i
	r.n--
	r.low = min(r.low, s/refBlock)
	if !r.is("Remove leaves the slot readable") {
		r.bump(s)
	}
}

// bump ends the life of slot s.
func (r *reference[V]) bump(s int) {
	b, i := r.blocks[s/refBlock], s%refBlock
	if b.gens[i]++; b.gens[i] == 0 {
		if r.is("used-up slots are reused") {
			b.gens[i] = r.start
			return
		}
		b.dead |= 1 << i
	}
}

func (r *reference[V]) Clear() {
	r.keeps = r.is("Clear keeps the values")
	for k, b := range r.blocks {
		if b == nil {
			continue
		}
		for w := b.live; w != 0; w &= w - 1 {
			r.vacate(k*refBlock + bits.TrailingZeros32(w))
		}
		switch {
		case r.is("Clear resets the generations"):
			for i := range b.gens {
				b.gens[i] = r.start
			}
		case r.is("Clear takes slots under construction"):
			b.busy = 0
		case r.is("Clear gives the memory back") && b.busy == 0:
			r.drop(k)
		}
	}
	r.keeps = false
}

func (r *reference[V]) Clip() {
	if r.is("memory never comes back, nor does Clip bring it") {
		return
	}
	r.forgets = r.is("Clip forgets the generations")
	for k, b := range r.blocks {
		if b != nil && b.live|b.busy == 0 {
			r.drop(k)
		}
	}
	r.forgets = false
}

func (r *reference[V]) RemoveFunc(f func(tag, *V) bool) int {
	n := 0
	var later []tag
	for h, v := range r.All() {
		if !f(h, v) {
			continue
		}
		s := r.find(h)
		switch {
		case r.is("RemoveFunc removes after the loop"):
			later = append(later, h)
		case r.is("RemoveFunc removes by slot"):
			s = r.slot(h)
			fallthrough
		case s >= 0:
			r.keeps = r.is("RemoveFunc keeps the values")
			r.remove(s)
			r.keeps = false
			n++
		}
		if b := r.blocks[r.slot(h)/refBlock]; b != nil &&
			r.is("RemoveFunc keeps the generation") && s >= 0 {
			b.gens[s%refBlock] -= 2
		}
		if r.is("RemoveFunc miscounts") {
			r.n++
		}
	}
	for _, h := range later {
		if s := r.find(h); s >= 0 {
			r.remove(s)
			n++
		}
	}
	return n
}

func (r *reference[V]) Clone() *reference[V] {
	c := *r
	c.blocks, c.marks, c.building = slices.Clone(r.blocks), slices.Clone(r.marks), 0
	if r.is("Clone forgets the Limit") {
		c.limit = 0
	}
	if r.is("Clone shares the values") {
		return &c
	}
	for k, b := range c.blocks {
		if b == nil {
			continue
		}
		d := *b
		for w := d.busy; w != 0; w &= w - 1 {
			i := bits.TrailingZeros32(w)
			clear(d.vals[i : i+1])
			c.low = min(c.low, k)
		}
		d.busy = 0
		c.blocks[k] = &d
	}
	return &c
}

func (r *reference[V]) Check() {
	n := 0
	for _, b := range r.blocks {
		if b != nil {
			n += bits.OnesCount32(b.live)
		}
	}
	if r.bug == "" && n != r.n {
		panic("counts differ")
	}
}

func (r *reference[V]) Bytes() int {
	if r.is("Bytes forgets the values") {
		return 100
	}
	n := 12 * cap(r.blocks)
	for _, b := range r.blocks {
		if b != nil {
			n += int(unsafe.Sizeof(*b))
		}
	}
	return n
}

func (r *reference[V]) Retired() int {
	n := r.used
	for _, b := range r.blocks {
		if b != nil {
			n += bits.OnesCount32(b.dead)
		}
	}
	return n
}

// Age gives each slot the given number of lives.
func (r *reference[V]) Age(lives int) {
	r.start = -(2 * uint32(lives))
	for k, b := range r.blocks {
		r.marks[k] = r.start
		if b != nil {
			r.open(k)
		}
	}
}

// liveAt reports whether slot s is live.
func (r *reference[V]) liveAt(s int) bool {
	b := r.blocks[s/refBlock]
	return b != nil && b.live>>(s%refBlock)&1 != 0
}

func (r *reference[V]) All() iter.Seq2[tag, *V] {
	return func(yield func(tag, *V) bool) {
		switch {
		case r.is("the order is a map's"):
			r.shuffled(yield)
		case r.is("loops run over a copy"):
			r.copied(yield)
		case r.is("an empty loop panics") && r.n == 0:
			panic("nothing to visit")
		case r.turned:
			r.Backward()(yield)
		default:
			r.scan(yield)
		}
	}
}

// scan is the correct All, or one with the defects of a scan.
func (r *reference[V]) scan(yield func(tag, *V) bool) {
	done := false
	defer func() { r.locked = r.locked || !done && r.is("a panic leaves the container locked") }()
	end, began := len(r.blocks)*refBlock, r.inserts
	for s := 0; s < end; s++ {
		if r.is("nested loops share a cursor") {
			s = max(s, r.cursor)
			r.cursor = s
		}
		if !r.liveAt(s) {
			continue
		}
		if r.is("a loop allocates for each value") {
			r.last = new([4]uint64)
		}
		n, blocks := r.n, len(r.blocks)
		r.cursor++
		if !yield(r.tag(s), &r.blocks[s/refBlock].vals[s%refBlock]) {
			r.locked = r.is("break leaves the container locked")
			r.cursor, done = 0, true
			return
		}
		switch {
		case r.is("removing the current value skips the next") && !r.liveAt(s):
			s++
		case r.is("removing any value skips the next") && r.n < n:
			s++
		case r.is("an insert in a loop visits twice") && r.n > n:
			s--
		case r.is("growth starts the loop again") && len(r.blocks) > blocks:
			s = -1
		case r.is("a loop follows what it inserts"):
			end = len(r.blocks) * refBlock
		}
	}
	r.cursor, done = 0, true
	if r.is("inserts make the loop start again") && r.inserts > began {
		r.scan(yield)
	}
}

func (r *reference[V]) shuffled(yield func(tag, *V) bool) {
	live := map[tag]*V{}
	r.scan(func(h tag, v *V) bool { live[h] = v; return true })
	for h := range maps.Keys(live) {
		if p := r.Ptr(h); p != nil && !yield(h, p) {
			return
		}
	}
}

func (r *reference[V]) copied(yield func(tag, *V) bool) {
	var hs []tag
	var vs []*V
	r.scan(func(h tag, v *V) bool { hs, vs = append(hs, h), append(vs, v); return true })
	for i, h := range hs {
		if !yield(h, vs[i]) {
			return
		}
	}
}

func (r *reference[V]) Values() iter.Seq[*V] {
	return func(yield func(*V) bool) {
		for _, v := range r.All() {
			if r.is("Values shows copies") {
				c := *v
				v = &c
			}
			if !yield(v) {
				return
			}
		}
	}
}

func (r *reference[V]) Backward() iter.Seq2[tag, *V] {
	return func(yield func(tag, *V) bool) {
		if r.is("Backward goes forward") {
			r.All()(yield)
			return
		}
		least := 0
		if r.is("Backward misses the last") {
			least = 1
		}
		for s := len(r.blocks)*refBlock - 1; s >= least; s-- {
			if r.liveAt(s) && !yield(r.tag(s), &r.blocks[s/refBlock].vals[s%refBlock]) &&
				!r.is("Backward goes on after a break") {
				return
			}
		}
	}
}

func (r *reference[V]) Spans() iter.Seq2[tag, []V] {
	return func(yield func(tag, []V) bool) {
		for k := range len(r.blocks) {
			b := r.blocks[k]
			if b == nil || k == 1 && r.is("Spans leaves a block out") {
				continue
			}
			for w := b.live; w != 0; {
				i := bits.TrailingZeros32(w)
				n := bits.TrailingZeros32(^(w >> i))
				end := i + n
				if r.is("a span includes a vacant slot") && end < refBlock {
					n, end = n+1, end+1
				}
				if r.is("a span has room") {
					end = refBlock
				}
				w &= math.MaxUint32 << (i + n)
				if !yield(r.tag(k*refBlock+i), b.vals[i:i+n:end]) {
					return
				}
				if !r.is("a span hands out what has been removed") {
					w &= b.live
				}
			}
		}
	}
}

func (r *reference[V]) At(slot int) (h tag, v *V) {
	if r.is("At finds what is gone") && slot >= 0 && slot < len(r.blocks)*refBlock && r.blocks[slot/refBlock] != nil {
		return r.tag(slot), &r.blocks[slot/refBlock].vals[slot%refBlock]
	}
	if slot < 0 || slot >= len(r.blocks)*refBlock || !r.liveAt(slot) {
		return 0, nil
	}
	return r.tag(slot), r.Ptr(r.tag(slot))
}

func (r *reference[V]) IndexOf(h tag) int {
	if !r.Contains(h) && !r.is("IndexOf of a stale handle") {
		return -1
	}
	return int(uint32(h) - r.salt)
}

func (r *reference[V]) Span(slot int) ([]V, int) {
	for first, span := range r.Spans() {
		i := r.IndexOf(first)
		if next := i + len(span); next > slot {
			if !r.is("Span starts before its slot") {
				span = span[max(0, slot-i):]
			}
			if r.is("Span returns its first slot") {
				next--
			}
			return span[:len(span):len(span)], next
		}
	}
	return nil, 0
}

func (r *reference[V]) Drain() iter.Seq2[tag, V] {
	return func(yield func(tag, V) bool) {
		r.keeps = r.is("Drain keeps the values")
		defer func() { r.keeps = false }()
		for h, p := range r.All() {
			v := *p
			if !r.is("Drain hands out before it removes") {
				r.Remove(h)
			}
			if !yield(h, v) {
				if r.is("breaking off Drain loses the rest") {
					r.Clear()
				}
				if r.is("Drain goes on after a break") {
					continue
				}
				return
			}
			r.Remove(h)
		}
		if r.is("Drain resets the generations") {
			for _, b := range r.blocks {
				if b != nil && b.live|b.busy == 0 {
					clear(b.gens[:])
				}
			}
		}
	}
}

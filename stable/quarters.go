package stable

import (
	"fmt"
	"math/bits"

	"github.com/seed505807e1/berth/internal/invariants"
)

// quarters records the vacant slots of a list under Quartered: for each of its three parts, a chain
// of the slots that were vacated. The list has size slots to fill. The first open of them were
// touched. Those behind are vacant too, but in no chain.
//
// If the size is a power of two, most truncations do not make chains for the new parts. They take
// the number of vacant slots in each part from the bands, and leave it to quartersFind to search
// for the slots, from a cursor upwards, when the chain is empty. The search passes live slots, so
// its cost is only bounded if a proportional number is vacant. A list that is cut by half with few
// vacant slots, as one whose length varies around a power of two, parts its one chain at once
// instead, which is little work then. (A list is full when it grows. The removals until the next
// truncation of that size are therefore at least as many as its vacant slots.)
//
// InsertAt may touch a slot far beyond the others, which leaves those between to quartersFind too,
// and it takes slots out of the middle of a chain. A part in which it would have to search long
// forgets its chain, and leaves all its vacant slots to quartersFind.
//
// The part in which a removal falls is unpredictable, so quartersTake and quartersVacate choose it
// without a branch.
//
// Invariants (check):
//  1. size is a multiple of 4; ends are a quarter of it, a half, and all
//  2. vac[p] counts the vacant slots of part p that were touched, and bit p of room is set if there
//     is any; left[p] of them are in no chain, and lie at cursor[p] or behind it
//  3. chain p visits each of the others exactly once
//  4. bands[b] counts the live slots of which bits.Len is b
type quarters[I Index] struct {
	next   []I    // for a slot in a chain, the next one; unspecified for the last
	head   [4]I   // the first of each chain; the last of the four is unused, here and below
	vac    [4]int // number of vacant slots
	left   [4]int // number of vacant slots in no chain
	cursor [4]int
	ends   [3]int // of the parts
	room   uint   // bit p is set if part p has a vacant slot

	bands    []int
	stepwise bool
	visits   uint64   // number of slots that were looked at one by one
	seen     []uint64 // memory for the check of a load
}

// quartersTake returns the slot for the next insert: the last vacated one of the first part that
// has a vacant slot, or else open, the first one that was never touched. It returns -1 if
// quartersFind must search. There must be room. (Slots are touched in their order, so open comes
// after all that were vacated.)
func quartersTake[I Index](q *quarters[I], open int) int {
	if q.room == 0 {
		return open
	}
	p := bits.TrailingZeros(q.room) & 3
	i, n := q.head[p], q.vac[p]-q.left[p]
	if n == 0 {
		return -1
	}
	q.vac[p]--
	if n > 1 {
		q.head[p] = q.next[i]
	} else if q.vac[p] == 0 {
		q.room &= q.room - 1
	}
	return int(i)
}

// quartersFind completes quartersTake when the chain is empty. It returns the lowest vacant slot of
// the part.
func quartersFind[I Index, D Identifier[D]](q *quarters[I], ids []D) int {
	p := bits.TrailingZeros(q.room)
	i := q.cursor[p]
	for ; !vacant(ids, i); i++ {
		q.visits++
	}
	q.visits++
	q.cursor[p] = i + 1
	q.left[p]--
	if q.vac[p]--; q.vac[p] == 0 {
		q.room &= q.room - 1
	}
	return i
}

// quartersVacate adds slot i to the chain of its part.
func quartersVacate[I Index](q *quarters[I], i int) {
	const sign = bits.UintSize - 1
	p := uint(q.ends[0]-1-i)>>sign + uint(q.ends[1]-1-i)>>sign
	if q.vac[p] != 0 {
		q.next[i] = q.head[p]
	}
	q.head[p] = I(i)
	q.vac[p]++
	q.room |= 1 << p
}

// quartersExtend adds the slots from open to end, which are vacant now.
func quartersExtend[I Index](q *quarters[I], open, end int) {
	from := 0
	for p, stop := range q.ends {
		if lo, hi := max(from, open), min(stop, end); lo < hi {
			if q.left[p] == 0 {
				q.cursor[p] = lo
			}
			q.left[p] += hi - lo
			q.vac[p] += hi - lo
			q.room |= 1 << p
		}
		from = stop
	}
}

// quartersTakeAt takes slot i, which must be vacant and touched. It searches the first slots of its
// chain.
func quartersTakeAt[I Index](q *quarters[I], i int) {
	p, from := 0, 0
	for ; i >= q.ends[p]; p++ {
		from = q.ends[p]
	}
	chained := q.vac[p] - q.left[p]
	at := &q.head[p]
	k := 0
	for limit := min(chained, q.ends[2]/32+16); k < limit && int(*at) != i; k++ {
		at = &q.next[*at]
	}
	switch {
	case k == chained:
		q.left[p]--
	case int(*at) == i:
		*at = q.next[i]
	default:
		q.left[p], q.cursor[p] = q.vac[p]-1, from
	}
	if q.vac[p]--; q.vac[p] == 0 {
		q.room &^= 1 << p
	}
}

// quartersFarEmpty reports whether some of the second half was touched and none of it is live.
func quartersFarEmpty[I Index](q *quarters[I], open int) bool {
	return q.vac[2] == open-q.ends[1] && q.vac[2] > 0
}

// quartersSetSize sets the parts for a list of size slots. The chains must fit.
func quartersSetSize[I Index](q *quarters[I], size int) {
	q.ends = [3]int{size / 4, size / 2, size}
	if b := bits.Len(uint(size)); b >= len(q.bands) {
		q.bands = append(q.bands, make([]int, b+1-len(q.bands))...)
	}
}

// half returns the length of half a list, as a multiple of 4.
func half(size int) int { return (size/2 + 3) &^ 3 }

// quartersShorten halves the list repeatedly, down to least slots, while its second half is empty.
// It returns the new size. open is the number of touched slots, and vacant reports which of them
// are vacant. The second half must be empty.
func quartersShorten[I Index, D Identifier[D]](
	q *quarters[I], open, least int, ids []D,
) (size int) {
	if q.stepwise {
		return quartersShortenStepwise(q, open, least, ids)
	}
	was := q.ends[2]
	size = was
	lo, hi := quartersLastLiving(q)
	for h := half(size); h < size && h >= least; h = half(size) {
		far := size / 2
		for lo < far && far < hi { // only if sizes are no powers of two: search
			q.visits++
			if hi--; !vacant(ids, hi) {
				lo = hi
			}
		}
		if lo >= far {
			break
		}
		size = h
	}
	switch pow2 := size&(size-1) == 0; {
	case size == was:
	case pow2 && (size < was/2 || q.left != [4]int{} || q.vac[0] > size/16):
		quartersUnlink(q, size, min(open, size))
	case size == was/2 && q.left == [4]int{}:
		quartersHalve(q, size)
	default:
		quartersRelink(q, size, min(open, size), ids)
	}
	return size
}

// quartersUnlink leaves the vacant slots to quartersFind. The size is a power of two, so the second
// half is one band, and so is the second quarter.
func quartersUnlink[I Index](q *quarters[I], size, open int) {
	quartersSetSize(q, size)
	live := [4]int{1: q.bands[bits.Len(uint(size/4))], 2: q.bands[bits.Len(uint(size/2))]}
	for b := range bits.Len(uint(size / 4)) {
		live[0] += q.bands[b]
	}
	from := 0
	for p, end := range q.ends {
		q.vac[p] = max(min(open, end)-from, 0) - live[p]
		q.left[p], q.cursor[p] = q.vac[p], from
		from = end
	}
	quartersSetRoom(q)
}

// quartersSetRoom derives room from vac.
func quartersSetRoom[I Index](q *quarters[I]) {
	q.room = 0
	for p, n := range q.vac {
		if n > 0 {
			q.room |= 1 << p
		}
	}
}

// quartersLastLiving returns bounds of the last live slot, by the bands. It is at least lo and less
// than hi. The second half must be empty.
func quartersLastLiving[I Index](q *quarters[I]) (lo, hi int) {
	b := len(q.bands) - 1
	for b >= 0 && q.bands[b] == 0 {
		b--
	}
	if b < 0 {
		return -1, 0
	}
	return 1 << b >> 1, min(1<<b, q.ends[1])
}

// quartersShortenStepwise is quartersShorten as published in the thesis: it makes new chains after
// each halving.
func quartersShortenStepwise[I Index, D Identifier[D]](
	q *quarters[I], open, least int, ids []D) (size int) {
	size = q.ends[2]
	for h := half(size); h < size && h >= least; h = half(size) {
		exact := h == size/2
		size = h
		open = min(open, size)
		if exact && q.left == [4]int{} {
			quartersHalve(q, size)
		} else {
			quartersRelink(q, size, open, ids)
		}
		if open > q.ends[1] && !quartersFarEmpty(q, open) {
			break
		}
	}
	return size
}

// quartersHalve makes chains for half the size. The chain of the second quarter becomes that of the
// new second half, and that of the first is divided in two.
func quartersHalve[I Index](q *quarters[I], size int) {
	head, n := q.head[0], q.vac[0]
	quartersSetSize(q, size)
	q.head[2], q.vac[2] = q.head[1], q.vac[1]
	q.vac[1] = 0
	at := &q.head[0] // the link to set to the next slot that stays
	for i := head; n > 0; n-- {
		q.visits++
		next := q.next[i]
		if int(i) < q.ends[0] {
			*at = i
			at = &q.next[i]
		} else {
			q.next[i] = q.head[1]
			q.head[1] = i
			q.vac[1]++
			q.vac[0]--
		}
		i = next
	}
	quartersSetRoom(q)
}

// quartersRelink makes chains for the size by looking at each of the open slots. The lowest comes
// first.
func quartersRelink[I Index, D Identifier[D]](q *quarters[I], size, open int, ids []D) {
	quartersSetSize(q, size)
	q.vac, q.left, q.room = [4]int{}, [4]int{}, 0
	for i := open - 1; i >= 0; i-- {
		q.visits++
		if vacant(ids, i) {
			quartersVacate(q, i)
		}
	}
}

// quartersInserted and quartersRemoved keep the bands.
func quartersInserted[I Index](q *quarters[I], i int) { q.bands[bits.Len(uint(i))]++ }
func quartersRemoved[I Index](q *quarters[I], i int)  { q.bands[bits.Len(uint(i))]-- }

// quartersClear drops all slots.
func quartersClear[I Index](q *quarters[I], size int) {
	q.vac, q.left, q.room = [4]int{}, [4]int{}, 0
	clear(q.bands)
	quartersSetSize(q, size)
}

// quartersCopyFrom makes q a copy of o, apart from next, in the memory that q has.
func quartersCopyFrom[I Index](q *quarters[I], o *quarters[I]) {
	next, bands, seen := q.next, q.bands[:0], q.seen
	*q = *o
	q.next, q.seen = next, seen
	q.bands = append(bands, o.bands...) //nolint:gocritic // o.bands belongs to o
}

// quartersCheck panics with the number of the invariant that q breaks, if any.
func quartersCheck[I Index, D Identifier[D]](q *quarters[I], open int, ids []D) {
	size := q.ends[2]
	if size%4 != 0 || q.ends != [3]int{size / 4, size / 2, size} || open > size {
		fail("quarters", 1, "ends %v, %d open", q.ends, open)
	}
	var want, got [4]uint64 // of the vacant ones before the cursor, or of all if none is left
	var bands [65]int
	vac, chained, room := [4]int{}, [4]int{}, uint(0)
	behind := func(p, i int) bool { return q.left[p] > 0 && i >= q.cursor[p] }
	for i := range open {
		p := 0
		for i >= q.ends[p] {
			p++
		}
		if !vacant(ids, i) {
			bands[bits.Len(uint(i))]++
			continue
		}
		vac[p]++
		room |= 1 << p
		if !behind(p, i) {
			want[p] += invariants.Mix(i)
			chained[p]++
		}
	}
	if q.vac != vac || q.room != room {
		fail("quarters", 2, "%v vacant, parts %b; stored %v, %b", vac, room, q.vac, q.room)
	}
	for p := range q.ends {
		i := q.head[p]
		for range q.vac[p] - q.left[p] {
			if int(i) >= open || !vacant(ids, int(i)) {
				fail("quarters", 3, "chain %d has slot %d, not vacant or outside %d", p, i, open)
			}
			if behind(p, int(i)) {
				chained[p]++
			} else {
				got[p] += invariants.Mix(int(i))
			}
			i = q.next[i]
		}
		if got[p] != want[p] || chained[p] != q.vac[p]-q.left[p] {
			fail("quarters", 3, "chain %d is not the vacant slots (%d unchained)", p, q.left[p])
		}
	}
	for b, n := range q.bands {
		if n != bands[b] {
			fail("quarters", 4, "band %d has %d, want %d", b, n, bands[b])
		}
	}
}

func fail(of string, rule int, format string, args ...any) {
	panic(fmt.Sprintf("stable: %s invariant %d: ", of, rule) + fmt.Sprintf(format, args...))
}

package concurrent

import (
	"slices"

	"github.com/seed505807e1/berth/internal/bitset"
)

const (
	// usedUp is the floor of a leaf that never comes back. Real floors are even.
	usedUp = 1
	// highFloor is the highest floor that may stand for all leaves beyond the last. One leaf with
	// hard-worn slots must not shorten the lives of all later ones.
	highFloor = 1 << 31
	// mostLeaves is the number of leaves whose slots have indices of 32 bits.
	mostLeaves = 1 << (32 - leafShift)
)

// leaves tells which leaves of a Members have a vacant slot, and where the generations of a leaf
// without memory start. Leaves are numbers here.
type leaves struct {
	// Invariants (checkMembers):
	//  1. room holds exactly the leaves below len(floors) that have a vacant slot
	//  2. lost is the number of leaves that are used up

	room   bitset.Queue
	floors []uint32 // of leaves without memory, or usedUp
	tail   uint32   // the floor of all leaves beyond
	most   int      // leaves at most
	lost   int
}

// lowest returns the lowest leaf with a vacant slot, or -1 if there is none.
func (x *leaves) lowest() int {
	if x.room.Low != bitset.None {
		return x.room.Low
	}
	j := len(x.floors)
	if j >= x.most {
		return -1
	}
	x.floors = append(x.floors, x.tail)
	x.room.Resize(j + 1)
	x.room.Add(j)
	return j
}

// drop notes that leaf j, which is not in room, has lost its memory, and that its slots resume at
// floor, or never.
func (x *leaves) drop(j int, floor uint32) {
	x.floors[j] = floor
	if floor == usedUp {
		x.lost++
		return
	}
	x.room.Add(j)
}

// trim forgets the leaves from n on, unless one has a floor of its own to remember. They have no
// memory.
func (x *leaves) trim(n int) {
	j := len(x.floors)
	for ; j > n && x.floors[j-1] != usedUp && x.floors[j-1] <= highFloor; j-- {
		x.tail = max(x.tail, x.floors[j-1])
		x.room.Remove(j - 1)
	}
	x.room.Resize(j)
	x.floors = shrink(x.floors[:j])
}

// bytes returns the memory that x holds apart from itself, in bytes.
func (x *leaves) bytes() int { return x.room.Bytes() + cap(x.floors)*4 }

// shrink returns s, or a copy of it if most of its memory is unused.
func shrink[E any](s []E) []E {
	if cap(s) > 4*len(s)+64 {
		return slices.Clone(s)
	}
	return s
}

// Package pages reserves address space, and allocates memory for the parts that are used.
//
// A [Region] is a range of addresses that never moves. Reserving it takes no memory, so it may be
// far larger than the part that is ever used. [Region.Commit] makes a part usable.
// [Region.Decommit] gives the memory of a part back, but keeps the addresses.
//
// The garbage collector does not scan a region, so it must hold no pointers to Go memory. The
// collector does not free a region either: [Region.Release] does. Touching a part that is not
// committed, or was released, is a fault that ends the program.
//
// The methods of a Region take no lock. Calls of Commit, Decommit and Release must not run
// concurrently with each other, and no method may run concurrently with Release. The committed
// bytes may be used at any time.
package pages

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
)

// HugeSize is the size of a huge page, and the alignment of a region of huge pages.
const HugeSize = 2 << 20

var (
	errSize  = errors.New("the size must be positive")
	errLarge = errors.New("more than there are addresses")
)

// Size returns the system's page size. It is a power of two.
func Size() int { return os.Getpagesize() }

// Region is a range of reserved addresses, made by [Reserve]. The zero Region has no bytes.
type Region struct {
	whole []byte // the reservation: mem, the bytes that align it, and the guard page
	mem   []byte
	huge  bool
	given given // used only if decommitKeeps

	committed spans // as far as the system granted it
	charged   int   // its share of mappings
}

// Reserve reserves n bytes, rounded up to whole pages, or to a multiple of [HugeSize] if huge is
// set, with the same alignment. They must not be touched before [Region.Commit]. The page after
// them always faults.
//
// If huge is set, Reserve requests huge pages from the system. It is no error if the system refuses
// them: see [Region.Huge].
//
// Reserve fails if n is not positive, if the system has no range of addresses of this length, or if
// a limit on them is reached. If [Supported] is false, it always fails, with an error that wraps
// [errors.ErrUnsupported]. It takes a few system calls, whatever n is, and no memory.
//
// On Linux, Reserve also fails before regions take addresses or mappings that the rest of the
// process needs: at half of the mappings that the system grants a process, and if less than an
// eighth of a limit on addresses would be left in one range.
func Reserve(n int, huge bool) (*Region, error) {
	r, err := newRegion(n, huge)
	if err != nil {
		return nil, fmt.Errorf("pages: reserve %d bytes: %w", n, err)
	}
	return r, nil
}

func newRegion(n int, huge bool) (*Region, error) {
	if !Supported {
		return nil, errors.ErrUnsupported
	}
	if n <= 0 {
		return nil, errSize
	}
	// The system aligns to a page at least. So one page is left over for the guard, both when a
	// page and when a whole huge page is added.
	align, extra := Size(), Size()
	if huge {
		align, extra = HugeSize, HugeSize
	}
	if n > math.MaxInt-extra-(align-1) {
		return nil, errLarge
	}
	n = (n + align - 1) &^ (align - 1)
	whole, err := reserve(n + extra)
	if err != nil {
		return nil, err
	}
	r := &Region{whole: whole, mem: aligned(whole, n, align)}
	r.huge = huge && adviseHuge(r.mem)
	err = leaveAddresses()
	if err == nil && !r.charge(change{}) {
		err = errMappings
	}
	if err != nil {
		_ = release(whole) // fails only if whole is not a mapping
		return nil, err
	}
	return r, nil
}

// aligned returns the first n bytes of whole from an address that is a multiple
// of align, a power of two.
func aligned(whole []byte, n, align int) []byte {
	skip := int(-address(whole) & uintptr(align-1))
	return whole[skip : skip+n : skip+n]
}

// address returns the address of the first byte of b.
func address(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }

// Bytes returns all bytes of the region, including those that are not committed and must not be
// touched. It returns nil after [Region.Release].
func (r *Region) Bytes() []byte { return r.mem }

// Len returns the number of bytes that [Region.Bytes] returns.
func (r *Region) Len() int { return len(r.mem) }

// Huge reports whether the system accepted the request for huge pages. It may still use small ones
// if no huge page is free, or if a huge page is not committed as a whole.
func (r *Region) Huge() bool { return r.huge }

// Commit makes the bytes [from, to) usable. Bytes that were not committed become zero, and the
// others stay unchanged. Both bounds must be multiples of [Size] and lie in the region, or Commit
// panics.
//
// Commit fails if the system grants no more memory, or no more separate ranges. Then some of the
// bytes may be usable and others not. On most systems the memory of a page is found on the first
// touch, which takes most of the time, and may end the program if the system has promised more
// memory than it has.
func (r *Region) Commit(from, to int) error {
	r.check("Commit", from, to)
	if from == to {
		return nil
	}
	c := r.committed.adding(from, to)
	if !r.charge(c) {
		return fmt.Errorf("pages: commit %d bytes: %w", to-from, errMappings)
	}
	if err := commit(r.mem[from:to]); err != nil {
		r.charge(change{})
		return fmt.Errorf("pages: commit %d bytes: %w", to-from, err)
	}
	r.committed = r.committed.apply(c)
	if decommitKeeps {
		r.given.commit(r.mem, from, to, Size())
	}
	return nil
}

// Decommit gives the memory of the bytes [from, to) back to the system. They must not be touched
// until they are committed again, and are zero after that. Some of the bytes may already be
// uncommitted. Both bounds must be multiples of [Size] and lie in the region, or Decommit panics.
//
// Decommit fails if the system refuses, as Linux does for locked memory and for too many separate
// ranges. The contents of the bytes may then be lost, and they must be committed before they are
// touched. If the ranges are too many, their memory is given back nevertheless.
//
// On darwin the system takes the memory when it needs it, and Commit clears the pages that were
// given back.
func (r *Region) Decommit(from, to int) error {
	r.check("Decommit", from, to)
	if from == to {
		return nil
	}
	if decommitKeeps {
		r.given.decommit(from, to, Size())
	}
	c := r.committed.removing(from, to)
	if !r.charge(c) {
		_ = forget(r.mem[from:to])
		return fmt.Errorf("pages: decommit %d bytes: %w", to-from, errMappings)
	}
	if err := decommit(r.mem[from:to]); err != nil {
		r.charge(change{})
		return fmt.Errorf("pages: decommit %d bytes: %w", to-from, err)
	}
	r.committed = r.committed.apply(c)
	return nil
}

// Release releases all addresses and their memory. No part of the region may be touched after that,
// and it has no bytes. A second call does nothing. If Release fails, the region is unchanged.
func (r *Region) Release() error {
	if r.whole == nil {
		return nil
	}
	if err := release(r.whole); err != nil {
		return fmt.Errorf("pages: release %d bytes: %w", len(r.mem), err)
	}
	charge(-r.charged)
	*r = Region{}
	return nil
}

// check panics unless [from, to) is a range of whole pages of the region.
func (r *Region) check(call string, from, to int) {
	if from < 0 || to < from || to > len(r.mem) || (from|to)&(Size()-1) != 0 {
		panic(fmt.Sprintf("pages: %s(%d, %d): want multiples of %d in order, from 0 to %d",
			call, from, to, Size(), len(r.mem)))
	}
}

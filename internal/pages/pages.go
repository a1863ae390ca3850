// Package pages reserves address space first and gives it memory where it is
// used.
//
// A [Region] is a run of addresses that never moves. Reserving it costs no
// memory, so it may be far larger than what is ever used. [Region.Commit] makes
// a part of it usable, [Region.Decommit] gives the memory of a part back, and
// the addresses stay.
//
// The garbage collector does not look into a region: it must hold no pointers
// to memory of Go. It does not free a region either: [Region.Release] does.
// Touching a part that is not committed, or that is released, is a fault that
// ends the program.
//
// The methods of a Region take no lock: no two calls of Commit, Decommit and
// Release may run at once, and none of the others while Release runs. The
// committed bytes may be used all the while.
package pages

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
)

// HugeSize is the size of a huge page, and what a region of huge pages is
// aligned to.
const HugeSize = 2 << 20

var (
	errSize  = errors.New("the size must be above zero")
	errLarge = errors.New("more than there are addresses")
)

// Size returns the size of a page of the system. It is a power of two.
func Size() int { return os.Getpagesize() }

// Region is a run of reserved addresses. Get one from [Reserve]. The zero
// Region has no bytes.
type Region struct {
	whole []byte // what the system gave: mem, what aligns it, and the guard page
	mem   []byte
	huge  bool
	given given // kept only where decommitKeeps

	committed spans // as far as the system did what it was asked
	charged   int   // of the mappings of all regions
}

// Reserve reserves n bytes, rounded up to whole pages, or to a multiple of
// [HugeSize] if huge is set. They are aligned likewise. None of them may be
// touched before [Region.Commit]. Behind them lies a page that faults always.
//
// If huge is set, the system is asked for huge pages. Its refusal is no error:
// see [Region.Huge].
//
// Reserve fails if n is not above zero, if the system has no run of addresses
// of this length, or a limit on them is reached. Where [Supported] is false it
// always fails, with an error that wraps [errors.ErrUnsupported]. It costs a
// few system calls, whatever n is, and no memory.
//
// On Linux it also fails before regions take what the rest of the process needs:
// at half of the mappings that the system grants a process, and where less than
// an eighth of a limit on addresses would be left in one run.
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
	// The system aligns to a page at least. So one page behind is left over for
	// the guard, both when a page and when a whole huge page is added.
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
		_ = release(whole) // it fails only if whole is no mapping
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

// address returns where b begins.
func address(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }

// Bytes returns all bytes of the region, also those that are not committed and
// may not be touched. It returns nil after [Region.Release].
func (r *Region) Bytes() []byte { return r.mem }

// Len returns the number of bytes that [Region.Bytes] returns.
func (r *Region) Len() int { return len(r.mem) }

// Huge reports whether the system took the wish for huge pages. It may still
// use small ones where it has no huge one at hand, or where the committed part
// does not cover all of a huge page.
func (r *Region) Huge() bool { return r.huge }

// Commit makes the bytes [from, to) usable. Those that were not are zero, those
// that were stay as they are. Both bounds must be multiples of [Size] and lie
// in the region, or Commit panics.
//
// Commit fails if the system grants no more memory, or no more separate ranges.
// Then some of the bytes may be usable and others not. On most systems the memory of a page is
// found on the first touch of it, which costs most of the time, and can end the program
// where the system promised more than it has.
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

// Decommit gives the memory of the bytes [from, to) back to the system. They
// may not be touched until they are committed again, and then are zero. Bytes
// that are not committed may be among them. Both bounds must be multiples of
// [Size] and lie in the region, or Decommit panics.
//
// Decommit fails if the system refuses, as Linux does for locked memory and for
// too many separate ranges. Then the content of the bytes is lost or not, and
// they must be committed before they are touched. If the ranges are too many,
// their memory is given back all the same.
//
// On darwin the system takes the memory when it has need of it, and Commit
// clears the pages that were given back.
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

// Release gives all addresses and their memory back. Nothing of the region may
// be touched afterwards, and it has no bytes. A second call does nothing. If
// Release fails, the region is as it was.
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

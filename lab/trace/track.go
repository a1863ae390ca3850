package trace

import "fmt"

// Value identifies a value of a [Track], by its name and by how often that was issued. Values can
// be copied, compared and stored. A Value is stale after its removal. The zero Value names nothing.
type Value struct {
	t    *Track
	name uint32
	gen  uint32 // odd
}

// Name returns the name of the value in the stream.
//
// Cost: O(1); never allocates.
func (v Value) Name() uint32 { return v.name }

// Track records the operations on one container. [Pool] and [Wrap] call its methods for the
// containers of this module; call them by hand for any other container.
//
// Its methods never fail. Once the recording has ended, by an error or by Close, Insert returns the
// zero Value, Remove and Get return false, and Len stays the same. See [Recorder] for the errors
// that end it.
//
// The zero Track is not usable.
type Track struct {
	r      *Recorder
	gens   []uint32 // of each name: odd while it is issued; it wraps after 2^31 values
	vacant []uint32 // names that were given back, the last one last
	id     int
	last   uint32 // the last name written
	past   bool   // whether any name was given back
}

// Insert records the insert of a value.
//
// Cost: amortised O(1); allocates only if more values are live than ever before.
func (t *Track) Insert() Value {
	r := t.r
	if !r.take(1) {
		return Value{}
	}
	var x uint32
	if k := len(t.vacant); k > 0 {
		x = t.vacant[k-1]
		t.vacant = t.vacant[:k-1]
	} else {
		if r.names == r.most {
			r.stop(fmt.Errorf("trace: recorder: %w of %d live values", ErrLimit, r.most))
			return Value{}
		}
		r.names++
		x = uint32(len(t.gens))
		t.gens = append(t.gens, 0)
	}
	t.gens[x]++
	r.do(t, codeInsert, 0, 1)
	return Value{t, x, t.gens[x]}
}

// Remove records the removal of v, and reports whether v was live. For a stale v it records a Miss,
// since a removal starts with a lookup. For a zero v or one of another track it records nothing.
//
// Cost: amortised O(1); allocates only if more names are vacant than ever before.
func (t *Track) Remove(v Value) bool {
	if !t.Contains(v) {
		return t.Get(v)
	}
	if !t.r.take(1) {
		return false
	}
	t.gens[v.name]++
	t.vacant = append(t.vacant, v.name)
	t.past = true
	t.name(codeRemove, v.name)
	return true
}

// Get records a lookup of v, and reports whether v is live. It records a Get for a live v, a Miss
// for a stale v, and nothing for a zero v or one of another track, which have no name in the
// stream.
//
// Cost: amortised O(1); never allocates.
func (t *Track) Get(v Value) bool {
	if !t.owns(v) || !t.r.take(1) {
		return false
	}
	if t.gens[v.name] != v.gen {
		t.name(codeMiss, v.name)
		return false
	}
	t.name(codeGet, v.name)
	return true
}

// GetRandom records n Gets of live values, with repetition. The reader draws the values, so the
// stream's length does not depend on n. It records nothing if n is not positive or no value is
// live.
//
// Cost: O(1); never allocates.
func (t *Track) GetRandom(n int) { t.draw(codeDraw, n > 0 && t.Len() > 0, uint64(n)) }

// MissRandom records n Misses, as GetRandom does Gets, of removed values, whether their names have
// been issued again or not. It records nothing if n is not positive or no value has been removed.
//
// Cost: O(1); never allocates.
func (t *Track) MissRandom(n int) { t.draw(codeDrawMiss, n > 0 && t.past, uint64(n)) }

// draw records n ops whose values the reader draws, if can is true.
func (t *Track) draw(code uint8, can bool, n uint64) {
	if can && t.r.take(n) {
		t.r.sow()
		t.r.do(t, code, 0, n)
	}
}

// Pass records one loop over all live values.
//
// Cost: amortised O(1); never allocates.
func (t *Track) Pass() {
	if t.r.take(1) {
		t.r.do(t, codePass, 0, 1)
	}
}

// Contains reports whether v is live. It records nothing.
//
// Cost: O(1); never allocates.
func (t *Track) Contains(v Value) bool { return t.owns(v) && t.gens[v.name] == v.gen }

// Len returns the number of live values.
//
// Cost: O(1).
func (t *Track) Len() int { return len(t.gens) - len(t.vacant) }

// Recorder returns the Recorder of t.
//
// Cost: O(1).
func (t *Track) Recorder() *Recorder { return t.r }

// owns reports whether v is a value of t, live or stale.
func (t *Track) owns(v Value) bool { return v.t == t }

// name records an op with a name.
func (t *Track) name(code uint8, x uint32) {
	d := zigzag(int64(x) - int64(t.last))
	t.last = x
	t.r.do(t, code, d, 1)
}

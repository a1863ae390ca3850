package trace

import "fmt"

// Value is what a [Track] knows a value by: its name, and how often that was given out. It is a
// plain value to be copied, compared and kept. One whose value is gone is stale. The zero Value
// names nothing.
type Value struct {
	t    *Track
	name uint32
	gen  uint32 // odd
}

// Name returns the name that the value has in the stream.
// Cost: O(1); never allocates.
func (v Value) Name() uint32 { return v.name }

// Track records what is done with one container. [Wrap] calls its verbs for our containers; call
// them by hand for any other.
//
// Each call records something, or nothing: it never fails. Once the recording has ended, by an
// error or by Close, Insert returns the zero Value, Remove and Get return false, and Len stays as
// it is. [Recorder] says what ends it.
//
// The zero Track is not usable.
type Track struct {
	r      *Recorder
	gens   []uint32 // of each name: odd while it is given out; it wraps after 2^31 values
	vacant []uint32 // names that were given back, the last one last
	id     int
	last   uint32 // the last name that was written
	past   bool   // whether any name was given back
}

// Insert records that a value has come to life.
// Cost: amortised O(1); allocates only where more values live than ever before.
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
			r.stop(fmt.Errorf("trace: recorder: %w of %d living values", ErrLimit, r.most))
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

// Remove records that v has gone, and reports whether it lived. If it is stale, that is recorded as
// a Miss, since whoever removes must look; if it is zero or of another track, not at all.
// Cost: amortised O(1); allocates only where more names are vacant than ever before.
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

// Get records that v was looked up, and reports whether it lives: if so it is a Get, and if it is
// stale a Miss. If it is zero or of another track, nothing is recorded: there is no value whose
// name could stand in the stream.
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

// GetRandom records n Gets of values that live now, some of them perhaps several times: the reader
// chooses them, and the stream is no longer for n being larger. It records nothing if n is not
// positive, or nothing lives.
// Cost: O(1); never allocates.
func (t *Track) GetRandom(n int) { t.draw(codeDraw, n > 0 && t.Len() > 0, uint64(n)) }

// MissRandom records n Misses, as GetRandom does Gets: of values that are gone, whether their name
// is that of another one now or not. It records nothing if n is not positive, or nothing is gone.
// Cost: O(1); never allocates.
func (t *Track) MissRandom(n int) { t.draw(codeDrawMiss, n > 0 && t.past, uint64(n)) }

// draw records n ops whose values the reader chooses, if it can.
func (t *Track) draw(code uint8, can bool, n uint64) {
	if can && t.r.take(n) {
		t.r.sow()
		t.r.do(t, code, 0, n)
	}
}

// Pass records one loop over all living values.
// Cost: amortised O(1); never allocates.
func (t *Track) Pass() {
	if t.r.take(1) {
		t.r.do(t, codePass, 0, 1)
	}
}

// Contains reports whether v lives. It records nothing.
// Cost: O(1); never allocates.
func (t *Track) Contains(v Value) bool { return t.owns(v) && t.gens[v.name] == v.gen }

// Len returns the number of living values.
// Cost: O(1).
func (t *Track) Len() int { return len(t.gens) - len(t.vacant) }

// Recorder returns the Recorder that t is a track of.
// Cost: O(1).
func (t *Track) Recorder() *Recorder { return t.r }

// owns reports whether v is a value of t, living or stale.
func (t *Track) owns(v Value) bool { return v.t == t }

// name records an op of a name.
func (t *Track) name(code uint8, x uint32) {
	d := zigzag(int64(x) - int64(t.last))
	t.last = x
	t.r.do(t, code, d, 1)
}

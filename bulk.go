package berth

import "github.com/seed505807e1/berth/internal/slots"

// InsertAll inserts the values of vs, and returns how many: fewer than len(vs) if p is full or
// Config.Memory refuses a chunk. Unless hs is nil, it stores their handles in it, in that order. It
// panics if hs is shorter than vs. It has the effect of a [Pool.Insert] of one value after another,
// OnInsert included, but fills adjacent slots at once.
//
// Cost: O(len(vs)), about half of Insert for each value if the vacant slots are adjacent;
// allocates chunks as Insert does.
func InsertAll[T any](p *Pool[T], vs []T, hs []Handle[T]) (n int) {
	mustHold("InsertAll", len(vs), len(hs), hs == nil)
	c := coreOf(p)
	for n < len(vs) {
		k, i, m := c.OpenRun(len(vs) - n)
		if m == 0 {
			break
		}
		b := p.dir[k]
		copy(b.Vals[i:i+m], vs[n:])
		first := p.state.Salt + uint32(k<<6+i)
		if hs != nil {
			to := hs[n : n+m]
			for j, g := range b.Gens[i : i+m] {
				to[j] = Handle[T]{id: slots.ID{Index: first + uint32(j), Gen: g}}
			}
		}
		n += m
		if p.state.Hooked { // m is 1
			c.Inserted(slots.ID{Index: first, Gen: b.Gens[i]}, slots.Ref(&b.Vals[i]))
		}
	}
	return n
}

// NewN makes n zero values live and returns how many: fewer than n if p is full or Config.Memory
// refuses a chunk. It calls f, unless f is nil, for each run of adjacent new values, with the
// handle of the first one, so that f fills them in place. p.At(p.IndexOf(first)+i) returns the
// handle of element i. NewN has the effect of one [Pool.New] after another. So OnInsert gets the
// zero T; the runs of a Pool with hooks have one value, and f does not get what OnInsert has
// removed. f may use p in any way. NewN panics if n is negative, or if so many values would take
// more than 2^32 slots or 1 TiB.
//
// Cost: f, and a few instructions for a run; allocates chunks as New does.
func NewN[T any](p *Pool[T], n int, f func(first Handle[T], span []T)) (made int) {
	c := coreOf(p)
	c.CheckMany("NewN", n, c.Kind.Block/slots.BlockSlots)
	for made < n {
		k, i, m := c.OpenRun(n - made)
		if m == 0 {
			break
		}
		made += m
		b := p.dir[k]
		h := slots.ID{Index: p.state.Salt + uint32(k<<6+i), Gen: b.Gens[i]}
		if p.state.Hooked {
			if c.Inserted(h, slots.Ref(&b.Vals[i])); c.Ptr(h) == nil {
				continue
			}
		}
		if f != nil {
			f(Handle[T]{id: h}, b.Vals[i:i+m:i+m])
		}
	}
	return made
}

// DenseInsertAll is [InsertAll] for a Dense. If d has no holes, the values lie behind the others in
// [Dense.Slice]. vs must not be a part of it.
//
// Cost: a copy of vs, about half of [Dense.Insert] for each value; allocates when it grows,
// once.
//
// Ends: pointers to values, if it grows.
//
//berth:ends all of d
func DenseInsertAll[T any](d *Dense[T], vs []T, hs []Handle[T]) (n int) {
	mustHold("DenseInsertAll", len(vs), len(hs), hs == nil)
	c := denseOf(d)
	for n < len(vs) {
		i, m := c.OpenRun(len(vs) - n)
		if m == 0 {
			break
		}
		copy(d.vals[i:i+m], vs[n:])
		if hs != nil {
			to := hs[n : n+m]
			for j, h := range d.state.Owner[i : i+m] {
				to[j] = Handle[T]{id: h}
			}
		}
		n += m
		if d.state.Index.Hooked { // m is 1
			c.Inserted(d.state.Owner[i], slots.Ref(&d.vals[i]))
		}
	}
	return n
}

// DenseNewN is [NewN] for a Dense. If d has no holes and no hooks, f is called once, with the end
// of [Dense.Slice].
//
// Cost: f, and about half of [Dense.New] for each value; allocates when it grows, once.
//
// Ends: pointers to values, if it grows.
//
//berth:ends all of d
func DenseNewN[T any](d *Dense[T], n int, f func(first Handle[T], span []T)) (made int) {
	c := denseOf(d)
	c.Index.Core().CheckMany("DenseNewN", n, c.Kind.Size+8)
	for made < n {
		i, m := c.OpenRun(n - made)
		if m == 0 {
			break
		}
		made += m
		h := d.state.Owner[i]
		if d.state.Index.Hooked {
			c.Inserted(h, slots.Ref(&d.vals[i]))
			if i = c.PlaceOf(h); i < 0 {
				continue
			}
		}
		if f != nil {
			f(Handle[T]{id: h}, d.vals[i:i+m:i+m])
		}
	}
	return made
}

// mustHold panics if hs is neither nil nor long enough for the values.
func mustHold(fn string, values, handles int, none bool) {
	if !none && handles < values {
		slots.PanicGot(fn, "hs must be nil or as long as vs", handles)
	}
}

package near

import (
	"reflect"
	"strings"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/slots"
)

// Values of a Pool or a Dense are gathered without naming these types for T: the compiler would
// copy all methods of both for each T that a grid has.

// gatherer puts the positions of adjacent values, without their handles.
type gatherer interface {
	block(b *slots.Head, i, n int)         // n values of a Pool's block, from slot i on
	places(d *slots.Dense, first, end int) // values of a Dense
}

// coreOf returns the core of view, a *slots.Core or a *slots.Dense, if that is a *berth.Pool or a
// *berth.Dense, or else nil. It knows them by their names: methods would cost each type of values
// of a Pool, also without a grid.
func coreOf(view any) any {
	t := reflect.TypeOf(view)
	if t.Kind() != reflect.Pointer {
		return nil
	}
	path, _ := strings.CutSuffix(reflect.TypeFor[slots.Core]().PkgPath(), "/internal/slots")
	if t = t.Elem(); t.PkgPath() != path {
		return nil
	}
	switch name, _, _ := strings.Cut(t.Name(), "["); name {
	case "Pool":
		return (*slots.Core)(reflect.ValueOf(view).UnsafePointer())
	case "Dense":
		return (*slots.Dense)(reflect.ValueOf(view).UnsafePointer())
	}
	return nil
}

// gatherPool puts the values of p, without their handles: loops without calls are fast.
func gatherPool(p *slots.Core, g gatherer) {
	end := len(p.Dir)
	for k := p.Live.First(); k >= 0 && k < end; k = p.Live.Next(k + 1) {
		b := p.Dir[k]
		for w := b.Occ; w != 0; w &= b.Occ {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			if g.block(b, i, n); p.Left(k, b) {
				break
			}
		}
	}
}

// dealPool is deal for the items of p, which are blank. If regard has found their buckets, each
// gets its handle on the way to its place. Otherwise deal follows. It reports whether p still has
// as many values.
func (c *cells) dealPool(p *slots.Core, found bool) bool {
	items := c.items
	c.room = room(c.room, len(items))[:len(items)]
	for k := p.Live.First(); k >= 0; k = p.Live.Next(k + 1) {
		b, first := p.Dir[k], p.Salt+uint32(k<<6)
		for w := b.Occ; w != 0; {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			if n > len(items) {
				return false
			}
			few, gens, index := items[:n], b.Gens[i:i+n], first+uint32(i)
			items = items[n:]
			if found {
				c.dealRun(few, gens, index)
				continue
			}
			for j, gen := range gens {
				few[j].h = uint64(gen)<<32 | uint64(index+uint32(j))
			}
		}
	}
	if len(items) > 0 {
		return false
	}
	if found {
		c.swap()
	} else {
		c.deal()
	}
	return true
}

// dealRun deals items with known buckets, whose handles have these generations and count up from
// index. It is not inlined, so that its variables are in registers.
//
//go:noinline
func (c *cells) dealRun(items []item, gens []uint32, index uint32) {
	start, to, gens := c.start[1:], c.room, gens[:len(items)]
	for i := range items {
		it := &items[i]
		j := start[it.h]
		start[it.h] = j + 1
		to[j] = item{uint64(gens[i])<<32 | uint64(index+uint32(i)), it.x, it.y}
	}
}

// gatherDense puts the values of d, and then their handles. It reports whether d still has as many.
func (c *cells) gatherDense(d *slots.Dense, g gatherer) bool {
	var r slots.Runs
	for d.NextRun(&r) {
		g.places(d, r.First, r.Last)
	}
	items, n := c.items, 0
	for _, h := range d.Owner {
		if h.Gen&1 != 0 {
			if n < len(items) {
				items[n].h = uint64(h.Gen)<<32 | uint64(h.Index)
			}
			n++
		}
	}
	return n == len(items)
}

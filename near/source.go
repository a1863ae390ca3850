package near

import (
	"math/bits"
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

// gatherPool puts the values of p, and returns how many there are when all have their positions.
// Their handles follow: loops without calls are fast.
func (c *cells) gatherPool(p *slots.Core, g gatherer) (n int) {
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
	items := c.items
	for k := p.Live.First(); k >= 0; k = p.Live.Next(k + 1) {
		b, first := p.Dir[k], p.Salt+uint32(k<<6)
		for w := b.Occ; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			if n < len(items) {
				items[n].h = uint64(b.Gens[i])<<32 | uint64(first+uint32(i))
			}
			n++
		}
	}
	return n
}

// gatherDense is gatherPool for a Dense.
func (c *cells) gatherDense(d *slots.Dense, g gatherer) (n int) {
	var r slots.Runs
	for d.NextRun(&r) {
		g.places(d, r.First, r.Last)
	}
	items := c.items
	for _, h := range d.Owner {
		if h.Gen&1 != 0 {
			if n < len(items) {
				items[n].h = uint64(h.Gen)<<32 | uint64(h.Index)
			}
			n++
		}
	}
	return n
}

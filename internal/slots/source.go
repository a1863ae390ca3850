package slots

import (
	"reflect"
	"strings"

	"github.com/seed505807e1/berth/internal/bitset"
)

// Source is a container whose values can be gathered by code that does not know their type.
type Source interface {
	// Gather passes all values to g, and then their handles, in the same order.
	Gather(g Gatherer)
}

// Gatherer gets the values of a Source.
type Gatherer interface {
	// Run gets n adjacent values.
	Run(first Ref, n int)
	// Slots gets the handles of the live slots of b, whose first slot has the given index.
	Slots(index uint32, b *Head)
	// Owners gets handles, and those of holes, whose generations are even.
	Owners(hs []ID)
}

// SourceOf returns the source that view is, if it is a *berth.Pool or a *berth.Dense, or else nil.
// It knows them by their names: methods would cost each type of values, and functions that package
// berth sets, each program.
func SourceOf(view any) Source {
	t := reflect.TypeOf(view)
	if t.Kind() != reflect.Pointer {
		return nil
	}
	if t = t.Elem(); t.PkgPath()+"/internal/slots" != reflect.TypeFor[Core]().PkgPath() {
		return nil
	}
	switch name, _, _ := strings.Cut(t.Name(), "["); name {
	case "Pool":
		return (*Core)(reflect.ValueOf(view).UnsafePointer())
	case "Dense":
		return (*Dense)(reflect.ValueOf(view).UnsafePointer())
	}
	return nil
}

// Gather implements [Source].
func (p *Core) Gather(g Gatherer) {
	end := len(p.Dir)
	for k := p.Live.First(); k >= 0 && k < end; k = p.Live.Next(k + 1) {
		b := p.Dir[k]
		for w := b.Occ; w != 0; w &= b.Occ {
			i, n := bitset.Run(w)
			w &= bitset.Beyond(i + n)
			if g.Run(p.Kind.val(b, i), n); p.Left(k, b) {
				break
			}
		}
	}
	for k := p.Live.First(); k >= 0; k = p.Live.Next(k + 1) {
		b := p.Dir[k]
		g.Slots(p.Salt+uint32(k<<6), b)
	}
}

// Gather implements [Source].
func (d *Dense) Gather(g Gatherer) {
	var r Runs
	for d.NextRun(&r) {
		g.Run(d.Kind.at(d.Vals.First, r.First), r.Last-r.First)
	}
	g.Owners(d.Owner)
}

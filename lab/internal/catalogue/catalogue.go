// Package catalogue lists every family. A new family is a line of All.
package catalogue

import (
	"github.com/seed505807e1/berth/lab/internal/arenas"
	"github.com/seed505807e1/berth/lab/internal/broadphase"
	"github.com/seed505807e1/berth/lab/internal/caches"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/columns"
	"github.com/seed505807e1/berth/lab/internal/crowds"
	"github.com/seed505807e1/berth/lab/internal/freelists"
	"github.com/seed505807e1/berth/lab/internal/lists"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/saves"
)

// All lists everything that can be measured, in display order.
var All = measure.Catalogue{
	impls.Family, impls.Growth, lists.Family, freelists.Family, broadphase.Family,
	columns.Family, caches.Family, saves.Family, crowds.Family,
	arenas.Bumps, arenas.PageFamily, arenas.Deques, arenas.Vecs, arenas.Maps, arenas.Backings,
}

// Pictured is the picture of lab picture: a workload with steps, and the implementations that the
// README shows.
var Pictured = struct {
	Work  measure.Work
	Impls string
}{
	Work:  measure.Work{Workload: collections.Ephemeral, Family: impls.Family},
	Impls: "berth.Pool,berth.Dense,[]T,[]*T,map[uint64]*T,genpool,ark",
}

//go:build cgo

package crowds

import (
	"runtime/cgo"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// cgoImpls has cgo.Handle, which needs cgo.
var cgoImpls = []measure.Impl{{
	Name: "cgo.Handle",
	About: "runtime/cgo's Handle of a pointer, as programs pass it to C: a sync.Map from a " +
		"counter, one for the process",
	Stale: "panics",
	Kit:   Kit{Table: func() Table { return cgoHandles{} }},
}}

type cgoHandles struct{}

func (cgoHandles) Insert(v words) uint64 { return uint64(cgo.NewHandle(&v)) }

func (cgoHandles) Get(key uint64) words { return *cgo.Handle(key).Value().(*words) }

func (cgoHandles) Has(key uint64) (ok bool) {
	defer func() { ok = recover() == nil }()
	cgo.Handle(key).Value()
	return true
}

func (cgoHandles) Remove(key uint64) bool {
	cgo.Handle(key).Delete()
	return true
}

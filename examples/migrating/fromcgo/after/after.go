//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

// Package after gives Go values to C as handles of a Pool.
package after

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

var values concurrent.Pool[any]

// New returns a handle of v.
func New(v any) uintptr { return uintptr(values.Insert(v).Uint64()) }

// Value returns the value of h. It reports false after Delete, also when C calls late.
func Value(h uintptr) (any, bool) {
	return values.Get(berth.HandleFromUint64[any](uint64(h)))
}

// Delete ends h, and reports whether it was there.
func Delete(h uintptr) bool { return values.Delete(berth.HandleFromUint64[any](uint64(h))) }

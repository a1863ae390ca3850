//go:build cgo

// Package before gives Go values to C as handles of runtime/cgo.
package before

import "runtime/cgo"

// New returns a handle of v.
func New(v any) uintptr { return uintptr(cgo.NewHandle(v)) }

// Value returns the value of h.
func Value(h uintptr) any { return cgo.Handle(h).Value() }

// Delete ends h.
func Delete(h uintptr) { cgo.Handle(h).Delete() }

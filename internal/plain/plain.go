// Package plain finds pointers in types, since values with pointers cannot lie in memory that the
// collector does not scan.
package plain

import (
	"reflect"
	"sync"
)

// TypeFor is [reflect.TypeFor] without the zero T that the latter makes before Go 1.25, on the heap
// if it is large.
func TypeFor[T any]() reflect.Type { return reflect.TypeOf((*T)(nil)).Elem() }

// known caches the results of Pointer by type.
var known sync.Map

// Pointer returns the path to the first pointer in values of type t, as in "Enemy.Name: string",
// or "" if they hold none. Strings, slices, maps, channels, funcs and interfaces are pointers; so
// is unsafe.Pointer; uintptr is a number. An array of length 0 holds nothing.
//
// Cost: a walk through the type the first time, and then a lookup.
func Pointer(t reflect.Type) string {
	if path, ok := known.Load(t); ok {
		return path.(string)
	}
	path := find(t)
	switch {
	case path == "":
	case path[0] == ':':
		path = t.String()
	default:
		path = name(t) + path
	}
	known.Store(t, path)
	return path
}

// name returns t's name without its package, or t's literal if it has no name.
func name(t reflect.Type) string {
	if t.Name() != "" {
		return t.Name()
	}
	return t.String()
}

// find returns the path to the first pointer in values of t: fields and indices, then a colon and
// the type of the pointer.
func find(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return ""
		}
		if path := find(t.Elem()); path != "" {
			return "[0]" + path
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if path := find(f.Type); path != "" {
				return "." + f.Name + path
			}
		}
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer,
		reflect.Slice, reflect.String, reflect.UnsafePointer:
		return ": " + t.String()
	default: // numbers
	}
	return ""
}

// bytewise caches the results of Bytewise by type.
var bytewise sync.Map

// Bytewise reports whether two values of type t are equal exactly if their bytes are. Then t has no
// floats, which have two zeros, and no padding or blank fields, which == ignores.
//
// Cost: that of Pointer.
func Bytewise(t reflect.Type) bool {
	if t.Kind() <= reflect.Uintptr {
		return true // a bool or an integer
	}
	is, ok := bytewise.Load(t)
	if !ok {
		is = whole(t)
		bytewise.Store(t, is)
	}
	return is.(bool)
}

// whole is Bytewise without the cache.
func whole(t reflect.Type) bool {
	switch {
	case t.Kind() <= reflect.Uintptr, t.Size() == 0:
		return true
	case t.Kind() == reflect.Array:
		return whole(t.Elem())
	case t.Kind() != reflect.Struct:
		return false
	}
	size := uintptr(0)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		if !whole(f.Type) {
			return false
		}
		size += f.Type.Size()
	}
	return size == t.Size()
}

// SizeOf returns the size of what p, a pointer of any type, points to. Generic code calls it in
// place of TypeFor: for a method that mentions a reflect.Type, the compiler makes all methods of
// that.
//
//go:noinline
func SizeOf(p any) uintptr { return reflect.TypeOf(p).Elem().Size() }

// NameOf returns the name of the type that p, a pointer of any type, points to, as fmt prints it.
//
//go:noinline
func NameOf(p any) string { return reflect.TypeOf(p).Elem().String() }

package main

import (
	"go/types"
)

// isInvalid reports whether some part of t is not known. seen has the types that were looked at.
func isInvalid(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	in := func(t types.Type) bool { return isInvalid(t, seen) }
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Alias:
		return in(types.Unalias(t))
	case *types.Array:
		return t.Len() < 0 || in(t.Elem())
	case *types.Map:
		return in(t.Key()) || in(t.Elem())
	case *types.Signature:
		return in(t.Params()) || in(t.Results())
	case interface{ Elem() types.Type }: // a pointer, a slice or a channel
		return in(t.Elem())
	}
	for _, part := range partsOf(t) {
		if in(part) {
			return true
		}
	}
	return false
}

// partsOf returns the types of the fields, parameters or type arguments of t.
func partsOf(t types.Type) (parts []types.Type) {
	switch t := t.(type) {
	case *types.Tuple:
		for v := range t.Variables() {
			parts = append(parts, v.Type())
		}
	case *types.Struct:
		for v := range t.Fields() {
			parts = append(parts, v.Type())
		}
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			parts = append(parts, arg)
		}
		parts = append(parts, t.Underlying())
	}
	return parts
}

// hasLock reports whether go vet reports copies of a t.
func hasLock(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Pointer:
		return false
	case *types.Array:
		return hasLock(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if hasLock(v.Type()) {
				return true
			}
		}
	}
	set := types.NewMethodSet(types.NewPointer(t))
	return set.Lookup(nil, "Lock") != nil && set.Lookup(nil, "Unlock") != nil
}

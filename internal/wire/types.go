package wire

import (
	"reflect"
	"sync"

	"github.com/seed505807e1/berth/internal/layout"
	"github.com/seed505807e1/berth/internal/plain"
)

// Type is the encoding of a type of values.
type Type struct {
	*layout.Layout
	Desc string // see layout.Describe
	Why  string // the reason why the type has no encoding, or ""
}

// types caches the Type of each type.
var types sync.Map

// TypeOf returns the encoding of t, which has one unless Why is set.
//
// Cost: a walk through the type the first time, which allocates.
func TypeOf(t reflect.Type) Type {
	got, ok := types.Load(t)
	if !ok {
		got, _ = types.LoadOrStore(t, study(t))
	}
	return got.(Type)
}

func study(t reflect.Type) Type {
	if path := plain.Pointer(t); path != "" {
		return Type{Why: "values with Go pointers have no encoding: " + path}
	}
	l := layout.Of(t)
	desc := layout.Describe(t)
	switch {
	case l.Encoded == 0 && l.Size > 0:
		return Type{Why: t.String() + " has nothing to save, and takes memory"}
	case l.Encoded > maxCoded || len(desc) > maxDesc:
		return Type{Why: t.String() + " is too large to be saved"}
	}
	return Type{Layout: l, Desc: desc}
}

package flow

import (
	"go/types"
	"strconv"
	"strings"
)

// A Place is a location that stores a value: a variable, or a part of one. The way leads from the
// variable to the part by fields (".f"), pointers ("*") and elements ("[k]"). The key of an element
// is a constant or the position of a variable.
type Place struct {
	Obj *types.Var
	Way string
}

// OK reports whether p is a place. The zero place is none.
func (p Place) OK() bool { return p.Obj != nil }

// Pointee returns the place that the pointer at p points to.
func (p Place) Pointee() Place { return Place{p.Obj, p.Way + "*"} }

// Id returns a string that identifies p.
func (p Place) Id() string { return strconv.Itoa(int(p.Obj.Pos())) + p.Way }

// String returns p as source text, approximately.
func (p Place) String() string {
	way := strings.ReplaceAll(p.Way, "*", "")
	if i := strings.IndexByte(way, '['); i >= 0 {
		way = way[:i] + "[…]"
	}
	return p.Obj.Name() + way
}

// Under reports whether p is q or a part of q.
func (p Place) Under(q Place) bool {
	if p.Obj != q.Obj || !strings.HasPrefix(p.Way, q.Way) {
		return false
	}
	return len(p.Way) == len(q.Way) || strings.IndexByte(".*[", p.Way[len(q.Way)]) >= 0
}

// Beyond returns the number of pointers and elements on the way from q to p, or -1 if p is not part
// of q.
func (p Place) Beyond(q Place) int {
	if !p.Under(q) {
		return -1
	}
	way := p.Way[len(q.Way):]
	return strings.Count(way, "*") + strings.Count(way, "[")
}

// indexes reports whether the way to p has an element with variable v as its key.
func (p Place) indexes(v *types.Var) bool {
	return strings.Contains(p.Way, "["+KeyOf(v)+"]")
}

// KeyOf returns the key of an element that is indexed by v.
func KeyOf(v *types.Var) string { return "@" + strconv.Itoa(int(v.Pos())) }

// Last returns the name of the last field on the way to p, or of its variable. It identifies p
// across functions.
func (p Place) Last() string {
	end := len(p.Way)
	for end > 0 && p.Way[end-1] == '*' {
		end--
	}
	for i := end - 1; i >= 0; i-- {
		if p.Way[i] == '.' {
			return p.Way[i:end]
		}
	}
	return p.Id()[:len(p.Id())-len(p.Way)]
}

// A Callee is the function of a call. If it is a method value, recv is its receiver.
type Callee struct {
	Fn   *types.Func
	Recv Place
}

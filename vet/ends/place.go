package ends

import (
	"go/types"
	"strconv"
	"strings"
)

// A place is a location that stores a value: a variable, or a part of one. The way leads from the
// variable to the part by fields (".f"), pointers ("*") and elements ("[k]"). The key of an element
// is a constant or the position of a variable.
type place struct {
	obj *types.Var
	way string
}

// ok reports whether p is a place. The zero place is none.
func (p place) ok() bool { return p.obj != nil }

// pointee returns the place that the pointer at p points to.
func (p place) pointee() place { return place{p.obj, p.way + "*"} }

// id returns a string that identifies p.
func (p place) id() string { return strconv.Itoa(int(p.obj.Pos())) + p.way }

// String returns p as source text, approximately.
func (p place) String() string {
	way := strings.ReplaceAll(p.way, "*", "")
	if i := strings.IndexByte(way, '['); i >= 0 {
		way = way[:i] + "[…]"
	}
	return p.obj.Name() + way
}

// under reports whether p is q or a part of q.
func (p place) under(q place) bool {
	if p.obj != q.obj || !strings.HasPrefix(p.way, q.way) {
		return false
	}
	return len(p.way) == len(q.way) || strings.IndexByte(".*[", p.way[len(q.way)]) >= 0
}

// beyond returns the number of pointers and elements on the way from q to p, or -1 if p is not part
// of q.
func (p place) beyond(q place) int {
	if !p.under(q) {
		return -1
	}
	way := p.way[len(q.way):]
	return strings.Count(way, "*") + strings.Count(way, "[")
}

// indexes reports whether the way to p has an element with variable v as its key.
func (p place) indexes(v *types.Var) bool {
	return strings.Contains(p.way, "["+keyOf(v)+"]")
}

// keyOf returns the key of an element that is indexed by v.
func keyOf(v *types.Var) string { return "@" + strconv.Itoa(int(v.Pos())) }

// last returns the name of the last field on the way to p, or of its variable. It identifies p
// across functions.
func (p place) last() string {
	end := len(p.way)
	for end > 0 && p.way[end-1] == '*' {
		end--
	}
	for i := end - 1; i >= 0; i-- {
		if p.way[i] == '.' {
			return p.way[i:end]
		}
	}
	return p.id()[:len(p.id())-len(p.way)]
}

// A callee is the function of a call. If it is a method value, recv is its receiver.
type callee struct {
	fn   *types.Func
	recv place
}

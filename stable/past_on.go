//go:build berth_poison

package stable

import "github.com/seed505807e1/berth/internal/poison"

// past finds writes through pointers that were kept too long. All memory of a list that holds no
// value is poisoned, and past records whose value was there.
type past[T any, I Index, D Identifier[D]] struct {
	owner []D // by slot: the identifier of the last value removed from it

	left      []T // the memory that the list has left, poisoned, until the next change
	leftOwner []D // by slot: the identifier of the last value there
}

// vacate empties slot i, which holds the value of id.
func (p *past[T, I, D]) vacate(i int, id D, v *T) {
	poison.Fill(v)
	p.owner[i] = id
}

// vacateAll empties all slots.
func (p *past[T, I, D]) vacateAll(ids []D, vals []T) {
	var zero D
	for i, id := range ids {
		if id != zero {
			p.vacate(i, id, &vals[i])
		}
	}
}

// change checks and drops the memory that the list has left. It is called before each change.
func (p *past[T, I, D]) change() {
	left := p.left
	p.left = nil
	if i := poison.Written(left); i >= 0 {
		panic(staleWrite(Key[T, I, D]{index: I(i), id: p.leftOwner[i]}))
	}
}

// check panics if an element of vals that holds no value was written to. Elements behind the end of
// ids hold none.
func (p *past[T, I, D]) check(ids []D, vals []T) {
	var zero D
	for i := 0; i < len(vals); i++ {
		from := i
		for i < len(vals) && (i >= len(ids) || ids[i] == zero) {
			i++
		}
		if k := poison.Written(vals[from:i]); k >= 0 {
			panic(p.written(from+k, &vals[from+k]))
		}
	}
}

// written returns the text of the panic if slot i, which holds no value, was written to, and else
// "". It poisons the slot again.
func (p *past[T, I, D]) written(i int, v *T) string {
	if poison.Intact(v) {
		return ""
	}
	poison.Fill(v)
	return staleWrite(Key[T, I, D]{index: I(i), id: p.owner[i]})
}

// moved poisons and keeps the memory of vals, which the list has left. begin must follow.
func (p *past[T, I, D]) moved(ids []D, vals []T) {
	p.left, p.leftOwner = vals[:cap(vals)], p.owner
	p.vacateAll(ids, vals)
}

// begin poisons the part of vals that holds no value. The list has just moved there.
func (p *past[T, I, D]) begin(ids []D, vals []T) {
	var zero D
	p.owner = make([]D, cap(vals))
	all := vals[:cap(vals)]
	for i := range all {
		if i >= len(ids) || ids[i] == zero {
			poison.Fill(&all[i])
		}
	}
}

// staleWrite returns the text of the panic about the value whose key was k.
func staleWrite[T any, I Index, D Identifier[D]](k Key[T, I, D]) string {
	return "stable: write through a stale pointer to the value of " + k.String()
}

package stable

import "github.com/seed505807e1/berth/internal/poison"

// past finds writes through pointers that were kept too long, under the build tag berth_poison. All
// memory of a list that holds no value is poisoned, and past records whose value was there. The
// functions below are called only if poison.On.
type past[D any] struct {
	owner []D // by slot: the identifier of the last value removed from it

	left      array // the memory that the list has left, poisoned, until the next change
	leftOwner []D   // by slot: the identifier of the last value there
}

// pastChange checks and drops the memory that l has left. It is called before each change.
func pastChange[I Index, D Identifier[D]](l *core[I, D]) {
	if l.past == nil {
		return
	}
	left := l.past.left
	l.past.left = array{}
	for i := range left.cap {
		if !poison.IntactAt(l.kind.elem(), l.kind.at(left.first, i)) {
			panic(staleWrite(i, l.past.leftOwner[i]))
		}
	}
}

// pastVacate empties slot i, which holds a value.
func pastVacate[I Index, D Identifier[D]](l *core[I, D], i int) {
	pastFill(&l.kind, l.vals.first, i)
	l.past.owner[i] = l.ids[i]
}

// pastVacateAll empties all slots.
func pastVacateAll[I Index, D Identifier[D]](l *core[I, D]) {
	for i := range l.ids {
		if !vacant(l.ids, i) {
			pastVacate(l, i)
		}
	}
}

// pastFill poisons slot i of the values at first.
func pastFill(k *kind, first ref, i int) {
	k.clear(first, i, i+1)
	poison.FillAt(k.elem(), k.at(first, i))
}

// pastCheck panics if memory of l that holds no value was written to.
func pastCheck[I Index, D Identifier[D]](l *core[I, D]) {
	for i := range l.vals.cap {
		if i >= len(l.ids) || vacant(l.ids, i) {
			if text := pastWritten(l, i); text != "" {
				panic(text)
			}
		}
	}
}

// pastWritten returns the text of the panic if slot i, which holds no value, was written to, and
// else "". It poisons the slot again.
func pastWritten[I Index, D Identifier[D]](l *core[I, D], i int) string {
	if poison.IntactAt(l.kind.elem(), l.kind.at(l.vals.first, i)) {
		return ""
	}
	pastFill(&l.kind, l.vals.first, i)
	return staleWrite(i, l.past.owner[i])
}

// pastMoved poisons and keeps the memory of was, which l has left, and that of the present values
// where there is none. ids are those of was.
func pastMoved[I Index, D Identifier[D]](l *core[I, D], ids []D, was array) {
	if l.past == nil {
		l.past = new(past[D])
	}
	p := l.past
	p.left, p.leftOwner = was, p.owner
	for i, id := range ids {
		if !vacant(ids, i) {
			pastFill(&l.kind, was.first, i)
			p.owner[i] = id
		}
	}
	p.owner = make([]D, l.vals.cap)
	for i := range l.vals.cap {
		if i >= len(l.ids) || vacant(l.ids, i) {
			pastFill(&l.kind, l.vals.first, i)
		}
	}
}

// staleWrite returns the text of the panic about the value that had slot i and the identifier id.
func staleWrite(i int, id any) string {
	return "stable: write through a stale pointer to the value of " +
		keyString(uint64(i), id, false)
}

package main

import (
	"bytes"
	"hash/maphash"

	"github.com/seed505807e1/berth/arena"
)

// nameID is the number of a name. Records have it because an arena cannot hold strings.
type nameID uint32

// span is the range of a name in the text, with a link to the previous name of the same hash.
type span struct {
	start, end uint32
	before     uint32 // its number plus 1, or 0
}

// names numbers the names in a text. The text is in the arena, and names are not copied.
type names struct {
	text  []byte
	spans *arena.Vec[span]
	last  *arena.Map[uint64, uint32] // by hash: the number of the last such name, plus 1
	hash  func([]byte) uint64
}

func newNames(a *arena.Arena) names {
	seed := maphash.MakeSeed() // clients cannot make names collide
	return names{
		spans: arena.NewVec[span](a),
		last:  arena.NewMap[uint64, uint32](a),
		hash:  func(b []byte) uint64 { return maphash.Bytes(seed, b) },
	}
}

// number returns the number of the name in a range of the text. A new name gets the next one.
func (n *names) number(start, end int) nameID {
	h := n.hash(n.text[start:end])
	first, _ := n.last.Get(h)
	for i := first; i != 0; i = n.spans.At(int(i - 1)).before {
		if bytes.Equal(n.name(nameID(i-1)), n.text[start:end]) {
			return nameID(i - 1)
		}
	}
	n.spans.Push(span{uint32(start), uint32(end), first}) // a chunked arena always has room
	n.last.Set(h, uint32(n.spans.Len()))
	return nameID(n.spans.Len() - 1)
}

// name returns a name as a part of the text.
func (n *names) name(i nameID) []byte {
	s := n.spans.Ptr(int(i))
	return n.text[s.start:s.end:s.end]
}

// clear empties n and makes it usable after the arena's Reset.
func (n *names) clear() {
	n.text = nil
	n.spans.Clear()
	n.last.Clear()
}

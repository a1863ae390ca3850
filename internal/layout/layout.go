// Package layout computes the places of the numbers in values of a type without pointers, and
// encodes and decodes such values: number after number in the order of the fields, little-endian,
// without the padding between them, which Go leaves undefined. It does not depend on any container.
package layout

import (
	"encoding/binary"
	"reflect"
)

// Layout describes how values of a type lie in memory, and how they are encoded. It is immutable.
//
// Invariants (tests):
//  1. the numbers of parts are those of all fields but blank ones, once each, in order
//  2. runs has the same bytes, with adjacent ones joined
//  3. flat is true if a value is one run
type Layout struct {
	Size        int    // of a value in memory
	Encoded     int    // of a value when encoded
	Fingerprint uint64 // see [Describe]

	parts []part // the numbers
	runs  []part // the same, by bytes
	bools []part // the bools, at their encoded places
	flat  bool
	big   bool // this machine is big-endian
}

// part is a piece of a value: n adjacent numbers of width bytes each, or, if it has a body, n times
// the body.
type part struct {
	off   int // from the beginning of the value or body that contains it
	n     int
	width int // from one of the n to the next
	enc   int // encoded bytes of one of them
	bool  bool
	body  []part // the parts of one of them; nil for a number
}

// native reports whether this machine is big-endian.
var native = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// Of returns the layout of t. It panics if values of t hold pointers.
//
// Cost: a walk through the type.
func Of(t reflect.Type) *Layout {
	l := &Layout{Size: int(t.Size()), Fingerprint: fingerprint(t), parts: partsOf(t), big: native}
	l.runs = runsOf(l.parts)
	for _, p := range l.parts {
		l.bools = appendBools(l.bools, p, l.Encoded)
		l.Encoded += p.n * p.enc
	}
	l.flat = l.Size == l.Encoded
	return l
}

// Flat reports whether an encoded value has every byte of the value, so that a value may be decoded
// into memory that was not zeroed.
func (l *Layout) Flat() bool { return l.flat }

// HasBools reports whether [Layout.Invalid] can find anything.
func (l *Layout) HasBools() bool { return len(l.bools) > 0 }

// Append appends the encoding of the values in mem to b. mem is the memory of adjacent values.
//
// Cost: O(bytes): one copy for all if there is no padding, else one for each run of a value.
func (l *Layout) Append(b, mem []byte) []byte {
	switch {
	case l.Size == 0 || l.Encoded == 0:
		return b
	case l.big:
		for ; len(mem) >= l.Size; mem = mem[l.Size:] {
			b = appendParts(b, mem, l.parts, true)
		}
	case l.flat:
		b = append(b, mem...)
	default:
		for ; len(mem) >= l.Size; mem = mem[l.Size:] {
			b = appendParts(b, mem, l.runs, false)
		}
	}
	return b
}

// Decode decodes data into mem, which is the memory of adjacent values, and returns the rest of
// data. It leaves padding unchanged. It panics if data is too short.
//
// Cost: as Append.
func (l *Layout) Decode(mem, data []byte) []byte {
	switch {
	case l.Size == 0 || l.Encoded == 0:
	case l.big:
		for ; len(mem) >= l.Size; mem = mem[l.Size:] {
			data = decodeParts(mem, data, l.parts, true)
		}
	case l.flat:
		copy(mem, data[:len(mem)])
		data = data[len(mem):]
	default:
		for ; len(mem) >= l.Size; mem = mem[l.Size:] {
			data = decodeParts(mem, data, l.runs, false)
		}
	}
	return data
}

// Invalid returns the index of the first byte in data that should be a bool but is neither 0 nor 1,
// or -1 if there is none. data must hold whole values.
//
// Cost: O(bools).
func (l *Layout) Invalid(data []byte) int {
	if len(l.bools) == 0 {
		return -1
	}
	if p := &l.bools[0]; p.body == nil && p.n == l.Encoded { // there is nothing but bools
		return notBool(data)
	}
	for at := 0; at < len(data); at += l.Encoded {
		if i := invalid(data[at:at+l.Encoded], l.bools); i >= 0 {
			return at + i
		}
	}
	return -1
}

func appendParts(b, mem []byte, parts []part, swap bool) []byte {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.body != nil:
			for k := range p.n {
				b = appendParts(b, mem[p.off+k*p.width:], p.body, swap)
			}
		case swap && p.width > 1:
			b = append(b, mem[p.off:p.off+p.n*p.width]...)
			reverse(b[len(b)-p.n*p.width:], p.width)
		default:
			b = append(b, mem[p.off:p.off+p.n*p.width]...)
		}
	}
	return b
}

func decodeParts(mem, data []byte, parts []part, swap bool) []byte {
	for i := range parts {
		p := &parts[i]
		if p.body != nil {
			for k := range p.n {
				data = decodeParts(mem[p.off+k*p.width:], data, p.body, swap)
			}
			continue
		}
		size := p.n * p.width
		to := mem[p.off : p.off+size]
		copy(to, data[:size])
		data = data[size:]
		if swap && p.width > 1 {
			reverse(to, p.width)
		}
	}
	return data
}

// reverse reverses the bytes of each number of width bytes in b.
func reverse(b []byte, width int) {
	for ; len(b) >= width; b = b[width:] {
		for i, k := 0, width-1; i < k; i, k = i+1, k-1 {
			b[i], b[k] = b[k], b[i]
		}
	}
}

func invalid(data []byte, bools []part) int {
	for i := range bools {
		p := &bools[i]
		if p.body == nil {
			if k := notBool(data[p.off : p.off+p.n]); k >= 0 {
				return p.off + k
			}
			continue
		}
		for k := range p.n {
			from := p.off + k*p.width
			if at := invalid(data[from:from+p.width], p.body); at >= 0 {
				return from + at
			}
		}
	}
	return -1
}

// notBool returns the index of the first byte in data that is neither 0 nor 1, or -1.
func notBool(data []byte) int {
	at := 0
	for len(data)-at >= 8 && binary.LittleEndian.Uint64(data[at:])&^0x0101010101010101 == 0 {
		at += 8
	}
	for ; at < len(data); at++ {
		if data[at] > 1 {
			return at
		}
	}
	return -1
}

// partsOf returns the numbers in values of t.
func partsOf(t reflect.Type) []part {
	size := int(t.Size())
	switch t.Kind() {
	case reflect.Bool:
		return []part{{n: 1, width: 1, enc: 1, bool: true}}
	case reflect.Complex64, reflect.Complex128:
		return []part{{n: 2, width: size / 2, enc: size / 2}}
	case reflect.Array:
		if t.Len() == 0 {
			return nil
		}
		return repeat(partsOf(t.Elem()), t.Len(), int(t.Elem().Size()))
	case reflect.Struct:
		var parts []part
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue
			}
			for _, p := range partsOf(f.Type) {
				p.off += int(f.Offset)
				parts = join(parts, p)
			}
		}
		return parts
	default:
		mustBeNumber(t)
		return []part{{n: 1, width: size, enc: size}}
	}
}

// mustBeNumber panics if t is not a type of numbers.
func mustBeNumber(t reflect.Type) {
	if k := t.Kind(); k < reflect.Int || k > reflect.Float64 {
		panic("layout: " + t.String() + " holds a pointer")
	}
}

// repeat returns body n times. size is the number of bytes of body in memory.
func repeat(body []part, n, size int) []part {
	switch {
	case len(body) == 0:
		return nil
	case len(body) == 1 && body[0].off == 0 && body[0].n*body[0].width == size:
		body[0].n *= n
		return body
	case n == 1:
		return body
	}
	enc := 0
	for _, p := range body {
		enc += p.n * p.enc
	}
	return []part{{n: n, width: size, enc: enc, body: body}}
}

// join appends p to parts, or extends the last part if p follows it immediately.
func join(parts []part, p part) []part {
	if n := len(parts) - 1; n >= 0 && p.body == nil {
		q := &parts[n]
		if q.body == nil && q.width == p.width && q.bool == p.bool && q.off+q.n*q.width == p.off {
			q.n += p.n
			return parts
		}
	}
	return append(parts, p)
}

// runsOf returns the bytes of parts, with adjacent ones joined.
func runsOf(parts []part) []part {
	var runs []part
	for _, p := range parts {
		if p.body == nil {
			runs = join(runs, part{off: p.off, n: p.n * p.width, width: 1, enc: 1})
			continue
		}
		for _, q := range repeat(runsOf(p.body), p.n, p.width) {
			q.off += p.off
			runs = join(runs, q)
		}
	}
	return runs
}

// appendBools appends the bools of p, which is encoded at byte at.
func appendBools(bools []part, p part, at int) []part {
	if p.bool {
		return append(bools, part{off: at, n: p.n, width: 1})
	}
	var body []part
	in := 0
	for _, q := range p.body {
		body = appendBools(body, q, in)
		in += q.n * q.enc
	}
	if len(body) > 0 {
		bools = append(bools, part{off: at, n: p.n, width: p.enc, body: body})
	}
	return bools
}

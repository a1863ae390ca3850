package arena

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/wire"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// form is a format in which a container may be encoded.
type form struct {
	name string
	// of returns a frame's contents in this form.
	of func(s subject, frame []byte) []byte
}

// forms are all formats that UnmarshalBinary reads.
var forms = []form{
	{"frame", func(_ subject, frame []byte) []byte { return slices.Clone(frame) }},
	{"version 1", func(s subject, frame []byte) []byte { return s.old(contentsOf(frame)) }},
}

// contentsAt returns where the contents begin in data: in a frame of one chunk, behind the
// description of the type.
func contentsAt(data []byte) int {
	if isOld(data) {
		if data[5] == byte(wire.ArenaDeque-wire.ArenaVec+1) {
			return oldHead + 8
		}
		return oldHead
	}
	return 16 + int(binary.LittleEndian.Uint32(data[12:]))
}

// contentsOf returns the contents of a frame with right lengths, or of version 1.
func contentsOf(data []byte) []byte {
	if isOld(data) {
		return data[contentsAt(data) : len(data)-oldSum]
	}
	var all []byte
	for rest := data[8:]; len(rest) > 0; {
		n := binary.LittleEndian.Uint32(rest)
		all = append(all, rest[4:4+n]...)
		rest = rest[n+8:]
	}
	return all[4+binary.LittleEndian.Uint32(all):]
}

// framed returns a frame of kind k with the given contents, in chunks of at most size bytes.
func framed(k wire.Kind, desc string, contents []byte, size int) []byte {
	var w wire.Writer
	w.Append(nil, k, desc)
	w.Bytes(contents)
	w.End()
	if size == wire.MaxChunk {
		return w.Frame()
	}
	return wiretest.Rechunk(w.Frame(), size)
}

// withContents returns data with other contents, and right checksums.
func withContents(data, contents []byte) []byte {
	if isOld(data) {
		b := append(slices.Clone(data[:contentsAt(data)]), contents...)
		return reseal(append(b, make([]byte, oldSum)...))
	}
	desc := data[16:contentsAt(data)]
	return framed(wire.Kind(data[5]), string(desc), contents, wire.MaxChunk)
}

// reseal returns data with right checksums.
func reseal(data []byte) []byte {
	if !isOld(data) {
		return wiretest.Reseal(data)
	}
	data = slices.Clone(data)
	if n := len(data) - oldSum; n >= 0 {
		sum := crc32.Checksum(data[:n], crc32.MakeTable(crc32.Castagnoli))
		binary.LittleEndian.PutUint32(data[n:], sum)
	}
	return data
}

// oldBytes returns version 1 of a container.
func oldBytes(k wire.Kind, t oldType, contents []byte) []byte {
	b := append([]byte(oldMagic), oldVersion, byte(k-wire.ArenaVec+1), 0, 0)
	b = binary.LittleEndian.AppendUint32(b, t.size)
	b = binary.LittleEndian.AppendUint32(b, t.value)
	b = binary.LittleEndian.AppendUint64(b, t.print)
	if k == wire.ArenaDeque {
		b = append(b, 3, 0, 0, 0, 0, 0, 0, 0)
	}
	b = append(b, contents...)
	return reseal(append(b, make([]byte, oldSum)...))
}

// encode sets the functions of s that encode contents, for containers of kind k.
func (s subject) encode(k wire.Kind, c *codec) subject {
	s.old = func(contents []byte) []byte { return oldBytes(k, c.old, contents) }
	s.frame = func(contents []byte, size int) []byte { return framed(k, c.Desc, contents, size) }
	return s
}

func mustCodec[T any]() *codec {
	c, err := codecOf[T]("test")
	if err != nil {
		panic(err)
	}
	return c
}

// marshal marshals c, and fails the test on an error.
func marshal(t testing.TB, c coder) []byte {
	t.Helper()
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fewestAllocs returns the fewest allocations of several calls of f. The race detector makes a
// sync.Pool forget some of what it is given, and so does a collection.
func fewestAllocs(f func()) float64 {
	fewest := testing.AllocsPerRun(1, f)
	for range 20 {
		fewest = min(fewest, testing.AllocsPerRun(1, f))
	}
	return fewest
}

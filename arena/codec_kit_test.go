package arena

import (
	"encoding/binary"
	"testing"

	"github.com/seed505807e1/berth/internal/wire"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// contentsAt returns where the contents begin in a frame of one chunk, behind the description of
// the type.
func contentsAt(data []byte) int { return 16 + int(binary.LittleEndian.Uint32(data[12:])) }

// contentsOf returns the contents of a frame with right lengths.
func contentsOf(data []byte) []byte {
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
	desc := data[16:contentsAt(data)]
	return framed(wire.Kind(data[5]), string(desc), contents, wire.MaxChunk)
}

// encode sets the function of s that encodes contents, for containers of kind k.
func (s subject) encode(k wire.Kind, c *wire.Type) subject {
	s.frame = func(contents []byte, size int) []byte { return framed(k, c.Desc, contents, size) }
	return s
}

func mustCodec[T any]() *wire.Type {
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
	for turn := 0; turn < 20 && fewest > 0; turn++ {
		fewest = min(fewest, testing.AllocsPerRun(1, f))
	}
	return fewest
}

package stable_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// golden is a list whose bytes are committed.
type golden struct {
	name  string
	build func() ([]byte, error)
	load  func(data []byte) ([]byte, error) // loads a list and saves it
}

func goldenOf[T any, I stable.Index, D stable.Identifier[D]](
	name string, c stable.Config, fill func(l *stable.ListOf[T, I, D]),
) golden {
	return golden{name, func() ([]byte, error) {
		c.Seed = 1
		l := stable.NewOf[T, I, D](c)
		fill(l)
		return l.MarshalBinary()
	}, func(data []byte) ([]byte, error) {
		l := stable.NewOf[T, I, D](stable.Config{})
		if err := l.UnmarshalBinary(data); err != nil {
			return nil, err
		}
		l.CheckInvariants()
		return l.MarshalBinary()
	}}
}

// holes inserts n values and removes those in some slots.
func holes[T any, I stable.Index, D stable.Identifier[D]](
	n int, value func(i int) T,
) func(l *stable.ListOf[T, I, D]) {
	return func(l *stable.ListOf[T, I, D]) {
		for i := range n {
			l.Insert(value(i))
		}
		for _, i := range []I{5, 2, 7, 9, 3} {
			l.Delete(stable.KeyAt(l, i))
		}
	}
}

func goldens() (gs []golden) {
	short := func(i int) uint16 { return uint16(256 + i) }
	for _, p := range placements {
		c := stable.Config{Placement: p}
		gs = append(gs,
			goldenOf("holes-"+p.String(), c, holes[padded, uint32, stable.Counter32](80, paddedOf)),
			goldenOf("empty-"+p.String(), c, holes[uint16, uint32, stable.Counter32](0, short)),
		)
	}
	quartered := stable.Config{Placement: stable.Quartered, Truncate: berth.TruncateNever, Min: 8}
	return append(gs,
		goldenOf("annotated-list", stable.Config{}, holes[uint16, uint32, stable.Counter32](6, short)),
		goldenOf("annotated-quartered", quartered, func(l *stable.ListOf[uint16, uint32, stable.Counter32]) {
			holes[uint16, uint32, stable.Counter32](10, short)(l)
			_ = l.InsertAt(stable.KeyForTest[uint16](uint32(13), stable.KeyAt(l, 0).ID()+20), 7)
		}),
		goldenOf("counter64", stable.Config{Capacity: 20}, holes[uint64, uint16, stable.Counter64](8, func(i int) uint64 { return uint64(i) })),
		goldenOf("bytes", quartered, holes[bool, uint64, wide](12, func(i int) bool { return i%3 == 0 })),
		goldenOf("own", stable.Config{}, holes[int8, uint16, stable.TextID](6, func(i int) int8 { return int8(-i) })),
		goldenOf("signed", stable.Config{}, holes[float32, uint16, stable.Signed8](6, func(i int) float32 { return float32(i) })),
		goldenOf("int", stable.Config{}, holes[float32, uint16, stable.WideInt](6, func(i int) float32 { return float32(i) })),
	)
}

// annotated has the bytes of some lists, with their parts apart: the header; the length of the chunk
// and of the description of the type; the description; the types of indices and identifiers; the
// last and the first identifier; Placement and Truncate; Min, Cap and the touched slots; the live
// slots, their identifiers and values; the chains; the checksum; and the last chunk.
var annotated = map[string]string{
	"annotated-list": `
		8e425448 01 03 0000
		49000000 02000000
		7532
		04 01 04000000
		03 bf79379e ba79379e
		00 00 0400000000000000 0800000000000000 0500000000000000
		1300000000000000 ba79379e bb79379e be79379e 0001 0101 0401
		6f781d4a
		00000000 131d1260`,
	"annotated-quartered": `
		8e425448 01 03 0000
		87000000 02000000
		7532
		04 01 04000000
		03 ce79379e ba79379e
		03 02 0800000000000000 1000000000000000 0e00000000000000
		5321000000000000
		ba79379e bb79379e be79379e c079379e c279379e ce79379e 0001 0101 0401 0601 0801 0700
		0200000000000000 03000000 02000000
		0200000000000000 07000000 05000000
		0100000000000000 09000000
		fadcb1d8
		00000000 68e149ad`,
}

// TestListGolden pins the format byte by byte. A change of the format needs a new version, and these
// bytes must remain readable.
func TestListGolden(t *testing.T) {
	read := map[string]bool{}
	for _, g := range goldens() {
		file := filepath.Join("testdata", "frame1", g.name+".hex")
		read[file] = true
		got, err := g.build()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: it is saved as\n%x, want\n%x", g.name, got, want)
		}
		if again, err := g.load(want); err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s: loaded, it is saved as\n%x: %v", g.name, again, err)
		}
		if parts := strings.Join(strings.Fields(annotated[g.name]), ""); parts != hex.EncodeToString(want) &&
			strings.HasPrefix(g.name, "annotated") {
			t.Errorf("%s: the annotated parts are\n%s, want\n%x", g.name, parts, want)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "frame1", "*"))
	for _, file := range files {
		if !read[file] {
			t.Errorf("%s is not read", file)
		}
	}
	if err != nil || len(files) == 0 {
		t.Errorf("%d files: %v", len(files), err)
	}
}

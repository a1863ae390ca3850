package arena

import (
	"bytes"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
)

// annotated has some encodings of the format, with their parts apart: the header; the length of the
// chunk, and of the description of the type; the description; the contents; the checksum; and the
// last chunk.
var annotated = map[string]string{
	"annotated-vec": `
		8e425448 01 10 0000
		56000000 1c000000
		7b583a69323b4f6e3a623b593a66343b5a3a5b325d5b325d66343b7d
		0200000000000000
		feff 01 0000c03f 0000803f 00000040 000080bf 0000003f
		0201 00 00000000 00000000 00000000 00000000 00000000
		ae2dcdbd
		00000000 a62cbcd4`,
	"annotated-deque": `
		8e425448 01 11 0000
		24000000 02000000
		7532
		0b00000000000000
		0500 0400 0300 0200 0100 0000 0001 0101 0201 0301 0401
		08258b45
		00000000 297d4242`,
	"annotated-pool": `
		8e425448 01 12 0000
		26000000 02000000
		7534
		0200000000000000 0100000000000000 0200000000000000
		00000000 41000000
		c7f83111
		00000000 8ce44dfc`,
	"annotated-handles32": `
		8e425448 01 13 0000
		57000000 1c000000
		7b583a69323b4f6e3a623b593a66343b5a3a5b325d5b325d66343b7d
		04350000 04000000 01000000 01000000
		03000b6a 0200086a 00000b6a 00000000
		feff 01 0000c03f 0000803f 00000040 000080bf 0000003f
		aa6ddd49
		00000000 6794ca63`,
	"annotated-handles64": `
		8e425448 01 14 0000
		67000000 1c000000
		7b583a69323b4f6e3a623b593a66343b5a3a5b325d5b325d66343b7d
		33f30435 04000000 01000000 01000000
		0300000069e6096a 0200000066e6096a 0000000069e6096a 0000000000000000
		feff 01 0000c03f 0000803f 00000040 000080bf 0000003f
		548ec9ee
		00000000 705b6ad6`,
	"annotated-map": `
		8e425448 01 15 0000
		3a000000 1c000000
		7b6b65793a7b413a75313b423a75343b7d3b76616c75653a69313b7d
		0300000000000000
		00 01000000 00
		02 00000100 fe
		03 00000001 fd
		aaafe1fc
		00000000 c2e7d374`,
}

// TestGolden pins the format byte by byte, for 64-bit and 32-bit ints, and compares the committed
// encodings. A change of the format needs a new version, and these bytes must remain readable.
func TestGolden(t *testing.T) {
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			want := goldenFile(t, "frame1", g.name)
			if got := marshal(t, g.build(NewChunked(1<<14))); !bytes.Equal(got, want) {
				t.Fatalf("it is marshalled to\n%x, want\n%x", got, want)
			}
			g.readsAs(t, want)
			if parts := annotated[g.name]; parts != "" {
				if got := strings.Join(strings.Fields(parts), ""); got != hex.EncodeToString(want) {
					t.Errorf("the annotated parts are %s", got)
				}
			} else if strings.HasPrefix(g.name, "annotated") {
				t.Error("it is not annotated")
			}
		})
	}
	allRead(t, "testdata/frame1")
}

// allRead fails unless each file in dir belongs to a golden container.
func allRead(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < len(goldens()) {
		t.Errorf("%d files, %v", len(files), err)
	}
	seen := map[string]bool{}
	for _, g := range goldens() {
		seen[g.name] = true
	}
	for _, f := range files { // but those of the other size of int
		name := strings.TrimSuffix(f.Name(), ".hex")
		if !seen[name] && !strings.HasSuffix(name, strconv.Itoa(96-strconv.IntSize)) {
			t.Errorf("%s is not read", f.Name())
		}
	}
}

// readsAs reads data into an empty container and into a full one, and compares them with the
// original.
func (g golden) readsAs(t *testing.T, data []byte) {
	t.Helper()
	a := NewChunked(1 << 14)
	full := g.other(a)
	for i := range 3 {
		g.of.play(full, counter(i))
	}
	for name, to := range map[string]coder{"empty": g.other(a), "full": full} {
		if err := to.UnmarshalBinary(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		from := g.build(NewChunked(1 << 14))
		for round := range 3 {
			g.of.sound(to)
			if got, want := g.contents(to), g.contents(from); got != want {
				t.Fatalf("%s, round %d: it holds\n%s, want\n%s", name, round, got, want)
			}
			g.of.play(to, counter(50+round))
			g.of.play(from, counter(50+round))
		}
	}
}

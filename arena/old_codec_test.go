package arena

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestVersion1 reads the committed encodings of version 1, which must stay readable forever. Each
// container then has the contents that were saved, and goes on as the original does.
func TestVersion1(t *testing.T) {
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			data := goldenFile(t, "v1", g.name)
			g.readsAs(t, data)
			frame := marshal(t, g.build(NewChunked(1<<14)))
			made := g.of.old(contentsOf(frame)) // by the tests' own writer
			copy(made[oldHead:contentsAt(made)], data[oldHead:])
			if !bytes.Equal(reseal(made), data) {
				t.Errorf("the tests write version 1 as\n%x, want\n%x", made, data)
			}
		})
	}
	allRead(t, "testdata/v1")
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

// TestOldOffsets flips bools of a large container in version 1. The error has their places.
func TestOldOffsets(t *testing.T) {
	v := NewVec[bool](NewFixed(1 << 18))
	v.Resize(200_000)
	s := vecSubject[bool]("bool")
	data := s.old(contentsOf(marshal(t, v)))
	for _, at := range []int{
		oldHead + 8, oldHead + 9, 65536, 65551, 65552, 65553, 65554, 65555, 65556, 65560, 65561,
		100_000, 131_070, 131_080, 131_085, 131_090, 131_095, 131_100, 200_031,
	} {
		data[at] = 2
		data = reseal(data)
		err := v.UnmarshalBinary(data)
		if want := "at byte " + strconv.Itoa(at); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		data[at] = 0
	}
}

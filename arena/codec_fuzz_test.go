package arena

import (
	"testing"

	"github.com/seed505807e1/berth/internal/wire"
	"github.com/seed505807e1/berth/internal/wiretest"
)

// FuzzUnmarshal unmarshals arbitrary bytes into a container that already has values. The first byte
// chooses the container and its type. The second chooses what the rest is: an encoding, an encoding
// whose checksums are corrected first, or the contents of a frame; and the size of the frame's
// chunks. Afterwards the container must be sound and usable, and must hold exactly the decoded
// values or its old ones.
func FuzzUnmarshal(f *testing.F) {
	for i, s := range codecSubjects {
		c := s.make(NewChunked(1 << 12))
		for seed := range 2 {
			data := marshal(f, c)
			f.Add(append([]byte{byte(i), byte(seed)}, data...))
			f.Add(append([]byte{byte(i), byte(2 + seed)}, contentsOf(data)...))
			f.Add(append([]byte{byte(i), byte(2 + 4*13*seed)}, contentsOf(data)...))
			next := counter(seed + 1)
			s.play(c, func() int { return next() % 16 })
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 1<<14 {
			return
		}
		s := codecSubjects[int(data[0])%len(codecSubjects)]
		a := NewFixed(1 << 17)
		r := newReceiver(t, s, a)
		in := append([]byte(nil), data[2:]...)
		switch size := int(data[1] / 4); data[1] % 4 {
		case 0:
		case 1:
			in = wiretest.Reseal(in)
		default:
			if size == 0 {
				size = wire.MaxChunk
			}
			in = s.frame(in, size)
		}
		if err := r.load(t, in); err == nil && a.Used() > r.used {
			t.Fatal("noted wrongly")
		}
		next := counter(len(in))
		s.play(r.c, func() int { return next() % 64 })
		s.sound(r.c)
	})
}

// FuzzRoundTrip plays its input on a container. Halfway it marshals the container, unmarshals a
// copy, and plays the rest on both.
func FuzzRoundTrip(f *testing.F) {
	for i := range codecSubjects {
		f.Add([]byte{byte(i), 30, 1, 2, 5, 4, 3, 2, 1, 9, 8, 7, 6, 5, 4, 3, 2, 3, 5, 7, 11, 13, 17})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 1<<12 {
			return
		}
		s := codecSubjects[int(data[0])%len(codecSubjects)]
		source := func(data []byte) func() int {
			return func() int {
				if len(data) == 0 {
					return 0
				}
				b := data[0]
				data = data[1:]
				return int(b)
			}
		}
		half := len(data) / 2
		x, y := s.make(NewChunked(1<<12)), s.make(NewChunked(1<<12))
		s.play(x, source(data[1:half]))
		s.play(y, source(data[half:]))
		if err := y.UnmarshalBinary(marshal(t, x)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s.sound(y)
			if got, want := s.dump(y), s.dump(x); got != want {
				t.Fatalf("%s: loaded\n%s\nwant\n%s", s.name, got, want)
			}
			s.play(x, source(data[half:]))
			s.play(y, source(data[half:]))
		}
	})
}

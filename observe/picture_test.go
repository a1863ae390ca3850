package observe_test

import (
	"image"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
	"github.com/seed505807e1/berth/stable"
)

// shades counts the pixels of a picture: without memory, vacant, live at least in part, retired.
func shades(img image.Image) (none, vacant, live, retired int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			switch r, g, b, a := img.At(x, y).RGBA(); {
			case a == 0:
				none++
			case r > g:
				retired++
			case r>>8 == 176 && g>>8 == 190 && b>>8 == 206:
				vacant++
			default:
				live++
			}
		}
	}
	return none, vacant, live, retired
}

// TestPictureCounts compares the pixels of pictures with Stats, where a pixel is a slot.
func TestPictureCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 63, 64, 65, 5000} {
		var p berth.Pool[int]
		var hs []berth.Handle[int]
		for i := range n {
			hs = append(hs, p.Insert(i))
		}
		for _, h := range hs {
			if rng.IntN(3) == 0 {
				p.Remove(h)
			}
		}
		slots := slices.Collect(p.Slots())
		for _, width := range []int{1, 7, 64, 1000} {
			none, vacant, live, retired := shades(observe.Picture(slots, width, 1<<20))
			s := p.Stats()
			if live != s.Live || vacant != s.Vacant || retired != 0 || none > len(slots)*64-live-vacant+width {
				t.Errorf("%d values, width %d: %d live, %d vacant, %d retired, %d without memory: %+v",
					n, width, live, vacant, retired, none, s)
			}
		}
	}
}

func TestPicture(t *testing.T) {
	full, half := berth.Slots{Live: ^uint64(0)}, berth.Slots{Live: 0xFFFF_FFFF, Vacant: 0xFFFF_FFFF << 32}
	slots := []berth.Slots{full, {}, half, {Vacant: ^uint64(0)}, {Live: 1, Vacant: ^uint64(1)},
		{Live: 1, Retired: 1 << 63}}
	img := observe.Picture(slots, 3, 6)
	if img.Bounds() != image.Rect(0, 0, 3, 2) {
		t.Fatalf("bounds %v", img.Bounds())
	}
	want := [][4]int{{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	for i, w := range want {
		x, y := i%3, i/3
		var got [4]int
		got[0], got[1], got[2], got[3] = shades(img.(*image.Paletted).SubImage(image.Rect(x, y, x+1, y+1)))
		if got != w {
			t.Errorf("pixel %d: %v, want %v", i, got, w)
		}
	}
	blue := func(i int) uint32 { r, _, _, _ := img.At(i%3, i/3).RGBA(); return r }
	if !(blue(0) < blue(2) && blue(2) < blue(4) && blue(4) < blue(3)) {
		t.Errorf("shades %d, %d, %d, %d do not follow the share of live slots", blue(0), blue(2), blue(4), blue(3))
	}
	// No size makes an image of more pixels than asked for.
	for range 2000 {
		n, width, most := rand.IntN(50), 1+rand.IntN(90), 1+rand.IntN(200)
		b := observe.Picture(make([]berth.Slots, n), width, most).Bounds()
		if b.Dx()*b.Dy() > most || b.Dx() < 1 || b.Dy() < 1 {
			t.Fatalf("Picture(%d words, %d, %d): %v", n, width, most, b)
		}
	}
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 5}} {
		if panics(func() { observe.Picture(nil, size[0], size[1]) }) == "" {
			t.Errorf("Picture(nil, %d, %d) does not panic", size[0], size[1])
		}
	}
}

// TestList compares the slots and the counts of a list.
func TestList(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 200} {
		l := stable.New[int](stable.Config{})
		for i := range n {
			l.Insert(i)
		}
		for i := 0; i < n; i += 3 {
			k, _ := l.At(uint32(i))
			l.Remove(k)
		}
		var r observe.Registry
		r.Register("l", observe.List(l), nil)
		s := r.Snapshots(t.Context(), true)[0]
		want := l.Stats()
		if s.Stats.Live != want.Live || s.Stats.Live+s.Stats.Vacant != l.Cap() || s.Stats.Bytes != want.Bytes ||
			s.Stats.Inserts != uint64(n) || s.Stats.Removes != want.Removes || s.Stats.Limit != want.Limit ||
			s.Stats.Truncated != want.Truncated || s.Stats.Grown != want.Grown ||
			s.Stats.Chunks != min(1, l.Cap()) {
			t.Errorf("%+v, want %+v", s.Stats, want)
		}
		if _, vacant, live, _ := shades(observe.Picture(s.Slots, 64, 1<<20)); live != want.Live ||
			vacant != s.Stats.Vacant {
			t.Errorf("%d values: %d live, %d vacant in the picture, want %+v", n, live, vacant, s.Stats)
		}
	}
	l := stable.New[int](stable.Config{})
	stable.InsertSeq(l, func(yield func(int) bool) {
		for i := range 1000 {
			if !yield(i) {
				return
			}
		}
	})
	words := 0
	for range observe.List(l).(interface {
		Slots() iter.Seq[berth.Slots]
	}).Slots() {
		if words++; words == 2 {
			break
		}
	}
}

// TestPictureOfWord checks that a pixel shows its own slots, and none beside them.
func TestPictureOfWord(t *testing.T) {
	slots := []berth.Slots{{Live: 1 << 3, Vacant: 1<<63 | 1<<62, Retired: 1 << 7}}
	for _, width := range []int{64, 32, 16} {
		none, vacant, live, retired := shades(observe.Picture(slots, width, width))
		if pixels := max(1, 2*width/64); live != 1 || retired != 1 || vacant != pixels ||
			none != width-2-pixels {
			t.Errorf("%d pixels: %d live, %d vacant, %d retired, %d without memory", width, live, vacant,
				retired, none)
		}
	}
}

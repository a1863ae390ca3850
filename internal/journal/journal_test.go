package journal

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"
)

// table is a container of pages that may be replaced.
type table struct {
	pages []*leaf
	at    []*leaf // the directory of a frame, in Since
}

type leaf struct {
	vals   [pageSlots]string
	states [pageSlots]uint32
	words  Words
}

func (t *table) Slots(k int) ([]string, []uint32, Words) {
	dir := t.pages
	if t.at != nil {
		dir = t.at
	}
	if k >= len(dir) || dir[k] == nil {
		return nil, nil, Words{}
	}
	return dir[k].vals[:], dir[k].states[:], dir[k].words
}

// Restored implements [Pages]. The first word has a bit for each odd state, and the second its inverse.
func (t *table) Restored(k int, noted, changed, imaged uint64, w Words) {
	if noted&imaged != 0 || changed&^noted != 0 || (w[0]|w[1])&^imaged != 0 || w[0]&w[1] != 0 {
		panic("slots are restored twice")
	}
	p := t.pages[k]
	p.words[0] = p.words[0]&^imaged | w[0]
	p.words[1] = p.words[1]&^imaged | w[1]
	for i, s := range p.states {
		if changed>>i&1 != 0 {
			p.set(i, s)
		}
	}
}

// set gives slot i a state.
func (p *leaf) set(i int, s uint32) {
	p.states[i] = s
	p.words[s&1^1] |= 1 << i
	p.words[s&1] &^= 1 << i
}

// newLeaf returns a page whose states are all 0.
func newLeaf() *leaf { return &leaf{words: Words{0, all}} }

// snapshot is a copy of a table.
type snapshot struct {
	pages []*leaf
	leafs []leaf
}

func (t *table) copied() (s snapshot) {
	s.pages = slices.Clone(t.pages)
	for _, p := range t.pages {
		s.leafs = append(s.leafs, *p)
	}
	return s
}

// A Rewind restores what was there when the frame began, and Since knows the states of then, also
// when pages are replaced, and with a shadow.
func TestLogModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		most := 1 + rng.IntN(12)
		var live func(uint32) bool
		if seed%2 == 0 {
			live = func(s uint32) bool { return s&1 != 0 }
		}
		l := NewLog[string, uint32](most, live)
		tab := new(table)
		l.Pages = tab
		for range 5 {
			tab.pages = append(tab.pages, newLeaf())
		}
		l.Grow(5)
		for k, p := range tab.pages {
			l.Cover(k, p.vals[:])
		}
		now := uint64(1)
		past := map[uint64]snapshot{1: tab.copied()}
		for step := range 300 {
			k := rng.IntN(5)
			p := tab.pages[k]
			switch c := rng.IntN(20); {
			case c < 12:
				for range rng.IntN(8) {
					i := rng.IntN(pageSlots)
					l.Note(k, i, &p.vals[i], p.states[i])
					if !l.Logged(k, i) {
						t.Fatal("a noted slot is not logged")
					}
					p.vals[i] = fmt.Sprint(step)
					p.set(i, rng.Uint32N(4))
				}
			case c == 12:
				l.Image(k, 1<<63-1)
				for i := range 63 {
					p.vals[i] = "all"
					p.set(i, p.states[i]+3)
				}
			case c == 13:
				l.Leave(k)
				tab.pages[k] = newLeaf()
				l.Cover(k, tab.pages[k].vals[:])
			case c == 14 && live != nil: // a write that is not noted, and found later
				i := rng.IntN(pageSlots)
				if p.states[i]&1 == 0 {
					continue
				}
				p.vals[i] += "!"
				found := l.Differs(k, p.vals[:], 1<<i)
				if found != 1<<i && !l.Logged(k, i) {
					t.Fatalf("Differs = %x", found)
				}
				l.Note(k, i, &p.vals[i], p.states[i])
			case c == 15:
				l.Clip(rng.IntN(6))
				l.Grow(5)
				for k, p := range tab.pages {
					if live != nil && l.shadow[k] == nil {
						l.Cover(k, p.vals[:])
					}
				}
			case c < 18:
				l.Mark()
				now++
				past[now] = tab.copied()
				unchanged(t, l, tab)
			default:
				f := l.Oldest() + rng.Uint64N(now-l.Oldest()+1)
				s := past[f]
				since(t, l, tab, f, s)
				for k, p := range s.pages {
					if tab.pages[k] != p {
						l.Cover(k, p.vals[:])
					}
				}
				tab.pages = slices.Clone(s.pages)
				l.Rewind(f)
				now = f
				for k, p := range tab.pages {
					if *p != s.leafs[k] {
						t.Fatalf("seed %d, step %d: page %d after Rewind(%d) is %v, want %v", seed, step, k, f, *p, s.leafs[k])
					}
				}
				unchanged(t, l, tab)
			}
			l.Check()
			if l.Now() != now || l.Oldest() > now || now-l.Oldest() >= uint64(most) {
				t.Fatalf("frames %d to %d, want up to %d", l.Oldest(), l.Now(), now)
			}
		}
		l.Forget()
		if l.Now() != now+1 || l.Oldest() != now+1 {
			t.Errorf("frames %d to %d after Forget, want %d", l.Oldest(), l.Now(), now+1)
		}
		l.Check()
	}
}

// unchanged fails if the shadow of l differs from the pages.
func unchanged(t *testing.T, l *Log[string, uint32], tab *table) {
	for k, p := range tab.pages {
		if l.shadow != nil && l.Differs(k, p.vals[:], all) != 0 {
			t.Fatalf("the shadow of page %d differs from its values", k)
		}
	}
}

// since compares the states that Since finds with those of the snapshot.
func since(t *testing.T, l *Log[string, uint32], tab *table, f uint64, s snapshot) {
	tab.at = s.pages
	defer func() { tab.at = nil }()
	last := -1
	visited := map[int]bool{}
	l.Since(f, func(k int, touched uint64, states *[pageSlots]uint32) {
		if k <= last {
			t.Fatalf("Since visits page %d after %d", k, last)
		}
		last = k
		if states == nil {
			return
		}
		visited[k] = true
		if *states != s.leafs[k].states {
			t.Fatalf("Since(%d): page %d had states %v, want %v", f, k, *states, s.leafs[k].states)
		}
		for i, v := range s.pages[k].vals {
			if (v != s.leafs[k].vals[i]) && touched>>i&1 == 0 {
				t.Fatalf("Since(%d): slot %d of page %d is not touched", f, i, k)
			}
		}
	})
	for k, p := range s.pages {
		if *p != s.leafs[k] && !visited[k] {
			t.Fatalf("Since(%d) does not visit page %d", f, k)
		}
	}
}

// A page whose memory grows in a frame keeps the slots that its image did not have.
func TestLogPageGrows(t *testing.T) {
	l := NewLog[int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, 20), make([]int, 20)}
	l.Pages = p
	l.Image(0, all)
	p.vals, p.states = append(p.vals, 7, 8), append(p.states, 1, 2)
	for i := range p.vals {
		l.Note(0, i, &p.vals[i], p.states[i])
		p.vals[i] = 100
	}
	l.Rewind(1)
	if want := append(make([]int, 20), 7, 8); !slices.Equal(p.vals, want) {
		t.Errorf("values %v, want %v", p.vals, want)
	}
}

type growing struct{ vals, states []int }

func (g *growing) Slots(int) ([]int, []int, Words) { return g.vals, g.states, Words{} }

func (g *growing) Restored(int, uint64, uint64, uint64, Words) {}

// Since knows no states of slots that had no memory, whatever it has seen before.
func TestLogSinceOfShortPage(t *testing.T) {
	l := NewLog[int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, 20), make([]int, 20)}
	l.Pages = p
	l.past = append(l.past, past[int]{})
	l.past[0].states[20] = 1
	l.past = l.past[:0]
	l.Note(0, 3, &p.vals[3], p.states[3])
	l.Since(1, func(_ int, touched uint64, states *[pageSlots]int) {
		if touched != 1<<3 || *states != [pageSlots]int{} {
			t.Errorf("touched %x, states %v", touched, states)
		}
	})
}

// A page does not inherit the touched slots of the page that it replaces.
func TestLogSinceOfPageThatLeft(t *testing.T) {
	l := NewLog[string, uint32](2, nil)
	l.Grow(1)
	p, next := newLeaf(), newLeaf()
	tab := &table{pages: []*leaf{p}}
	l.Pages = tab
	l.Image(0, 1)
	l.Leave(0)
	tab.pages[0] = next
	l.Image(0, 2)
	l.Mark()
	tab.pages[0] = p
	seen := uint64(0)
	l.Since(1, func(_ int, touched uint64, _ *[pageSlots]uint32) { seen = touched })
	if seen != 1 {
		t.Errorf("touched %x, want 1", seen)
	}
}

// More than Few notes of a page in a frame make an image, unless values are nothing.
func TestLogMakesImage(t *testing.T) {
	l := NewLog[int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
	l.Pages = p
	none := NewLog[struct{}, int](2, nil)
	none.Grow(1)
	for i := range p.vals {
		l.Note(0, i, &p.vals[i], 0)
		none.Note(0, i, new(struct{}), 0)
		if n := len(l.cur.images); (n == 1) != (i >= Few) || len(none.cur.images) != 0 {
			t.Fatalf("%d and %d images after %d notes", n, len(none.cur.images), i+1)
		}
	}
	if n := len(l.cur.notes); n != Few+1 {
		t.Errorf("%d notes beside the image, want %d", n, Few+1)
	}
	none.Mark()
	if none.Mark(); none.Logged(0, 0) {
		t.Error("a slot without a note is logged")
	}
}

// A page with many changes in each frame begins the next one with an image, which serves Rewind
// again and again. One with few changes, or none, or with notes of many slots at once, does not.
func TestLogImagesEarly(t *testing.T) {
	p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
	l := NewLog[int, int](4, nil)
	l.Pages = p
	l.Grow(1)
	frame := func(n int) {
		for i := range n {
			if !l.Logged(0, i) {
				l.Note(0, i, &p.vals[i], p.states[i])
			}
			p.vals[i]++
		}
		l.Check()
		l.Mark()
	}
	for _, x := range []struct {
		changes int
		early   bool
	}{{l.many - 1, false}, {l.many - 1, false}, {l.many + 1, true}, {l.many, true}, {l.many, true}, {0, false},
		{1, false}, {pageSlots, true}, {1, true}, {0, false}} {
		frame(x.changes)
		if early := l.cur.early == 1 && len(l.cur.images) == 1; early != x.early || l.LoggedSlots(0) != 0 {
			t.Fatalf("after %d changes, an early image is %v", x.changes, early)
		}
		l.Check()
	}
	l.NoteAll(0, all, 0)
	if l.Mark(); l.cur.early != 0 {
		t.Error("an early image after notes of all slots at once")
	}

	frame(pageSlots)
	f, want := l.Now(), slices.Clone(p.vals)
	for range 3 {
		frame(3)
		frame(pageSlots)
		l.Rewind(f)
		if l.Check(); !slices.Equal(p.vals, want) || l.cur.early != 1 || l.Now() != f {
			t.Fatalf("Rewind: %d early images, values %v, want %v", l.cur.early, p.vals, want)
		}
		l.Since(f, func(_ int, touched uint64, _ *[pageSlots]int) {
			if touched != 0 {
				t.Errorf("touched %x after Rewind", touched)
			}
		})
		if !l.Logged(0, 0) {
			t.Error("a slot of an early image is not logged after Rewind")
		}
	}
	l.Note(0, 0, &p.vals[0], p.states[0])
	frame(pageSlots)
	frame(pageSlots)
	l.Logged(0, 0)
	p.vals, p.states = nil, nil
	if l.Mark(); len(l.cur.images) != 0 {
		t.Error("an early image of a page without memory")
	}
}

// A frame that is forgotten holds nothing of what changed in it.
func TestLogLetsGo(t *testing.T) {
	l := NewLog[*cell, *cell](2, nil)
	l.Grow(1)
	var left []weak.Pointer[cell]
	made := func() *cell {
		v := new(cell)
		left = append(left, weak.Make(v))
		return v
	}
	ref := new(pair)
	page := weak.Make(ref)
	ref.vals, ref.states = make([]*cell, pageSlots), make([]*cell, pageSlots)
	for i := range ref.vals {
		ref.vals[i], ref.states[i] = made(), made()
	}
	l.Pages = ref
	l.Note(0, 0, &ref.vals[0], ref.states[0])
	l.Image(0, all)
	l.Leave(0)
	ref, l.Pages = nil, nil
	for range 2 {
		l.Mark()
	}
	for range 3 {
		runtime.GC()
	}
	for i, p := range left {
		if p.Value() != nil {
			t.Fatalf("the Log holds value or state %d of the page", i/2)
		}
	}
	if page.Value() != nil {
		t.Error("the Log holds the page")
	}
	runtime.KeepAlive(l)
}

// The shadow of a slot that has lost its memory is zero.
func TestLogShadowLetsGo(t *testing.T) {
	for _, end := range []func(l *Log[int, int], p *growing){
		func(l *Log[int, int], p *growing) { l.Mark() },
		func(l *Log[int, int], p *growing) { l.Rewind(1) },
	} {
		for _, n := range []int{1, Few, pageSlots} {
			l := NewLog[int, int](3, func(s int) bool { return s != 0 })
			p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
			l.Pages = p
			l.Grow(1)
			l.Cover(0, p.vals)
			write := func(v, state int) {
				for i := pageSlots - n; i < pageSlots; i++ {
					l.Note(0, i, &p.vals[i], p.states[i])
					p.vals[i], p.states[i] = v, state
				}
			}
			write(7, 1)
			if l.Mark(); l.shadow[0][pageSlots-1] != 7 {
				t.Fatal("the shadow lacks a value")
			}
			write(0, 0)
			p.vals, p.states = p.vals[:pageSlots-n], p.states[:pageSlots-n]
			if end(l, p); *l.shadow[0] != [pageSlots]int{} {
				t.Errorf("%d slots: the shadow is %v", n, *l.shadow[0])
			}
		}
	}
}

// Clip releases all that no frame needs: of a Log whose frames are empty, all that it holds.
func TestLogClip(t *testing.T) {
	l := NewLog[string, uint32](3, func(s uint32) bool { return s&1 != 0 })
	tab := new(table)
	l.Pages = tab
	l.Grow(4)
	for k := range 4 {
		p := newLeaf()
		tab.pages = append(tab.pages, p)
		l.Cover(k, p.vals[:])
		for i := range k { // an image of the page, and notes in the others
			l.Note(k, i, &p.vals[i], p.states[i])
		}
	}
	l.Image(0, all)
	l.Since(1, func(int, uint64, *[pageSlots]uint32) {})
	l.Mark()
	if l.Clip(1); len(l.pages) != 4 || len(l.shadow) != 4 || len(l.frames.At(1).images) != 1 {
		t.Errorf("Clip leaves %d pages and %d shadows of 4 in frames", len(l.pages), len(l.shadow))
	}
	for range 3 {
		l.Mark()
	}
	l.Clip(1)
	l.Check()
	if len(l.pages) != 1 || len(l.shadow) != 1 || cap(l.shadow) > 2 || l.spare != nil || l.past != nil || l.met != nil {
		t.Errorf("Clip leaves %d pages, %d shadows, %d images, %d states, %d met", len(l.pages),
			cap(l.shadow), len(l.spare), len(l.past), cap(l.met))
	}
	for i := range l.frames.list {
		if f := &l.frames.list[i]; cap(f.notes)+cap(f.images)+cap(f.records)+cap(f.left) != 0 {
			t.Errorf("Clip leaves %d notes and %d images", cap(f.notes), cap(f.images))
		}
	}
}

// cell is too large to share its memory with other small values.
type cell [64]byte

type pair struct{ vals, states []*cell }

func (p *pair) Slots(int) ([]*cell, []*cell, Words) { return p.vals, p.states, Words{} }

func (p *pair) Restored(int, uint64, uint64, uint64, Words) {}

// A Ring holds the last frames, also while it grows and after Back.
func TestRing(t *testing.T) {
	for most := 1; most < 40; most++ {
		r := NewRing[uint64](most)
		*r.At(1) = 1
		rng := rand.New(rand.NewPCG(uint64(most), 0))
		for range 300 {
			if rng.IntN(10) == 0 {
				r.Back(r.oldest + rng.Uint64N(r.now-r.oldest+1))
			}
			if rng.IntN(20) == 0 {
				n := r.oldest
				r.Clip(func(f *uint64) {
					if *f != n {
						t.Fatalf("most %d: Clip comes to frame %d, want %d", most, *f, n)
					}
					n++
				})
				if n != r.now+1 || len(r.list) > max(8, int(n-r.oldest)) {
					t.Fatalf("most %d: Clip came to frames %d to %d of %d, and keeps %d entries",
						most, r.oldest, n-1, r.now, len(r.list))
				}
			}
			lost := r.Replaced()
			if (lost != nil) != (r.now-r.oldest+1 == uint64(most)) {
				t.Fatalf("most %d: Replaced = %v with frames %d to %d", most, lost, r.oldest, r.now)
			}
			if lost != nil && *lost != r.oldest {
				t.Fatalf("most %d: Replaced is %d, want %d", most, *lost, r.oldest)
			}
			*r.Next() = r.now
			for f := r.oldest; f <= r.now; f++ {
				if *r.At(f) != f {
					t.Fatalf("most %d: frame %d holds %d", most, f, *r.At(f))
				}
			}
		}
		if n := len(r.list); n > most {
			t.Errorf("%d entries, want at most %d", n, most)
		}
	}
}

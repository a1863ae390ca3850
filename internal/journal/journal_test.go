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
	at    []*leaf // directory for Ref
}

type leaf struct {
	vals   [pageSlots]string
	states [pageSlots]uint32
	words  Words
}

func (t *table) Ref(k int) *leaf {
	if k < len(t.at) {
		return t.at[k]
	}
	return nil
}
func (t *table) Slots(p *leaf, _ int) ([]string, []uint32) { return p.vals[:], p.states[:] }

// Restored implements [Pages]. The first word has a bit for each odd state, and the second its inverse.
func (t *table) Restored(p *leaf, _ int, noted, imaged uint64, w Words) {
	if noted&imaged != 0 || (w[0]|w[1])&^imaged != 0 || w[0]&w[1] != 0 {
		panic("slots are restored twice")
	}
	p.words[0] = p.words[0]&^imaged | w[0]
	p.words[1] = p.words[1]&^imaged | w[1]
	for i, s := range p.states {
		if noted>>i&1 != 0 {
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
		l := NewLog[string, uint32, *leaf](most, live)
		tab := new(table)
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
					if l.Note(k, p, i, &p.vals[i], p.states[i]) {
						l.Image(k, p, p.words, 0, p.vals[:], p.states[:])
					}
					if !l.Logged(k, i) {
						t.Fatal("a noted slot is not logged")
					}
					p.vals[i] = fmt.Sprint(step)
					p.set(i, rng.Uint32N(4))
				}
			case c == 12:
				l.Image(k, p, p.words, 1<<63-1, p.vals[:], p.states[:])
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
				l.Note(k, p, i, &p.vals[i], p.states[i])
			case c == 15:
				l.Clip(rng.IntN(6))
				l.Grow(5)
				for k, p := range tab.pages {
					if live != nil && l.shadow[k] == nil {
						l.Cover(k, p.vals[:])
					}
				}
			case c < 18:
				l.Mark(tab)
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
				tab.at = tab.pages
				l.Rewind(f, tab)
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
func unchanged(t *testing.T, l *Log[string, uint32, *leaf], tab *table) {
	for k, p := range tab.pages {
		if l.shadow != nil && l.Differs(k, p.vals[:], all) != 0 {
			t.Fatalf("the shadow of page %d differs from its values", k)
		}
	}
}

// since compares the states that Since finds with those of the snapshot.
func since(t *testing.T, l *Log[string, uint32, *leaf], tab *table, f uint64, s snapshot) {
	tab.at = s.pages
	last := -1
	visited := map[int]bool{}
	l.Since(f, tab, func(k int, touched uint64, states *[pageSlots]uint32) {
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
	l := NewLog[int, int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, 20), make([]int, 20)}
	l.Image(0, 0, Words{}, all, p.vals, p.states)
	p.vals, p.states = append(p.vals, 7, 8), append(p.states, 1, 2)
	for i := range p.vals {
		l.Note(0, 0, i, &p.vals[i], p.states[i])
		p.vals[i] = 100
	}
	l.Rewind(1, p)
	if want := append(make([]int, 20), 7, 8); !slices.Equal(p.vals, want) {
		t.Errorf("values %v, want %v", p.vals, want)
	}
}

type growing struct{ vals, states []int }

func (g *growing) Ref(int) int                   { return 0 }
func (g *growing) Slots(int, int) ([]int, []int) { return g.vals, g.states }

func (g *growing) Restored(int, int, uint64, uint64, Words) {}

// Since knows no states of slots that had no memory, whatever it has seen before.
func TestLogSinceOfShortPage(t *testing.T) {
	l := NewLog[int, int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, 20), make([]int, 20)}
	stale := new([pageSlots]int)
	stale[20] = 1
	l.was = append(l.was, stale)
	l.Note(0, 0, 3, &p.vals[3], p.states[3])
	l.Since(1, p, func(_ int, touched uint64, states *[pageSlots]int) {
		if touched != 1<<3 || *states != [pageSlots]int{} {
			t.Errorf("touched %x, states %v", touched, states)
		}
	})
}

// A page does not inherit the touched slots of the page that it replaces.
func TestLogSinceOfPageThatLeft(t *testing.T) {
	l := NewLog[string, uint32, *leaf](2, nil)
	l.Grow(1)
	p, next := newLeaf(), newLeaf()
	l.Image(0, p, p.words, 1, p.vals[:], p.states[:])
	l.Leave(0)
	l.Image(0, next, next.words, 2, next.vals[:], next.states[:])
	tab := &table{at: []*leaf{next}}
	l.Mark(tab)
	tab.at[0] = p
	seen := uint64(0)
	l.Since(1, tab, func(_ int, touched uint64, _ *[pageSlots]uint32) { seen = touched })
	if seen != 1 {
		t.Errorf("touched %x, want 1", seen)
	}
}

// From one more than Few notes of a page in a frame on, the Log asks for an image.
func TestLogAsksForImage(t *testing.T) {
	l := NewLog[int, int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
	for i := range p.vals {
		if many := l.Note(0, 0, i, &p.vals[i], 0); many != (i >= Few) {
			t.Fatalf("note %d: many is %v", i+1, many)
		}
	}
}

// A frame that is forgotten holds nothing of what changed in it.
func TestLogLetsGo(t *testing.T) {
	l := NewLog[*cell, *cell, *pair](2, nil)
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
	l.Note(0, ref, 0, &ref.vals[0], ref.states[0])
	l.Image(0, ref, Words{}, all, ref.vals, ref.states)
	ref = nil
	l.Leave(0)
	for range 2 {
		l.Mark(nil)
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
	for _, end := range []func(l *Log[int, int, int], p *growing){
		func(l *Log[int, int, int], p *growing) { l.Mark(p) },
		func(l *Log[int, int, int], p *growing) { l.Rewind(1, p) },
	} {
		for _, n := range []int{1, Few, pageSlots} {
			l := NewLog[int, int, int](3, func(s int) bool { return s != 0 })
			p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
			l.Grow(1)
			l.Cover(0, p.vals)
			write := func(v, state int) {
				for i := pageSlots - n; i < pageSlots; i++ {
					if l.Note(0, 0, i, &p.vals[i], p.states[i]) {
						l.Image(0, 0, Words{}, 0, p.vals, p.states)
					}
					p.vals[i], p.states[i] = v, state
				}
			}
			write(7, 1)
			if l.Mark(p); l.shadow[0][pageSlots-1] != 7 {
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
	l := NewLog[string, uint32, *leaf](3, func(s uint32) bool { return s&1 != 0 })
	tab := new(table)
	l.Grow(4)
	for k := range 4 {
		p := newLeaf()
		tab.pages = append(tab.pages, p)
		l.Cover(k, p.vals[:])
		for i := range k { // an image of the page, and notes in the others
			l.Note(k, p, i, &p.vals[i], p.states[i])
		}
	}
	tab.at = tab.pages
	l.Image(0, tab.pages[0], tab.pages[0].words, all, tab.pages[0].vals[:], tab.pages[0].states[:])
	l.Since(1, tab, func(int, uint64, *[pageSlots]uint32) {})
	l.Mark(tab)
	if l.Clip(1); len(l.pages) != 4 || len(l.shadow) != 4 || len(l.frames.At(1).images) != 1 {
		t.Errorf("Clip leaves %d pages and %d shadows of 4 in frames", len(l.pages), len(l.shadow))
	}
	for range 3 {
		l.Mark(tab)
	}
	l.Clip(1)
	l.Check()
	if len(l.pages) != 1 || len(l.shadow) != 1 || cap(l.shadow) > 2 || l.spare != nil || l.was != nil || l.met != nil {
		t.Errorf("Clip leaves %d pages, %d shadows, %d images, %d states, %d met", len(l.pages),
			cap(l.shadow), len(l.spare), len(l.was), cap(l.met))
	}
	for i := range l.frames.list {
		if f := &l.frames.list[i]; cap(f.notes)+cap(f.vals)+cap(f.images) != 0 {
			t.Errorf("Clip leaves %d notes and %d images", cap(f.notes), cap(f.images))
		}
	}
}

// cell is too large to share its memory with other small values.
type cell [64]byte

type pair struct{ vals, states []*cell }

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

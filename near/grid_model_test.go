package near_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/near"
	"github.com/seed505807e1/berth/stable"
)

// mark is a value of the model: its position, and the one that the grid keeps.
type mark struct {
	h      handle
	now    place
	put    place
	live   bool // in the container
	in     bool // in the grid; perhaps not, if it is not live
	number int
}

// player reads operations from bytes, and applies them to a grid and to a model of it.
type player struct {
	t     *testing.T
	data  []byte
	q     rule
	cell  float64
	world int // selects how bytes become places
	v     container
	g     searcher
	marks []*mark
}

const mostMarks = 250

func (p *player) next() int {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return int(b)
}

// extremes are coordinates at the limits of arithmetic.
var extremes = []float64{
	0, math.Copysign(0, -1), 1, -1, most32, -most32, 1e38, 1e39, -1e300, inf, -inf, nan, 5e-324, 1e-45, -1e-20, 1e30,
}

// coordinate reads one coordinate.
func (p *player) coordinate() float64 {
	b := p.next()
	switch p.world {
	case 0:
		return float64(b - 128)
	case 1: // four clusters
		return float64(b>>6)*1e6 + float64(b&15)
	case 2: // thin
		return float64(b&3) * 4
	case 3:
		return float64(b%4)*0.3 + float64(b)*1e3
	case 4:
		return 1e6 + float64(b)*0.1
	case 5: // borders
		x := float64(b>>3 - 16)
		return []float64{x, down32(x), up32(x), down(x), up(x)}[b&7%5]
	case 6:
		if b < 128 {
			return float64(b)
		}
		return extremes[b%len(extremes)]
	}
	return float64(b-128) * math.Pow(10, float64(b%40-20))
}

const modelWorlds = 8

func (p *player) place() place {
	a := place{x: p.coordinate(), y: p.coordinate()}
	if p.q.axes == 3 {
		a.z = p.coordinate()
	}
	return a
}

func (p *player) radius() float64 {
	if b := p.next(); b < 200 {
		return p.cell * float64(b) / 32
	}
	return []float64{0, 1, 3.5, 1e6, 1e12, 1e39, 1e200, inf, 5e-324}[p.next()%9]
}

// any returns a mark that is live, or nil.
func (p *player) any() *mark {
	if n := len(p.marks); n > 0 {
		for k := range n {
			if m := p.marks[(p.next()+k)%n]; m.live {
				return m
			}
		}
	}
	return nil
}

// play runs the operations in data. Its first bytes select the container, the axes, the places and
// the cell.
func play(t *testing.T, data []byte) {
	t.Helper()
	p := &player{t: t, data: data}
	b := p.next()
	p.q.axes = 2 + b&1
	switch b >> 1 & 7 {
	case 0:
		p.v = new(berth.Pool[dot])
	case 1:
		p.v = new(berth.Dense[dot])
	case 2:
		p.v = berth.NewDense[dot](berth.DenseConfig{Defrag: berth.DefragManual})
	case 3:
		p.v = list(stable.Config{Truncate: berth.TruncateMemory})
	case 4:
		p.v = list(stable.Config{Placement: stable.Quartered})
	default:
		p.v = berth.NewDense[dot](berth.DenseConfig{Defrag: berth.DefragImmediate})
	}
	p.world = p.next() % modelWorlds
	p.cell = []float64{1, 0.1, 7, 1000, 1e-3, 1e9, 1e-30, 1e30}[p.next()%8]
	p.g = newSearcher(p.q.axes, p.cell)
	p.rebuild()
	for len(p.data) > 0 {
		op := modelOps[p.next()%len(modelOps)]
		op(p)
		p.g.CheckInvariants()
		p.count()
	}
	for _, s := range []near.Shape{near.Circle, near.Box} {
		p.q.shape, p.q.r = s, p.cell*2
		p.g.SetShape(s)
		p.pairs()
		p.traverse()
	}
	p.rebuild()
	p.pairs()
	p.nearestK()
}

// modelOps are the operations. Committed inputs depend on their order: add new ones at the end.
var modelOps = []func(p *player){
	0:  func(p *player) { p.insert(false) },
	1:  func(p *player) { p.insert(true) },
	2:  (*player).burst,
	3:  func(p *player) { p.remove(false) },
	4:  func(p *player) { p.remove(true) },
	5:  func(p *player) { p.move(false) },
	6:  func(p *player) { p.move(true) },
	7:  (*player).gridInsert,
	8:  (*player).gridRemove,
	9:  (*player).rebuild,
	10: (*player).clear,
	11: func(p *player) { p.g.Clip() },
	12: (*player).shape,
	13: (*player).pairs,
	14: (*player).traverse,
	15: (*player).within,
	16: (*player).near,
	17: (*player).nearestK,
	18: (*player).removeInPairs,
	19: (*player).removeInTraverse,
	20: (*player).drift,
	21: (*player).moveStale,
}

func (p *player) insert(tell bool) {
	if len(p.marks) >= mostMarks {
		return
	}
	m := &mark{now: p.place(), live: true, number: len(p.marks)}
	m.h = p.v.Insert(dot{m.now, m.number})
	p.marks = append(p.marks, m)
	if tell {
		p.tell(m)
	}
}

// tell inserts a mark into the grid.
func (p *player) tell(m *mark) {
	if !p.g.Insert(m.h) {
		p.t.Fatalf("Insert(%v) = false", m.h)
	}
	m.put, m.in = m.now, true
}

func (p *player) burst() {
	tell := p.next()%2 == 0
	for range p.next() % 80 {
		p.insert(tell)
	}
}

func (p *player) remove(tell bool) {
	m := p.any()
	if m == nil {
		return
	}
	first := p.next()%2 == 0
	if tell && first {
		p.forget(m)
	}
	if _, ok := p.v.Remove(m.h); !ok {
		p.t.Fatalf("Remove(%v) from the container = false", m.h)
	}
	m.live = false
	if tell && !first {
		p.forget(m)
	}
}

// forget removes a mark from the grid.
func (p *player) forget(m *mark) {
	if got := p.g.Remove(m.h); got != m.in && m.live {
		p.t.Fatalf("Remove(%v) = %t, want %t", m.h, got, m.in)
	}
	if m.in = false; p.g.Remove(m.h) {
		p.t.Fatalf("Remove(%v) = true the second time", m.h)
	}
}

func (p *player) set(m *mark, to place) {
	m.now = to
	p.v.Ptr(m.h).place = to
}

// kept returns a place as kept in a grid.
func kept(a place) place {
	return place{float64(float32(a.x)), float64(float32(a.y)), float64(float32(a.z))}
}

// sure reports whether the grid has a mark exactly where it was put: the mark is still there, or
// its place was kept without loss.
func (p *player) sure(m *mark) bool {
	return m.now == m.put || p.q.nowhere(m.put) || kept(m.put) == m.put && kept(m.now) != m.put
}

func (p *player) move(tell bool) {
	m := p.any()
	if m == nil {
		return
	}
	p.set(m, p.place())
	if !tell {
		return
	}
	if got := p.g.Move(m.h); got != m.in {
		p.t.Fatalf("Move(%v) = %t, want %t", m.h, got, m.in)
	}
	if m.in {
		m.put = m.now
	}
}

// drift moves many values a little, one after the other.
func (p *player) drift() {
	dx, dy := float64(p.next()-128), float64(p.next()-128)
	for _, m := range p.marks {
		if m.live && m.in {
			p.set(m, place{m.now.x + dx, m.now.y + dy, m.now.z})
			if !p.g.Move(m.h) {
				p.t.Fatalf("Move(%v) = false", m.h)
			}
			m.put = m.now
		}
	}
}

// moveStale calls the methods with a stale handle, whose value must be dropped.
func (p *player) moveStale() {
	for _, m := range p.marks {
		if m.live {
			continue
		}
		if p.g.Move(m.h) || p.g.Insert(m.h) || p.g.Remove(m.h) {
			p.t.Fatalf("stale %v: Move, Insert or Remove = true", m.h)
		}
		m.in = false
		for range p.g.Near(m.h, inf) {
			p.t.Fatalf("stale %v: Near visits a value", m.h)
		}
	}
	if p.g.Move(handle{}) || p.g.Insert(handle{}) || p.g.Remove(handle{}) {
		p.t.Fatal("the zero handle: Move, Insert or Remove = true")
	}
}

func (p *player) gridInsert() {
	if m := p.any(); m != nil {
		p.tell(m)
	}
}

func (p *player) gridRemove() {
	if m := p.any(); m != nil {
		p.forget(m)
	}
}

func (p *player) rebuild() {
	p.g.Rebuild(viewOf(p.v))
	for _, m := range p.marks {
		m.in, m.put = m.live, m.now
	}
}

func (p *player) clear() {
	if p.next()%4 != 0 {
		return
	}
	p.g.Clear()
	for _, m := range p.marks {
		m.in = false
	}
}

func (p *player) shape() {
	p.q.shape = near.Shape(p.next() % 2)
	p.g.SetShape(p.q.shape)
}

// count checks Len, in which stale values may or may not count.
func (p *player) count() {
	live, stale := 0, 0
	for _, m := range p.marks {
		switch {
		case m.in && m.live:
			live++
		case m.in:
			stale++
		}
	}
	if n := p.g.Len(); n < live || n > live+stale {
		p.t.Fatalf("Len = %d, want %d and at most %d more", n, live, stale)
	}
}

// mark returns the mark of an entry, which must be live.
func (p *player) mark(e entry) *mark {
	if e.Value == nil || p.v.Ptr(e.Handle) != e.Value {
		p.t.Fatalf("%v with value %v, want %v", e.Handle, e.Value, p.v.Ptr(e.Handle))
	}
	m := p.marks[e.Value.id]
	if m.h != e.Handle || !m.live || !m.in {
		p.t.Fatalf("visits %v, but the model has %+v", e.Handle, *m)
	}
	return m
}

// agrees checks the marks that a loop has found around a place.
func (p *player) agrees(what string, at place, but *mark, exact bool, found map[int]int) {
	for _, m := range p.marks {
		n := found[m.number]
		yes := !p.q.nowhere(m.put) && p.q.near(at, m.put)
		want := m.in && m.live && m != but && yes
		sure := exact && p.sure(m) || !m.in || !m.live || m == but
		if n > 1 || sure && want != (n == 1) {
			p.t.Fatalf("%s of %v, %v, cell %v, %+v: visits %+v %d times, want %t",
				what, at, p.q, p.cell, p.g.Stats(), *m, n, want)
		}
	}
}

func (p *player) pairs() {
	p.q.r = p.radius()
	n := len(p.marks)
	seen := map[int]int{}
	for a, b := range p.g.Pairs(p.q.r) {
		i, j := p.mark(a).number, p.mark(b).number
		seen[min(i, j)*n+max(i, j)]++
	}
	for i, a := range p.marks {
		for j, b := range p.marks[:i] {
			yes := !p.q.nowhere(a.put) && !p.q.nowhere(b.put) && p.q.near(a.put, b.put)
			sure := p.sure(a) && p.sure(b)
			in := a.in && a.live && b.in && b.live
			k := seen[j*n+i]
			if k > 1 || (sure || !in) && (in && yes) != (k == 1) {
				p.t.Fatalf("Pairs, %v, cell %v, %+v: visits %+v and %+v %d times, want %t",
					p.q, p.cell, p.g.Stats(), *b, *a, k, in && yes)
			}
		}
	}
}

func (p *player) traverse() {
	p.q.r = p.radius()
	turns := map[int]int{}
	for e, o := range p.g.Traverse(p.q.r) {
		a := p.mark(e)
		turns[a.number]++
		found := map[int]int{}
		for h, v := range o.All() {
			found[p.mark(entry{Handle: h, Value: v}).number]++
		}
		if p.q.nowhere(a.put) {
			if len(found) > 0 {
				p.t.Fatalf("%+v is nowhere, but has others", *a)
			}
			continue
		}
		p.agrees("Traverse", a.put, a, p.sure(a), found)
	}
	for _, m := range p.marks {
		if want := m.in && m.live; turns[m.number] > 1 || want != (turns[m.number] == 1) {
			p.t.Fatalf("Traverse visits %+v %d times, want %t", *m, turns[m.number], want)
		}
	}
}

func (p *player) within() {
	p.q.r = p.radius()
	at := p.place()
	found := map[int]int{}
	for e := range p.g.within(at, p.q.r) {
		found[p.mark(e).number]++
	}
	if p.q.endless(at) {
		if len(found) > 0 {
			p.t.Fatalf("Within: a value within %v of %v", p.q.r, at)
		}
		return
	}
	p.agrees("Within", at, nil, true, found)
}

func (p *player) near() {
	p.q.r = p.radius()
	m := p.any()
	if m == nil {
		return
	}
	found := map[int]int{}
	for e := range p.g.Near(m.h, p.q.r) {
		found[p.mark(e).number]++
	}
	if p.q.nowhere(m.now) {
		if len(found) > 0 {
			p.t.Fatalf("Near of %v visits a value", m.now)
		}
		return
	}
	p.agrees("Near", m.now, m, true, found)
}

func (p *player) nearestK() {
	k, at := p.next()%20, p.place()
	var want []float64
	for _, m := range p.marks {
		if m.in && m.live && !p.q.nowhere(m.put) && !p.q.endless(at) {
			if !p.sure(m) {
				return // the expected result is unknown
			}
			want = append(want, p.q.far(at, m.put))
		}
	}
	slices.Sort(want)
	want = want[:min(k, len(want))]
	var got []float64
	met := map[int]bool{}
	for e := range p.g.nearestK(at, k) {
		m := p.mark(e)
		if got = append(got, p.q.far(at, m.put)); met[m.number] {
			p.t.Fatalf("NearestK visits %+v twice", *m)
		}
		met[m.number] = true
	}
	if !slices.Equal(got, want) {
		p.t.Fatalf("NearestK(%v, %d), %v, cell %v, %+v: %v, want %v", at, k, p.q, p.cell, p.g.Stats(), got, want)
	}
	if e, ok := p.g.nearest(at); k > 0 && (ok != (len(want) > 0) || ok && p.q.far(at, p.mark(e).put) != want[0]) {
		p.t.Fatalf("Nearest(%v), %v = %v, %t, want %v", at, p.q, e, ok, want)
	}
}

// removeInPairs removes values, including the current ones, in a loop over pairs.
func (p *player) removeInPairs() {
	p.q.r = p.radius()
	for a, b := range p.g.Pairs(p.q.r) {
		ms := []*mark{p.mark(a), p.mark(b), p.any()}
		p.take(ms[p.next()%3], p.next())
		if p.next()%16 == 15 {
			break
		}
	}
}

func (p *player) removeInTraverse() {
	p.q.r = p.radius()
	for e, o := range p.g.Traverse(p.q.r) {
		a := p.mark(e)
		for h, v := range o.All() {
			m := p.mark(entry{Handle: h, Value: v})
			if b := p.next(); b%4 == 0 {
				p.take([]*mark{a, m, p.any()}[b%3], p.next())
			}
		}
	}
}

// take removes a mark from the container, or the grid, or both, or neither.
func (p *player) take(m *mark, how int) {
	if m == nil || !m.live {
		return
	}
	if how&1 != 0 {
		p.forget(m)
	}
	if how&2 != 0 {
		p.v.Remove(m.h)
		m.live = false
	}
}

func TestModel(t *testing.T) {
	for world := range modelWorlds {
		t.Run(fmt.Sprintf("world=%d", world), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(60) {
				if !long.On && seed >= 15 {
					break
				}
				r := rand.New(rand.NewPCG(seed, uint64(world)))
				data := make([]byte, 600)
				for i := range data {
					data[i] = byte(r.Uint32())
				}
				data[1] = byte(world)
				play(t, data)
			}
		})
	}
}

func FuzzGrid(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		play(t, data[:min(len(data), 2000)]) // the rest would add little
	})
}

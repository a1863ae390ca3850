package freelist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/internal/long"
)

// model is a simple reference for a list: the free entries, the next one last, and the taken ones.
type model struct {
	free   []int
	out    []int // taken, in no order
	n      int
	lowest bool
}

func newModel(n int, lowest bool) *model {
	m := &model{n: n, lowest: lowest}
	m.reset()
	return m
}

func (m *model) reset() {
	m.free, m.out = nil, nil
	for i := m.n - 1; i >= 0; i-- {
		m.free = append(m.free, i)
	}
}

func (m *model) pop() (int, bool) {
	k := len(m.free) - 1
	if k < 0 {
		return 0, false
	}
	if m.lowest {
		k = slices.Index(m.free, slices.Min(m.free))
	}
	i := m.free[k]
	m.free = slices.Delete(m.free, k, k+1)
	m.out = append(m.out, i)
	return i, true
}

func (m *model) push(i int) {
	k := slices.Index(m.out, i)
	m.out = slices.Delete(m.out, k, k+1)
	m.free = append(m.free, i)
}

// player reads operations from bytes and applies them to a list and its model.
type player struct {
	t    *testing.T
	l    *list
	m    *model
	data []byte
}

func (p *player) next() int {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return int(b)
}

// arg reads a number that is usually small.
func (p *player) arg() int {
	if b := p.next(); b < 200 {
		return b
	}
	return p.next() * p.next()
}

// play performs the operations in data. Its first byte selects the kind of list, and the next two
// the size.
func play(t *testing.T, data []byte) {
	t.Helper()
	p := &player{t: t, data: data}
	maker := makers[p.next()%len(makers)]
	n := p.arg() % 700
	p.l = maker(n)
	n = min(n, p.l.most)
	p.m = newModel(n, p.l.lowest != nil)
	p.compare()
	for len(p.data) > 0 {
		op := p.next() % len(ops)
		ops[op](p)
		p.compare()
	}
	p.drain()
}

// ops are the operations. Committed fuzz inputs depend on their order: add new ones at the end.
var ops = []func(p *player){
	0:  (*player).pop,
	1:  (*player).pop,
	2:  (*player).push,
	3:  (*player).push,
	4:  (*player).burst,
	5:  (*player).tooMuch,
	6:  (*player).outside,
	7:  (*player).reset,
	8:  (*player).takeAt,
	9:  (*player).grow,
	10: (*player).loop,
	11: (*player).fork,
	12: (*player).clip,
	13: (*player).clear,
}

func (p *player) pop() {
	p.t.Helper()
	want, wantOK := p.m.pop()
	got, ok := p.l.pop()
	if got != want || ok != wantOK {
		p.t.Fatalf("%s: pop = %d, %t, want %d, %t", p.l.name, got, ok, want, wantOK)
	}
}

func (p *player) push() {
	if len(p.m.out) == 0 {
		return
	}
	i := p.m.out[p.arg()%len(p.m.out)]
	p.m.push(i)
	if !p.l.push(i) {
		p.t.Fatalf("%s: push(%d) = false", p.l.name, i)
	}
}

// burst pops many entries, and pushes some of them back in the same order.
func (p *player) burst() {
	for range p.arg() {
		p.pop()
	}
	for range min(p.arg(), len(p.m.out)) {
		i := p.m.out[0]
		p.m.push(i)
		if !p.l.push(i) {
			p.t.Fatalf("%s: push(%d) = false", p.l.name, i)
		}
	}
}

// tooMuch pushes free entries, if that must be refused.
func (p *player) tooMuch() {
	if len(p.m.free) == 0 || !p.l.safe() && len(p.m.out) > 0 {
		return
	}
	i := p.m.free[p.arg()%len(p.m.free)]
	if p.l.push(i) {
		p.t.Fatalf("%s: push(%d), which is free, = true", p.l.name, i)
	}
}

// outside pushes entries that the list does not have.
func (p *player) outside() {
	if !p.l.refuses {
		return
	}
	for _, i := range []int{p.m.n, p.m.n + p.arg(), -1, -1 - p.arg(), 1<<31 - 1 - p.arg()} {
		if p.l.push(i) {
			p.t.Fatalf("%s of %d: push(%d) = true", p.l.name, p.m.n, i)
		}
		if p.l.safe() && p.l.isFree(i) {
			p.t.Fatalf("%s of %d: %d is free", p.l.name, p.m.n, i)
		}
	}
}

func (p *player) reset() {
	if p.next()%4 == 0 {
		p.m.reset()
		p.l.reset()
	}
}

// clear makes no entry free. Later pushes are in any order, as into a list that started empty.
func (p *player) clear() {
	if p.next()%4 == 0 {
		p.takeAll()
	}
}

func (p *player) takeAll() {
	p.m.out = append(p.m.out, p.m.free...)
	p.m.free = nil
	p.l.clear()
}

func (p *player) takeAt() {
	if p.l.lowest == nil {
		return
	}
	i := p.arg() - 3
	k := slices.Index(p.m.free, i)
	if k >= 0 {
		p.m.free = slices.Delete(p.m.free, k, k+1)
		p.m.out = append(p.m.out, i)
	}
	if got := p.l.lowest.TakeAt(i); got != (k >= 0) {
		p.t.Fatalf("%s: TakeAt(%d) = %t", p.l.name, i, got)
	}
}

func (p *player) grow() {
	if p.l.lowest == nil || p.m.n > 3000 {
		return
	}
	n := p.arg() % 500
	for len(p.m.free) < n {
		p.m.free = append(p.m.free, p.m.n)
		p.m.n++
	}
	p.l.lowest.Grow(n)
}

// fork goes on with a clone after changing the original, or with the original after changing the
// clone.
func (p *player) fork() {
	c := p.l.clone()
	other := c
	if p.next()%2 == 0 {
		p.l, other = c, p.l
	}
	for range p.arg() % 100 {
		other.pop()
	}
	other.check()
	other.reset()
}

func (p *player) clip() {
	l := p.l.lowest
	if l == nil {
		return
	}
	if p.m.n = 0; len(p.m.out) > 0 {
		p.m.n = slices.Max(p.m.out) + 1
	}
	p.m.free = slices.DeleteFunc(p.m.free, func(i int) bool { return i >= p.m.n })
	l.Clip()
}

// loop visits the taken entries, and frees and takes some meanwhile.
func (p *player) loop() {
	l := p.l.lowest
	if l == nil {
		return
	}
	up := p.next()%2 == 0
	seq := l.Backward()
	if up {
		seq = l.Taken()
	}
	throughout := slices.Clone(p.m.out) // taken throughout the loop
	seen := map[int]bool{}
	last, first := 0, true
	for i := range seq {
		if seen[i] {
			p.t.Fatalf("rule 3: visited %d twice", i)
		}
		if !slices.Contains(p.m.out, i) {
			p.t.Fatalf("rule 2: visited %d, which is free", i)
		}
		if !first && (i > last) != up {
			p.t.Fatalf("visited %d after %d", i, last)
		}
		seen[i], last, first = true, i, false
		switch p.next() % 8 {
		case 1:
			p.m.push(i)
			l.Free(i)
			throughout = slices.DeleteFunc(throughout, func(k int) bool { return k == i })
		case 2, 3:
			k := p.m.out[p.arg()%len(p.m.out)]
			p.m.push(k)
			l.Free(k)
			throughout = slices.DeleteFunc(throughout, func(i int) bool { return i == k })
		case 4:
			p.pop()
		case 5:
			p.grow()
		case 6:
			p.clip()
		case 7:
			p.takeAll()
		}
		if len(p.data) == 0 && p.next() == 0 && len(seen) > 5000 {
			p.t.Fatal("the loop does not end")
		}
	}
	for _, i := range throughout {
		if !seen[i] {
			p.t.Fatalf("rule 1: did not visit %d", i)
		}
	}
}

// compare compares all reads of the list with the model.
func (p *player) compare() {
	p.l.check()
	if p.l.len() != len(p.m.free) || p.l.cap() != p.m.n {
		p.t.Fatalf("%s: Len, Cap = %d, %d, want %d, %d",
			p.l.name, p.l.len(), p.l.cap(), len(p.m.free), p.m.n)
	}
	if p.l.safe() {
		for _, i := range p.m.free {
			if !p.l.isFree(i) {
				p.t.Fatalf("%s: %d is not free", p.l.name, i)
			}
		}
		for _, i := range p.m.out {
			if p.l.isFree(i) {
				p.t.Fatalf("%s: %d is free", p.l.name, i)
			}
		}
	}
	if l := p.l.lowest; l != nil {
		want := slices.Sorted(slices.Values(p.m.out))
		if got := slices.Collect(l.Taken()); !slices.Equal(got, want) {
			p.t.Fatalf("Taken = %v, want %v", got, want)
		}
		if i, ok := l.Last(); ok != (len(want) > 0) || ok && i != want[len(want)-1] {
			p.t.Fatalf("Last = %d, %t, want the end of %v", i, ok, want)
		}
		slices.Reverse(want)
		if got := slices.Collect(l.Backward()); !slices.Equal(got, want) {
			p.t.Fatalf("Backward = %v, want %v", got, want)
		}
	}
}

// drain pops all entries, checks that each was handed out exactly once, and pushes all back.
func (p *player) drain() {
	for range len(p.m.free) + 2 {
		p.pop()
	}
	got := slices.Sorted(slices.Values(p.m.out))
	for i, k := range got {
		if i != k || len(got) != p.m.n {
			p.t.Fatalf("%s: not every entry is out once: %v", p.l.name, got)
		}
	}
	for len(p.m.out) > 0 {
		i := p.m.out[0]
		p.m.push(i)
		if !p.l.push(i) {
			p.t.Fatalf("%s: push(%d) = false", p.l.name, i)
		}
	}
	p.compare()
	if p.m.n > 0 && p.l.push(0) {
		p.t.Fatalf("%s: push on a full list = true", p.l.name)
	}
}

func TestModel(t *testing.T) {
	for kind := range makers {
		t.Run(makers[kind](1).name, func(t *testing.T) {
			seeds := uint64(12)
			if !long.On {
				seeds = 2
			}
			for seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 3))
				data := make([]byte, 400)
				for i := range data {
					data[i] = byte(r.Uint32())
				}
				data[0] = byte(kind)
				if seed%3 == 0 { // many entries, and the operations that loop over them
					data[1] = 250
				}
				play(t, data)
			}
		})
	}
}

func FuzzFreelist(f *testing.F) {
	for kind := range makers {
		f.Add([]byte{byte(kind), 70, 4, 60, 20, 0, 2, 3, 5, 1, 6, 9, 8, 5, 9, 100, 10, 0, 1, 2, 3, 4, 5, 7, 0})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		play(t, data[:min(len(data), 4000)]) // the rest would only repeat
	})
}

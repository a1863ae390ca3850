package pooltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/seed505807e1/berth/internal/long"
)

const (
	mostData  = 4096 // bytes that Play reads
	mostLive  = 1200 // values that Play inserts
	mostDepth = 3    // nested loops and InsertFuncs
	firstSave = 240  // byte from which on a step saves and loads
)

// player makes the calls that bytes encode.
type player struct {
	*run
	w     *world
	other *world // a clone, a loaded copy, or the original of one
	o     Options
	saved *saved // the last save
	data  []byte
	steps int
	depth int
	lives int // of the slots, or 0
}

// models returns the checks that run the model test on inputs of their own.
func models() []check {
	seeds := 12
	if long.On || scale > 1 { // short inputs find less
		seeds = 24
	}
	var cs []check
	for seed := range seeds {
		cs = append(cs, check{name: strconv.Itoa(seed), run: func(r *run) {
			data := make([]byte, 1000/scale)
			rng := rand.New(rand.NewPCG(uint64(seed), 7))
			for i := range data {
				data[i] = byte(rng.Uint32())
			}
			data[0] = byte(2*seed + seed>>1&1) // options: 12 seeds have each of them
			play(r, data)
		}})
	}
	return cs
}

// play implements Play.
func play(r *run, data []byte) {
	p := &player{run: r, data: data[:min(len(data), mostData)]}
	b := p.next()
	o := Options{
		Capacity: []int{0, 1, 65, 300}[b&3],
		Limit:    []int{0, 0, 300, 1}[b>>2&3],
		Seed:     uint32(p.next()),
	}
	p.o = o
	if b>>4&1 != 0 {
		p.lives = int(b>>5) + 1
	}
	p.w = p.newWorld()
	for len(p.data) > 0 {
		p.step()
	}
	p.w.compare()
	if p.other != nil {
		p.other.compare()
	}
}

// newWorld returns an empty container with the Options of the input.
func (p *player) newWorld() *world {
	w := p.world(p.o)
	if p.lives > 0 && w.c.offers("Age") {
		w.c.age(p.lives)
	}
	return w
}

// next returns the next byte, or 0 if there is none.
func (p *player) next() byte {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return b
}

// below returns a number less than n, from one byte, or 0 if n is not positive.
func (p *player) below(n int) int {
	if n <= 0 {
		return 0
	}
	return int(p.next()) * 257 % n
}

// some returns a live handle, if there is one.
func (p *player) some() (h handle, ok bool) {
	if n := len(p.w.order); n > 0 {
		return p.w.order[p.below(n)], true
	}
	return h, false
}

// step makes one call, and compares.
func (p *player) step() {
	op := p.op(int(p.next()))
	p.steps++
	p.w.step = fmt.Sprintf("step %d, %s: ", p.steps, op.name)
	op.do()
	p.w.step = fmt.Sprintf("after step %d, %s: ", p.steps, op.name)
	if len(p.w.order) < 100 || p.steps%16 == 0 {
		p.w.compare()
	} else {
		p.w.glance()
	}
}

type op struct {
	name string
	do   func()
}

// op returns the operation of a byte. The last bytes select an operation of saving if the container
// has those, so that the others keep their meaning.
func (p *player) op(b int) op {
	if b >= firstSave && p.w.c.offers("Load") && p.allows(loadTest) {
		return []op{{"Save and load", p.reload}, {"Load into another", p.loadOther}}[b%2]
	}
	ops := p.ops()
	return ops[b%len(ops)]
}

// ops returns the other operations of a step. Their order and their number determine what the bytes
// of committed inputs mean, so add new ones to op.
func (p *player) ops() []op {
	w := p.w
	return []op{
		{"Insert", func() { p.insertN(1) }},
		{"Insert, a burst", func() { p.insertN(int(p.next()) * 2) }},
		{"Remove", func() { p.removeN(1) }},
		{"Remove, many", func() { p.removeN(int(p.next()) * 2) }},
		{"Remove, stale", p.stale},
		{"write through Ptr", p.write},
		{"Clear", w.clear},
		{"Clip", w.clip},
		{"Grow", func() { w.grow(int(p.next())) }},
		{"Clone", p.clone},
		{"RemoveFunc", p.removeFunc},
		{"Drain", p.drain},
		{"loop", p.loop},
		{"loop", p.loop},
		{"InsertFunc", p.insertFunc},
		{"any bits", p.bits},
		{"Traverse", p.traverse},
		{"Pairs", p.pairs},
		{"Apply", p.apply},
		{"TryInsert", p.tryInsert},
	}
}

func (p *player) insertN(n int) {
	p.w.insertN(min(n, max(0, mostLive-len(p.w.order))))
}

func (p *player) removeN(n int) {
	p.w.removeN(n, []func(int) int{first, last, p.w.any, p.below}[p.below(4)])
}

func (p *player) stale() {
	if n := len(p.w.gone); n > 0 {
		p.w.mustStayGone(p.w.gone[p.below(n)], "stale handle")
	}
	if h, ok := p.some(); ok {
		p.w.remove(h)
		p.w.remove(h)
	}
}

func (p *player) write() {
	if h, ok := p.some(); ok && p.allows("Law1LiveResolves/writesStay") {
		p.w.write(h)
	}
}

// clone clones the container, or continues with the clone or the original. Each must be unchanged
// since.
func (p *player) clone() {
	if !p.w.c.offers("Clone") || len(p.w.pending) > 0 || p.depth > 0 {
		return
	}
	if p.other != nil {
		p.other.step = p.w.step
		p.other.compare()
		if p.next()%2 == 0 {
			p.w, p.other = p.other, p.w
			return
		}
	}
	p.other = p.w.fork()
}

// reload saves the container and loads it again, or goes back to the last save.
func (p *player) reload() {
	if len(p.w.pending) > 0 || p.depth > 0 {
		return
	}
	if p.saved == nil || p.next()%2 == 0 {
		s := p.w.save()
		p.saved = &s
	}
	p.w.load(*p.saved)
}

// loadOther saves the container, loads it into a new one or into the other one, and continues with
// that.
func (p *player) loadOther() {
	if len(p.w.pending) > 0 || p.depth > 0 {
		return
	}
	v := p.other
	if v == nil || p.next()%2 == 0 {
		v = p.newWorld()
	}
	v.step = p.w.step
	v.compare()
	s := p.w.save()
	v.load(s)
	v.compare()
	p.saved, p.w, p.other = &s, v, p.w
}

func (p *player) removeFunc() {
	if !p.w.c.offers("RemoveFunc") {
		return
	}
	mask := p.next()
	p.caught(func() {
		p.w.removeFunc(func(k *walk, h handle) bool {
			p.body(k, h)
			return mask>>(k.visits%8)&1 != 0
		})
	})
}

func (p *player) drain() {
	if !p.w.c.offers("Drain") {
		return
	}
	stop := int(p.next()) * 4
	p.caught(func() {
		p.w.drain(func(turn int) bool {
			if turn%8 == 1 {
				p.when(insertTest, func() { p.insertN(int(p.next()) % 4) })
				p.explode()
			}
			return turn < stop
		})
	})
}

func (p *player) loop() {
	ls := loops(p.w.c)
	l := ls[p.below(len(ls))]
	p.caught(func() { p.w.loop(l, p.body) })
}

// caught runs f one level deeper, and recovers from its panics.
func (p *player) caught(f func()) {
	if p.depth < mostDepth {
		p.depth++
		defer func() { p.depth-- }()
		p.panics(f)
	}
}

// explode panics if the next byte selects it.
func (p *player) explode() {
	if p.next() >= 253 {
		panic(bomb{})
	}
}

// body is a loop's body. It takes a byte in each of the first iterations, and in some of the later
// ones, so that one loop does not take all bytes.
func (p *player) body(k *walk, h handle) bool {
	if k.visits > 24 && k.visits%16 != 0 {
		return true
	}
	switch b := p.next(); {
	case b >= 252:
		panic(bomb{})
	case b >= 246:
		return false
	default:
		p.change(k, h, b)
		return true
	}
}

// Names of subtests about changes in loops.
const (
	growingTest = "Law7Iteration/rule1EachOnceWhileGrowing"
	currentTest = "Law7Iteration/rule2RemoveCurrent"
	earlierTest = "Law7Iteration/rule2RemoveEarlier"
	laterTest   = "Law7Iteration/rule2RemoveLater"
	clearTest   = "Law7Iteration/rule2Clear"
	insertTest  = "Law7Iteration/rule3Insert"
	replaceTest = "Law7Iteration/rule3Replace"
	nestedTest  = "Law7Iteration/rule4Nested"
)

// change makes the change that b encodes inside a loop, with h as the current value. Often it makes
// none.
func (p *player) change(k *walk, h handle, b byte) {
	w := p.w
	switch b % 24 {
	case 1, 2, 3:
		p.when(currentTest, func() { w.remove(h) })
	case 4, 5:
		if g, ok := k.earlier(h); ok {
			p.when(earlierTest, func() { w.remove(g) })
		}
	case 6, 7:
		if g, ok := k.later(); ok {
			p.when(laterTest, func() { w.remove(g) })
		}
	case 8:
		p.when(earlierTest, func() { p.when(laterTest, func() { p.removeN(int(p.next())) }) })
	case 9, 10:
		p.when(insertTest, func() { p.insertN(1) })
	case 11:
		p.when(insertTest, func() { p.insertN(int(p.next())) })
	case 12, 13:
		p.when(replaceTest, func() { w.remove(h); w.insert() })
	case 14:
		if p.next()%8 == 0 {
			p.when(clearTest, w.clear)
		}
	case 15:
		p.when(growingTest, func() { w.clip(); w.grow(int(p.next())) })
	case 16:
		p.when(nestedTest, p.loop)
	case 17:
		if w.live(h) != nil {
			p.write()
		}
	case 18:
		p.when(insertTest, p.insertFunc)
	}
}

func (p *player) when(test string, f func()) {
	if p.allows(test) {
		f()
	}
}

// insertFunc builds a value by InsertFunc, and makes other calls meanwhile.
func (p *player) insertFunc() {
	if !p.w.c.offers("InsertFunc") || len(p.w.order) >= mostLive {
		return
	}
	p.caught(func() {
		p.w.insertFunc(func(handle) {
			if n := p.next(); n%4 == 0 {
				cs := changes()
				if i := p.below(len(cs)); len(p.w.order) < mostLive {
					cs[i](p.w)
				}
			}
			if p.next()%4 == 0 {
				p.loop()
			}
			if p.next()%4 == 0 {
				p.insertFunc()
			}
			if p.next() >= 208 {
				panic(bomb{})
			}
		})
	})
}

func (p *player) bits() {
	var none handle
	p.w.probe(none)
	if !p.w.c.offers("FromBits") {
		return
	}
	u := uint64(0)
	for range 8 {
		u = u<<8 | uint64(p.next())
	}
	p.w.probe(p.w.c.fromBits(u))
	p.w.probe(p.w.c.fromBits(mix(u)))
	if h, ok := p.some(); ok {
		p.w.neighbours(h)
	}
}

func (p *player) traverse() {
	if !p.w.c.offers("Traverse") {
		return
	}
	p.caught(func() {
		p.w.traverse(func(k *walk, pivot handle, o *others) bool {
			if k.visits <= 20 {
				o.compare(p.body)
				p.change(k, pivot, p.next())
				o.compare(func(*walk, handle) bool { return true })
			}
			return true
		})
	})
}

func (p *player) pairs() {
	if !p.w.c.offers("Pairs") {
		return
	}
	p.caught(func() {
		turn := 0
		p.w.pairs(func(a, b handle) bool {
			if turn++; turn > 24 && turn%64 != 0 {
				return turn < 4000
			}
			switch p.next() % 24 {
			case 1:
				p.when(currentTest, func() { p.w.remove(a) })
			case 2:
				p.when(laterTest, func() { p.w.remove(b) })
			case 3:
				p.when(replaceTest, func() { p.w.remove(a); p.w.insert() })
			case 4:
				p.when(replaceTest, func() { p.w.remove(b); p.w.insert() })
			case 5:
				p.when(insertTest, func() { p.insertN(int(p.next()) % 8) })
			}
			p.explode()
			return turn < 4000
		})
	})
}

func (p *player) apply() {
	if !p.w.c.offers("Apply") {
		return
	}
	if h, ok := p.some(); ok {
		p.caught(func() {
			p.w.apply(h, func(o *others) {
				o.compare(p.body)
				p.explode()
			})
		})
		p.w.apply(h, func(*others) {})
	}
	for _, h := range slices.Clone(p.w.gone[:min(4, len(p.w.gone))]) {
		p.w.apply(h, func(*others) {})
	}
}

func (p *player) tryInsert() {
	if !p.w.c.offers("TryInsert") || len(p.w.order) >= mostLive {
		return
	}
	id, full := p.newID(), p.w.full()
	h, err := p.w.c.tryInsert(id)
	if (err != nil) != full {
		p.w.fail("TryInsert at %d values, Limit %d: error %v", len(p.w.order), p.w.limit, err)
	}
	p.w.inserted("TryInsert", h, id, full)
}

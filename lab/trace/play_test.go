package trace_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

type handle = berth.Handle[int]

// pool has the common methods of *berth.Pool[int] and *trace.Pool[int], which are all but Clone.
type pool interface {
	trace.Container[int, handle]
	InsertFunc(f func(handle, *int)) handle
	IndexOf(h handle) int
	HandleAt(first handle, i int) handle
	InsertSeq(seq iter.Seq[int]) int
	Backward() iter.Seq2[handle, *int]
	Traverse() iter.Seq2[berth.Entry[int], berth.Others[int]]
	Pairs() iter.Seq2[*int, *int]
	Apply(h handle, f func(*int, berth.Others[int])) bool
	Slots() iter.Seq[berth.Slots]
	SetHooks(berth.Hooks[int])
	RemoveFunc(f func(handle, *int) bool) int
	Stats() berth.Stats
	InsertAt(h handle, v int) error
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
}

// bare is a Pool with the functions that take one as methods.
type bare struct{ *berth.Pool[int] }

func (b bare) InsertSeq(seq iter.Seq[int]) int { return berth.InsertSeq(b.Pool, seq) }

func (b bare) InsertAt(h handle, v int) error { return berth.InsertAt(b.Pool, h, v) }

func (b bare) SetHooks(hs berth.Hooks[int]) { berth.SetHooks(b.Pool, hs) }

func (b bare) RemoveFunc(f func(handle, *int) bool) int { return berth.RemoveFunc(b.Pool, f) }

func (b bare) Backward() iter.Seq2[handle, *int] { return berth.Backward(b.Pool) }

func (b bare) Pairs() iter.Seq2[*int, *int] { return berth.Pairs(b.Pool) }

func (b bare) Traverse() iter.Seq2[berth.Entry[int], berth.Others[int]] {
	return berth.Traverse(b.Pool)
}

func (b bare) Apply(h handle, f func(*int, berth.Others[int])) bool {
	return berth.Apply(b.Pool, h, f)
}

// byHand is a Wrapped that calls the methods that a Wrapped lacks on the pool, and records them by
// hand.
type byHand struct {
	*trace.Wrapped[int, handle]
	c *berth.Pool[int]
}

func (b byHand) IndexOf(h handle) int                { b.Contains(h); return b.c.IndexOf(h) }
func (b byHand) HandleAt(first handle, i int) handle { return b.c.HandleAt(first, i) }
func (b byHand) Slots() iter.Seq[berth.Slots]        { return b.c.Slots() }
func (b byHand) SetHooks(hs berth.Hooks[int])        { berth.SetHooks(b.c, hs) }
func (b byHand) Stats() berth.Stats                  { return b.c.Stats() }

func (b byHand) InsertSeq(seq iter.Seq[int]) (n int) {
	full := func() bool {
		full := true
		berth.InsertSeq(b.c, func(func(int) bool) { full = false })
		return full
	}
	if full() {
		return 0
	}
	for v := range seq {
		if b.Insert(v).IsZero() {
			break
		}
		if n++; full() {
			break
		}
	}
	return n
}

func (b byHand) Backward() iter.Seq2[handle, *int] {
	return func(yield func(handle, *int) bool) {
		b.Pass()
		berth.Backward(b.c)(yield)
	}
}

func (b byHand) Pairs() iter.Seq2[*int, *int] {
	return func(yield func(_, _ *int) bool) {
		b.Pass()
		berth.Pairs(b.c)(yield)
	}
}

func (b byHand) Traverse() iter.Seq2[berth.Entry[int], berth.Others[int]] {
	return func(yield func(berth.Entry[int], berth.Others[int]) bool) {
		b.Pass()
		berth.Traverse(b.c)(yield)
	}
}

func (b byHand) Apply(h handle, f func(*int, berth.Others[int])) bool {
	b.Contains(h)
	return berth.Apply(b.c, h, f)
}

// player plays a script on a pool, and logs all answers of the pool. It also tracks the kinds of
// the ops that a recording must have.
type player struct {
	pool
	see    *berth.Pool[int] // the recorded pool, or the one inside
	script []byte
	hs     []handle // all handles ever issued
	value  int
	depth  int
	ops    int
	hooked bool // the pool calls hooks that play, too
	says   bool // the pool has hooks that report inserts and removals
	gone   bool // a value was removed
	saved  []byte
	log    []string
	kinds  []byte
}

var errPlayed = errors.New("played")

func (p *player) next() byte {
	if len(p.script) == 0 {
		return 0
	}
	b := p.script[0]
	p.script = p.script[1:]
	return b
}

func (p *player) say(what ...any) { p.log = append(p.log, fmt.Sprintln(what...)) }

func (p *player) fresh() int { p.value++; return p.value }

// handle returns some handle: mostly one of the last, else the zero one, or any.
func (p *player) handle() handle {
	b := int(p.next())
	switch {
	case b < 8 || len(p.hs) == 0:
		return handle{}
	case b < 12:
		return berth.HandleFromUint64[int](uint64(p.next())<<32 | uint64(p.next()))
	case b < 80:
		return p.hs[b%len(p.hs)]
	default:
		return p.hs[len(p.hs)-1-b%min(len(p.hs), 24)]
	}
}

// looks logs a lookup of h and its result.
func (p *player) looks(h handle, found bool) {
	switch {
	case found:
		p.kinds = append(p.kinds, 'g')
	case p.gone && !h.IsZero():
		p.kinds = append(p.kinds, 'm')
	}
}

func (p *player) issued(h handle) handle {
	p.hs = append(p.hs, h)
	return h
}

// onInsert is a hook.
func (p *player) onInsert(h handle, v *int) {
	if p.says {
		p.kinds = append(p.kinds, 'i')
	}
	if !p.hooked {
		return
	}
	p.say("inserted", h, *v)
	done := false
	defer func() {
		if p.says && !done && p.see.Contains(h) { // by a panic
			p.kinds, p.gone = append(p.kinds, 'r'), true
		}
	}()
	p.inHook(h)
	done = true
}

// onRemove is a hook.
func (p *player) onRemove(h handle, v *int) {
	if p.says {
		p.kinds, p.gone = append(p.kinds, 'r'), true
	}
	if p.hooked {
		p.say("removed", h, *v)
		p.inHook(h)
	}
}

func (p *player) inHook(h handle) {
	p.issued(h)
	switch b := p.next(); {
	case b < 100:
	case b < 140:
		p.look(h)
	case b < 160:
		p.remove(h)
	case b < 170:
		panic(errPlayed)
	default:
		p.nested()
	}
}

func (p *player) look(h handle) {
	ok := false
	switch p.next() % 4 {
	case 0:
		var v int
		v, ok = p.Get(h)
		p.say("Get", v, ok)
	case 1:
		v := p.Ptr(h)
		if ok = v != nil; ok {
			p.say("Ptr", *v)
		}
	case 2:
		ok = p.Contains(h)
		p.say("Contains", ok)
	case 3:
		i := p.IndexOf(h)
		ok = i >= 0
		p.say("IndexOf", i)
	}
	p.looks(h, ok)
}

func (p *player) remove(h handle) {
	var ok bool
	if p.next()%2 == 0 {
		ok = p.Delete(h)
		p.say("Delete", ok)
	} else {
		var v int
		v, ok = p.Remove(h)
		p.say("Remove", v, ok)
	}
	if !ok {
		p.looks(h, false)
	}
}

func (p *player) insert() {
	switch p.next() % 6 {
	case 0, 1, 2:
		p.say("Insert", p.issued(p.Insert(p.fresh())))
	case 3:
		h, v := p.New()
		p.say("New", p.issued(h), v != nil)
		if v != nil {
			*v = p.fresh()
		}
	case 4:
		p.say("InsertFunc", p.issued(p.InsertFunc(func(h handle, v *int) {
			*v = p.fresh()
			p.say("builds", p.issued(h))
			p.body(h)
		})))
	case 5:
		asked := 0
		n := p.InsertSeq(func(yield func(int) bool) {
			for range p.next() % 8 {
				asked++
				if p.nested(); !yield(p.fresh()) {
					return
				}
			}
		})
		p.say("InsertSeq", n, asked)
	}
}

// body does something, or nothing, or panics. It reports whether the loop should continue.
func (p *player) body(h handle) bool {
	switch b := p.next(); {
	case b < 120:
	case b < 150:
		return false
	case b < 155:
		panic(errPlayed)
	case b < 190:
		p.remove(h)
	default:
		p.nested()
	}
	return true
}

// pass is called when a loop begins.
func (p *player) pass() { p.kinds = append(p.kinds, 'p') }

func (p *player) loop() {
	p.pass()
	switch p.next() % 10 {
	case 0:
		for h, v := range p.All() {
			if p.say("All", h, *v); !p.body(h) {
				break
			}
		}
	case 1:
		for v := range p.Values() {
			if p.say("Values", *v); !p.body(p.handle()) {
				break
			}
		}
	case 2:
		for h, v := range p.Backward() {
			if p.say("Backward", h, *v); !p.body(h) {
				break
			}
		}
	case 3:
		for h := range berth.Handles(p) {
			if p.say("Handles", h); !p.body(h) {
				break
			}
		}
	case 4:
		for h, s := range p.Spans() {
			p.say("Spans", h, s, p.HandleAt(h, len(s)-1))
			if !p.body(h) {
				break
			}
		}
	case 5:
		for v, w := range p.Pairs() {
			if p.say("Pairs", *v, *w); !p.body(p.handle()) {
				break
			}
		}
	case 6:
		for e, others := range p.Traverse() {
			p.say("Traverse", e.Handle, *e.Value, others.Len())
			for h, v := range others.All() {
				p.say("others", h, *v)
			}
			if !p.body(e.Handle) {
				break
			}
		}
	case 7:
		for h, v := range berth.Drain(p) {
			if p.say("Drain", h, v); !p.body(h) {
				break
			}
		}
	default:
		n := p.RemoveFunc(func(h handle, v *int) bool {
			p.say("RemoveFunc", h, *v)
			p.body(h)
			return p.next()%2 == 0
		})
		p.say("RemoveFunc", n)
	}
}

func (p *player) memory() {
	switch p.next() % 8 {
	case 0:
		p.Clear()
	case 1:
		p.Clip()
	case 2:
		p.Grow(int(p.next()))
	case 3:
		for s := range p.Slots() {
			p.say("Slots", s)
		}
	case 4:
		p.say("InsertAt", p.InsertAt(p.handle(), p.fresh()))
	case 5:
		if b, err := p.MarshalBinary(); err == nil {
			p.saved = b
		}
	case 6:
		p.load()
	default:
		h := p.handle()
		p.looks(h, p.see.Contains(h))
		p.say("Apply", p.Apply(h, func(v *int, others berth.Others[int]) {
			p.say("applies", *v, others.Len(), others.Contains(h))
			p.body(h)
		}))
	}
}

// load loads the last save, or nothing, and logs what is gone and what is new.
func (p *player) load() {
	was := map[handle]bool{}
	for h := range p.see.All() {
		was[h] = true
	}
	err := p.UnmarshalBinary(p.saved)
	p.say("UnmarshalBinary", err)
	if err != nil {
		return
	}
	for h := range was {
		if !p.see.Contains(h) {
			p.kinds = append(p.kinds, 'r')
			p.gone = true
		}
	}
	for h := range p.see.All() {
		if !was[h] {
			p.kinds = append(p.kinds, 'i')
		}
	}
}

// nested is a step inside another.
func (p *player) nested() {
	if p.depth < 3 && p.ops < 300 {
		p.step()
	}
}

func (p *player) step() {
	p.ops++
	p.depth++
	defer func() { p.depth-- }()
	switch b := p.next() % 16; {
	case b < 5:
		p.insert()
	case b < 9:
		p.look(p.handle())
	case b < 12:
		p.remove(p.handle())
	case b < 14:
		p.loop()
	default:
		p.memory()
	}
}

// state returns the contents of the pool, without recording.
func (p *player) state() {
	s := p.Stats()
	s.Bytes = 0
	p.say(p.Len(), p.Cap(), s, p.String())
	for h, v := range p.see.All() {
		p.say(h, *v)
	}
}

// play plays a script to its end.
func (p *player) play() {
	p.next() // the first byte chose the hooks
	if p.hooked || p.says {
		p.SetHooks(berth.Hooks[int]{OnInsert: p.onInsert, OnRemove: p.onRemove})
	}
	for len(p.script) > 0 && p.ops < 300 {
		func() {
			defer func() {
				if e := recover(); e != nil && e != errPlayed { //nolint:errorlint // a panic's value
					panic(e)
				}
			}()
			p.step()
		}()
		p.state()
	}
}

// checkPlayed plays a script on a plain, a recorded and a wrapped pool. All must give the same
// answers, and both recordings must hold the played ops.
func checkPlayed(t *testing.T, script []byte) {
	t.Helper()
	config := berth.Config{Seed: 1}
	if len(script) > 1 {
		config.Limit = []int{0, 0, 1, 5, 70}[script[0]%5]
		config.Truncate = []berth.Truncate{berth.TruncateMemory, berth.TruncateLength,
			berth.TruncateNever}[script[1]%3]
		script = script[2:]
	}
	hooked := len(script) > 0 && script[0]%2 == 1
	on := func(p pool, see *berth.Pool[int], says bool) *player {
		q := &player{pool: p, see: see, script: script, hooked: hooked, says: says}
		q.play()
		return q
	}
	c := berth.NewPool[int](config)
	plain := on(bare{c}, c, false)
	c = berth.NewPool[int](config)
	oracle := on(bare{c}, c, true)

	rec := record(t)
	traced := trace.NewPool[int](config)
	traced.Record(rec.Recorder, "pool")
	compare := func(what string, got *player) {
		if i, ok := differ(plain.log, got.log); ok {
			t.Fatalf("%s: line %d of %d is %.300q; that of a pool %.300q", what, i,
				len(plain.log), line(got.log, i), line(plain.log, i))
		}
	}
	compare("with hooks that listen", oracle)
	compare("recorded", on(traced, trace.Unrecorded(traced), false))
	living := trace.LivingNames(traced)
	stream := rec.stream(t)
	ops := ops(t, stream)
	if got := kinds(ops); got != string(oracle.kinds) {
		t.Fatalf("recorded %s\nwant     %s", got, oracle.kinds)
	}
	checkLiving(t, ops, living, plain.Len())
	if hooked {
		return
	}
	other := record(t)
	c = berth.NewPool[int](config)
	wrapped := byHand{trace.Wrap(other.Recorder.Track("pool", intBytes), c), c}
	compare("wrapped", on(wrapped, c, false))
	if got := other.stream(t); !slices.Equal(got, stream) {
		t.Fatalf("wrapped, recorded %s\nwant              %s", "otherwise", kinds(ops))
	}
}

// differ returns the first index at which two logs differ.
func differ(a, b []string) (int, bool) {
	for i := range max(len(a), len(b)) {
		if line(a, i) != line(b, i) {
			return i, true
		}
	}
	return 0, false
}

func line(log []string, i int) string {
	if i >= len(log) {
		return "the end"
	}
	return log[i]
}

// scripts are the seeds of the fuzz target.
func scripts() [][]byte {
	var list [][]byte
	g := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		b := make([]byte, 2+8*n)
		for i := range b {
			b[i] = byte(g.Uint32())
		}
		list = append(list, b)
	}
	return list
}

func TestPlayed(t *testing.T) {
	for _, s := range scripts() {
		checkPlayed(t, s)
	}
}

func FuzzPlayed(f *testing.F) {
	for _, s := range scripts()[:20] {
		f.Add(s)
	}
	f.Fuzz(checkPlayed)
}

package arena_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/arena"
)

// The first byte of an input chooses one of these kinds of arenas.
const (
	fixed = iota
	chunked
	virtual
	kinds
)

// world is an arena, everything in it, and its model.
type world struct {
	t    testing.TB
	a    *arena.Arena
	kind int
	size int // bytes, unless it is chunked
	data []byte
	seq  uint64 // last value made

	pos     int     // the expected Used
	chunks  []chunk // those with something taken
	blurred bool    // some are unknown
	pieces  []piece
	marks   []*mark
	pin     int // no valid Mark lies beyond
	tenants []*tenancy
	depth   int  // depth of scopes
	looping bool // a loop over a Map runs
	steps   int
}

// piece is memory of the arena.
type piece struct {
	mem  []byte // all of its memory
	want []byte // expected first bytes
	end  int    // position behind it
	s    []uint16
}

type mark struct {
	m     arena.Mark
	pos   int
	valid bool
	scope bool // the memory of a Scope, not owned
}

// tenant is a container in the arena, with its model.
type tenant interface {
	step(w *world)
	compare(w *world)
	cap() int
	revive() bool // makes it usable after a rewind, if possible
	self() any    // the container
}

type tenancy struct {
	tenant
	end  int // position behind its memory; 0 if it has none
	dead bool
}

func newWorld(t testing.TB, data []byte) *world {
	w := &world{t: t, data: data, chunks: make([]chunk, 1)}
	w.kind = w.next() % kinds
	w.size = w.next() * w.next()
	if w.kind == virtual {
		page := arena.PageSize()
		w.size = (max(1, w.size) + page - 1) / page * page
	}
	w.a = newArena(t, w.kind, w.size)
	return w
}

func (w *world) next() int {
	if len(w.data) == 0 {
		return 0
	}
	b := w.data[0]
	w.data = w.data[1:]
	return int(b)
}

// arg reads a number that is usually small.
func (w *world) arg() int {
	if b := w.next(); b < 240 {
		return b % 48
	}
	return w.next() * 8
}

// value returns a number that no other call has returned.
func (w *world) value() uint64 { w.seq++; return w.seq }

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("step %d, kind %d of %d bytes, %d taken: %s",
		w.steps, w.kind, w.size, w.pos, fmt.Sprintf(format, args...))
}

// room returns the number of bytes left, or a large number if that is unknown.
func (w *world) room() int {
	if w.kind == chunked {
		return 1 << 30
	}
	return w.size - w.a.Used()
}

// mayFail fails the test if there is room for need bytes at any address.
func (w *world) mayFail(what string, need int) {
	w.t.Helper()
	if w.room() >= need+64 {
		w.fatalf("%s fails, with room for %d bytes", what, w.room())
	}
}

// add records a new piece, after checking its place and size.
func (w *world) add(what string, p *byte, size, align int, s []uint16) {
	w.t.Helper()
	at := uintptr(unsafe.Pointer(p))
	if at%uintptr(align) != 0 {
		w.fatalf("%s is at %x, want a multiple of %d", what, at, align)
	}
	w.advance(what, at, size, align)
	mem := unsafe.Slice(p, size)
	for _, o := range w.pieces {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(o.mem)))
		if at < from+uintptr(len(o.mem)) && from < at+uintptr(size) {
			w.fatalf("%s of %d bytes at %x overlaps %d at %x", what, size, at, len(o.mem), from)
		}
	}
	w.pieces = append(w.pieces, piece{mem: mem, end: w.pos, s: s})
	w.fill(len(w.pieces) - 1)
}

// chunk is the position and address at which a chunk begins; the address is 0 if unknown.
type chunk struct {
	pos int
	at  uintptr
}

// advance checks the address of an allocation, and how much it has taken. If it has no bytes, at is
// 0.
func (w *world) advance(what string, at uintptr, size, align int) {
	w.t.Helper()
	got := w.a.Used()
	c := &w.chunks[len(w.chunks)-1]
	if c.at == 0 && at != 0 && (w.kind != chunked || w.pos == c.pos) { // its first allocation
		if c.at = at - uintptr(got-size-c.pos); c.at%64 != 0 {
			w.fatalf("%s of %d bytes at %d: is at %x: the chunk is at %x", what, size, align, at, c.at)
		}
	}
	off := uintptr(w.pos - c.pos)
	pad := int(-off & uintptr(align-1))
	if align > 64 {
		pad = int(-(c.at + off) & uintptr(align-1))
	}
	switch {
	case c.at != 0 && at == c.at+off+uintptr(pad) && got == w.pos+pad+size:
	case w.blurred || at == 0 && (w.kind == chunked || align > 64):
		if w.blurred = w.kind == chunked; got < w.pos+size || got >= w.pos+size+align {
			w.fatalf("%s of %d bytes at %d: Used = %d", what, size, align, got)
		}
	case at == 0 && got == w.pos+pad:
	case w.kind == chunked && align > 64 && got >= w.pos+size && got < w.pos+size+align,
		w.kind == chunked && got == w.pos+size:
		w.chunks = append(w.chunks, chunk{w.pos, at - uintptr(got-size-w.pos)})
	default:
		w.fatalf("%s of %d bytes at %d: is at %x, and Used = %d; the last chunk is %x, and %d pad",
			what, size, align, at, got, *c, pad)
	}
	w.pos = got
}

// fill writes something new into a piece.
func (w *world) fill(i int) {
	p := &w.pieces[i]
	n := len(p.mem)
	if p.s != nil {
		n = 2 * len(p.s)
	}
	x := w.value()
	for k := range n {
		p.mem[k] = byte(x + uint64(k)*7)
	}
	p.want = bytes.Clone(p.mem[:n])
}

// refused checks an allocation that failed.
func (w *world) refused(what string, size, align int) {
	w.t.Helper()
	if w.kind == chunked || align <= 64 && (w.pos+align-1)/align*align+size <= w.size {
		w.fatalf("%s of %d bytes at %d is refused", what, size, align)
	}
	if w.a.Used() != w.pos {
		w.fatalf("a refused %s takes %d bytes", what, w.a.Used()-w.pos)
	}
}

func (w *world) zero(what string, b []byte) {
	w.t.Helper()
	for i, c := range b {
		if c != 0 {
			w.fatalf("%s: byte %d of %d is %d, want 0", what, i, len(b), c)
		}
	}
}

func (w *world) alloc() {
	size, align := w.arg(), 1<<(w.next()%9)
	if w.next()%4 == 0 {
		b, err := w.a.AllocDirty(size, align)
		w.allocated("AllocDirty", b, err, size, align, false)
		return
	}
	b, err := w.a.Alloc(size, align)
	w.allocated("Alloc", b, err, size, align, true)
}

func (w *world) allocated(what string, b []byte, err error, size, align int, zero bool) {
	w.t.Helper()
	if err != nil {
		if err != arena.ErrNoSpace || b != nil {
			w.fatalf("%s = %v, %v", what, b, err)
		}
		w.refused(what, size, align)
		return
	}
	if len(b) != size || cap(b) != size {
		w.fatalf("%s(%d) has %d bytes, and room for %d", what, size, len(b), cap(b))
	}
	if size == 0 {
		w.advance(what, 0, 0, align)
		return
	}
	if zero {
		w.zero(what, b)
	}
	w.add(what, &b[0], size, align, nil)
}

// There is a type for each alignment, including one whose size is not a multiple of 8.
type (
	bytes3 [3]byte
	halves [3]uint16
	mixed  struct {
		A uint8
		B uint32
	}
	wide struct {
		A uint64
		B [5]uint32
	}
	void struct{}
)

func (w *world) new() {
	switch w.next() % 7 {
	case 0:
		newOf[byte](w)
	case 1:
		newOf[bytes3](w)
	case 2:
		newOf[halves](w)
	case 3:
		newOf[mixed](w)
	case 4:
		newOf[wide](w)
	case 5:
		newOf[[100]byte](w)
	case 6:
		newOf[void](w)
	}
}

func newOf[T any](w *world) {
	var t T
	size, align := int(unsafe.Sizeof(t)), int(unsafe.Alignof(t))
	p := arena.New[T](w.a)
	if p == nil {
		w.refused("New", size, align)
		return
	}
	if size > 0 {
		w.zero("New", unsafe.Slice((*byte)(unsafe.Pointer(p)), size))
		w.add("New", (*byte)(unsafe.Pointer(p)), size, align, nil)
	}
}

func (w *world) makeSlice() {
	switch w.next() % 4 {
	case 0:
		sliceOf[byte](w)
	case 1:
		sliceOf[mixed](w)
	case 2:
		sliceOf[void](w)
	case 3:
		sliceOf[wide](w)
	}
}

func sliceOf[T any](w *world) {
	var t T
	length := w.arg() % 40
	capacity := length + w.next()%5
	size, align := capacity*int(unsafe.Sizeof(t)), int(unsafe.Alignof(t))
	dirty := w.next()%4 == 0
	s := arena.MakeSlice[T]
	if dirty {
		s = arena.MakeSliceDirty[T]
	}
	v := s(w.a, length, capacity)
	if v == nil {
		w.refused("MakeSlice", size, align)
		return
	}
	if len(v) != length || cap(v) != capacity {
		w.fatalf("MakeSlice(%d, %d) has %d, %d", length, capacity, len(v), cap(v))
	}
	if size > 0 {
		p := (*byte)(unsafe.Pointer(unsafe.SliceData(v)))
		if !dirty {
			w.zero("MakeSlice", unsafe.Slice(p, size))
		}
		w.add("MakeSlice", p, size, align, nil)
	}
}

// append appends to an existing slice, or to a new one.
func (w *world) append() {
	i := -1
	if k := w.next(); len(w.pieces) > 0 && k%4 > 0 {
		i = k % len(w.pieces)
	}
	var s []uint16
	if i >= 0 && w.pieces[i].s != nil {
		s = w.pieces[i].s
	} else {
		i = -1
	}
	vs := make([]uint16, w.arg())
	for k := range vs {
		vs[k] = uint16(w.value())
	}
	last := i >= 0 && w.pieces[i].end == w.pos && cap(s) > 0
	got, ok := arena.Append(w.a, s, vs...)
	if !ok {
		need := 2 * (len(s) + len(vs))
		if last {
			need = 2 * len(vs)
		}
		w.mayFail("Append", need)
		if w.a.Used() != w.pos || len(got) != len(s) || cap(got) != cap(s) {
			w.fatalf("a refused Append changes something")
		}
		return
	}
	w.appended(i, s, got, vs, last)
}

// appended checks that got is s followed by vs, and records it.
func (w *world) appended(i int, s, got, vs []uint16, last bool) {
	w.t.Helper()
	if len(got) != len(s)+len(vs) {
		w.fatalf("Append of %d to %d has %d", len(vs), len(s), len(got))
	}
	for k, v := range got {
		if k < len(s) && v != s[k] || k >= len(s) && v != vs[k-len(s)] {
			w.fatalf("Append: value %d of %d is %d", k, len(got), v)
		}
	}
	p := (*byte)(unsafe.Pointer(unsafe.SliceData(got)))
	moved := unsafe.SliceData(got) != unsafe.SliceData(s)
	if i >= 0 && !moved {
		w.pieces[i].s = got
		w.pieces[i].mem = unsafe.Slice(p, 2*cap(got))
		if w.a.Used() != w.pos {
			w.pos = w.a.Used()
			w.pieces[i].end = w.pos
		}
		w.fill(i)
		return
	}
	if last && w.kind != chunked && w.size-w.pos >= 2*len(vs) {
		w.fatalf("Append to the last piece moves it")
	}
	if len(got) > 0 {
		w.add("Append", p, 2*cap(got), 2, got)
	}
}

func (w *world) mark() {
	w.marks = append(w.marks, &mark{m: w.a.Mark(), pos: w.pos, valid: true})
	w.pin = w.pos
}

// rewind rewinds to any of the earlier Marks.
func (w *world) rewind() {
	if len(w.marks) == 0 {
		return
	}
	m := w.marks[w.arg()%len(w.marks)]
	if m.scope {
		return
	}
	if !m.valid {
		wantPanic(w.t, "arena: Arena.Rewind: has been rewound past this Mark",
			func() { w.a.Rewind(m.m) })
		return
	}
	w.a.Rewind(m.m)
	w.rewound(m.pos)
}

// rewound applies a rewind to pos to the model.
func (w *world) rewound(pos int) {
	w.t.Helper()
	w.pos, w.pin = pos, min(w.pin, pos)
	for _, m := range w.marks {
		m.valid = m.valid && m.pos <= pos
	}
	kept := w.pieces[:0]
	for _, p := range w.pieces {
		if p.end <= pos {
			kept = append(kept, p)
		}
	}
	w.pieces = kept
	for n := len(w.chunks); n > 1 && w.chunks[n-1].pos >= pos; n-- {
		w.chunks = w.chunks[:n-1]
	}
	if pos == 0 {
		w.chunks, w.blurred = make([]chunk, 1), false
	}
	for _, c := range w.tenants {
		c.dead = c.dead || c.end > pos
	}
	w.compareAll()
}

// scope plays some steps in a Scope, which may end with a panic.
func (w *world) scope() {
	if w.depth == 3 {
		return
	}
	w.depth++
	m := &mark{pos: w.pos, valid: true, scope: true}
	w.marks = append(w.marks, m)
	n, bad := w.next()%12, w.next()%3 == 0
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(m) {
				panic(r)
			}
		}()
		w.a.Scope(func(*arena.Arena) {
			for range n {
				w.step()
			}
			if bad {
				panic(m)
			}
		})
	}()
	w.depth--
	if m.valid {
		w.rewound(m.pos)
	}
	for i := range w.marks {
		if w.marks[i] == m {
			w.marks = append(w.marks[:i], w.marks[i+1:]...)
			break
		}
	}
	w.compareAll()
}

func (w *world) reset() {
	if w.next()%4 == 0 {
		w.a.Reset()
		w.rewound(0)
	}
}

func (w *world) clip() {
	before := w.a.Stats()
	w.a.Clip()
	s := w.a.Stats()
	if w.kind == virtual && s.Committed != (w.pos+w.page()-1)/w.page()*w.page() ||
		w.kind == chunked && w.pos == 0 && s.Reserved != 0 || s.Reserved > before.Reserved {
		w.fatalf("Clip: %+v after %+v", s, before)
	}
}

func (w *world) page() int { return arena.PageSize() }

// write changes the contents of a piece.
func (w *world) write() {
	if len(w.pieces) > 0 {
		w.fill(w.next() % len(w.pieces))
	}
}

// do performs an operation of the arena itself. Committed fuzz inputs depend on the numbers.
func (w *world) do(op int) {
	switch op {
	case 0:
		w.alloc()
	case 1, 2:
		w.new()
	case 3:
		w.makeSlice()
	case 4, 5:
		w.append()
	case 6:
		w.mark()
	case 7:
		w.rewind()
	case 8:
		w.scope()
	case 9:
		if w.next()%2 == 0 {
			w.reset()
		} else {
			w.clip()
		}
	case 10:
		w.write()
	}
}

// step performs the operation that the next bytes encode.
func (w *world) step() {
	w.steps++
	op := w.next()
	if len(w.tenants) > 0 && op >= 64 {
		w.stepTenant(w.tenants[op%len(w.tenants)])
		return
	}
	w.do(op % 11)
	if w.a.Used() != w.pos {
		w.fatalf("operation %d: Used = %d, want %d", op%11, w.a.Used(), w.pos)
	}
	w.a.CheckInvariants()
	w.comparePieces()
}

// comparePieces checks that the contents of the arena are intact.
func (w *world) comparePieces() {
	w.t.Helper()
	for i, p := range w.pieces {
		if !bytes.Equal(p.mem[:len(p.want)], p.want) {
			w.fatalf("piece %d, up to %d: %x, want %x", i, p.end, p.mem[:len(p.want)], p.want)
		}
	}
}

func (w *world) compareAll() {
	w.t.Helper()
	w.a.CheckInvariants()
	w.comparePieces()
	for _, c := range w.tenants {
		w.compareTenant(c)
	}
}

// compareTenant checks that c is intact, or that it panics if its memory has been rewound.
func (w *world) compareTenant(c *tenancy) {
	w.t.Helper()
	if !c.dead {
		c.compare(w)
		return
	}
	wantRewound(w.t, c.self(), w.a, "a rewind")
}

// stepTenant performs a step of c, and records the memory that it has afterwards.
func (w *world) stepTenant(c *tenancy) {
	w.t.Helper()
	if c.dead {
		w.compareTenant(c)
		if w.next()%3 == 0 && c.revive() {
			c.dead, c.end = false, 0
			c.compare(w)
		}
		return
	}
	c.step(w)
	if used := w.a.Used(); used != w.pos {
		w.moved(c, used)
	}
	if c.cap() == 0 {
		c.end = 0
	}
	w.a.CheckInvariants()
	w.comparePieces()
	c.compare(w)
	if w.steps%8 == 0 {
		w.compareAll()
	}
}

// moved records that c has taken memory up to used, or has given it back down to there.
func (w *world) moved(c *tenancy, used int) {
	w.t.Helper()
	back := used < w.pos
	c.end, w.pos = used, used
	w.blurred = true
	if !back {
		return
	}
	for _, m := range w.marks {
		if m.valid && m.pos > used {
			w.fatalf("memory up to %d is given back, before a Mark at %d", used, m.pos)
		}
	}
	for _, p := range w.pieces {
		if p.end > used {
			w.fatalf("memory up to %d is given back, before a piece up to %d", used, p.end)
		}
	}
}

// end releases the arena.
func (w *world) end() {
	w.compareAll()
	if err := w.a.Release(); err != nil {
		w.fatalf("Release: %v", err)
	}
	for _, c := range w.tenants {
		c.dead = c.dead || c.end > 0
		w.compareTenant(c)
	}
	w.tenants = nil
	for _, m := range w.marks {
		wantPanic(w.t, "Arena.Rewind: has been rewound past", func() { w.a.Rewind(m.m) })
	}
	if s := w.a.Stats(); s != (arena.Stats{}) || w.a.Used() != 0 {
		w.fatalf("after Release: %+v", s)
	}
	w.a.CheckInvariants()
	if b, err := w.a.Alloc(1, 1); b != nil || err != arena.ErrNoSpace {
		w.fatalf("Alloc after Release = %v, %v", b, err)
	}
}

// playArena performs the operations in data on an arena without containers.
func playArena(t testing.TB, data []byte) {
	t.Helper()
	w := newWorld(t, data)
	for len(w.data) > 0 {
		w.step()
	}
	w.end()
}

// randomData returns n random bytes.
func randomData(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func TestArenaModel(t *testing.T) {
	for kind := range kinds {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			for seed := range uint64(16) {
				data := randomData(seed, 1200)
				data[0] = byte(kind)
				if seed%4 == 1 { // little room
					data[1], data[2] = 1, byte(seed)
				}
				playArena(t, data)
			}
		})
	}
}

func FuzzArena(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playArena(t, data[:min(len(data), 3000)]) // the rest would only repeat
	})
}

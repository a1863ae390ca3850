// Package laws tests which laws collections keep: about stale handles, loops and memory.
package laws

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Object is a value that can be collected, held by a collection of pointers.
type Object [4]uint64

// Objects is a collection of pointers to objects.
type Objects struct {
	all    any // the collection itself
	insert func(*Object) (h any)
	remove func(h any)
}

// Holds makes an Objects of a collection and its calls.
func Holds[H any](all any, insert func(*Object) H, remove func(H)) Objects {
	return Objects{
		all,
		func(o *Object) any { return insert(o) },
		func(h any) { remove(h.(H)) },
	}
}

// Calls are a collection's own calls. The fields after Loop are nil if the collection lacks the
// operation.
type Calls[H any] struct {
	Insert func(v uint64) H
	Get    func(h H) (v uint64, ok bool)
	Remove func(h H) bool // also true if the collection does not report it
	Len    func() int
	// Loop visits all values by the plain loop, whatever its body does.
	Loop func(body func(h H, v uint64) (more bool))

	// ByHand is the loop that one writes if the body removes and inserts.
	ByHand  func(body func(h H, v uint64) (more bool))
	Ptr     func(h H) *uint64
	Clear   func()
	Clip    func()         // releases memory
	Objects func() Objects // an empty collection of the same kind, of values with pointers
	Room    int            // the maximum number of values, if it is small
	Least   int            // the size of the narrowest available handle
}

// Subject is a collection of uint64 as a program uses it. The questions in this package test it,
// and their results are the table of laws; no answer is written by hand. Handles are boxed, so that
// one question serves all handle types, except in the methods of Calls, which do much work.
type Subject struct {
	Calls[any]

	zero   any
	size   int // of a handle
	reuse  func(n int) (at int, v uint64)
	steady func(n int) (rounds func(int))
	spike  func(n, left int, look func())
}

// Subject returns a Subject that makes the calls.
func (c Calls[H]) Subject() Subject {
	var zero H
	s := Subject{
		Calls: Calls[any]{
			Insert: func(v uint64) any { return c.Insert(v) },
			Get:    func(h any) (uint64, bool) { return c.Get(h.(H)) },
			Remove: func(h any) bool { return c.Remove(h.(H)) },
			Len:    c.Len, Loop: boxed(c.Loop), ByHand: boxed(c.ByHand),
			Clear: c.Clear, Clip: c.Clip, Objects: c.Objects, Room: c.Room, Least: c.Least,
		},
		zero: zero, size: int(reflect.TypeFor[H]().Size()),
		reuse: c.reuse, steady: c.steady, spike: c.spike,
	}
	if c.Ptr != nil {
		s.Ptr = func(h any) *uint64 { return c.Ptr(h.(H)) }
	}
	return s
}

// boxed boxes the handles of a loop, which may be nil.
func boxed[H any](loop func(func(H, uint64) bool)) func(func(any, uint64) bool) {
	if loop == nil {
		return nil
	}
	return func(body func(any, uint64) bool) {
		loop(func(h H, v uint64) bool { return body(h, v) })
	}
}

// called calls f, if it is not nil, and reports whether it is not.
func called(f func()) bool {
	if f != nil {
		f()
	}
	return f != nil
}

// reuse inserts three values, removes the second, and n times inserts one and removes it. It
// returns the number of the reuse after which the handle of the removed value found v, or 0 if it
// never did.
func (c Calls[H]) reuse(n int) (at int, v uint64) {
	c.Insert(1)
	stale := c.Insert(2)
	c.Insert(3)
	c.Remove(stale)
	for i := range n {
		h := c.Insert(uint64(4 + i))
		if v, ok := c.Get(stale); ok {
			return i + 1, v
		}
		c.Remove(h)
	}
	return 0, 0
}

// steady inserts n values, and returns a function that does the given number of rounds of Remove,
// Insert and Get.
func (c Calls[H]) steady(n int) func(rounds int) {
	hs := make([]H, n)
	for i := range hs {
		hs[i] = c.Insert(uint64(i))
	}
	r := &measure.RNG{S: measure.Seed}
	return func(rounds int) {
		for range rounds {
			h := &hs[r.Below(uint64(n))]
			c.Remove(*h)
			*h = c.Insert(1)
			c.Get(*h)
		}
	}
}

// spike inserts n values, or as many as there is room for, removes all but left random ones, and
// visits these. It calls look at the beginning, when all live, and at the end.
func (c Calls[H]) spike(n, left int, look func()) {
	if c.Room > 0 {
		n = min(n, c.Room)
	}
	hs := make([]H, n)
	look()
	for i := range hs {
		hs[i] = c.Insert(uint64(i))
	}
	look()
	stays := make([]bool, n)
	for i := range min(left, n) {
		stays[i] = true
	}
	measure.Shuffle(&measure.RNG{S: measure.Seed}, stays)
	for i := n - 1; i >= 0; i-- { // backward, since a handle may be a position
		if !stays[i] {
			c.Remove(hs[i])
		}
	}
	clear(hs) // a handle may keep its value alive
	c.Loop(func(H, uint64) bool { return true })
	look()
	runtime.KeepAlive(hs) // it was there when look was first called
}

// Pairs makes a loop from an iterator over handles and pointers.
func Pairs[H any](all func() iter.Seq2[H, *uint64]) func(func(H, uint64) bool) {
	return func(body func(H, uint64) bool) {
		for h, v := range all() {
			if !body(h, *v) {
				return
			}
		}
	}
}

// Second makes a removal from one that also returns the removed value.
func Second[H any](remove func(H) (uint64, bool)) func(H) bool {
	return func(h H) bool {
		_, ok := remove(h)
		return ok
	}
}

// Question is one question and the test that answers it on fresh Subjects.
type Question struct {
	ID   string // for tests
	name string
	ask  func(fresh func() Subject) Cell
}

// Questions lists all questions in the order of the laws.
func Questions() []Question {
	return []Question{
		{"live", "a live handle finds its value while others come and go (law 1)", askLive},
		{"stale", "a stale handle finds nothing after its slot is reused (law 2)", askStale},
		{"reused", "a stale handle finds nothing in a million reuses (law 2)", askReused},
		{"cleared", "a stale handle finds nothing after Clear (law 2)", askCleared},
		{"back", "a stale handle finds nothing after a release of memory (law 2)", askGivenBack},
		{"zero", "the zero handle finds nothing (law 3)", askZero},
		{"twin", "a handle of a twin with the same history finds nothing (law 4)", askForeign},
		{"twice", "removing twice returns false and changes nothing (law 5)", askTwice},
		{"collected", "a removed value can be collected (law 6)", askCollected},
		{"removing", "a loop whose body removes visits each value once (law 7)", both(loopRemove)},
		{"inserting", "a loop whose body inserts visits each value once (law 7)", both(loopInsert)},
		{"break", "break leaves the collection usable (law 7)", both(loopBreak)},
		{"panic", "a panic in a loop leaves the collection usable (law 11)", both(loopPanic)},
		{"order", "loops have the same order in every run", askOrder},
		{"come", "a pointer stays valid while others are inserted (law 8)", askPtrGrow},
		{"go", "a pointer stays valid while others are removed (law 8)", askPtrOthers},
		{"steady", "the steady state allocates nothing (law 9)", askSteady},
		{"spike", "with 25 of 100 000 left, memory is released by itself (law 10)", askSpike},
		{"clip", "with 25 of 100 000 left, a call releases memory (law 10)", askClip},
		{"handle", "bytes of a handle", askHandle},
	}
}

// asker is the kit of an implementation. Asker returns nil if the laws cannot be tested on it.
type asker interface{ Asker() func() Subject }

// AskerOf returns the constructor of im's Subjects, or nil.
func AskerOf(im measure.Impl) func() Subject {
	if a, ok := im.Kit.(asker); ok {
		return a.Asker()
	}
	return nil
}

// AskAll tests all questions on those of ims that have Subjects.
func AskAll(ims []measure.Impl) *Table {
	t := &Table{}
	qs := Questions()
	for _, q := range qs {
		t.Questions = append(t.Questions, q.name)
	}
	for _, im := range ims {
		ask := AskerOf(im)
		if ask == nil {
			continue
		}
		row := Row{Impl: im.Name}
		for _, q := range qs {
			row.Cells = append(row.Cells, q.of(ask))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// of returns the answer for the collections that fresh makes. A panic is an answer too.
func (q Question) of(fresh func() Subject) (c Cell) {
	if text := panics(func() { c = q.ask(fresh) }); text != "" {
		return No(text)
	}
	return c
}

// panics calls f and returns the text of its panic, or "".
func panics(f func()) (text string) {
	// A handle with an invalid address must be an answer, not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			text = "panics: " + inWords(r)
		}
	}()
	f()
	return ""
}

// inWords returns the gist of a panic.
func inWords(r any) string {
	text, _, _ := strings.Cut(fmt.Sprint(r), "\n")
	text = strings.TrimPrefix(text, "runtime error: ")
	text = strings.TrimPrefix(text, "invalid memory address or ")
	text, _, _ = strings.Cut(text, " [") // the figures of an index out of range
	text, _, _ = strings.Cut(text, ": ") // the advice behind the colon
	return text
}

// Yes, No, Partly and None return cells with these answers.
func Yes(text string) Cell    { return Cell{"yes", text} }
func No(text string) Cell     { return Cell{"no", text} }
func Partly(text string) Cell { return Cell{"partly", text} }
func None(text string) Cell   { return Cell{"-", text} }

// worse returns the first of the worst of cs.
func worse(cs ...Cell) (c Cell) {
	for _, kept := range []string{"no", "partly", "yes", "-"} {
		for _, c := range cs {
			if c.Kept == kept {
				return c
			}
		}
	}
	return c
}

func insertAll(s Subject, first uint64, n int) (hs []any) {
	for i := range n {
		hs = append(hs, s.Insert(first+uint64(i)))
	}
	return hs
}

// removeAll removes from the last to the first, so that even a position is still valid when it is
// used.
func removeAll(s Subject, hs []any) {
	for i := len(hs) - 1; i >= 0; i-- {
		s.Remove(hs[i])
	}
}

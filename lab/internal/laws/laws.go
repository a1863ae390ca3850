// Package laws asks collections what they keep: of stale handles, of loops, of memory.
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

// Subject is a collection of uint64 as its user meets it. Questions are put to it, in laws_*.go,
// and what it answers is the table of laws: none of that is written down by hand. The handles are
// boxed, so that one question does for all types of them.
type Subject interface {
	Insert(v uint64) (h any)
	Get(h any) (v uint64, ok bool)
	Remove(h any) (ok bool) // true also where it does not say
	Len() int
	// Loop visits all by the loop that one writes without a thought for what its body does.
	Loop(body func(h any, v uint64) (more bool))
	Zero() (h any)

	// What follows, not all have. They report it.

	// ByHand is the loop that one writes where the body removes and inserts.
	ByHand(body func(h any, v uint64) (more bool)) (has bool)
	Ptr(h any) *uint64 // nil where none is handed out
	Clear() (has bool)
	Clip() (has bool)         // gives memory back
	Objects() (Objects, bool) // an empty collection of the same kind, of values with pointers

	// What follows does much, and does not box.

	// Reuse inserts three, removes the second, and n times inserts one and removes it. It returns
	// after how many of these the handle of the removed one found what, and 0 if it never did.
	Reuse(n int) (at int, v uint64)
	// Steady inserts n, and returns what does so many rounds of Remove, Insert and Get.
	Steady(n int) (rounds func(int))
	// Spike inserts n, or as many as there is room for, removes all but left at random, and visits
	// these. It looks at the beginning, when all live, and at the end.
	Spike(n, left int, look func())

	// HandleBytes returns the size of a handle, and that of the least that there is to choose.
	HandleBytes() (size, least int)
}

// Object is a value that can be collected, which a collection of pointers holds.
type Object [4]uint64

// Objects is a collection of pointers to objects.
type Objects struct {
	all    any // the collection itself
	insert func(*Object) (h any)
	remove func(h any)
}

// Holds makes an objects of a collection and its calls.
func Holds[H any](all any, insert func(*Object) H, remove func(H)) Objects {
	return Objects{
		all,
		func(o *Object) any { return insert(o) },
		func(h any) { remove(h.(H)) },
	}
}

// Calls are a collection's own calls. What comes after Loop may be nil: the collection does not
// have it.
type Calls[H any] struct {
	Insert func(v uint64) H
	Get    func(h H) (v uint64, ok bool)
	Remove func(h H) bool
	Len    func() int
	Loop   func(body func(h H, v uint64) bool)

	ByHand  func(body func(h H, v uint64) bool)
	Ptr     func(h H) *uint64
	Clear   func()
	Clip    func()
	Objects func() Objects
	Room    int // the most values, where they are few
	Least   int // the size of the narrowest handle that one can choose
}

// Subject makes a Subject of the calls.
func (c Calls[H]) Subject() Subject { return &boxed[H]{c} }

// boxed boxes what its calls take and return.
type boxed[H any] struct{ do Calls[H] }

func (s *boxed[H]) Insert(v uint64) any          { return s.do.Insert(v) }
func (s *boxed[H]) Get(h any) (v uint64, b bool) { return s.do.Get(h.(H)) }
func (s *boxed[H]) Remove(h any) bool            { return s.do.Remove(h.(H)) }
func (s *boxed[H]) Len() int                     { return s.do.Len() }

func (s *boxed[H]) Loop(body func(any, uint64) bool) {
	s.do.Loop(func(h H, v uint64) bool { return body(h, v) })
}

func (s *boxed[H]) Zero() any {
	var h H
	return h
}

func (s *boxed[H]) ByHand(body func(any, uint64) bool) bool {
	if s.do.ByHand == nil {
		return false
	}
	s.do.ByHand(func(h H, v uint64) bool { return body(h, v) })
	return true
}

func (s *boxed[H]) Ptr(h any) *uint64 {
	if s.do.Ptr == nil {
		return nil
	}
	return s.do.Ptr(h.(H))
}

func (s *boxed[H]) Clear() bool { return called(s.do.Clear) }
func (s *boxed[H]) Clip() bool  { return called(s.do.Clip) }

// called calls f, if there is one.
func called(f func()) bool {
	if f != nil {
		f()
	}
	return f != nil
}

func (s *boxed[H]) Objects() (Objects, bool) {
	if s.do.Objects == nil {
		return Objects{}, false
	}
	return s.do.Objects(), true
}

func (s *boxed[H]) Reuse(n int) (at int, v uint64) {
	s.do.Insert(1)
	stale := s.do.Insert(2)
	s.do.Insert(3)
	s.do.Remove(stale)
	for i := range n {
		h := s.do.Insert(uint64(4 + i))
		if v, ok := s.do.Get(stale); ok {
			return i + 1, v
		}
		s.do.Remove(h)
	}
	return 0, 0
}

func (s *boxed[H]) Steady(n int) func(rounds int) {
	hs := make([]H, n)
	for i := range hs {
		hs[i] = s.do.Insert(uint64(i))
	}
	r := &measure.RNG{S: measure.Seed}
	return func(rounds int) {
		for range rounds {
			h := &hs[r.Below(uint64(n))]
			s.do.Remove(*h)
			*h = s.do.Insert(1)
			s.do.Get(*h)
		}
	}
}

func (s *boxed[H]) Spike(n, left int, look func()) {
	if s.do.Room > 0 {
		n = min(n, s.do.Room)
	}
	hs := make([]H, n)
	look()
	for i := range hs {
		hs[i] = s.do.Insert(uint64(i))
	}
	look()
	stays := make([]bool, n)
	for i := range min(left, n) {
		stays[i] = true
	}
	measure.Shuffle(&measure.RNG{S: measure.Seed}, stays)
	for i := n - 1; i >= 0; i-- { // backward, since a handle may be a place
		if !stays[i] {
			s.do.Remove(hs[i])
		}
	}
	clear(hs) // which may keep what they name
	s.do.Loop(func(H, uint64) bool { return true })
	look()
	runtime.KeepAlive(hs) // which was there when look was first called
}

func (s *boxed[H]) HandleBytes() (size, least int) {
	size = int(reflect.TypeFor[H]().Size())
	if s.do.Least == 0 {
		return size, size
	}
	return size, s.do.Least
}

// Pairs makes a loop of an iterator over handles and pointers.
func Pairs[H any](all func() iter.Seq2[H, *uint64]) func(func(H, uint64) bool) {
	return func(body func(H, uint64) bool) {
		for h, v := range all() {
			if !body(h, *v) {
				return
			}
		}
	}
}

// Second makes a removal of one that also returns what it removed.
func Second[H any](remove func(H) (uint64, bool)) func(H) bool {
	return func(h H) bool {
		_, ok := remove(h)
		return ok
	}
}

// question is one question: how fresh Subjects answer it.
type question struct {
	id   string // for tests
	name string
	ask  func(fresh func() Subject) Cell
}

// questions lists all, in the order of the laws.
func questions() []question {
	return []question{
		{"live", "a live handle finds its value while others come and go (law 1)", askLive},
		{"stale", "a stale handle finds nothing, its slot in use again (law 2)", askStale},
		{"reused", "a stale handle finds nothing in a million uses of its slot (law 2)", askReused},
		{"cleared", "a stale handle finds nothing after Clear (law 2)", askCleared},
		{"back", "a stale handle finds nothing, memory given back and taken (law 2)", askGivenBack},
		{"zero", "the zero handle finds nothing (law 3)", askZero},
		{"twin", "a handle of a twin, of the same history, finds nothing (law 4)", askForeign},
		{"twice", "removing twice says false, and changes nothing (law 5)", askTwice},
		{"collected", "what was removed can be collected (law 6)", askCollected},
		{"removing", "a loop visits each once, and its body removes some (law 7)", askLoopRemove},
		{"inserting", "a loop visits each once, and its body inserts some (law 7)", askLoopInsert},
		{"break", "break leaves it usable (law 7)", askBreak},
		{"panic", "a panic out of a loop leaves it usable (law 11)", askPanic},
		{"order", "loops keep the same order in every run", askOrder},
		{"come", "a pointer stays good while other values come (law 8)", askPtrGrow},
		{"go", "a pointer stays good while other values go (law 8)", askPtrOthers},
		{"steady", "in steady state, nothing is allocated (law 9)", askSteady},
		{"spike", "when 25 of 100 000 are left, memory goes back by itself (law 10)", askSpike},
		{"clip", "when 25 of 100 000 are left, a call gives memory back (law 10)", askClip},
		{"handle", "bytes of a handle", askHandle},
	}
}

// asker is the kit of an implementation that can be asked, if it does not return nil.
type asker interface{ Asker() func() Subject }

// askerOf returns what makes Subjects of im, or nil.
func askerOf(im measure.Impl) func() Subject {
	if a, ok := im.Kit.(asker); ok {
		return a.Asker()
	}
	return nil
}

// AskAll puts all questions to all of ims that can be asked.
func AskAll(ims []measure.Impl) *Table {
	t := &Table{}
	qs := questions()
	for _, q := range qs {
		t.Questions = append(t.Questions, q.name)
	}
	for _, im := range ims {
		ask := askerOf(im)
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

// of returns the answer of the collections that fresh makes. A panic is one, too.
func (q question) of(fresh func() Subject) (c Cell) {
	if text := panics(func() { c = q.ask(fresh) }); text != "" {
		return no(text)
	}
	return c
}

// panics calls f and returns with what it panicked, in words; else nothing.
func panics(f func()) (text string) {
	// A handle made into a wrong address is an answer, too, and not the end of the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			text = "panics: " + inWords(r)
		}
	}()
	f()
	return ""
}

// inWords is the gist of what a panic said.
func inWords(r any) string {
	text, _, _ := strings.Cut(fmt.Sprint(r), "\n")
	text = strings.TrimPrefix(text, "runtime error: ")
	text = strings.TrimPrefix(text, "invalid memory address or ")
	text, _, _ = strings.Cut(text, " [") // the figures of an index out of range
	text, _, _ = strings.Cut(text, ": ") // what to do about it
	return text
}

func yes(text string) Cell    { return Cell{"yes", text} }
func no(text string) Cell     { return Cell{"no", text} }
func partly(text string) Cell { return Cell{"partly", text} }
func none(text string) Cell   { return Cell{"-", text} }

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

// insertAll inserts n values from first on and returns their handles.
func insertAll(s Subject, first uint64, n int) (hs []any) {
	for i := range n {
		hs = append(hs, s.Insert(first+uint64(i)))
	}
	return hs
}

// removeAll removes from the last to the first: by then, even a place names what it did.
func removeAll(s Subject, hs []any) {
	for i := len(hs) - 1; i >= 0; i-- {
		s.Remove(hs[i])
	}
}

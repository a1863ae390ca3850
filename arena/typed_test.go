package arena_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/seed505807e1/berth/arena"
)

// node is a value with pointers of all kinds.
type node struct {
	Name string
	Tags map[string]int
	List []string
	Any  any
	Next *node
	Func func() int
}

func (n *node) fill(i int) {
	name := fmt.Sprint("node ", i)
	n.Name = strings.Repeat(name, 3)
	n.Tags = map[string]int{name: i}
	n.List = []string{name + "a", name + "b"}
	n.Any = &[]int{i}
	n.Func = func() int { return i }
}

func (n *node) check(t *testing.T, i int) {
	t.Helper()
	name := fmt.Sprint("node ", i)
	if n.Name != strings.Repeat(name, 3) || n.Tags[name] != i || len(n.List) != 2 ||
		n.List[1] != name+"b" || (*n.Any.(*[]int))[0] != i || n.Func() != i {
		t.Fatalf("node %d is %+v", i, n)
	}
}

// The values of a Typed keep their targets alive, and pointers to them stay valid across growth.
func TestTypedKeeps(t *testing.T) {
	var a arena.Typed[node]
	var ps []*node
	for i := range 3000 {
		p := a.New()
		if p.Name != "" || p.Tags != nil || p.Any != nil || p.Func != nil {
			t.Fatalf("New %d = %+v, want zero", i, p)
		}
		p.fill(i)
		if i > 0 {
			p.Next = ps[i-1]
		}
		ps = append(ps, p)
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	garbage(1 << 20)
	for i, p := range ps {
		p.check(t, i)
		if i > 0 && p.Next != ps[i-1] {
			t.Fatalf("node %d: Next is another one", i)
		}
	}
	if a.Len() != 3000 || a.Cap() < 3000 {
		t.Errorf("Len, Cap = %d, %d, want 3000", a.Len(), a.Cap())
	}
	a.CheckInvariants()
}

// garbage makes the collector run, by allocating the given number of bytes.
func garbage(bytes int) {
	sum := 0
	for range bytes / 1000 {
		sum += len(fmt.Sprintf("%1000d", sum))
	}
	runtime.GC()
	runtime.GC()
}

// The targets of rewound values are collected.
func TestTypedLetsGo(t *testing.T) {
	type big [64]int
	for name, end := range map[string]func(a *arena.Typed[*big], m arena.Mark){
		"Rewind": func(a *arena.Typed[*big], m arena.Mark) { a.Rewind(m) },
		"Reset":  func(a *arena.Typed[*big], _ arena.Mark) { a.Reset() },
	} {
		var a arena.Typed[*big]
		var weaks []weak.Pointer[big]
		keep := func() {
			p := a.New()
			*p = new(big)
			weaks = append(weaks, weak.Make(*p))
		}
		keep()
		m := a.Mark()
		for range 3000 { // more than a chunk
			keep()
		}
		runtime.GC()
		for i, w := range weaks {
			if w.Value() == nil {
				t.Fatalf("%s: value %d is collected while it lives", name, i)
			}
		}
		end(&a, m)
		a.CheckInvariants()
		runtime.GC()
		for i, w := range weaks {
			if alive := w.Value() != nil; alive != (i == 0 && name == "Rewind") {
				t.Fatalf("%s: value %d is alive: %t", name, i, alive)
			}
		}
		runtime.KeepAlive(&a)
	}
}

// Clip gives empty chunks back.
func TestTypedClip(t *testing.T) {
	var a arena.Typed[[8]string]
	a.Clip()
	a.New()
	m, room := a.Mark(), a.Cap()
	for a.Len() < 10*room {
		a.New()
	}
	a.Rewind(m)
	if a.Cap() != 10*room {
		t.Errorf("after Rewind: Cap = %d, want %d", a.Cap(), 10*room)
	}
	a.Clip()
	if a.Cap() != room || a.Len() != 1 {
		t.Errorf("after Clip: Len, Cap = %d, %d, want 1, %d", a.Len(), a.Cap(), room)
	}
	a.Reset()
	if a.Clip(); a.Cap() != 0 || a.New() == nil || a.Len() != 1 {
		t.Errorf("after Reset and Clip: Len = %d", a.Len())
	}
	a.CheckInvariants()
}

// TestTypedModel compares marks, rewinds and scopes with a slice.
func TestTypedModel(t *testing.T) {
	for seed := range uint64(6) {
		data := randomData(seed, 600)
		w := &typedWorld{t: t, data: data}
		for len(w.data) > 0 {
			w.step()
		}
	}
}

type typedWorld struct {
	t     *testing.T
	a     arena.Typed[[1200]string] // chunks of one value
	b     arena.Typed[string]
	data  []byte
	as    []*[1200]string
	bs    []*string
	ma    []*mark
	depth int
	seq   int
}

func (w *typedWorld) step() {
	op := int(w.data[0])
	if w.data = w.data[1:]; len(w.data) == 0 {
		return
	}
	arg := int(w.data[0])
	switch op % 8 {
	case 0, 1, 2:
		for range arg%5 + 1 {
			w.seq++
			w.as, w.bs = append(w.as, w.a.New()), append(w.bs, w.b.New())
			p, s := w.as[len(w.as)-1], w.bs[len(w.bs)-1]
			if p[0] != "" || p[1199] != "" || *s != "" {
				w.t.Fatalf("New = %q, %q, %q, want zero", p[0], p[1199], *s)
			}
			*s = fmt.Sprint(w.seq)
			p[0], p[1199] = *s, *s
		}
	case 3:
		w.ma = append(w.ma, &mark{m: w.a.Mark(), pos: len(w.as), valid: true})
	case 4:
		if len(w.ma) > 0 {
			m := w.ma[arg%len(w.ma)]
			if !m.valid {
				wantPanic(w.t, "arena: Typed.Rewind: has been rewound past", func() { w.a.Rewind(m.m) })
				break
			}
			w.a.Rewind(m.m)
			w.rewound(m.pos)
		}
	case 5:
		if w.depth < 3 {
			w.scope(arg)
		}
	case 6:
		if arg%8 == 0 {
			w.a.Reset()
			w.b.Reset()
			w.bs = nil
			w.rewound(0)
		}
	case 7:
		w.a.Clip()
		if w.a.Cap() != len(w.as) {
			w.t.Fatalf("after Clip: Cap = %d, want %d", w.a.Cap(), len(w.as))
		}
	}
	w.compare()
}

func (w *typedWorld) rewound(n int) {
	w.as = w.as[:n]
	for _, m := range w.ma {
		m.valid = m.valid && m.pos <= n
	}
}

func (w *typedWorld) scope(arg int) {
	n := len(w.as)
	w.depth++
	m := &mark{pos: n, valid: true}
	w.ma = append(w.ma, m)
	defer func() {
		if r := recover(); r != nil && r != any(w) {
			panic(r)
		}
		w.depth--
		if m.valid {
			w.rewound(n)
		}
	}()
	w.a.Scope(func(a *arena.Typed[[1200]string]) {
		m.m = a.Mark()
		for i := 0; i < arg%9 && len(w.data) > 1; i++ {
			w.step()
		}
		if arg%3 == 0 {
			panic(w)
		}
	})
}

func (w *typedWorld) compare() {
	w.t.Helper()
	w.a.CheckInvariants()
	w.b.CheckInvariants()
	if w.a.Len() != len(w.as) || w.b.Len() != len(w.bs) {
		w.t.Fatalf("Len = %d, %d, want %d, %d", w.a.Len(), w.b.Len(), len(w.as), len(w.bs))
	}
	for i, p := range w.as {
		if p[0] == "" || p[0] != p[1199] || slices.Index(w.as, p) != i {
			w.t.Fatalf("value %d is %q, %q", i, p[0], p[1199])
		}
	}
	for i, s := range w.bs {
		if *s == "" || i > 0 && *s == *w.bs[i-1] {
			w.t.Fatalf("string %d is %q", i, *s)
		}
	}
}

// A Typed of zero-size values holds any number of them, and a Mark belongs to one arena.
func TestTypedEdges(t *testing.T) {
	var a, b arena.Typed[void]
	for range 5000 {
		if a.New() == nil {
			t.Fatal("New = nil")
		}
	}
	if a.Len() != 5000 {
		t.Errorf("Len = %d, want 5000", a.Len())
	}
	wantPanic(t, "arena: Typed.Rewind: Mark of another arena", func() { b.Rewind(a.Mark()) })
	wantPanic(t, "arena: Typed.Rewind: Mark of another arena", func() { b.Rewind(arena.Mark{}) })
	raw := arena.NewFixed(10)
	wantPanic(t, "arena: Typed.Rewind: Mark of another arena", func() { b.Rewind(raw.Mark()) })
	wantPanic(t, "arena: Arena.Rewind: Mark of another arena", func() { raw.Rewind(a.Mark()) })
	m := a.Mark()
	a.Reset()
	wantPanic(t, "arena: Typed.Rewind: has been rewound past this Mark", func() { a.Rewind(m) })
	var s arena.Typed[string]
	if n := testing.AllocsPerRun(100, func() {
		m := s.Mark()
		for range 100 {
			*s.New() = "x"
		}
		s.Rewind(m)
		s.Scope(func(s *arena.Typed[string]) { *s.New() = "y" })
	}); n != 0 {
		t.Errorf("steady state: %v allocations, want 0", n)
	}
}

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

// must fails the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// twin is a node of the model: a tree of pointers.
type twin struct {
	h        Handle
	name     string
	t        Transform
	children []*twin
}

func (n *twin) clone() *twin {
	c := *n
	c.children = nil
	for _, x := range n.children {
		c.children = append(c.children, x.clone())
	}
	return &c
}

// find returns the node of h, its parent, and its place among the children of that.
func (n *twin) find(h Handle) (node, parent *twin, i int) {
	if n.h == h {
		return n, nil, 0
	}
	for i, c := range n.children {
		if c.h == h {
			return c, n, i
		}
		if node, parent, i := c.find(h); node != nil {
			return node, parent, i
		}
	}
	return nil, nil, 0
}

func (n *twin) write(b *strings.Builder, depth int) {
	fmt.Fprintln(b, depth, n.h, n.name, n.t)
	for _, c := range n.children {
		c.write(b, depth+1)
	}
}

func (n *twin) String() string {
	var b strings.Builder
	n.write(&b, 0)
	return b.String()
}

// text returns all of a scene but its history.
func text(s *Scene) string {
	var b strings.Builder
	for depth, h := range s.All(s.Root()) {
		n, _ := s.Get(h)
		fmt.Fprintln(&b, depth, h, n.Name, n.Transform)
	}
	return b.String()
}

// model plays commands on a scene and on trees of pointers, one for each state that undo and redo
// can reach.
type model struct {
	*testing.T
	random *rand.Rand
	s      *Scene
	steps  int
	states []*twin
	at     int // the present one of states
	issued []Handle
	seen   map[Handle]bool
}

func newModel(t *testing.T, seed uint64, steps int) *model {
	m := &model{T: t, steps: steps, s: New(uint32(seed) + 1)}
	m.random = rand.New(rand.NewPCG(seed, 0))
	m.s.steps = steps
	root := m.s.Root()
	m.states = []*twin{{h: root, name: "scene", t: Transform{Scale: 1}}}
	m.issued, m.seen = []Handle{root}, map[Handle]bool{root: true}
	return m
}

// change begins a new state, which the caller must change.
func (m *model) change() *twin {
	next := m.states[m.at].clone()
	m.states = append(m.states[:m.at+1], next)
	if len(m.states) > m.steps+1 {
		m.states = m.states[1:]
	}
	m.at = len(m.states) - 1
	return next
}

// any returns a handle: of a node, stale, or zero.
func (m *model) any() Handle {
	if m.random.IntN(20) == 0 {
		return Handle{}
	}
	if m.random.IntN(8) == 0 {
		return m.issued[m.random.IntN(len(m.issued))]
	}
	var all []Handle
	for _, h := range m.s.All(m.s.Root()) {
		all = append(all, h)
	}
	return all[m.random.IntN(len(all))]
}

// gap returns a place to insert at: a parent, and one of its children or zero. It is mostly valid.
func (m *model) gap() (parent, before Handle) {
	parent, before = m.any(), m.any()
	if n, _, _ := m.states[m.at].find(parent); n != nil && m.random.IntN(8) > 0 {
		before = Handle{}
		if i := m.random.IntN(len(n.children) + 1); i < len(n.children) {
			before = n.children[i].h
		}
	}
	return parent, before
}

// hole returns the place among the children of parent that is before a child, or -1.
func hole(parent *twin, before Handle) int {
	if parent == nil {
		return -1
	}
	if before.IsZero() {
		return len(parent.children)
	}
	return slices.IndexFunc(parent.children, func(c *twin) bool { return c.h == before })
}

func (m *model) want(what string, got, want bool) {
	m.Helper()
	if got != want {
		m.Fatalf("%s = %v, want %v", what, got, want)
	}
}

func (m *model) add() {
	parent, before := m.gap()
	p, _, _ := m.states[m.at].find(parent)
	name, t := fmt.Sprint("node ", m.random.IntN(100)), Transform{X: m.random.Float64(), Scale: 1}
	h, ok := m.s.Add(parent, before, name, t)
	m.want("Add", ok, hole(p, before) >= 0)
	if !ok {
		m.want("a handle without a node", h.IsZero(), true)
		return
	}
	m.want("the handle has been issued before", m.seen[h], false)
	m.issued, m.seen[h] = append(m.issued, h), true
	p, _, _ = m.change().find(parent)
	p.children = slices.Insert(p.children, hole(p, before), &twin{h: h, name: name, t: t})
}

func (m *model) remove() {
	h := m.any()
	_, parent, _ := m.states[m.at].find(h)
	m.want("Remove", m.s.Remove(h), parent != nil)
	if parent != nil {
		_, parent, i := m.change().find(h)
		parent.children = slices.Delete(parent.children, i, i+1)
	}
}

func (m *model) move() {
	h := m.any()
	parent, before := m.gap()
	n, above, i := m.states[m.at].find(h)
	p, _, _ := m.states[m.at].find(parent)
	valid := above != nil && hole(p, before) >= 0
	if valid {
		cycle, _, _ := n.find(parent)
		valid = cycle == nil
	}
	m.want("Move", m.s.Move(h, parent, before), valid)
	if to := hole(p, before); !valid || p == above && (to == i || to == i+1) {
		return
	}
	next := m.change()
	n, above, i = next.find(h)
	above.children = slices.Delete(above.children, i, i+1)
	p, _, _ = next.find(parent)
	p.children = slices.Insert(p.children, hole(p, before), n)
}

func (m *model) alter() {
	h, name, t := m.any(), fmt.Sprint("name ", m.random.IntN(3)), Transform{Y: float64(m.random.IntN(3))}
	n, _, _ := m.states[m.at].find(h)
	if m.random.IntN(2) == 0 {
		m.want("Rename", m.s.Rename(h, name), n != nil)
		if n != nil && n.name != name {
			n, _, _ = m.change().find(h)
			n.name = name
		}
		return
	}
	m.want("Transform", m.s.Transform(h, t), n != nil)
	if n != nil && n.t != t {
		n, _, _ = m.change().find(h)
		n.t = t
	}
}

func (m *model) undo() {
	m.want("Undo", m.s.Undo(), m.at > 0)
	m.at = max(0, m.at-1)
}

func (m *model) redo() {
	m.want("Redo", m.s.Redo(), m.at+1 < len(m.states))
	m.at = min(len(m.states)-1, m.at+1)
}

// reload saves the scene and loads it, which forgets the history.
func (m *model) reload() {
	var b bytes.Buffer
	must(m, m.s.write(&b))
	must(m, m.s.read(&b))
	m.states, m.at = []*twin{m.states[m.at]}, 0
}

// check compares the scene with the model, and checks its invariants.
func (m *model) check() {
	m.Helper()
	if got, want := text(m.s), m.states[m.at].String(); got != want {
		m.Fatalf("the scene is\n%s\nwant\n%s", got, want)
	}
	invariants(m.T, m.s)
}

// invariants checks the invariants of a scene.
func invariants(t *testing.T, s *Scene) {
	t.Helper()
	copied := *s
	if err := copied.plant(); err != nil || copied.root != s.root { // invariant 1
		t.Fatalf("the root is %v, %v; want %v", copied.root, err, s.root)
	}
	away := map[Handle]bool{}
	for _, e := range slices.Concat(s.done, s.undone) {
		if b, ok := e.(*branch); ok {
			for _, x := range b.away {
				if away[x.h] || s.nodes.Contains(x.h) {
					t.Fatalf("%v is held and has another node", x.h)
				}
				away[x.h] = true
			}
		}
	}
	for h := range s.ids.All() { // invariant 2
		if h := berth.HandleFromUint64[Node](h.Uint64()); !away[h] && !s.nodes.Contains(h) {
			t.Fatalf("%v is issued and has no node", h)
		}
	}
	if got, want := s.ids.Len(), s.nodes.Len()+len(away); got != want {
		t.Fatalf("%d handles are issued; %d nodes and %d held", got, s.nodes.Len(), len(away))
	}
	for _, edits := range [][]edit{s.done, s.undone} { // invariant 3
		for _, e := range edits[len(edits):cap(edits)] {
			if e != nil {
				t.Fatalf("%v is kept but forgotten", e)
			}
		}
	}
	if len(s.done)+len(s.undone) > s.steps {
		t.Fatalf("%d and %d edits, want at most %d", len(s.done), len(s.undone), s.steps)
	}
}

// TestModel plays random commands. The texts that it compares have the handles, so each node must
// come back under its own.
func TestModel(t *testing.T) {
	for seed := range uint64(24) {
		steps := []int{1000, 40, 5, 1, 0}[seed%5]
		m := newModel(t, seed, steps)
		grow := 3 + m.random.IntN(5)
		for range 700 {
			switch k := m.random.IntN(20); {
			case k < grow:
				m.add()
			case k < 10:
				m.remove()
			case k < 12:
				m.move()
			case k < 14:
				m.alter()
			case k < 17:
				m.undo()
			default:
				m.redo()
			}
			if m.random.IntN(60) == 0 { // far back, and some of it forward
				for range m.random.IntN(40) {
					m.undo()
				}
				m.check()
				for range m.random.IntN(40) {
					m.redo()
				}
			}
			if m.random.IntN(100) == 0 {
				m.reload()
			}
			m.check()
		}
	}
}

// TestReuse checks that slots are issued again once their nodes cannot come back.
func TestReuse(t *testing.T) {
	s := New(1)
	s.steps = 20
	for range 1000 {
		h, _ := s.Add(s.Root(), Handle{}, "a", Transform{})
		s.Add(h, Handle{}, "b", Transform{})
		s.Remove(h)
		s.Add(s.Root(), Handle{}, "c", Transform{})
		s.Undo()
	}
	invariants(t, s)
	if s.Len() != 1 || s.ids.Len() > 1+20 || s.nodes.Cap() > 128 {
		t.Errorf("%d nodes, %d handles, %d slots", s.Len(), s.ids.Len(), s.nodes.Cap())
	}
}

// TestForget checks that a node whose removal is forgotten stays stale, and that its slot is issued
// again, under another handle.
func TestForget(t *testing.T) {
	s := New(1)
	s.steps = 2
	h, _ := s.Add(s.Root(), Handle{}, "a", Transform{})
	s.Remove(h)
	b, _ := s.Add(s.Root(), Handle{}, "b", Transform{})
	if slot(b) == slot(h) {
		t.Error("the slot is issued again while its node can come back")
	}
	s.Rename(b, "c")
	c, _ := s.Add(s.Root(), Handle{}, "d", Transform{})
	if slot(c) != slot(h) || c == h {
		t.Errorf("after the removal of %v is forgotten, Add returns %v", h, c)
	}
	if _, ok := s.Get(h); ok {
		t.Error("a stale handle finds a node")
	}
}

func TestWorld(t *testing.T) {
	s := New(1)
	a, _ := s.Add(s.Root(), Handle{}, "a", Transform{1, 2, 3, 2})
	b, _ := s.Add(a, Handle{}, "b", Transform{1, 1, 1, 3})
	c, _ := s.Add(b, Handle{}, "c", Transform{0, 1, 0, 1})
	if got, ok := s.World(c); got != (Transform{3, 10, 5, 6}) || !ok {
		t.Errorf("World = %v, %v", got, ok)
	}
	if s.Parent(c) != b || s.Parent(s.Root()) != (Handle{}) {
		t.Errorf("parents %v and %v", s.Parent(c), s.Parent(s.Root()))
	}
	s.Remove(b)
	if _, ok := s.World(c); ok || s.Parent(c) != (Handle{}) {
		t.Error("a removed node has a place in the world")
	}
}

// TestAll leaves loops early, and loops over subtrees.
func TestAll(t *testing.T) {
	s := New(1)
	a, _ := s.Add(s.Root(), Handle{}, "a", Transform{})
	b, _ := s.Add(a, Handle{}, "b", Transform{})
	c, _ := s.Add(a, Handle{}, "c", Transform{})
	s.Add(s.Root(), Handle{}, "d", Transform{})
	var got []Handle
	for depth, h := range s.All(a) {
		if got = append(got, h); depth != min(len(got)-1, 1) {
			t.Errorf("%v has depth %d", h, depth)
		}
	}
	if !slices.Equal(got, []Handle{a, b, c}) {
		t.Errorf("All(a) = %v, want %v", got, []Handle{a, b, c})
	}
	for _, h := range s.All(a) {
		if h == b {
			break
		}
	}
	for range s.All(Handle{}) {
		t.Error("a loop over nothing")
	}
}

// TestDeep has a chain of nodes that would overflow the stack of a recursion.
func TestDeep(t *testing.T) {
	s := New(1)
	top, _ := s.Add(s.Root(), Handle{}, "top", Transform{})
	h := top
	for range 100_000 {
		h, _ = s.Add(h, Handle{}, "", Transform{Scale: 1})
	}
	s.Remove(top)
	s.Undo()
	var b bytes.Buffer
	must(t, s.write(&b))
	if err := s.read(&b); err != nil || s.Len() != 100_002 {
		t.Errorf("%d nodes, %v", s.Len(), err)
	}
}

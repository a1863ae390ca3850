// Package programs has code as games and servers have it, which is correct. The test of mutants
// seeds mistakes in it.
package programs

import (
	"berth"
	"berth/arena"
	"fmt"
	"math"
	"sort"
	"strings"
)

type Vec2 struct{ X, Y float64 }

type Missile struct {
	Pos, Vel Vec2
	Fuel     int
	Target   berth.Handle[Ship]
	Owner    berth.Handle[Ship]
}

type Ship struct {
	Name   string
	Pos    Vec2
	HP     int
	Locked []berth.Handle[Missile]
}

type Game struct {
	ships    berth.Pool[Ship]
	missiles berth.Dense[Missile]
	player   berth.Handle[Ship]
	scratch  *arena.Arena
	log      strings.Builder
}

func dist(a, b Vec2) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// spawn makes a ship with a name.
func (g *Game) spawn(name string) berth.Handle[Ship] {
	h, s := g.ships.New()
	s.Name, s.HP = name, 100
	return h
}

// fire launches a missile of the player.
func (g *Game) fire(at berth.Handle[Ship]) {
	p := g.ships.Ptr(g.player)
	if p == nil {
		return
	}
	h := g.missiles.Insert(Missile{Pos: p.Pos, Fuel: 100, Target: at, Owner: g.player})
	if t := g.ships.Ptr(at); t != nil {
		t.Locked = append(t.Locked, h)
	}
	p.HP--
}

// steer turns all missiles to their targets.
func (g *Game) steer() {
	for h, m := range g.missiles.All() {
		t := g.ships.Ptr(m.Target)
		if t == nil {
			m.Fuel = 0
			continue
		}
		d := dist(m.Pos, t.Pos)
		if d < 1 {
			t.HP -= 10
			g.missiles.Remove(h)
			continue
		}
		m.Vel.X = (t.Pos.X - m.Pos.X) / d
		m.Vel.Y = (t.Pos.Y - m.Pos.Y) / d
	}
}

// move moves the values in place.
func (g *Game) move(dt float64) {
	all := g.missiles.Slice()
	for i := range all {
		all[i].Pos.X += all[i].Vel.X * dt
		all[i].Pos.Y += all[i].Vel.Y * dt
	}
	sum := 0.0
	for i := range all {
		sum += all[i].Pos.X
	}
	fmt.Fprintln(&g.log, sum)
}

// bury removes the dead.
func (g *Game) bury() (dead []string) {
	for h, s := range g.ships.All() {
		if s.HP <= 0 {
			dead = append(dead, s.Name)
			g.ships.Remove(h)
		}
	}
	sort.Strings(dead)
	return dead
}

// duel lets two ships fight.
func (g *Game) duel(a, b berth.Handle[Ship]) (winner string) {
	x, y := g.ships.Ptr(a), g.ships.Ptr(b)
	if x == nil || y == nil {
		return ""
	}
	for x.HP > 0 && y.HP > 0 {
		x.HP -= 3
		y.HP -= 2
	}
	if x.HP > 0 {
		return x.Name
	}
	return y.Name
}

// rename changes a name, if the ship is there.
func (g *Game) rename(h berth.Handle[Ship], name string) bool {
	s := g.ships.Ptr(h)
	if s == nil {
		return false
	}
	old := s.Name
	s.Name = name
	fmt.Fprintf(&g.log, "%s is now %s\n", old, s.Name)
	return true
}

// nearest finds the ship that is nearest to another.
func (g *Game) nearest(h berth.Handle[Ship]) (best berth.Handle[Ship]) {
	s := g.ships.Ptr(h)
	if s == nil {
		return best
	}
	least := math.Inf(1)
	for other, o := range g.ships.All() {
		if other == h {
			continue
		}
		if d := dist(s.Pos, o.Pos); d < least {
			best, least = other, d
		}
	}
	return best
}

// report builds a text in the scratch arena.
func (g *Game) report() string {
	m := g.scratch.Mark()
	defer g.scratch.Rewind(m)
	buf := arena.MakeSlice[byte](g.scratch, 100)
	n := 0
	for s := range g.ships.Values() {
		n += copy(buf[n:], s.Name)
	}
	return string(buf[:n])
}

// heal heals in a switch.
func (g *Game) heal(h berth.Handle[Ship], kind int) {
	s := g.ships.Ptr(h)
	switch {
	case s == nil:
		return
	case kind == 1:
		s.HP += 5
	case kind == 2:
		s.HP = 100
	}
	for i := range s.Locked {
		s.Locked[i] = berth.Handle[Missile]{}
	}
}

// A node of a tree in an arena.
type node struct {
	left, right *node
	key         int
}

// tree builds a tree in an arena.
func tree(a *arena.Arena, keys []int) int {
	root := arena.New[node](a)
	root.key = keys[0]
	for _, k := range keys[1:] {
		at := root
		for at.key != k {
			next := &at.left
			if k > at.key {
				next = &at.right
			}
			if *next == nil {
				n := arena.New[node](a)
				n.key = k
				*next = n
			}
			at = *next
		}
	}
	return depth(root)
}

func depth(n *node) int {
	if n == nil {
		return 0
	}
	return 1 + max(depth(n.left), depth(n.right))
}

// words counts the words of a text, in a Vec.
func words(a *arena.Arena, text string) (longest string) {
	v := arena.NewVec[string](a)
	for _, w := range strings.Fields(text) {
		v.Push(w)
	}
	all := v.Slice()
	sort.Strings(all)
	for _, w := range all {
		if len(w) > len(longest) {
			longest = w
		}
	}
	first := v.Ptr(0)
	*first = longest
	return *first
}

type session struct {
	user    string
	pending []string
	tries   int
}

type Server struct {
	sessions *berth.Pool[session]
	byUser   map[string]berth.Handle[session]
}

// login finds or makes the session of a user.
func (s *Server) login(user string) (berth.Handle[session], error) {
	if h, ok := s.byUser[user]; ok {
		if x := s.sessions.Ptr(h); x != nil {
			x.tries++
			return h, nil
		}
	}
	h, err := s.sessions.TryInsert(session{user: user})
	if err != nil {
		return h, fmt.Errorf("login %s: %w", user, err)
	}
	s.byUser[user] = h
	return h, nil
}

// send queues a text for a user.
func (s *Server) send(h berth.Handle[session], text string) bool {
	x := s.sessions.Ptr(h)
	if x == nil || len(x.pending) > 10 {
		return false
	}
	x.pending = append(x.pending, text)
	return true
}

// logout removes a session and returns it.
func (s *Server) logout(h berth.Handle[session]) []string {
	x := s.sessions.Ptr(h)
	if x == nil {
		return nil
	}
	rest := x.pending
	delete(s.byUser, x.user)
	s.sessions.Remove(h)
	return rest
}

// broadcast sends to all but one.
func (s *Server) broadcast(from berth.Handle[session], text string) (n int) {
	sender := s.sessions.Ptr(from)
	for h, x := range s.sessions.All() {
		if h == from {
			continue
		}
		x.pending = append(x.pending, text)
		n++
	}
	if sender != nil {
		sender.tries = 0
	}
	return n
}

// record keeps a history.
func record(p *berth.Pool[Ship], h berth.Handle[Ship]) int {
	s := berth.NewHistory(p)
	e := s.Edit(h)
	if e == nil {
		return 0
	}
	e.HP = 7
	return e.HP
}

// pairs compares all with all.
func pairs(p *berth.Pool[Ship]) (near int) {
	for e, others := range berth.Traverse(p) {
		if o := others.Ptr(e.Handle); o != nil && dist(o.Pos, e.Value.Pos) < 1 {
			near++
		}
		e.Value.HP--
	}
	return near
}

// snapshot looks through a view.
func snapshot(v berth.View[Ship], hs []berth.Handle[Ship]) (names []string) {
	for _, h := range hs {
		if s := v.Ptr(h); s != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// buffers are taken from a free list and given back.
func buffers(s *arena.Stack[*[64]byte], text string) string {
	b, ok := s.Pop()
	if !ok {
		return ""
	}
	n := copy(b[:], text)
	out := string(b[:n])
	s.Push(b)
	return out
}

type camera struct {
	follows *Ship
	zoom    float64
}

// track lets a camera follow a ship for a frame.
func (g *Game) track(c *camera, h berth.Handle[Ship]) float64 {
	c.follows = g.ships.Ptr(h)
	if c.follows == nil {
		return 0
	}
	c.zoom = c.follows.Pos.X
	return c.zoom + c.follows.Pos.Y
}

// targets collects pointers for one pass.
func (g *Game) targets(hs []berth.Handle[Ship]) (sum int) {
	var found []*Ship
	for _, h := range hs {
		if s := g.ships.Ptr(h); s != nil {
			found = append(found, s)
		}
	}
	for _, s := range found {
		sum += s.HP
	}
	return sum
}

// loop has a pointer over several steps.
func (g *Game) loop(n int) {
	p := g.ships.Ptr(g.player)
	for i := 0; p != nil && i < n; i++ {
		p.Pos.X++
		if p.Pos.X > 100 {
			break
		}
	}
	if p != nil {
		p.Vel()
	}
}

func (s *Ship) Vel() Vec2 { return Vec2{} }

package stable_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// model predicts the slot of each insert and the length of the list, by the text of the thesis. It
// uses slices for chains and searches for everything else.
type model interface {
	insert() (slot int)
	insertAt(slot int)
	remove(slot int)
	clear()
	clip()
	touched() int
	size() int // the expected Cap; 0 if the model does not predict it
}

// quartersModel models Quartered and QuarteredStepwise.
type quartersModel struct {
	live     []bool // by slot, as far as touched
	chains   [3][]int
	left     [3]int // at the bottom of each chain, slots that the list does not chain
	n, min   int    // n: the length of the list
	stepwise bool
	never    bool
}

func roundUp(n int) int { return (n + 3) / 4 * 4 }

func (m *quartersModel) ends() [3]int { return [3]int{m.n / 4, m.n / 2, m.n} }

func (m *quartersModel) part(slot int) int {
	for p, end := range m.ends() {
		if slot < end {
			return p
		}
	}
	panic("slot in no part")
}

func (m *quartersModel) insert() int {
	for {
		for p, end := range m.ends() {
			if c := m.chains[p]; len(c) > 0 {
				slot := c[len(c)-1]
				m.chains[p] = c[:len(c)-1]
				m.left[p] = min(m.left[p], len(c)-1)
				m.live[slot] = true
				return slot
			}
			if len(m.live) < end {
				m.live = append(m.live, true)
				return len(m.live) - 1
			}
		}
		m.n = max(m.min, 2*m.n)
	}
}

func (m *quartersModel) insertAt(slot int) {
	if slot >= m.n {
		for slot >= m.n {
			m.n = max(m.min, 2*m.n)
		}
		m.relink()
		m.left = [3]int{}
	}
	if slot >= len(m.live) {
		for i := len(m.live); i < slot; i++ {
			p := m.part(i)
			m.chains[p] = slices.Insert(m.chains[p], 0, i)
			m.left[p]++
			m.live = append(m.live, false)
		}
		m.live = append(m.live, true)
		return
	}
	p := m.part(slot)
	c, left := m.chains[p], &m.left[p]
	at, limit := slices.Index(c, slot), m.n/32+16
	if at >= *left && len(c)-1-at > limit || at < *left && len(c)-*left > limit {
		slices.Sort(c)
		slices.Reverse(c)
		at, *left = slices.Index(c, slot), len(c)
	}
	if m.live[slot] = true; at < *left {
		*left--
	}
	m.chains[p] = slices.Delete(c, at, at+1)
}

// farEmpty reports whether the second half has no live value.
func (m *quartersModel) farEmpty() bool {
	return !slices.Contains(m.live[min(m.n/2, len(m.live)):], true)
}

func (m *quartersModel) remove(slot int) {
	p := m.part(slot)
	m.live[slot] = false
	m.chains[p] = append(m.chains[p], slot)
	if p < 2 && slices.Contains(m.live, true) || m.never {
		return
	}
	for first := true; m.farEmpty(); first = false {
		h := roundUp(m.n / 2)
		if h < m.min || h == m.n {
			break
		}
		few := first && m.left == [3]int{} && len(m.chains[0]) <= h/16
		left := m.left != [3]int{}
		m.halve(h)
		if m.stepwise {
			if left {
				m.relink()
				m.left = [3]int{}
			}
			continue
		}
		if pow2 := h&(h-1) == 0; !first || left || pow2 && !few {
			m.relink() // vacant slots are taken from the lowest on
			for p := range m.chains {
				if m.left[p] = 0; pow2 {
					m.left[p] = len(m.chains[p])
				}
			}
		}
	}
}

// halve cuts the list to h slots, and makes new chains as in section 5.2.
func (m *quartersModel) halve(h int) {
	exact := 2*h == m.n
	old := m.chains
	m.n = h
	m.live = m.live[:min(h, len(m.live))]
	if !exact {
		m.relink()
		return
	}
	m.chains = [3][]int{2: old[1]}
	for i := len(old[0]) - 1; i >= 0; i-- { // from the head of the chain
		if slot := old[0][i]; slot < m.n/4 {
			m.chains[0] = append(m.chains[0], slot)
		} else {
			m.chains[1] = append(m.chains[1], slot)
		}
	}
	slices.Reverse(m.chains[0]) // the slots that stay keep their order; those that move are reversed
}

// relink makes chains with the lowest slot first.
func (m *quartersModel) relink() {
	m.chains = [3][]int{}
	for slot := len(m.live) - 1; slot >= 0; slot-- {
		if p := m.part(slot); !m.live[slot] {
			m.chains[p] = append(m.chains[p], slot)
		}
	}
}

func (m *quartersModel) clear() {
	if len(m.live) == 0 {
		return
	}
	m.live, m.chains, m.left = nil, [3][]int{}, [3]int{}
	for h := roundUp(m.n / 2); h >= m.min && h < m.n && !m.never; h = roundUp(m.n / 2) {
		m.n = h
	}
}

func (m *quartersModel) clip() {
	if !slices.Contains(m.live, true) {
		m.live, m.chains, m.left, m.n = nil, [3][]int{}, [3]int{}, 0
		return
	}
	for h := roundUp(m.n / 2); h >= m.min && h < m.n; h = roundUp(m.n / 2) {
		if slices.Contains(m.live[min(h, len(m.live)):], true) {
			break
		}
		m.n = h
	}
	m.live = m.live[:min(m.n, len(m.live))]
	m.relink()
	m.left = [3]int{}
}

func (m *quartersModel) touched() int { return len(m.live) }
func (m *quartersModel) size() int    { return m.n }

// firstModel models the FirstFree placements: inserts take the lowest vacant slot, and the list is cut
// behind the last live one.
type firstModel struct {
	live  []bool
	never bool
}

func (m *firstModel) insert() int {
	slot := slices.Index(m.live, false)
	if slot < 0 {
		slot = len(m.live)
		m.live = append(m.live, false)
	}
	m.live[slot] = true
	return slot
}

func (m *firstModel) insertAt(slot int) {
	if more := slot + 1 - len(m.live); more > 0 {
		m.live = append(m.live, make([]bool, more)...)
	}
	m.live[slot] = true
}

func (m *firstModel) remove(slot int) {
	m.live[slot] = false
	if !m.never {
		m.clip()
	}
}

func (m *firstModel) clip() {
	for n := len(m.live); n > 0 && !m.live[n-1]; n-- {
		m.live = m.live[:n-1]
	}
}

func (m *firstModel) clear()       { m.live = nil }
func (m *firstModel) touched() int { return len(m.live) }
func (m *firstModel) size() int    { return 0 }

func newModel(c stable.Config) model {
	never := c.Truncate == berth.TruncateNever
	if c.Placement < stable.Quartered {
		return &firstModel{never: never}
	}
	m := &quartersModel{
		min:      max(4, roundUp(c.Min)),
		stepwise: c.Placement == stable.QuarteredStepwise, never: never,
	}
	if c.Capacity > 0 {
		m.n = max(m.min, roundUp(c.Capacity))
	}
	return m
}

// mirror sets hooks on l that keep in hooked the keys of the inserted values not yet removed.
func mirror[I stable.Index](
	t testing.TB, l *stable.ListOf[int, I, stable.Counter32],
) (hooked map[stable.Key[int, I, stable.Counter32]]bool) {
	type key = stable.Key[int, I, stable.Counter32]
	hooked = map[key]bool{}
	l.SetHooks(stable.Hooks[int, I, stable.Counter32]{
		OnInsert: func(k key, v *int) {
			if l.Ptr(k) != v || hooked[k] {
				t.Errorf("OnInsert(%v) is called too early, or twice", k)
			}
			hooked[k] = true
		},
		OnRemove: func(k key, v *int) {
			if *v != int(k.Index()) || l.Contains(k) || !hooked[k] {
				t.Errorf("OnRemove(%v, %d) is called too early, or twice", k, *v)
			}
			*v = -1
			delete(hooked, k)
		},
	})
	return hooked
}

// playPlacement plays the calls in data on a list with config c and on its model, and compares them
// after each.
func playPlacement[I stable.Index](t testing.TB, c stable.Config, hooks bool, data []byte) {
	l, m := stable.NewOf[int, I, stable.Counter32](c), newModel(c)
	spare := stable.NewOf[int, I, stable.Counter32](stable.Config{Placement: (c.Placement + 1) % 5})
	fill(t, spare, 20)
	var keys []stable.Key[int, I, stable.Counter32]
	hooked, calls := map[stable.Key[int, I, stable.Counter32]]bool(nil), 0
	gone, last := keys, stable.Counter32(0) // removed keys, and the last identifier
	if hooks {
		hooked = mirror(t, l)
	}
	insert := func() {
		want := m.insert()
		var k stable.Key[int, I, stable.Counter32]
		switch calls++; calls % 4 {
		default:
			k = l.Insert(want)
		case 1:
			var v *int
			if k, v = l.New(); v == nil || *v != 0 || l.Ptr(k) != v {
				t.Fatalf("%+v: New() = %v, %v", c, k, v)
			}
			*v = want
		case 2:
			if n := stable.InsertSeq(l, slices.Values([]int{want})); n != 1 {
				t.Fatalf("%+v: InsertSeq of one = %d", c, n)
			}
			k = stable.KeyAt(l, I(want))
		}
		if k.IsZero() || int(k.Index()) != want {
			t.Fatalf("%+v: Insert = %v, want slot %d of %d", c, k, want, m.touched())
		}
		if last != 0 && k.ID() != last+1 {
			t.Fatalf("%+v: Insert = %v, want identifier %d", c, k, last+1)
		}
		keys, last = append(keys, k), k.ID()
	}
	insertAt := func(k stable.Key[int, I, stable.Counter32]) {
		taken := !stable.KeyAt(l, k.Index()).IsZero()
		err := l.InsertAt(k, int(k.Index()))
		if taken != errors.Is(err, stable.ErrTaken) || !taken && err != nil {
			t.Fatalf("%+v: InsertAt(%v) = %v, taken %v", c, k, err, taken)
		}
		if taken {
			return
		}
		m.insertAt(int(k.Index()))
		keys, last = append(keys, k), max(last, k.ID())
		gone = slices.DeleteFunc(gone, func(g stable.Key[int, I, stable.Counter32]) bool { return g == k })
	}
	remove := func(i int) {
		k := keys[i]
		keys, gone = slices.Delete(keys, i, i+1), append(gone, k)
		if calls++; calls%2 == 0 {
			if !l.Delete(k) || l.Delete(k) {
				t.Fatalf("%+v: Delete(%v) of a live key is false, or of a stale one true", c, k)
			}
		} else if v, ok := l.Remove(k); !ok || v != int(k.Index()) {
			t.Fatalf("%+v: Remove(%v) = %d, %v", c, k, v, ok)
		}
		m.remove(int(k.Index()))
	}
	highest := func() (at int) {
		for i, k := range keys {
			if k.Index() > keys[at].Index() {
				at = i
			}
		}
		return at
	}
	check := func() {
		l.CheckInvariants()
		if l.Touched() != m.touched() || m.size() > 0 && l.Cap() != m.size() || l.Len() != len(keys) {
			t.Fatalf("%+v: Touched, Cap, Len = %d, %d, %d, want %d, %d, %d",
				c, l.Touched(), l.Cap(), l.Len(), m.touched(), m.size(), len(keys))
		}
		if hooks && len(hooked) != len(keys) {
			t.Fatalf("%+v: the hooks count %d values, want %d", c, len(hooked), len(keys))
		}
	}
	for ; len(data) >= 2; data = data[2:] {
		switch arg := int(data[1]); data[0] % 8 {
		case 0, 1, 2:
			for range 1 + arg%23 {
				insert()
			}
		case 3:
			for i := 0; i < 1+arg%31 && len(keys) > 0; i++ {
				remove((arg * 7) % len(keys))
			}
		case 4: // the end empties
			for i := 0; i < 1+arg%63 && len(keys) > 0; i++ {
				remove(highest())
				check()
			}
		case 5: // the rest lies in the middle
			for i := 0; i < len(keys); i++ {
				if k := int(keys[i].Index()); k%16 != arg%16 {
					remove(i)
					i--
				}
			}
		case 6:
			switch arg % 8 {
			case 0:
				l.Clear()
				m.clear()
				keys, gone = nil, nil
			case 1, 2: // any slot, and some behind the end
				slot := arg * 37 % (m.touched() + 10 + arg%200)
				insertAt(stable.KeyForTest[int](I(slot), last+1+stable.Counter32(arg%3)))
			case 3, 4: // an older key
				if len(gone) > 0 {
					insertAt(gone[arg%len(gone)])
				}
			case 5, 6: // the keys removed last
				for i := len(gone) - 1; i >= 0 && i > len(gone)-arg; i-- {
					insertAt(gone[i])
				}
			}
		case 7:
			switch arg % 4 {
			case 0:
				l.Clip()
				m.clip()
			case 1: // continue with a copy in other memory
				if !hooks {
					spare.CopyFrom(l)
					l, spare = spare, l
				}
			}
		}
		if len(keys) > 2000 {
			return
		}
		check()
	}
}

// placementConfigs returns the configurations from which the first byte of an input chooses.
func placementConfigs() (cs []stable.Config) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			for _, size := range [][2]int{{0, 0}, {0, 12}, {1000, 0}, {20, 8}, {1, 100}} {
				cs = append(cs, stable.Config{
					Placement: p, Truncate: tr, Capacity: size[0], Min: size[1], Seed: 1,
				})
			}
		}
	}
	return cs
}

func FuzzPlacement(f *testing.F) {
	cs := placementConfigs()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 600 {
			return
		}
		c := cs[int(data[0])%len(cs)]
		if data[1]%2 == 0 {
			playPlacement[uint32](t, c, data[1]&2 != 0, data[2:])
		} else {
			playPlacement[uint16](t, c, data[1]&2 != 0, data[2:])
		}
	})
}

// Each placement takes the slots, and truncates to the lengths, that its description specifies.
func TestPlacement(t *testing.T) {
	for i, c := range placementConfigs() {
		t.Run(fmt.Sprintf("%v/%v/capacity=%d/min=%d", c.Placement, c.Truncate, c.Capacity, c.Min), func(t *testing.T) {
			for seed := range uint64(6) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				data := make([]byte, 200)
				for k := range data {
					data[k] = byte(r.Uint32())
				}
				playPlacement[uint32](t, c, seed%2 == 0, data)
				playPlacement[uint64](t, c, seed%2 == 1, data[:60])
			}
		})
	}
}

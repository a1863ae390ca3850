package freelist

import (
	"fmt"
	"strings"
	"testing"
)

// Each check of an invariant detects a violation.
func TestInvariantsFire(t *testing.T) {
	check := func(what, want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
				t.Errorf("%s: panic %q, want %q in it", what, got, want)
			}
		}()
		f()
	}
	for _, top := range []int{-1, 11} {
		s := NewIndices[uint8](10)
		s.top = top
		check("top", "Stack invariant 1", s.checkInvariants)
	}
	for _, top := range []uint{3, 44} { // bits
		p := NewPacked(10)
		p.top = top
		check("top", "Packed invariant 1", p.checkInvariants)
	}
	p := NewPacked(10)
	p.words = p.words[:1]
	check("words", "Packed invariant 2", p.checkInvariants)

	for what, spoil := range map[string]func(c *Checked[uint8]){
		"1: twice, in the place of another": func(c *Checked[uint8]) { c.stack.free[0] = c.stack.free[1] },
		"1: beyond Cap":                     func(c *Checked[uint8]) { c.stack.free[0] = 200 },
		"1: a bit beyond Cap":               func(c *Checked[uint8]) { c.free[0] |= 1 << 20 },
		"1: a bit too few":                  func(c *Checked[uint8]) { c.free[0] &^= 4 },
		"1: a bit too many":                 func(c *Checked[uint8]) { c.stack.top-- },
	} {
		c := NewChecked[uint8](10)
		spoil(c)
		check(what, "Checked invariant", c.checkInvariants)
	}
	cp := NewCheckedPointers(make([]int, 10))
	cp.items = cp.items[:9]
	check("items", "CheckedPointers invariant 3", cp.checkInvariants)

	for what, spoil := range map[string]func(l *Lowest){
		"invariant 1": func(l *Lowest) { l.free[1] &^= 1 << 40 },
		"invariant 2": func(l *Lowest) { l.room.Remove(1) },
		"invariant 3": func(l *Lowest) { l.used.Add(1) },
		"invariant 4": func(l *Lowest) { l.left-- },
	} {
		l := NewLowest(100)
		l.Take()
		spoil(l)
		check(what, "Lowest "+what, l.checkInvariants)
	}
}

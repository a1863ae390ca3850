package journal

import (
	"runtime"
	"testing"
	"weak"
)

// An image logs the slots that are edited, one by one, and no others: Since tells them apart.
func TestImageLogsWhatIsEdited(t *testing.T) {
	l := NewLog[int, int](2, nil)
	l.Grow(1)
	p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
	l.Pages = p
	l.Image(0, 1<<5)
	if got := l.LoggedSlots(0); got != 1<<5 {
		t.Errorf("after Image, slots %x are logged", got)
	}
	if !l.Logged(0, 9) || l.LoggedSlots(0) != 1<<5|1<<9 {
		t.Errorf("after an edit of slot 9, slots %x are logged", l.LoggedSlots(0))
	}
	l.Since(1, func(_ int, touched uint64, _ *[pageSlots]int) {
		if touched != 1<<5|1<<9 {
			t.Errorf("touched %x", touched)
		}
	})
}

// The shadow stands for the value of a live slot. Note gets that of a vacant one.
func TestNoteOfVacantSlot(t *testing.T) {
	l := NewLog[int, int](2, func(s int) bool { return s&1 != 0 })
	l.Grow(1)
	p := &growing{make([]int, pageSlots), make([]int, pageSlots)}
	l.Pages = p
	p.vals[0], p.vals[1], p.states[1] = 7, 8, 1
	l.Cover(0, p.vals)
	none := 0
	l.Note(0, 0, &none, 0)
	l.Note(0, 1, &none, 1)
	p.vals[0], p.vals[1] = 50, 51
	if l.Rewind(1); p.vals[0] != 0 || p.vals[1] != 8 {
		t.Errorf("values %v after Rewind, want 0 and 8", p.vals[:2])
	}
}

// The shadow of a page that has left is freed.
func TestShadowLetsGo(t *testing.T) {
	l := NewLog[*cell, int](2, func(int) bool { return true })
	l.Grow(1)
	left := func() weak.Pointer[cell] {
		v := new(cell)
		l.Cover(0, []*cell{v})
		return weak.Make(v)
	}()
	l.Leave(0)
	runtime.GC()
	if left.Value() != nil {
		t.Error("the shadow holds a value of a page that has left")
	}
	runtime.KeepAlive(l)
}

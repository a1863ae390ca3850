package freelist_test

import (
	"testing"

	"github.com/seed505807e1/berth/freelist"
)

func TestForeignPointers(t *testing.T) {
	all := make([]particle, 10)
	items := all[2:8]
	c := freelist.NewCheckedPointers(items)
	held, _ := c.Pop()
	copied := *held
	for what, p := range map[string]*particle{
		"nil": nil, "one before": &all[1], "one behind": &all[8], "a copy": &copied,
		"free already": &items[3], "elsewhere": new(particle),
	} {
		if c.Push(p) {
			t.Errorf("%s: Push = true", what)
		}
		if c.IsFree(p) != (what == "free already") {
			t.Errorf("%s: IsFree = %t", what, c.IsFree(p))
		}
	}
	if c.IsFree(held) || c.Len() != 5 {
		t.Errorf("refused pushes changed the list: Len = %d", c.Len())
	}
	if !c.Push(held) || c.Push(held) { //nolint:berthends // twice is tested
		t.Error("Push of the held one twice: want true, then false")
	}
	c.CheckInvariants()

	s := freelist.NewPointers(items)
	s.Pop()
	if !s.Push(&all[9]) {
		t.Error("a Stack of NewPointers refused a pointer")
	}
}

// The index of a pointer is right for elements of any size.
func TestPointersOfAllSizes(t *testing.T) {
	allPointers[byte](t, 3000)
	allPointers[[2]byte](t, 3000)
	allPointers[[3]byte](t, 3000)
	allPointers[[12]byte](t, 3000)
	allPointers[[24]byte](t, 3000)
	allPointers[[1000]byte](t, 1000)
	allPointers[[4104]byte](t, 1000)
	allPointers[[1 << 20]byte](t, 7)
}

func allPointers[T any](t *testing.T, n int) {
	t.Helper()
	items := make([]T, n)
	c := freelist.NewCheckedPointers(items)
	for i := range items {
		if p, ok := c.Pop(); p != &items[i] || !ok || c.IsFree(p) {
			t.Fatalf("%T: Pop %d is wrong", items[0], i)
		}
	}
	for i := range items {
		if !c.Push(&items[i]) || c.Push(&items[i]) {
			t.Fatalf("%T: Push of pointer %d twice: want true, then false", items[0], i)
		}
	}
	c.CheckInvariants()
}

// A local array may move with its goroutine's stack. Pointers to its elements must stay valid.
func TestPointersAcrossStackGrowth(t *testing.T) {
	done := make(chan bool)
	go func() {
		var array [8]particle
		c := freelist.NewCheckedPointers(array[:])
		p, _ := c.Pop()
		deep(2000)
		done <- p == &array[0] && c.Push(p) && !c.Push(p) //nolint:berthends // twice is tested
	}()
	if !<-done {
		t.Error("a pointer was not recognised after the stack grew")
	}
}

//go:noinline
func deep(n int) int {
	var room [100]int
	room[n%100] = n
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[(n+1)%100]
}

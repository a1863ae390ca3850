package freelist_test

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/freelist"
)

// A double push into a Stack has the documented effect.
func TestDoublePushIsHandedOutTwice(t *testing.T) {
	s := freelist.NewIndices[uint8](3)
	a, _ := s.Pop()
	b, _ := s.Pop()
	for range 2 {
		if !s.Push(a) {
			t.Fatal("Push refused while there was room")
		}
	}
	if s.Push(b) {
		t.Error("Push on a full stack = true")
	}
	first, _ := s.Pop()
	second, _ := s.Pop()
	if first != a || second != a {
		t.Errorf("after Push(%d) twice: Pop = %d, %d", a, first, second)
	}
	s.Reset()
	for want := range uint8(3) {
		if i, ok := s.Pop(); i != want || !ok {
			t.Errorf("after Reset: Pop = %d, %t, want %d", i, ok, want)
		}
	}
}

// Grow keeps what is free and what is not, and what Reset brings back grows with it.
func TestGrow(t *testing.T) {
	s := freelist.NewIndices[uint8](0)
	var got []uint8
	pop := func(n int) {
		for range n {
			i, ok := s.Pop()
			if !ok {
				t.Fatalf("nothing free after %v", got)
			}
			got = append(got, i)
		}
	}
	freelist.Grow(s, 3)
	pop(2)
	freelist.Grow(s, 4)
	freelist.Grow(s, 0)
	s.Push(0)
	if s.Len() != 6 || s.Cap() != 7 {
		t.Errorf("%d of %d free", s.Len(), s.Cap())
	}
	pop(6)
	if want := []uint8{0, 1, 0, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("popped %v, want %v", got, want)
	}
	got = nil
	freelist.Grow(s, 1)
	s.Reset()
	if pop(8); !slices.Equal(got, []uint8{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("popped %v after Reset", got)
	}
	freelist.Grow(s, 248)
}

package freelist_test

import (
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

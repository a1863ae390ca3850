package recipes

import (
	"sync"
	"testing"
)

func TestRoom(t *testing.T) {
	var r Room
	ann, bob := &Member{"ann", make(chan string, 2)}, &Member{"bob", make(chan string, 1)}
	a, b := r.Join(ann), r.Join(bob)
	if n := r.Broadcast("hello"); n != 2 || <-bob.Queue != "hello" || <-ann.Queue != "hello" {
		t.Errorf("%d heard it, want 2", n)
	}
	r.Broadcast("one")
	if n := r.Broadcast("two"); n != 1 { // bob's queue is full
		t.Errorf("%d heard it, want 1", n)
	}
	if r.Leave(b) || !r.Leave(a) || r.Leave(a) || r.members.Len() != 0 {
		t.Error("bob was not dropped, or ann did not leave once")
	}
	if n := r.Broadcast("bye"); n != 0 {
		t.Errorf("%d heard it in an empty room", n)
	}
}

// Members join and leave while others broadcast.
func TestRoomOfMany(t *testing.T) {
	var r Room
	const goroutines, each = 4, 100
	stays := &Member{"ann", make(chan string, goroutines*each)}
	r.Join(stays)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				m := &Member{"", make(chan string, goroutines*each)}
				h := r.Join(m)
				if n := r.Broadcast("hello"); n < 2 || len(m.Queue) == 0 {
					t.Errorf("%d heard it, the speaker %d times", n, len(m.Queue))
				}
				if !r.Leave(h) {
					t.Error("a member did not leave")
				}
			}
		})
	}
	wg.Wait()
	if n := len(stays.Queue); n != goroutines*each || r.members.Len() != 1 {
		t.Errorf("one who stays heard %d of %d, and %d are left", n, goroutines*each, r.members.Len())
	}
}

package main

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

// end waits until no more goroutines run than before. A goroutine may signal that it is done before
// it exits.
func end(t *testing.T, before int) {
	t.Helper()
	for last := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(last) {
			t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

// Over sockets, the games are equal, too, and nothing is left running.
func TestUDP(t *testing.T) {
	before := runtime.NumGoroutine()
	c := usual(1, 300)
	r, err := overUDP(c)
	must(t, err)
	if r.check != [2]int{c.frames, c.frames} {
		t.Errorf("%v frames compared, want %d", r.check, c.frames)
	}
	if r.peers[0].rollbacks == 0 || r.peers[1].rollbacks == 0 || r.lost == 0 {
		t.Errorf("too little happened: %+v", r)
	}
	end(t, before)
}

// If the games differ, both peers end.
func TestUDPDesync(t *testing.T) {
	before := runtime.NumGoroutine()
	c := usual(1, 300)
	c.wrong = 60
	if _, err := overUDP(c); !errors.Is(err, errDesync) {
		t.Errorf("a wrong input: %v", err)
	}
	end(t, before)
}

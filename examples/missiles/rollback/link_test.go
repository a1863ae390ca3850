package main

import (
	"testing"
	"time"
)

func TestLink(t *testing.T) {
	c := config{seed: 7, loss: 10, latency: 50 * time.Millisecond, jitter: 100 * time.Millisecond}
	l, again := newLink(&c, 0), newLink(&c, 0)
	sent := map[byte]time.Duration{}
	got, swapped, last := 0, 0, -1
	for ms := range 250 {
		now := time.Duration(ms) * time.Millisecond
		if ms < 100 {
			l.send(now, []byte{byte(ms)})
			again.send(now, []byte{byte(ms)})
			sent[byte(ms)] = now
		}
		for b := l.receive(now); b != nil; b = l.receive(now) {
			if a := again.receive(now); len(a) != 1 || a[0] != b[0] {
				t.Fatalf("the same seed delivers %v instead of %v", a, b)
			}
			if d := now - sent[b[0]]; d < c.latency || d > c.latency+c.jitter+time.Millisecond {
				t.Errorf("packet %d was on its way for %v", b[0], d)
			}
			if int(b[0]) < last {
				swapped++
			}
			last = int(b[0])
			got++
		}
	}
	if l.sent != 100 || l.lost < 3 || l.lost > 20 || got != l.sent-l.lost || len(l.flying) != 0 {
		t.Errorf("%d sent, %d lost, %d arrived, %d on their way", l.sent, l.lost, got, len(l.flying))
	}
	if swapped < 10 {
		t.Errorf("%d packets arrived after later ones", swapped)
	}
}

package main

import (
	"math/rand/v2"
	"time"
)

// link carries packets one way. It delays each, so that they arrive in any order, and loses some.
// It has no clock, and is the same for the same seed.
type link struct {
	rng    *rand.Rand
	loss   int           // in per cent
	least  time.Duration // of a packet's time on the way
	jitter time.Duration // the most that is added to it
	flying []flight
	free   [][]byte

	sent, lost, bytes int
}

// flight is a packet on its way.
type flight struct {
	at   time.Duration
	data []byte
}

func newLink(c *config, to int) *link {
	return &link{
		rng:  rand.New(rand.NewPCG(c.seed, 100+uint64(to))),
		loss: c.loss, least: c.latency, jitter: c.jitter,
	}
}

// send sends a copy of data.
func (l *link) send(now time.Duration, data []byte) {
	l.sent++
	l.bytes += len(data)
	if l.rng.IntN(100) < l.loss {
		l.lost++
		return
	}
	var b []byte
	if n := len(l.free); n > 0 {
		b, l.free = l.free[n-1], l.free[:n-1]
	}
	at := now + l.least + time.Duration(l.rng.Int64N(int64(l.jitter)+1))
	l.flying = append(l.flying, flight{at, append(b[:0], data...)})
}

// receive returns the packet that has arrived first, or nil if none has. Its bytes are good until
// the next call of send.
func (l *link) receive(now time.Duration) []byte {
	first := -1
	for i, f := range l.flying {
		if f.at <= now && (first < 0 || f.at < l.flying[first].at) {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	data := l.flying[first].data
	l.flying = append(l.flying[:first], l.flying[first+1:]...)
	l.free = append(l.free, data)
	return data
}

package main

import (
	"testing"
	"time"

	"github.com/seed505807e1/berth"
)

func TestMeter(t *testing.T) {
	var m meter
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	if p50, p99 := m.lag(start); p50 != 0 || p99 != 0 {
		t.Errorf("lag without samples: %v, %v", p50, p99)
	}
	m.sample(at(-1001), time.Hour) // too old
	for i := range 100 {
		m.sample(at(-i), time.Duration(i+1)*time.Millisecond)
	}
	if p50, p99 := m.lag(start); p50 != 50*time.Millisecond || p99 != 99*time.Millisecond {
		t.Errorf("lag = %v, %v", p50, p99)
	}
	for i := range 21 { // 100 operations of 10 bytes each 200 ms
		ops, bytes := m.rates(at(200*i), uint64(100*i), uint64(1000*i))
		if want := 500.0; i > 0 && (ops != want || bytes != 10*want) || i == 0 && ops != 0 {
			t.Errorf("report %d: %v ops and %v bytes a second", i, ops, bytes)
		}
	}
	if len(m.totals) > 7 {
		t.Errorf("%d totals are kept", len(m.totals))
	}
	if ops, _ := m.rates(at(4200), 5, 5); ops != 0 { // of another leader
		t.Errorf("%v ops a second after a new beginning", ops)
	}
	if ops, _ := m.rates(at(5200), 25, 5); ops != 20 {
		t.Errorf("%v ops a second, want 20", ops)
	}
}

func TestDraw(t *testing.T) {
	var p berth.Pool[thing]
	p.Insert(thing{Kind: kindClock})
	p.Insert(thing{Kind: kindMissile, X: most32, Y: most32})
	p.Insert(thing{Kind: kindTarget, X: 40, Y: 8})
	p.Insert(thing{Kind: kindTarget, X: 5000}) // outside, and not drawn
	d := draw(&p)
	count := func(bits []byte) (n, at int) {
		for i := range 8 * len(bits) {
			if bits[i/8]>>(i%8)&1 == 1 {
				n, at = n+1, i
			}
		}
		return n, at
	}
	if n, at := count(d.Missiles); n != 1 || at != pictureSize*pictureSize-1 {
		t.Errorf("%d missiles, at %d", n, at)
	}
	if n, at := count(d.Targets); n != 1 || at != 2*pictureSize+10 {
		t.Errorf("%d targets, at %d", n, at)
	}
}

// TestSampled checks that hashes are taken of one in eight frames, for any distance between their
// sequences.
func TestSampled(t *testing.T) {
	for step := range uint64(40) {
		step++
		n := 0
		for i := range uint64(8000) {
			if sampled(i * step) {
				n++
			}
		}
		if n < 800 || n > 1200 {
			t.Errorf("every %d. sequence: %d of 8000", step, n)
		}
	}
}

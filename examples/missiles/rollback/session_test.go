package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// frames is the length of the sessions in tests. The program plays more.
func frames() int {
	if testing.Short() {
		return 200
	}
	return 600
}

// Two peers play the same game over a bad network. Their games are equal after every frame, although
// they went back many times, as far as they may, and had to wait.
func TestSimulate(t *testing.T) {
	for seed := range uint64(3) {
		c := usual(seed, frames())
		r, err := simulate(c)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.check != [2]int{c.frames, c.frames} {
			t.Errorf("seed %d: %v frames compared, want %d", seed, r.check, c.frames)
		}
		if part := r.lost * 100 / r.sent; part < 5 || part > 15 {
			t.Errorf("seed %d: %d of %d packets were lost", seed, r.lost, r.sent)
		}
		for i, s := range r.peers {
			if s.rollbacks < c.frames/40 || s.replayed < 2*s.rollbacks || s.late == 0 {
				t.Errorf("seed %d, peer %d: too little happened: %+v", seed, i, s)
			}
			if s.refused != 0 {
				t.Errorf("seed %d, peer %d: %d packets refused", seed, i, s.refused)
			}
		}
		waits := r.peers[0].waits + r.peers[1].waits
		deep := r.peers[0].depths[back] + r.peers[1].depths[back]
		if !testing.Short() && (waits == 0 || deep == 0) {
			t.Errorf("seed %d: %d waits, %d times eight frames back", seed, waits, deep)
		}
	}
}

// Networks from a perfect one to one that is hardly there.
func TestNetworks(t *testing.T) {
	const ms = time.Millisecond
	for _, n := range []struct {
		loss            int
		latency, jitter time.Duration
	}{
		{0, 0, 0}, {0, 100 * ms, 0}, {0, 0, 400 * ms}, {50, 50 * ms, 100 * ms},
		{90, 200 * ms, 50 * ms},
	} {
		c := usual(5, frames()/2)
		c.loss, c.latency, c.jitter = n.loss, n.latency, n.jitter
		r, err := simulate(c)
		if err != nil {
			t.Errorf("%+v: %v", n, err)
			continue
		}
		a, b := r.peers[0], r.peers[1]
		if good := n.loss == 0 && n.latency == 0 && n.jitter == 0; good != (a.rollbacks+b.rollbacks == 0) {
			t.Errorf("%+v: %d and %d rollbacks", n, a.rollbacks, b.rollbacks)
		}
		if n.latency+n.jitter > 300*ms && a.waits+b.waits == 0 {
			t.Errorf("%+v: nobody waited", n)
		}
		// At most 40 inputs and hashes are not acknowledged, so they are in the window.
		if most := 19 + 40*11; max(a.largest, b.largest) > most {
			t.Errorf("%+v: packets of %d and %d bytes, want at most %d", n, a.largest, b.largest, most)
		}
	}
}

// The same seed makes the same session, event for event. Another seed makes another.
func TestSameLog(t *testing.T) {
	play := func(seed uint64) (string, report) {
		var log bytes.Buffer
		c := usual(seed, 200)
		c.log = &log
		r, err := simulate(c)
		must(t, err)
		return log.String(), r
	}
	log, r := play(1)
	if again, s := play(1); log != again || r != s {
		t.Errorf("the same seed makes two sessions:\n%+v\n%+v", r, s)
	}
	if other, s := play(2); log == other || r.hash == s.hash {
		t.Error("two seeds make the same session")
	}
	if len(log) < 500 {
		t.Errorf("the log has %d bytes", len(log))
	}
}

// A peer that plays another input than it sends is found, in the very frame.
func TestWrongInput(t *testing.T) {
	for seed := range uint64(3) {
		for _, frame := range []int{30, 101} {
			c := usual(seed, 200)
			c.wrong = frame
			r, err := simulate(c)
			if want := fmt.Sprintf("after frame %d:", frame); !errors.Is(err, errDesync) ||
				!bytes.Contains([]byte(err.Error()), []byte(want)) {
				t.Errorf("seed %d: %v, want a difference %s", seed, err, want)
			}
			if r.check[0] > frame || r.check[1] > frame || r.check[0]+r.check[1] < frame {
				t.Errorf("seed %d: %v frames are equal, want up to %d", seed, r.check, frame)
			}
		}
	}
}

// A peer whose game changes on its own is found, too: here it loses a single vacant slot's
// generation, which only later inserts show.
func TestStrayChange(t *testing.T) {
	c := usual(1, 200)
	peers := [2]*peer{newPeer(0, &c), newPeer(1, &c)}
	for range 200 {
		for i, p := range peers {
			if p.frame == 50 && i == 0 && p.wrong < 0 {
				p.wrong = c.frames
				w := p.world
				w.Gems.Remove(w.Gems.Insert(sim.Gem{}))
			}
			tick(t, p)
			if err := peers[1-i].receive(p.appendPacket(nil)); errors.Is(err, errDesync) {
				return
			}
		}
	}
	t.Error("the change was not found")
}

// Sessions that cannot go on end.
func TestStalled(t *testing.T) {
	c := usual(1, 50)
	c.loss = 100
	if r, err := simulate(c); !errors.Is(err, errStalled) || r.check != [2]int{} {
		t.Errorf("%v, %+v", err, r)
	}
}

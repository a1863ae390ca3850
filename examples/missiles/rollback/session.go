package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// config configures a session of two peers.
type config struct {
	seed    uint64
	game    sim.Config
	frames  int
	loss    int // of packets, in per cent
	latency time.Duration
	jitter  time.Duration // added to the latency at most
	wrong   int           // the frame in which peer 1 plays another input than it sends, or 0
	log     io.Writer     // gets the events, or nil
}

// report is the outcome of a session.
type report struct {
	peers [2]stats
	check [2]int // frames whose hash was compared
	hash  uint64 // of the game at the end
	sent  int    // packets
	lost  int
	bytes int
	late  int // reads that found no packet in time
}

// period is the time of a frame by the clock of each peer. No two clocks are the same.
var period = [2]time.Duration{time.Second / 60, time.Second / 60 * 999 / 1000}

// errStalled is returned for a session that makes no progress.
var errStalled = errors.New("the peers have stalled")

// most returns a number of turns in which every session ends.
func (c *config) most() int { return 1000 + 20*c.frames }

// simulate plays a session on a simulated clock and a simulated network. It depends on nothing but
// c.
func simulate(c config) (report, error) {
	peers := [2]*peer{newPeer(0, &c), newPeer(1, &c)}
	links := [2]*link{newLink(&c, 0), newLink(&c, 1)}
	clock := [2]time.Duration{0, 5 * time.Millisecond} // peer 1 begins later
	var buf []byte
	for range 2 * c.most() {
		i := 0
		if clock[1] < clock[0] {
			i = 1
		}
		p, now := peers[i], clock[i]
		clock[i] += period[i]
		if err := p.turn(links[i], now); err != nil {
			at := now.Round(time.Millisecond)
			return outcome(peers, links), fmt.Errorf("after %v, %w", at, err)
		}
		buf = p.appendPacket(buf[:0])
		links[1-i].send(now, buf)
		if peers[0].done() && peers[1].done() {
			return outcome(peers, links), same(peers)
		}
	}
	return outcome(peers, links), errStalled
}

// turn gives the peer the packets that have arrived, and lets it play a frame.
func (p *peer) turn(l *link, now time.Duration) error {
	for data := l.receive(now); data != nil; data = l.receive(now) {
		if err := p.receive(data); err != nil {
			return err
		}
	}
	return p.tick()
}

// same returns an error unless both peers have the same game.
func same(peers [2]*peer) error {
	a, b := peers[0].world, peers[1].world
	if a.Hash() != b.Hash() || a.Checksum() != b.Checksum() {
		return fmt.Errorf("%w at the end", errDesync)
	}
	return nil
}

func outcome(peers [2]*peer, links [2]*link) (r report) {
	for i, p := range peers {
		r.peers[i], r.check[i] = p.stats, p.checked
		r.sent += links[i].sent
		r.lost += links[i].lost
		r.bytes += links[i].bytes
	}
	r.hash = peers[0].world.Hash()
	return r
}

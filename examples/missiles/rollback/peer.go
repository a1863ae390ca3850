package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

const (
	delay = 2 // frames from a player's decision to the frame that it is for
	back  = 8 // most frames that a peer plays before it has the other's inputs

	// window is the number of frames of which a peer keeps inputs and hashes. It sends those that
	// are not acknowledged. They are fewer than 40: each peer is at most back+delay frames ahead of
	// the other, and so was the other when it sent its last packet that has arrived.
	window = 64
)

// errDesync is returned when the games of the peers differ.
var errDesync = errors.New("the games differ")

// peer is one of two computers that play the same game. Each has the whole game, and they exchange
// nothing but inputs and, to be sure, hashes.
//
// A peer does not wait for the inputs of the other. It plays the frame with a guess: that the other
// player does the same as before. When it learns that a guess was wrong, it takes the game back to
// that frame, and plays it and those since again.
type peer struct {
	me, other int
	world     *sim.World
	player    *player
	end       int // number of frames to play

	frame  int              // the next frame
	known  [2]int           // the inputs of frames below are known, by player
	inputs [2][window]input // by player and frame
	used   [window]input    // what the frame was played with, in place of the other's input
	hashes [window]uint64   // of the game after the frame

	right   int // frames below were played with the right inputs
	checked int // frames below have the same hash on both sides
	acked   int // the other has the inputs of frames below
	agreed  int // the other has checked the hashes of frames below

	wrong int // the frame in which the peer plays another input than it sends, or -1: a bug
	out   packet
	in    packet
	log   io.Writer // or nil
	stats stats
}

// stats counts what a peer has done.
type stats struct {
	rollbacks int
	replayed  int // frames that were played again
	depths    [back + 1]int
	waits     int // turns in which it could not play
	late      int // packets that had nothing new
	refused   int // packets that no peer would send
	largest   int // packet, in bytes
	things    int // the most in the game at a time
}

func newPeer(me int, c *config) *peer {
	p := &peer{
		me: me, other: 1 - me, world: sim.New(c.game), player: newPlayer(me, c.seed),
		end: c.frames, known: [2]int{delay, delay}, wrong: -1, log: c.log,
	}
	if me == gunner && c.wrong > 0 {
		p.wrong = c.wrong
	}
	p.world.Record(back)
	return p
}

// tick is the peer's turn, 60 times a second. It plays one frame, or waits if it has played as many
// as it may without the inputs of the other.
func (p *peer) tick() error {
	if err := p.correct(); err != nil {
		return err
	}
	switch {
	case p.frame == p.end:
		return nil
	case p.frame-p.known[p.other] >= back:
		p.stats.waits++
		p.print("frame %d: wait", p.frame)
		return nil
	}
	f := p.frame + delay
	p.inputs[p.me][f%window] = p.player.decide(p.world, p.frame)
	p.known[p.me] = f + 1
	p.play()
	p.right = min(p.frame, p.known[p.other])
	return nil
}

// correct plays the frames again since the first one that was played with a wrong input.
func (p *peer) correct() error {
	end := min(p.frame, p.known[p.other])
	for p.right < end && p.used[p.right%window] == p.inputs[p.other][p.right%window] {
		p.right++
	}
	if p.right == end {
		return nil
	}
	n := p.frame - p.right
	p.print("frame %d: %d back", p.frame, n)
	if err := p.world.Rewind(n); err != nil {
		return err
	}
	p.stats.rollbacks++
	p.stats.replayed += n
	p.stats.depths[n]++
	for p.frame = p.right; n > 0; n-- {
		p.play()
	}
	p.right = end
	return nil
}

// play plays the next frame, with what is known of the other's inputs.
func (p *peer) play() {
	f := p.frame
	last := min(f, p.known[p.other]-1) // the guess is that the last known input goes on
	guess := p.inputs[p.other][last%window]
	if last < f {
		guess.buttons &^= restart // which is pressed for one frame
	}
	p.used[f%window] = guess
	var both [2]input
	both[p.other], both[p.me] = guess, p.inputs[p.me][f%window]
	if f == p.wrong {
		both[p.me].aim ^= 1 // not as sent
	}
	p.world.Step(game(both))
	p.hashes[f%window] = p.world.Hash()
	p.stats.things = max(p.stats.things, p.world.Live())
	p.frame++
}

// appendPacket appends the packet for the other peer to b.
func (p *peer) appendPacket(b []byte) []byte {
	k := &p.out
	k.ack, k.checked = p.known[p.other], p.checked
	k.first, k.inputs = p.acked, k.inputs[:0]
	for f := p.acked; f < p.known[p.me]; f++ {
		k.inputs = append(k.inputs, p.inputs[p.me][f%window])
	}
	k.firstHash, k.hashes = p.agreed, k.hashes[:0]
	for f := p.agreed; f < p.right; f++ {
		k.hashes = append(k.hashes, p.hashes[f%window])
	}
	n := len(b)
	b = k.appendTo(b)
	p.stats.largest = max(p.stats.largest, len(b)-n)
	return b
}

// receive takes a packet, whatever is in it. Packets may come late, twice, and in any order. The
// error is errDesync if the hash of a frame differs, and nil otherwise.
func (p *peer) receive(data []byte) error {
	k := &p.in
	if err := k.parse(data); err != nil || !p.plausible(k) {
		p.stats.refused++
		return nil
	}
	had, was := p.known[p.other], p.checked
	p.acked, p.agreed = max(p.acked, k.ack), max(p.agreed, k.checked)
	for i, in := range k.inputs {
		if f := k.first + i; f == p.known[p.other] {
			p.inputs[p.other][f%window] = in
			p.known[p.other]++
		}
	}
	for i, theirs := range k.hashes {
		f := k.firstHash + i
		if f != p.checked || f >= p.right {
			continue // known already, or for a later packet
		}
		if ours := p.hashes[f%window]; ours != theirs {
			return fmt.Errorf("%w after frame %d: the hash is %x at peer %d, and %x at peer %d",
				errDesync, f, ours, p.me, theirs, p.other)
		}
		p.checked++
	}
	if p.known[p.other] == had && p.checked == was {
		p.stats.late++
	}
	return nil
}

// plausible reports whether the other peer can have sent k. Without this check, a packet could
// replace inputs and hashes that are still needed.
func (p *peer) plausible(k *packet) bool {
	return k.ack <= p.known[p.me] && k.checked <= p.right &&
		k.first+len(k.inputs) <= p.frame+window/2 && k.firstHash+len(k.hashes) <= p.frame+window/2
}

// done reports whether the peer has played and checked all frames.
func (p *peer) done() bool { return p.checked == p.end }

func (p *peer) print(format string, args ...any) {
	if p.log != nil {
		fmt.Fprintf(p.log, "peer %d, "+format+"\n", append([]any{p.me}, args...)...)
	}
}

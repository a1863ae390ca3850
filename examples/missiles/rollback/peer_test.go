package main

import (
	"testing"
)

// must fails the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pair returns two peers that are connected by nothing.
func pair(frames int) [2]*peer {
	c := usual(1, frames)
	return [2]*peer{newPeer(0, &c), newPeer(1, &c)}
}

// tick gives a peer a turn that must not fail.
func tick(t *testing.T, p *peer) {
	t.Helper()
	must(t, p.tick())
}

// Without packets, a peer plays the frames for which inputs are known, and then eight with a guess.
func TestWait(t *testing.T) {
	p := pair(100)[0]
	for range delay + back {
		tick(t, p)
	}
	if p.frame != delay+back || p.stats.waits != 0 {
		t.Fatalf("frame %d, %d waits", p.frame, p.stats.waits)
	}
	tick(t, p)
	tick(t, p)
	if p.frame != delay+back || p.stats.waits != 2 || p.known[0] != p.frame+delay {
		t.Errorf("frame %d, %d waits, %d inputs", p.frame, p.stats.waits, p.known[0])
	}
	if p.right != delay {
		t.Errorf("%d frames count as right, want %d", p.right, delay)
	}
}

// Inputs that are as guessed change nothing. One that is not takes the game back to its frame, and
// the game is then the same as with the right inputs from the start.
func TestCorrect(t *testing.T) {
	late, want := pair(100)[0], pair(100)[0]
	want.player, late.player = still{}.player(), still{}.player()
	inputs := make([]input, 8)
	for i := range inputs {
		if i >= 5 { // the input of frame 7
			inputs[i] = input{aim: 33, buttons: fire}
		}
	}
	k := packet{first: delay, inputs: inputs}
	for range delay + back {
		tick(t, late)
	}
	must(t, want.receive(k.appendTo(nil)))
	for range delay + back {
		tick(t, want)
	}
	must(t, late.receive((&packet{first: delay, inputs: inputs[:5]}).appendTo(nil)))
	if err := late.correct(); err != nil || late.stats.rollbacks != 0 || late.right != 7 {
		t.Errorf("guesses were right: %v, %+v, %d frames right", err, late.stats, late.right)
	}
	must(t, late.receive(k.appendTo(nil)))
	if err := late.correct(); err != nil || late.stats.rollbacks != 1 || late.stats.depths[3] != 1 {
		t.Errorf("a wrong guess: %v, %+v", err, late.stats)
	}
	if late.frame != want.frame || late.world.Hash() != want.world.Hash() {
		t.Errorf("frame %d, want %d; hash %#x, want %#x",
			late.frame, want.frame, late.world.Hash(), want.world.Hash())
	}
	if want.stats.rollbacks != 0 || want.hashes != late.hashes {
		t.Error("the hashes of the frames differ")
	}
}

// still is a player who does nothing.
type still struct{}

func (still) player() *player { return &player{role: gunner, next: 1 << 30} }

// A packet that comes twice, or after a later one, changes nothing.
func TestLate(t *testing.T) {
	peers := pair(100)
	var packets [][]byte
	for range 6 {
		tick(t, peers[1])
		packets = append(packets, peers[1].appendPacket(nil))
	}
	for _, i := range []int{2, 5, 5, 0, 1, 2, 3, 4} {
		must(t, peers[0].receive(packets[i]))
	}
	p := peers[0]
	if p.known[1] != 6+delay || p.stats.late != 6 || p.stats.refused != 0 {
		t.Errorf("%d inputs known, %+v", p.known[1], p.stats)
	}
}

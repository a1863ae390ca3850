package main

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestPacket(t *testing.T) {
	for _, k := range []packet{
		{},
		{ack: 3, checked: 2, first: 7, inputs: []input{{1, 2, 3}, {4, 5, 6}}},
		{firstHash: 1 << 20, hashes: []uint64{1, 1 << 63}},
		{first: 9, inputs: make([]input, 40), firstHash: 10_000, hashes: make([]uint64, 40)},
	} {
		b := k.appendTo([]byte("before"))[6:]
		var got packet
		if err := got.parse(b); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
		if again := got.appendTo(nil); !reflect.DeepEqual(again, b) {
			t.Errorf("%+v: read as %+v", k, got)
		}
		for n := range b {
			if err := got.parse(b[:n]); err == nil {
				t.Errorf("%+v: the first %d bytes of %d are a packet", k, n, len(b))
			}
		}
		if err := got.parse(append(b, 0)); err == nil {
			t.Errorf("%+v: with another byte it is a packet", k)
		}
	}
	if err := new(packet).parse(append([]byte{version + 1}, make([]byte, 18)...)); err == nil {
		t.Error("another version is a packet")
	}
}

// A peer survives any bytes, and packets that lie about everything. Afterwards it plays on, and the
// games are equal.
func TestHostilePackets(t *testing.T) {
	c := usual(3, 200)
	peers := [2]*peer{newPeer(0, &c), newPeer(1, &c)}
	links := [2]*link{newLink(&c, 0), newLink(&c, 1)}
	rng := rand.New(rand.NewPCG(1, 1))
	for range c.most() {
		for i, p := range peers {
			must(t, p.turn(links[i], 0))
			b := p.appendPacket(nil)
			must(t, peers[1-i].receive(b))
			for range 4 {
				must(t, p.receive(garble(rng, p, b)))
			}
		}
		if peers[0].done() && peers[1].done() {
			if err := same(peers); err != nil {
				t.Error(err)
			}
			if n := peers[0].stats.refused; n < 400 {
				t.Errorf("%d packets refused, too few to test anything", n)
			}
			return
		}
	}
	t.Error("the peers have stalled")
}

// garble returns bytes that the other peer would not send: random ones, a part of a packet, or a
// packet with wrong numbers.
func garble(rng *rand.Rand, p *peer, packet []byte) []byte {
	b := append([]byte(nil), packet...)
	switch rng.IntN(4) {
	case 0:
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
	case 1:
		b = b[:rng.IntN(len(b))]
	case 2:
		b[1+rng.IntN(2)*12+3] = byte(1 + rng.IntN(255)) // ack or first, far in the future
		b[4] = 255
	default: // inputs and hashes for frames to come, beyond what is kept
		k := p.out
		k.ack, k.checked = p.known[p.me], p.right
		k.first, k.inputs = p.frame+40, make([]input, 30)
		k.firstHash = p.frame
		return k.appendTo(nil)
	}
	return b
}

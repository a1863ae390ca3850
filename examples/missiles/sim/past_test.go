package sim

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
)

// inputs returns inputs that change now and then, some of which restart the game.
func inputs(seed uint64, frames int) []Input {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := make([]Input, frames)
	for i := range list {
		if i > 0 && rng.IntN(6) > 0 {
			list[i] = list[i-1]
			list[i].Restart = false
			continue
		}
		list[i] = Input{
			Move: Direction(rng.IntN(256)), Aim: Direction(rng.IntN(256)),
			Fire: rng.IntN(4) > 0, Salvo: rng.IntN(8) == 0, Restart: rng.IntN(30) == 0,
		}
	}
	return list
}

// A game that goes back up to eight frames again and again, and plays other inputs in between, is
// the same as one that never did: in its values, their handles and their order.
func TestRewind(t *testing.T) {
	const back = 8
	for seed, wave := range []int{1, 12, 20} {
		frames := 240
		if testing.Short() {
			frames = 60
		}
		c := Config{Seed: uint64(seed), Wave: wave, Invincible: wave == 20}
		right, wrong := inputs(uint64(seed), frames), inputs(uint64(seed)+100, frames)
		plain := New(c)
		want := []uint64{plain.Hash()}
		for _, in := range right {
			plain.Step(in)
			want = append(want, plain.Hash())
		}
		w := New(c)
		w.Record(back)
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		for f := 0; f < frames; {
			guess := rng.IntN(back + 1) // frames to play with wrong inputs
			for i := range guess {
				w.Step(wrong[(f+i)%frames])
			}
			if err := w.Rewind(guess); err != nil {
				t.Fatal(err)
			}
			if got := w.Hash(); got != want[f] {
				t.Fatalf("seed %d: back in frame %d the hash is %#x, want %#x", seed, f, got, want[f])
			}
			for range min(1+rng.IntN(3), frames-f) {
				w.Step(right[f])
				if f++; w.Hash() != want[f] {
					t.Fatalf("seed %d: the hash of frame %d is %#x, want %#x", seed, f, w.Hash(), want[f])
				}
			}
		}
		if plain.Checksum() != w.Checksum() {
			t.Errorf("seed %d: checksums differ", seed)
		}
		if wave > 1 && plain.Live() < 1000 {
			t.Errorf("seed %d: %d things, too few to test anything", seed, plain.Live())
		}
	}
}

// A frame that is too old, or still to come, is an error, and changes nothing.
func TestRewindTooFar(t *testing.T) {
	w := New(Config{Seed: 1})
	w.Record(3)
	if err := w.Rewind(1); !errors.Is(err, berth.ErrForgotten) {
		t.Errorf("before the first frame: %v", err)
	}
	play(w, 10)
	want := w.Hash()
	for _, n := range []int{4, 10, 1 << 30, -1} {
		if err := w.Rewind(n); !errors.Is(err, berth.ErrForgotten) || w.Hash() != want {
			t.Errorf("%d frames back: %v", n, err)
		}
	}
	if err := w.Rewind(3); err != nil || w.Frame != 7 {
		t.Errorf("three frames back: %v, frame %d", err, w.Frame)
	}
}

// Each part of the state changes the hash.
func TestHash(t *testing.T) {
	for name, change := range map[string]func(w *World){
		"state":      func(w *World) { w.Ship.gun++ },
		"random":     func(w *World) { w.rng.Uint64() },
		"value":      func(w *World) { first(w.Enemies).Flash++ },
		"bullet":     func(w *World) { first(w.Bullets).power++ },
		"missile":    func(w *World) { first(w.Missiles).spin = 3 },
		"gem":        func(w *World) { first(w.Gems).Worth++ },
		"particle":   func(w *World) { first(w.Particles).Hue++ },
		"generation": func(w *World) { w.Gems.Remove(w.Gems.Insert(Gem{})) },
		"handle": func(w *World) {
			for h, g := range w.Gems.All() {
				v := *g
				w.Gems.Remove(h)
				w.Gems.Insert(v) // in the same place
				break
			}
		},
	} {
		w := play(New(Config{Seed: 1, Wave: 10}), 120)
		was := w.Hash()
		change(w)
		if w.Hash() == was {
			t.Errorf("%s: the hash is the same after a change", name)
		}
	}
	if hash([]byte{1, 2, 3}) == hash([]byte{1, 2, 3, 0}) || hash(make([]byte, 64)) == hash(make([]byte, 32)) {
		t.Error("the hash does not depend on the length")
	}
}

func first[T any](p *berth.Pool[T]) *T {
	for v := range p.Values() {
		return v
	}
	return new(T)
}

// Once its memory has grown, a game allocates nothing to go back and to play again.
func TestRewindAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("containers that check themselves allocate")
	}
	w := crowded(20)
	w.Enemies.Grow(1000) // a chunk that is new since the frame would be allocated in each round
	w.Bullets.Grow(1000)
	w.Missiles.Grow(1000)
	w.Gems.Grow(1000)
	w.Particles.Grow(1000)
	w.Record(8)
	in := Input{Fire: true}
	round := func() {
		for range 8 { // as many as are taken back, so that each round is the same
			w.Step(in)
		}
		if err := w.Rewind(8); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		round()
	}
	if n := testing.AllocsPerRun(10, round); n != 0 {
		t.Errorf("a round allocates %v times", n)
	}
}

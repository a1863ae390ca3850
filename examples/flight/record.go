package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// battle is a larger world of the same program. A wave every ten seconds brings the number of
// enemies back to enemies, and each frame fires a salvo. Each run is the same.
type battle struct {
	frames  int
	enemies int // after each wave
	random  uint64
}

const (
	wave   = 600 // frames between waves
	volley = 300 // a salvo has a missile for each 300 enemies, and one more
	field  = 300 // side of the battlefield; missiles start in the middle

	mostFrames  = 216_000 // an hour
	mostEnemies = 20_000
)

// record fights the battle and records it in a file.
func (b battle) record(name string) error {
	if b.frames < 1 || b.frames > mostFrames {
		return fmt.Errorf("%d frames, want 1 to %d", b.frames, mostFrames)
	}
	if b.enemies < 1 || b.enemies > mostEnemies {
		return fmt.Errorf("%d enemies, want 1 to %d", b.enemies, mostEnemies)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(b.write(f), f.Close())
}

// write fights the battle and records it in w.
func (b battle) write(w io.Writer) error {
	r, err := trace.NewRecorder(w)
	if err != nil {
		return err
	}
	b.fight(recorded(r), r.Frame)
	return r.Close()
}

// recorded returns a world whose pools are recorded by r.
func recorded(r *trace.Recorder) *world {
	return &world{
		out: io.Discard,
		enemies: trace.Wrap(r.Track("enemies", int(unsafe.Sizeof(enemy{}))),
			new(berth.Pool[enemy])),
		missiles: trace.Wrap(r.Track("missiles", int(unsafe.Sizeof(missile{}))),
			new(berth.Pool[missile])),
	}
}

// fight plays all frames and calls frame at the end of each. An error ends the battle.
func (b battle) fight(w *world, frame func() error) {
	for f := range b.frames {
		if f%wave == 0 {
			for w.enemies.Len() < b.enemies {
				w.spawn("enemy", b.coordinate(), b.coordinate(), 1+int(b.below(3*damage)))
			}
		}
		b.salvo(w)
		w.fly()
		if frame() != nil {
			return
		}
	}
}

// salvo fires at enemies that are evenly spaced in the pool, beginning with a random one.
func (b *battle) salvo(w *world) {
	stride := w.enemies.Len()
	if stride == 0 {
		return
	}
	stride = stride/(1+stride/volley) + 1
	at := int(b.below(uint64(stride)))
	for h := range w.enemies.All() {
		if at == 0 {
			w.fire("missile", h)
			at = stride
		}
		at--
	}
}

// coordinate returns a random coordinate in the field.
func (b *battle) coordinate() float64 { return float64(b.below(field*16))/16 - field/2 }

// below returns a random number in [0, n), by a linear congruential generator.
//
// Source: D. E. Knuth, MMIX.
func (b *battle) below(n uint64) uint64 {
	b.random = b.random*6364136223846793005 + 1442695040888963407
	return b.random >> 32 * n >> 32
}

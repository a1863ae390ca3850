package berth

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed505807e1/berth/internal/wiretest"
)

var soak = flag.Duration("soak", 0, "how long TestSoak saves, corrupts and loads")

// TestSoak saves, corrupts and loads Pools and Denses in all states: some rounds, or for as long as
// the flag -soak says. Corrupt data with right checksums is refused, or makes a consistent container.
func TestSoak(t *testing.T) {
	pools, denses := poolShapes(paddedOf), denseShapes(paddedOf)
	var frames [][]byte // in a fixed order, so that a seed means the same each time
	for _, name := range []string{"one", "some", "many", "length", "never", "capacity", "far", "retired"} {
		b, _ := pools[name].MarshalBinary()
		frames = append(frames, b)
	}
	many := len(frames)
	for _, name := range []string{"one", "some", "many", "immediate", "manual", "capacity", "retired"} {
		b, _ := denses[name].MarshalBinary()
		frames = append(frames, b)
	}
	end := time.Now().Add(*soak)
	for round := uint64(0); round < 200 || time.Now().Before(end); round++ {
		r := rand.New(rand.NewPCG(round, 11))
		i := r.IntN(len(frames))
		data := append([]byte(nil), frames[i]...)
		for range 1 + r.IntN(4) {
			at := 12 + r.IntN(len(data)-12)
			switch r.IntN(3) {
			case 0:
				data[at] ^= 1 << r.IntN(8)
			case 1:
				data[at] = byte(r.Uint32())
			case 2:
				data = data[:at]
			}
			if len(data) < 13 {
				break
			}
		}
		if data = wiretest.Reseal(data); i < many {
			hostile(t, hostiles["Pool"].make, data)
		} else {
			hostile(t, hostiles["Dense"].make, data)
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

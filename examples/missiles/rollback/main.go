// Rollback plays a game with two players on two computers whose packets come late, in any order, or
// not at all. Neither computer waits for the other. Each plays on with a guess, and goes back to
// correct it: a [berth.History] of each pool takes the game back up to eight frames. After every
// frame the games of both are compared, down to the handles.
//
//	go run ./examples/missiles/rollback
//
// The computers are two peers in this process. Their clocks and the network are simulated, so the
// same seed gives the same session. A second session is over UDP sockets, and in a third one a peer
// has a bug, which is found. The flag -v prints every correction.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

func main() {
	frames := flag.Int("frames", 10_000, "number of frames of the simulated session")
	seed := flag.Uint64("seed", 1, "seed of the players, the network and the game")
	wave := flag.Int("wave", 6, "the first wave; from 12 on, there are 20 000 things and more")
	verbose := flag.Bool("v", false, "print every correction and every wait")
	flag.Parse()
	c := usual(*seed, *frames)
	c.game.Wave = *wave
	if *verbose {
		c.log = os.Stdout
	}
	if err := run(os.Stdout, c); err != nil {
		fmt.Fprintln(os.Stderr, "rollback:", err)
		os.Exit(1)
	}
}

// usual returns the usual session: a network that loses every tenth packet.
func usual(seed uint64, frames int) config {
	return config{
		seed: seed, frames: frames, game: sim.Config{Seed: seed, Wave: 6},
		loss: 10, latency: 80 * time.Millisecond, jitter: 100 * time.Millisecond,
	}
}

// run plays the sessions and measures.
func run(out io.Writer, c config) error {
	fmt.Fprintf(out, "%d frames, %d %% of packets lost, %d to %d ms on their way\n", c.frames,
		c.loss, c.latency.Milliseconds(), (c.latency + c.jitter).Milliseconds())
	r, err := simulate(c)
	if err != nil {
		return err
	}
	r.print(out)

	u := usual(c.seed, 300)
	u.log = c.log
	fmt.Fprintf(out, "\n%d frames over UDP, likewise\n", u.frames)
	if r, err = overUDP(u); err != nil {
		return err
	}
	r.print(out)

	w := usual(c.seed, 600)
	w.wrong, w.log = 200, c.log
	fmt.Fprintf(out, "\nIn frame %d, peer 1 plays another input than it sends\n", w.wrong)
	if _, err = simulate(w); !errors.Is(err, errDesync) {
		return fmt.Errorf("a wrong input was not found: %w", err)
	}
	fmt.Fprintln(out, err)
	return printCosts(out)
}

// print prints what happened in a session.
func (r *report) print(out io.Writer) {
	fmt.Fprintln(out, "peer   frames equal   rollbacks   played again   deepest   waits")
	for i, s := range r.peers {
		deepest := 0
		for d, n := range s.depths {
			if n > 0 {
				deepest = d
			}
		}
		fmt.Fprintf(out, "%4d   %12d   %9d   %12d   %7d   %5d\n",
			i, r.check[i], s.rollbacks, s.replayed, deepest, s.waits)
	}
	fmt.Fprintf(out, "up to %d things; %d packets of %d bytes, %d of them lost; hash %016x\n",
		r.peers[0].things, r.sent, r.bytes/max(r.sent, 1), r.lost, r.hash)
}

// printCosts measures and prints the cost of the worst frame.
func printCosts(out io.Writer) error {
	fmt.Fprintf(out, "\nA frame that goes %d frames back and plays %d: the fastest of 40\n",
		back, back+1)
	fmt.Fprintln(out, "things   rewind ms   play ms   hash ms   all ms   median ms")
	for _, wave := range []int{busy, peak} {
		costs, things, err := newWorst(wave).measure(40)
		if err != nil {
			return err
		}
		ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
		c, mid := costs[0], costs[len(costs)/2]
		fmt.Fprintf(out, "%6d   %9.1f   %7.1f   %7.1f   %6.1f   %9.1f\n",
			things, ms(c.rewind), ms(c.play), ms(c.hash), ms(c.all()), ms(mid.all()))
	}
	return nil
}

package measure

import (
	"fmt"
	"slices"
)

// A shared machine preempts processes and lowers its clock under load. So before each round a fixed
// loop is timed that touches no memory. The spread of its times is the noise of the machine.

const (
	disturbSteps = 200_000 // about 0.3 ms
	noisyTimes   = 1.3     // one in ten rounds slower than this multiple of the best
	noisyShare   = 0.1     // share of the figures, and at least three, that are wide
)

// disturbance times the loop, in ns.
func disturbance() float64 {
	var sum uint64
	ns := Time(func() { sum = spin(disturbSteps) })
	if sum == 0 {
		panic("lab: disturbance: the generator never returns 0")
	}
	return ns
}

// spin draws numbers, each of which depends on the one before.
//
//go:noinline
func spin(n int) (last uint64) {
	r := RNG{Seed ^ 12}
	for range n {
		last = r.Next()
	}
	return last
}

// Noisy describes the noise of a run that is too noisy, or returns "".
func (r *Recorder) Noisy() (text string) {
	if len(r.noise) > 0 {
		s := slices.Sorted(slices.Values(r.noise))
		if times := SortedQuantile(s, 0.9) / s[0]; times > noisyTimes {
			text = fmt.Sprintf("The machine was busy: a fixed loop, timed "+
				"before each round, took at least %.1f times its best time in one round "+
				"of ten.", times)
		}
	}
	all, wide := r.All(), 0
	for _, f := range all {
		if f.Wide() {
			wide++
		}
	}
	if wide > 2 && float64(wide) > noisyShare*float64(len(all)) {
		if text != "" {
			text += " "
		}
		text += fmt.Sprintf("%d of %d figures have widely spread repetitions.",
			wide, len(all))
	}
	if text != "" {
		text += " Trust only ratios with a narrow confidence interval, and run it again."
	}
	return text
}

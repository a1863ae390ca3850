package measure

import (
	"fmt"
	"slices"
)

// A shared machine takes the processor away from whom it likes, and lowers its clock when others
// are busy. So before each round a loop is timed that always does the same and touches no memory:
// how its times are spread is what the machine did to everybody.

const (
	disturbSteps = 200_000 // some 0.3 ms
	noisyTimes   = 1.3     // one in ten rounds was slower than this many times the best
	noisyShare   = 0.1     // of the figures, and three of them, have repetitions far apart
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

// Noisy returns what to say of a run that is too noisy to believe, or nothing.
func (r *Recorder) Noisy() (text string) {
	if len(r.noise) > 0 {
		s := slices.Sorted(slices.Values(r.noise))
		if times := SortedQuantile(s, 0.9) / s[0]; times > noisyTimes {
			text = fmt.Sprintf("The machine was busy with something else: a loop that does the "+
				"same before each round took %.1f times its best time, or longer, in one round "+
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
		text += fmt.Sprintf("%d of %d figures have repetitions that lie far apart.",
			wide, len(all))
	}
	if text != "" {
		text += " Believe ratios only where their confidence is narrow, and run it again."
	}
	return text
}

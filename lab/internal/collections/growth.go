package collections

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// grown lists the verbs of growth.
var grown = []string{"insert_new", "insert_refill", "get_random", "remove_random", "iter_sum"}

// Growth is basic at sizes that grow by a factor of ten, and a walk that shows the memory latency
// at each of them.
var Growth = &measure.Workload{
	Name:  "growth",
	About: "the verbs of basic from ten thousand to ten million values",
	Method: "As in basic. The dependent walk follows n elements of 32 bytes, each of which " +
		"holds the position of the next, in random order: its get_random is a step of the second " +
		"round. Each step waits for the one before. Lookups do not: the " +
		"processor overlaps them, and so hides a part of the latency.",
	N: 10_000, MoreN: []int{100_000, 1_000_000, 10_000_000},
	QuickN: 1_000, MaxN: MaxValues, NMeans: "values",
	Elems: []int{32}, Own: true, OnlyFull: true, Last: true,
	Reps: 30, QuickReps: 2,
	Budget: 40 * time.Second, ImplBudget: 4 * time.Second,
	Key: grown,
	Metrics: func(im measure.Impl) []string {
		if KitOf(im).Walk {
			return []string{"get_random"}
		}
		return grown
	},
	Runs: func(im measure.Impl) bool { return HasValues(im) || KitOf(im).Walk },
	Drawn: measure.Charts{
		Growth:    grown,
		TableOnly: func(string) bool { return true },
	},
	Want:   basic.Want,
	Start:  startGrowth,
	Expect: basic.Expect,
}

func startGrowth(t *measure.Trial) func() error {
	if KitOf(t.Impl).Walk {
		return func() error { return walkOnce(t) }
	}
	return startBasic(t)
}

func walkOnce(t *measure.Trial) error {
	steps := NewWalk[[4]uint64](t.N, measure.Seed^12)
	if err := t.Pause(); err != nil {
		return err
	}
	want := WantBasic(t.N).Fresh
	Walk(steps)
	ns, sum := measure.TimeSum(func() uint64 { return Walk(steps) })
	t.Add("get_random", "ns", ns/float64(t.N), sum, want)
	return nil
}

// Step is an element of a walk. Its first word is the position of the next.
type Step interface{ [2]uint64 | [4]uint64 }

// NewWalk returns n elements that form one cycle in random order.
//
// Source: S. Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
func NewWalk[S Step](n int, seed uint64) []S {
	steps := make([]S, n)
	for i := range steps {
		steps[i][0] = uint64(i)
	}
	r := measure.RNG{S: seed}
	for i := n - 1; i > 0; i-- {
		j := r.Below(uint64(i))
		steps[i][0], steps[j][0] = steps[j][0], steps[i][0]
	}
	return steps
}

// Walk goes round the cycle once and adds up the visited positions.
//
//go:noinline
func Walk[S Step](steps []S) (sum uint64) {
	i := uint64(0)
	for range steps {
		i = steps[i][0]
		sum += i
	}
	return sum
}

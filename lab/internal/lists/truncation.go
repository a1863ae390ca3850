package lists

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The shape of random in thesis-truncation: the number of steps, and the lifetime of a value.
const (
	waveSteps      = 100_000
	waveQuickSteps = 5_000
	waveMaxLife    = 2000
)

var thesisTruncation = &measure.Workload{
	Name:  "thesis-truncation",
	About: "how far lists truncate when their last values are removed, and its cost",
	Method: "random makes 100 000 steps, which insert and remove values that live for 1 to 2000 " +
		"of them. They come in waves of 500 to 4500 steps: one wave of four inserts none, " +
		"another up to 2 at a step, two up to 3, so that some 1000 are live. random_step is the " +
		"time of a step, and truncations the number of truncations; touched_per_live is the " +
		"number of slots that loops visit per value, the mean of all steps. far removes all of n " +
		"values but 25 in random order: touched_left is the number of slots that loops visit " +
		"then, and far_pass the time of one loop. worst inserts n values and removes all but the " +
		"first, the second and the last: worst_removal is the time of removing the last after " +
		"that, the median of many fresh lists, and visits the number of slots that it visits.",
	N: 16_384, QuickN: 1024, MaxN: 262_144, NMeans: "values in far and worst",
	Elems: []int{8}, Own: true,
	Reps: 15, QuickReps: 2, Warm: true,
	Budget: 6 * time.Second, ImplBudget: 2 * time.Second,
	Key: []string{
		"random_step", "truncations", "touched_per_live", "far_pass", "touched_left",
		"worst_removal", "visits",
	},
	Metrics: measure.Everyone(
		"random_step", "truncations", "touched_per_live", "far_pass", "far_pass_spans",
		"touched_left", "worst_removal", "visits",
	),
	Runs:  func(im measure.Impl) bool { return collections.KitOf(im).Truncates },
	Want:  func(j measure.Job) any { return wantTruncation(j) },
	Start: func(t *measure.Trial) func() error { return func() error { return truncationOnce(t) } },
}

// waveLives draws the plan of n steps: the number of inserts at each, and the lifetime of each
// value.
func waveLives(n int) (came []uint8, lives []int) {
	r := measure.RNG{S: measure.Seed ^ 9}
	came = make([]uint8, n)
	for s := 0; s < n; {
		most := [...]uint64{0, 2, 3, 3}[r.Below(4)]
		for range min(500+int(r.Below(4001)), n-s) {
			came[s] = uint8(r.Below(most + 1))
			for range came[s] {
				lives = append(lives, 1+int(r.Below(waveMaxLife)))
			}
			s++
		}
	}
	return came, lives
}

// newWaves plans n steps. A value inserted at step s with a lifetime of t steps is removed at s+t.
func newWaves(n int) *collections.Waves {
	came, lives := waveLives(n)
	w := &collections.Waves{Came: came, Gone: make([]uint8, n), Total: len(lives)}
	at := make([][]uint32, n)
	k := 0
	for s, c := range came {
		for range c {
			if end := s + lives[k]; end < n {
				at[end] = append(at[end], uint32(k))
			}
			k++
		}
	}
	for s, numbers := range at {
		w.Gone[s] = uint8(len(numbers))
		w.Order = append(w.Order, numbers...)
	}
	return w
}

// stepsOf returns the number of steps of random.
func stepsOf(j measure.Job) int {
	if j.Quick {
		return waveQuickSteps
	}
	return waveSteps
}

// truncationWant is the state that all implementations share, with their checksums.
type truncationWant struct {
	waves              *collections.Waves
	random, far, worst uint64
}

// waveSums holds the sums of random: lens of the live values after each step, removed and left of
// the numbers of those that were removed or not.
type waveSums struct{ lens, removed, left uint64 }

func (s waveSums) checksum() uint64 { return s.lens*1_000_000 + (s.removed+2*s.left)%1_000_000 }

// leftSum is the checksum of the remaining values: their number and their sum, which is less than
// its factor.
func leftSum(length int, sum uint64) uint64 { return uint64(length)*1_000_000_000_000 + sum }

func truncationOnce(t *measure.Trial) error {
	want := t.Want.(*truncationWant)
	c := collections.KitOf(t.Impl).Values(t.Elem).(collections.Truncating)
	if err := wavesOnce(t, c, want); err != nil {
		return err
	}
	c.Keep(t.N)
	if err := farOnce(t, c, want.far); err != nil {
		return err
	}
	return worstOnce(t, c, want.worst)
}

// wavesOnce goes through random twice: first timed, then with the counts.
func wavesOnce(t *measure.Trial, c collections.Truncating, want *truncationWant) error {
	w := want.waves
	c.Keep(w.Total)
	c.New(0)
	if err := t.Pause(); err != nil {
		return err
	}
	var sums waveSums
	ns := measure.Time(func() { sums.removed = c.Waves(w, nil) })
	c.New(0)
	perLive := 0.0
	again := c.Waves(w, func() {
		sums.lens += uint64(c.Len())
		perLive += float64(c.Touched()) / float64(max(1, c.Len()))
	})
	sums.left = c.Sum()
	if again != sums.removed {
		sums.removed = 0
	}
	n, got := float64(len(w.Came)), sums.checksum()
	t.Add("random_step", "ns", ns/n, got, want.random)
	t.Add("truncations", "count", float64(c.Stats().Truncated), got, want.random)
	t.Add("touched_per_live", "slots", perLive/n, got, want.random)
	return nil
}

func farOnce(t *measure.Trial, c collections.Truncating, want uint64) error {
	c.New(0)
	c.Insert(0, t.N)
	c.Shuffle(&measure.RNG{S: measure.Seed ^ 9})
	c.Drain(0, max(0, t.N-collections.FewLeft))
	if err := t.Pause(); err != nil {
		return err
	}
	sum := uint64(0)
	ns, _ := t.PerCall(func() { sum = c.SumValues() })
	t.Add("far_pass", "ns", ns, leftSum(c.Len(), sum), want)
	ns, _ = t.PerCall(func() { sum = c.Sum() })
	t.Add("far_pass_spans", "ns", ns, leftSum(c.Len(), sum), want)
	t.Add("touched_left", "slots", float64(c.Touched()), leftSum(c.Len(), sum), want)
	return nil
}

// worstLists is the number of fresh lists of n values each.
func worstLists(n int) int { return max(3, min(25, 400_000/n)) }

func worstOnce(t *measure.Trial, c collections.Truncating, want uint64) error {
	if err := t.Pause(); err != nil {
		return err
	}
	n := t.N
	times := make([]float64, worstLists(n))
	visits, got := uint64(0), want
	for i := range times {
		c.New(0)
		c.Insert(0, n)
		c.Drain(min(2, n-1), n-1)
		before := c.Stats().Visits
		times[i] = measure.Time(func() { c.Drain(n-1, n) })
		visits = c.Stats().Visits - before
		if left := leftSum(c.Len(), c.Sum()); left != want {
			got = left
		}
	}
	t.Add("worst_removal", "ns", measure.Quantile(times, 0.5), got, want)
	t.Add("visits", "slots", float64(visits), got, want)
	return nil
}

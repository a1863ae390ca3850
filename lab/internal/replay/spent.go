package replay

import (
	"runtime"
	"time"
)

// Spent is which parts of its time a container spends on what.
type Spent struct {
	Container string  `json:"container"`
	Passes    float64 `json:"passes"`
	Lookups   float64 `json:"lookups"`
	Changes   float64 `json:"inserts_and_removals"`
}

// spentRounds is how often each part is timed.
const spentRounds = 3

// spent finds out what the frames spend their time on in one container. Passes are timed one by
// one; inserts and removals by a replay of nothing else; lookups are the rest. It is nil if ctx
// ends, or if there is nothing to do.
func (m *meter) spent(f *Figures) (*Spent, error) {
	if f == nil || m.ctx.Err() != nil || m.s.counts.ops() == 0 {
		return nil, m.ctx.Err()
	}
	c := known(f.Name)
	m.o.Progress(m.total-1, m.total, "what the time goes to: "+c.name)
	bare := m.s.without(func(k kind) bool { return k != insert && k != remove })
	defer bare.release()
	least := [3]time.Duration{}
	for round := range spentRounds {
		for i, time := range []func() (time.Duration, error){
			func() (time.Duration, error) { return m.whole(m.s, c) },
			func() (time.Duration, error) { return m.passes(c) },
			func() (time.Duration, error) { return m.whole(bare, c) },
		} {
			took, err := time()
			if err != nil {
				return nil, err
			}
			if round == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	return newSpent(c.name, least[0], least[1], least[2], m.s.counts), nil
}

// newSpent judges by the times of the whole, of the passes, and of inserts and removals. What takes
// less than nothing is noise.
func newSpent(name string, whole, passes, changes time.Duration, c Counts) *Spent {
	lookups := max(0, whole-passes-changes)
	if c.Gets+c.Misses == 0 {
		lookups = 0
	}
	sum := float64(max(1, passes+lookups+changes))
	return &Spent{name, float64(passes) / sum, float64(lookups) / sum, float64(changes) / sum}
}

// whole replays s on c and returns how long that took.
func (m *meter) whole(s *stream, c *container) (time.Duration, error) {
	list := started(s, c)
	runtime.GC()
	start := time.Now()
	_, err := play(m.ctx, s, list, func(int) {})
	return time.Since(start), err
}

// passes replays the stream on c and returns how long the passes of it took.
func (m *meter) passes(c *container) (sum time.Duration, err error) {
	list := started(m.s, c)
	for i, b := range list {
		list[i] = &watched{box: b, sum: &sum, cost: clockCost()}
	}
	runtime.GC()
	_, err = play(m.ctx, m.s, list, func(int) {})
	return max(0, sum), err
}

// watched is a box that takes the time of its passes.
type watched struct {
	box
	sum  *time.Duration
	cost time.Duration // of taking it
}

// Run gives the passes to its box one by one, and what is between them at once.
func (w *watched) Run(ops []op) (s sums) {
	from := 0
	for i, o := range ops {
		if o.kind() != pass {
			continue
		}
		s.add(w.box.Run(ops[from:i]))
		start := time.Now()
		s.add(w.box.Run(ops[i : i+1]))
		*w.sum += time.Since(start) - w.cost
		from = i + 1
	}
	s.add(w.box.Run(ops[from:]))
	return s
}

// clockCost is how long it takes to take the time of nothing.
func clockCost() time.Duration {
	least := time.Hour
	for range 100 {
		start := time.Now()
		least = min(least, time.Since(start))
	}
	return least
}

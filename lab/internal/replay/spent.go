package replay

import (
	"runtime"
	"time"
)

// spentRounds is the number of times that each part is timed.
const spentRounds = 3

// spent divides the frames' time in one container. Passes are timed one by one, inserts and
// removals by a replay of only those, and lookups are the rest. It returns nil if ctx ends, or if
// there is nothing to do.
func (m *meter) spent(f *Figures) (*Spent, error) {
	if f == nil || m.ctx.Err() != nil || m.s.counts.ops() == 0 {
		return nil, m.ctx.Err()
	}
	c := known(f.Name)
	m.o.Progress(m.total-1, m.total, "profile: "+c.name)
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

func (m *meter) whole(s *stream, c *container) (time.Duration, error) {
	list := started(s, c)
	runtime.GC()
	start := time.Now()
	_, err := play(m.ctx, s, list, func(int) {})
	return time.Since(start), err
}

// passes replays the stream on c and returns the time of its passes.
func (m *meter) passes(c *container) (sum time.Duration, err error) {
	list := started(m.s, c)
	for i, b := range list {
		list[i] = &watched{box: b, sum: &sum, cost: clockCost()}
	}
	runtime.GC()
	_, err = play(m.ctx, m.s, list, func(int) {})
	return max(0, sum), err
}

// watched is a box that times its passes.
type watched struct {
	box
	sum  *time.Duration
	cost time.Duration // of reading the clock
}

// Run passes the loops to its box one by one, and the ops between them at once.
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

// clockCost returns the time that timing nothing takes.
func clockCost() time.Duration {
	least := time.Hour
	for range 100 {
		start := time.Now()
		least = min(least, time.Since(start))
	}
	return least
}

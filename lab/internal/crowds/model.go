package crowds

// wantShared returns the checksums of shared, from a model without keys: the numbers of the values.
func wantShared(n int) map[string]uint64 {
	want := map[string]uint64{}
	for _, c := range sizes {
		m := newModel(c, n)
		want[c.metric("get")] = m.get()
		want[c.metric("mixed")] = m.replacing(mixedOp, mixedRate, true)
		want[c.metric("in_flight")] = m.inFlight()
		latency := m.replacing(latencyOp, latencyRate, false)
		want[c.metric("p999")], want[c.metric("p9999")] = latency, latency
	}
	return want
}

// model has the number of each value.
type model struct {
	crowd
	numbers []uint64
}

func newModel(c crowd, n int) *model {
	m := &model{c, make([]uint64, n)}
	for i := range m.numbers {
		m.numbers[i] = uint64(i + 1)
	}
	return m
}

// each calls f for each goroutine that has a part, with the number of its operations.
func (m *model) each(op int, f func(g, from, to, n int)) {
	for g := range m.goroutines {
		if from, to := m.part(g, len(m.numbers)); from < to {
			f(g, from, to, m.operations(len(m.numbers), op))
		}
	}
}

func (m *model) get() (sum uint64) {
	m.each(getOp, func(g, _, _, n int) {
		r := rngOf(getOp, g)
		for range n {
			sum += m.numbers[r.Below(uint64(len(m.numbers)))]
		}
	})
	return sum
}

// replacing finds values and replaces one in rate of them. With both, it finds these too.
func (m *model) replacing(op int, rate uint64, both bool) (sum uint64) {
	m.each(op, func(g, from, to, n int) {
		r, fresh := rngOf(op, g), freshNumber(len(m.numbers), g)
		for range n {
			i := from + int(r.Below(uint64(to-from)))
			replaced := r.Below(rate) == 0
			if replaced {
				m.numbers[i] = fresh
				fresh += uint64(m.goroutines)
				sum++ // the removal
			}
			if both || !replaced {
				sum += m.numbers[i]
			}
		}
	})
	for i, number := range m.numbers {
		sum += contentsWeight * uint64(i+1) * number
	}
	return sum
}

func (m *model) inFlight() (sum uint64) {
	m.each(inFlightOp, func(g, _, _, n int) {
		first, last := freshNumber(len(m.numbers), g), uint64((n-1)*m.goroutines)
		sum += uint64(n)*(2*first+last)/2 + uint64(n) // an arithmetic series, and the removals
	})
	return sum
}

func wantHeld(n int) map[string]uint64 {
	full, left := uint64(n)*uint64(n+1)/2, uint64(0)
	for i := 0; i < n; i += stays {
		left += uint64(i + 1)
	}
	left += uint64(n - (n+stays-1)/stays) // the removals
	return map[string]uint64{"collect": full, "bytes_full": full, "bytes_left": left}
}

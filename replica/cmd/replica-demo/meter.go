package main

import (
	"slices"
	"time"

	"github.com/seed505807e1/berth"
)

// meter measures lags and rates over the last second.
type meter struct {
	lags   []sample
	totals []total
}

type sample struct {
	at  time.Time
	lag time.Duration
}

type total struct {
	at         time.Time
	ops, bytes uint64
}

// sample adds a lag.
func (m *meter) sample(at time.Time, lag time.Duration) {
	m.lags = append(m.lags, sample{at, lag})
}

// lag returns the median and the 99th percentile of the lags in the second before at.
func (m *meter) lag(at time.Time) (p50, p99 time.Duration) {
	m.lags = slices.DeleteFunc(m.lags, func(s sample) bool { return at.Sub(s.at) > time.Second })
	if len(m.lags) == 0 {
		return 0, 0
	}
	sorted := make([]time.Duration, len(m.lags))
	for i, s := range m.lags {
		sorted[i] = s.lag
	}
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2], sorted[(len(sorted)*99-1)/100]
}

// rates returns the operations and bytes a second, in the second before at, from their totals at
// that time.
func (m *meter) rates(at time.Time, ops, bytes uint64) (float64, float64) {
	m.totals = append(m.totals, total{at, ops, bytes})
	for len(m.totals) > 2 && at.Sub(m.totals[1].at) >= time.Second {
		m.totals = m.totals[1:]
	}
	from := m.totals[0]
	d := at.Sub(from.at).Seconds()
	if d == 0 || ops < from.ops || bytes < from.bytes {
		m.totals = m.totals[len(m.totals)-1:]
		return 0, 0
	}
	return float64(ops-from.ops) / d, float64(bytes-from.bytes) / d
}

// pictureSize is the width and height of a picture, in dots.
const pictureSize = 256

// picture has a bit for each dot, by row, the lowest bit of a byte first.
type picture struct{ Missiles, Targets []byte }

// draw draws the world.
func draw(v berth.View[thing]) *picture {
	const bytes = pictureSize * pictureSize / 8
	p := &picture{make([]byte, bytes), make([]byte, bytes)}
	const scale = pictureSize / worldSize
	for t := range v.Values() {
		x, y := int(t.X*scale), int(t.Y*scale)
		if x < 0 || x >= pictureSize || y < 0 || y >= pictureSize {
			continue
		}
		i := y*pictureSize + x
		switch t.Kind {
		case kindMissile:
			p.Missiles[i/8] |= 1 << (i % 8)
		case kindTarget:
			p.Targets[i/8] |= 1 << (i % 8)
		}
	}
	return p
}

// Package columns measures what it costs to keep more data by the handle of a value, and to loop
// over the values that have it.
package columns

import (
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The data of the workload: a body of 32 bytes for each value, and for some of them a part of 16
// bytes, or a mark of 8.
type (
	body struct{ V, A, B, C uint64 }
	part struct{ X, Y uint64 }
	mark struct{ K uint64 }
)

// The data of value i.
func bodyOf(i int) body { return body{V: uint64(i) + 1, A: 1, B: 2, C: 3} }
func partOf(i int) part { return part{X: uint64(i)%5 + 1, Y: 1} }
func markOf(i int) mark { return mark{K: uint64(i)%3 + 1} }

// weighted is the part of value i in a checksum.
func weighted(i int, v uint64) uint64 { return uint64(i+1) * v }

// Columns is a collection of bodies, some of which have a part or a mark. It keeps the handle of
// value i at i.
type Columns interface {
	// New makes n bodies with the data of their numbers. All have a part.
	New(n int)
	// Give gives these values their parts, which they do not have.
	Give(values []uint32)
	// Take takes the parts of these values away.
	Take(values []uint32)
	// Mark and Unmark do the same with marks.
	Mark(values []uint32)
	Unmark(values []uint32)
	// Replace removes these values, which have a part, and inserts them again with one.
	Replace(values []uint32)
	// Find looks up the parts of these values by their handles, and adds up their X.
	Find(values []uint32) uint64

	// One adds 1 to the V of each body.
	One()
	// Join adds its X to the V of each body that has a part.
	Join()
	// Three adds X times K to the V of each body that has a part and a mark.
	Three()

	// Sum adds up the V of all bodies, the X of their parts and the K of their marks, by their
	// handles.
	Sum() uint64
}

// each calls f for the handles at these places of hs. The compiler inlines it, and f into it.
func each[H any](hs []H, places []uint32, f func(h H, i int)) {
	for _, i := range places {
		f(hs[i], int(i))
	}
}

// spanner is a Columns that can also join span by span.
type spanner interface{ JoinSpans() }

// sumOf adds up what find returns for each of n values. x and k are 0 for those without.
func sumOf(n int, find func(i int) (v, x, k uint64)) (sum uint64) {
	for i := range n {
		v, x, k := find(i)
		sum += weighted(i, v+31*x+101*k)
	}
	return sum
}

// shares lists the parts of the values that have a part, in percent, in the order in which a
// repetition goes through them.
var shares = []struct {
	percent int
	join    string // metric
}{{100, "join_100"}, {50, "join_50"}, {10, "join_10"}, {1, "join_1"}}

var metrics = []string{
	"one", "join_100", "join_50", "join_10", "join_1", "three", "find", "toggle", "replace",
}

var columns = &measure.Workload{
	Name:  "columns",
	About: "more data by the handle of a value: loops over the values that have it, and changes",
	Method: "n bodies of 32 bytes. A random part of them also has 16 bytes. join_100, join_50, " +
		"join_10 and join_1 loop over the bodies that have it, with it, when 100, 50, 10 or 1 % " +
		"do: time per body that has it. one loops over all bodies: time per body. three loops " +
		"over the bodies that have it and 8 bytes more, which half have at random, while half " +
		"have it: time per body that has both. find looks it up by handle in random order, " +
		"toggle takes it away and gives it back: time per body, half of which have it. replace " +
		"removes a random body that has it, and inserts one with it. The checksum is that of " +
		"all data, found by handles after the loops.",
	N: 10_000, QuickN: 500, MoreN: []int{1_000_000}, SlowN: []int{1_000_000},
	FullN: []int{1_000, 100_000},
	MaxN:  1_000_000, NMeans: "bodies",
	Elems: []int{32}, Own: true,
	Reps: 15, QuickReps: 2, Warm: true,
	Budget: 8 * time.Second, ImplBudget: 2 * time.Second,
	Key:   metrics,
	Runs:  func(im measure.Impl) bool { _, ok := im.Kit.(Kit); return ok },
	Want:  func(j measure.Job) any { return wantColumns(j.N) },
	Start: start,
	Expect: func(_ measure.Job, want any, metric string) (uint64, bool) {
		w := want.(*sums)
		sum, ok := w.at[metric]
		return sum, ok
	},
}

// order returns the numbers of n values in the order in which they get and lose their parts.
func order(n int) []uint32 { return shuffled(n, 14) }

// marked returns the values that have a mark.
func marked(n int) []uint32 { return shuffled(n, 15)[:(n+1)/2] }

func shuffled(n int, number uint64) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	measure.Shuffle(&measure.RNG{S: measure.Seed ^ number}, all)
	return all
}

// having returns how many of n values have a part when percent of them do.
func having(n, percent int) int { return max(1, n*percent/100) }

// replaced returns how many of n values a call of Replace replaces.
func replaced(n int) int { return max(1, n/10) }

// sums are the checksums of the metrics, without what the repeated calls of a loop have added to
// V, and what one call adds.
type sums struct {
	at, adds map[string]uint64
	order    []uint32
	marked   []uint32
	both     int // values with a part and a mark, when half have a part
}

func wantColumns(n int) *sums {
	w := &sums{
		at: map[string]uint64{}, adds: map[string]uint64{},
		order: order(n), marked: marked(n),
	}
	var bodies, marks uint64
	for i := range n {
		bodies += weighted(i, bodyOf(i).V)
		w.adds["one"] += weighted(i, 1)
	}
	isMarked := make([]bool, n)
	for _, i := range w.marked {
		isMarked[i] = true
		marks += weighted(int(i), 101*markOf(int(i)).K)
	}
	for _, s := range shares {
		sum := bodies
		for _, i := range w.order[:having(n, s.percent)] {
			x := partOf(int(i)).X
			sum += weighted(int(i), 31*x)
			w.adds[s.join] += weighted(int(i), x)
			if s.percent != 50 {
				continue
			}
			w.at["find"] += x
			if isMarked[i] {
				w.adds["three"] += weighted(int(i), x*markOf(int(i)).K)
				w.both++
			}
		}
		w.at[s.join] = sum
	}
	w.at["one"], w.at["replace"] = w.at["join_100"], w.at["join_100"]
	w.at["three"] = w.at["join_50"] + marks
	w.at["toggle"] = w.at["join_50"]
	for metric, sum := range w.at {
		w.at[metric+"_spans"], w.adds[metric+"_spans"] = sum, w.adds[metric]
		w.at[metric+"_primary"] = sum
	}
	return w
}

// start makes the collection, which all repetitions share.
func start(t *measure.Trial) func() error {
	c := t.Impl.Kit.(Kit).Columns()
	c.New(t.N)
	r := &repetition{Trial: t, Columns: c, sums: t.Want.(*sums)}
	return r.once
}

// repetition is a series of repetitions on one collection.
type repetition struct {
	*measure.Trial
	Columns
	*sums

	added uint64 // what the loops of the series have added to the sum
}

// once takes parts away until few have one, and gives them back.
func (r *repetition) once() error {
	for k, s := range shares {
		has := r.order[:having(r.N, s.percent)]
		if k > 0 {
			r.Take(r.order[len(has):having(r.N, shares[k-1].percent)])
		}
		if err := r.Pause(); err != nil {
			return err
		}
		if s.percent == 100 {
			r.loop("one", r.N, r.One)
		}
		r.loop(s.join, len(has), r.Join)
		if c, ok := r.Columns.(spanner); ok {
			r.loop(s.join+"_spans", len(has), c.JoinSpans)
		}
		switch s.percent {
		case 100:
			some := slices.Clone(has[:replaced(r.N)])
			r.change("replace", len(some), func() { r.Replace(some) })
		case 50:
			r.half(has)
		}
	}
	r.Give(r.order[having(r.N, shares[len(shares)-1].percent):])
	return nil
}

// half measures what is measured while half have a part.
func (r *repetition) half(has []uint32) {
	var sum uint64
	ns, _ := r.PerCall(func() { sum = r.Find(has) })
	r.Add("find", "ns", ns/float64(len(has)), sum, r.at["find"])
	r.change("toggle", len(has), func() {
		r.Take(has)
		r.Give(has)
	})
	r.Mark(r.marked)
	r.loop("three", max(1, r.both), r.Three)
	r.Unmark(r.marked)
}

// loop measures a loop that changes V. The time is per value of per.
func (r *repetition) loop(metric string, per int, f func()) {
	ns, calls := r.PerCall(f)
	r.added += uint64(calls) * r.adds[metric]
	r.Add(metric, "ns", ns/float64(per), r.Sum()-r.added, r.at[metric])
}

// change measures a change that leaves the data as it is.
func (r *repetition) change(metric string, per int, f func()) {
	ns, _ := r.PerCall(f)
	r.Add(metric, "ns", ns/float64(per), r.Sum()-r.added, r.at[metric])
}

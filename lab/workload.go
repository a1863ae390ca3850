package main

import (
	"slices"
	"time"
)

// workload is one thing to do with a collection, or with what else a family holds against each
// other. Its start does repetitions of it on one implementation.
type workload struct {
	name       string
	about      string
	question   string // of a user, that its figures answer
	method     string // how its figures come about, for the report
	n, quickN  int    // what -n replaces
	moreN      []int  // further sizes, each a job of its own, which -n replaces too
	moreQuickN []int
	maxN       int
	nMeans     string // what n counts
	beside     int    // how many values there may be beside the n
	elems      []int  // element sizes
	own        bool   // the element is the workload's own, and its size not to be chosen
	fullN      []int  // the sizes beyond n and moreN that a full run has
	fullElems  []int  // the element sizes of a full run; elems if nil
	onlyFull   bool   // it takes so long that it is left out unless it is asked for
	last       bool   // it fills the heap, or is what a slow machine may leave out: it comes last
	reps       int
	quickReps  int
	warm       bool          // one repetition goes unrecorded; not worth it where one takes seconds
	budget     time.Duration // no further round starts after this
	implBudget time.Duration // an implementation that has used this much sits out further rounds
	key        []string      // the metrics of the printed table
	runs       runner        // says whom it can run
	want       func(j job) any
	// start sets up one implementation's series of repetitions.
	start func(t *trial) func() error
	// expect returns the checksum that a metric of a peer must come to, given what want returned,
	// or false if peers have no such metric. It is nil for workloads that no peer runs.
	expect func(j job, want any, metric string) (uint64, bool)

	steps *stepping // nil if it has no steps
	drawn workCharts
}

// runner reports whether an implementation has what a workload asks for.
type runner func(im impl) bool

// stepping is what a workload has that measures each of its steps.
type stepping struct {
	count, event int    // how many steps there are, and the one at which something happens
	eventName    string // what that is
	title        string // of the chart
	unit         string
	least        float64      // less is drawn as this
	metrics      []stepMetric // the figures that follow from the steps
	file         string       // of the chart, if it is to have a name of its own
	groups       []stepGroup  // the published figures that show the steps
	back         string       // the metric that tells them apart: at which step who is back
}

// stepMetric is a figure that follows from the steps.
type stepMetric struct {
	name string
	unit string
	of   func(steps []float64) float64
}

// stepGroup is a published figure of the steps, and who is in it.
type stepGroup struct {
	number, name, text string
	safe, back         bool
}

// stepsMetric stands for the steps of a workload that has them, as if they were one metric.
const stepsMetric = "steps"

// workCharts is what the report shows of a workload beside its table and a chart for each metric.
type workCharts struct {
	bands     bool                     // how the repetitions are spread
	ratios    bool                     // its key metrics stand in the chart of ratios
	growth    string                   // a metric that is drawn over the sizes
	tableOnly func(metric string) bool // what has no chart of its own
	frames    *frameChart
	figures   []publishedFigure
}

// frameChart is a chart in which each implementation has a group of metrics.
type frameChart struct {
	file, title, note string // title has a %s for n
	unit              string
	metrics           []string
	count, countName  string // the metric that stands behind the last one, and a word for it
}

// publishedFigure is one of a publication, that a metric is to be held against.
type publishedFigure struct {
	number, name, metric, per, text string
}

// sizes returns the sizes that w runs at: n alone, or its own if n is 0.
func (w *workload) sizes(z sizing) []int {
	switch {
	case z.n != 0:
		return []int{z.n}
	case z.quick:
		return append([]int{w.quickN}, w.moreQuickN...)
	case z.full:
		return slices.Concat([]int{w.n}, w.moreN, w.fullN)
	}
	return append([]int{w.n}, w.moreN...)
}

// elementSizes returns the sizes of elements that w runs with.
func (w *workload) elementSizes(z sizing) []int {
	switch {
	case z.elem != 0 && !w.own:
		return []int{z.elem}
	case z.quick:
		return w.elems[:1]
	case z.full && w.fullElems != nil:
		return w.fullElems
	}
	return w.elems
}

// most returns the largest n for elements of a size.
func (w *workload) most(elem int) int { return min(w.maxN, maxHeld/elem) }

// takes reports whether im has what the workload asks for, or its process says so.
func (w *workload) takes(im impl) bool {
	if im.remote != nil {
		return im.remote.Runs(w.name)
	}
	return w.runs(im)
}

// Package measure runs workloads on implementations, and records what they took. It knows none of
// them: a Workload says what is done and what must come of it, an Impl who does it, a Family which
// of them are held against each other, and a Catalogue which families there are.
package measure

import (
	"slices"
	"time"
)

// Workload is one thing to do with a collection, or with what else a family holds against each
// other. Its start does repetitions of it on one implementation.
type Workload struct {
	Name       string
	About      string
	Method     string // how its figures come about, for the report
	N, QuickN  int    // what -n replaces
	MoreN      []int  // further sizes, each a job of its own, which -n replaces too
	MoreQuickN []int
	MaxN       int
	NMeans     string // what n counts
	Beside     int    // how many values there may be beside the n
	Elems      []int  // element sizes
	Own        bool   // the element is the workload's own, and its size not to be chosen
	SlowN      []int  // those of n and moreN that a brief run leaves out
	FullN      []int  // the sizes beyond n and moreN that a full run has
	FullElems  []int  // the element sizes of a full run; elems if nil
	OnlyFull   bool   // it takes so long that it is left out unless it is asked for
	Last       bool   // it fills the heap, or is what a slow machine may leave out: it comes last
	Reps       int
	QuickReps  int
	Warm       bool          // one repetition goes unrecorded; not worth it where one takes seconds
	Budget     time.Duration // no further round starts after this
	ImplBudget time.Duration // an implementation that has used this much sits out further rounds
	Key        []string      // the metrics of the printed table
	Runs       runner        // says whom it can run
	Want       func(j Job) any
	// Metrics returns those that an implementation has always, besides those of steps. Others may
	// have more.
	Metrics func(im Impl) []string
	// Start sets up one implementation's series of repetitions.
	Start func(t *Trial) func() error
	// Expect returns the checksum that a metric of a peer must come to, given what want returned,
	// or false if peers have no such metric. It is nil for workloads that no peer runs.
	Expect func(j Job, want any, metric string) (uint64, bool)

	Steps *Steps // nil if it has no steps
	Drawn Charts
}

// runner reports whether an implementation has what a workload asks for.
type runner func(im Impl) bool

// Steps is what a workload has that measures each of its steps.
type Steps struct {
	Count, Event int    // how many steps there are, and the one at which something happens
	EventName    string // what that is
	Title        string // of the chart
	Unit         string
	Least        float64      // less is drawn as this
	Metrics      []StepMetric // the figures that follow from the steps
	File         string       // of the chart, if it is to have a name of its own
	Groups       []StepGroup  // the published figures that show the steps
	Back         string       // the metric that tells them apart: at which step who is back
}

// StepMetric is a figure that follows from the steps.
type StepMetric struct {
	Name string
	Unit string
	Of   func(steps []float64) float64
}

// StepGroup is a published figure of the steps, and who is in it.
type StepGroup struct {
	Number, Name, Text string
	Safe, Back         bool
}

// StepsMetric stands for the steps of a workload that has them, as if they were one metric.
const StepsMetric = "steps"

// Charts is what the report shows of a workload beside its table and a chart for each metric.
type Charts struct {
	Bands     bool                     // how the repetitions are spread
	Growth    []string                 // metrics that are drawn over the sizes
	TableOnly func(metric string) bool // what has no chart of its own
	Frames    *Frames
	Figures   []Published
}

// Frames is a chart in which each implementation has a group of metrics.
type Frames struct {
	File, Title, Note string // title has a %s for n
	Unit              string
	Metrics           []string
	Count, CountName  string // the metric that stands behind the last one, and a word for it
}

// Published is one of a publication, that a metric is to be held against.
type Published struct {
	Number, Name, Metric, Per, Text string
}

// Everyone is the Metrics of a workload in which they are the same for all.
func Everyone(metrics ...string) func(Impl) []string {
	return func(Impl) []string { return metrics }
}

// Always returns the metrics that an implementation has always, those of steps too.
func (w *Workload) Always(im Impl) (metrics []string) {
	if w.Metrics != nil {
		metrics = w.Metrics(im)
	}
	if w.Steps != nil {
		for _, m := range w.Steps.Metrics {
			metrics = append(metrics, m.Name)
		}
	}
	return metrics
}

// Sizes returns the sizes that w runs at: n alone, or its own if n is 0.
func (w *Workload) Sizes(z Sizing) []int {
	switch {
	case z.N != 0:
		return []int{z.N}
	case z.Quick:
		return append([]int{w.QuickN}, w.MoreQuickN...)
	case z.Full:
		return slices.Concat([]int{w.N}, w.MoreN, w.FullN)
	}
	sizes := append([]int{w.N}, w.MoreN...)
	return slices.DeleteFunc(sizes, func(n int) bool {
		return z.Brief && slices.Contains(w.SlowN, n)
	})
}

// elementSizes returns the sizes of elements that w runs with.
func (w *Workload) elementSizes(z Sizing) []int {
	switch {
	case z.Elem != 0 && !w.Own:
		return []int{z.Elem}
	case z.Quick || z.Brief:
		return w.Elems[:1]
	case z.Full && w.FullElems != nil:
		return w.FullElems
	}
	return w.Elems
}

// most returns the largest n for elements of a size.
func (w *Workload) most(elem int) int { return min(w.MaxN, MaxHeld/elem) }

// takes reports whether im has what the workload asks for, or its process says so.
func (w *Workload) takes(im Impl) bool {
	if im.Remote != nil {
		return im.Remote.Runs(w.Name)
	}
	return w.Runs(im)
}

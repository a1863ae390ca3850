// Package measure runs workloads on implementations and records the results. A Workload defines the
// work and its expected checksums, an Impl does the work, a Family groups the implementations to
// compare, and a Catalogue lists the families.
package measure

import (
	"slices"
	"time"
)

// Workload is a kind of work on the implementations of a family. Start begins its repetitions on
// one of them.
type Workload struct {
	Name       string
	About      string
	Method     string // the definition of its metrics, for the report
	N, QuickN  int    // replaced by -n
	MoreN      []int  // further sizes, each a separate job, which -n also replaces
	MoreQuickN []int
	MaxN       int
	NMeans     string // the unit of n
	Beside     int    // the maximum number of values besides the n
	Elems      []int  // element sizes
	Own        bool   // the workload defines its element, whose size cannot be chosen
	SlowN      []int  // those of N and MoreN that a brief run leaves out
	FullN      []int  // the sizes of a full run besides N and MoreN
	FullElems  []int  // the element sizes of a full run; Elems if nil
	OnlyFull   bool   // it takes long, and runs only by name or in a full run
	Last       bool   // it comes last: it fills the heap, or a slow machine may leave it out
	Reps       int
	QuickReps  int
	Warm       bool          // one repetition is discarded; not for repetitions of seconds
	Budget     time.Duration // no further round starts after this
	ImplBudget time.Duration // an implementation that has used this much sits out further rounds
	Key        []string      // the metrics of the printed table
	Runs       runner        // reports whether it can run an implementation
	Want       func(j Job) any
	// Metrics returns the metrics that an implementation always has, without those of steps. It may
	// have more. If it is nil, these are Key, or none if the workload has steps.
	Metrics func(im Impl) []string
	// Start sets up one implementation's series of repetitions.
	Start func(t *Trial) func() error
	// Expect returns the checksum that a peer's metric must have, given the result of want, or
	// false if peers have no such metric. It is nil for workloads that no peer runs.
	Expect func(j Job, want any, metric string) (uint64, bool)

	Steps *Steps // nil if it has no steps
	Drawn Charts
}

// runner reports whether an implementation supports a workload.
type runner func(im Impl) bool

// Steps describes a workload that measures each of its steps.
type Steps struct {
	Count, Event int    // the number of steps, and the step of the event
	EventName    string // the name of the event
	Title        string // of the chart
	Unit         string
	Least        float64      // smaller values are drawn as this
	Metrics      []StepMetric // the figures computed from the steps
	File         string       // of the chart, if it has its own name
	Groups       []StepGroup  // the published figures of the steps
	Back         string       // the metric that divides these: the step of return
}

// StepMetric is a figure computed from the steps.
type StepMetric struct {
	Name string
	Unit string
	Of   func(steps []float64) float64
}

// StepGroup is a published figure of the steps, with the implementations in it.
type StepGroup struct {
	Number, Name, Text string
	Safe, Back         bool
}

// StepsMetric stands for the steps of a workload, as if they were one metric.
const StepsMetric = "steps"

// Charts lists what the report draws of a workload besides its table and a chart for each metric.
type Charts struct {
	Bands     bool                     // the spread of the repetitions
	Growth    []string                 // metrics that are drawn over the sizes
	TableOnly func(metric string) bool // metrics without a chart of their own
	Frames    *Frames
	Figures   []Published
}

// Frames is a chart with a group of metrics for each implementation.
type Frames struct {
	File, Title, Note string // Title has a %s for n
	Unit              string
	Metrics           []string
	Count, CountName  string // the metric after the last one, and a word for it
}

// Published is a published figure to compare a metric with.
type Published struct {
	Number, Name, Metric, Per, Text string
}

// Everyone is a Metrics that is the same for all implementations.
func Everyone(metrics ...string) func(Impl) []string {
	return func(Impl) []string { return metrics }
}

// Always returns the metrics that an implementation always has, including those of steps.
func (w *Workload) Always(im Impl) (metrics []string) {
	if w.Metrics != nil {
		metrics = w.Metrics(im)
	} else if w.Steps == nil {
		metrics = slices.Clone(w.Key)
	}
	if w.Steps != nil {
		for _, m := range w.Steps.Metrics {
			metrics = append(metrics, m.Name)
		}
	}
	return metrics
}

// Sizes returns the sizes that w runs at: the given n alone, or its own if that is 0.
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

func (w *Workload) most(elem int) int { return min(w.MaxN, MaxHeld/elem) }

// takes reports whether im, or its process, supports the workload.
func (w *Workload) takes(im Impl) bool {
	if im.Remote != nil {
		return im.Remote.Runs(w.Name)
	}
	return w.Runs(im)
}

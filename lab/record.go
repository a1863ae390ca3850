package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Result is one figure, as results.json has it.
type Result struct {
	Impl       string  `json:"impl"`
	Workload   string  `json:"workload"`
	Metric     string  `json:"metric"`
	N          int     `json:"n"`
	ElemBytes  int     `json:"elem_bytes"`
	Value      float64 `json:"value"`
	Unit       string  `json:"unit"`
	Checksum   uint64  `json:"checksum"`
	ChecksumOK bool    `json:"checksum_ok"`
	Reps       int     `json:"reps"`
	Bands      *Bands  `json:"bands,omitempty"`
	Ratio      *Ratio  `json:"ratio,omitempty"`
	Note       string  `json:"note,omitempty"`
}

// Ratio says how a figure compares with that of a base. Of a shared machine, a ratio says more than
// a figure does, since what disturbs a round of repetitions disturbs both.
type Ratio struct {
	To string `json:"to"` // the base
	// Value is the median of the rounds' ratios, or where there are too few rounds for Low and
	// High, the quotient of the medians.
	Value float64 `json:"value"`
	// Low and High enclose the median of the rounds' ratios with a confidence of 95 %, whatever
	// their distribution. They are 0 where there are too few rounds to say.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
}

// confidence is that of Ratio.
const confidence = 0.95

// newRatio compares f with base, round by round.
func newRatio(f, base *figure) *Ratio {
	r := &Ratio{To: base.Impl, Value: f.Value / base.Value}
	in := map[int]float64{}
	for k, round := range base.rounds {
		in[round] = base.samples[k]
	}
	var each []float64
	for k, round := range f.rounds {
		if b := in[round]; b > 0 {
			each = append(each, f.samples[k]/b)
		}
	}
	if len(each) == 0 {
		return r
	}
	sample := benchmath.NewSample(each, &benchmath.DefaultThresholds)
	s := benchmath.AssumeNothing.Summary(sample, confidence)
	if !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) && s.Confidence >= confidence {
		r.Value, r.Low, r.High = s.Center, s.Lo, s.Hi
	}
	return r
}

// Bands says how the repetitions of a figure are spread: the least and the most of them, and
// between what the middle 95, 75 and 50 % lie. Its three pairs are nested, the widest first.
type Bands struct {
	Min float64    `json:"min"`
	Max float64    `json:"max"`
	B95 [2]float64 `json:"band95"`
	B75 [2]float64 `json:"band75"`
	B50 [2]float64 `json:"band50"`
}

// bandsOf returns the bands of samples in order.
func bandsOf(s []float64) *Bands {
	pair := func(q float64) [2]float64 {
		return [2]float64{sortedQuantile(s, q), sortedQuantile(s, 1-q)}
	}
	return &Bands{s[0], s[len(s)-1], pair(0.025), pair(0.125), pair(0.25)}
}

// bandedReps is how many repetitions it takes until bands mean anything.
const bandedReps = 5

// notes returns what there is to say about the figures of a job, besides their values.
func (r *recorder) notes(j job) []string {
	var out []string
	for _, f := range r.figures {
		text := f.Impl + ": " + f.Note
		if f.Note != "" && j.has(f) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// figure is a Result and how it came about.
type figure struct {
	Result
	Want      uint64  // the checksum that the reference reaches
	Low, High float64 // three quarters of the repetitions lie between them
	job       job
	samples   []float64
	rounds    []int // in which of the job's rounds each sample was taken
}

// settle computes what follows from the samples.
func (f *figure) settle() {
	f.Reps = len(f.samples)
	s := slices.Sorted(slices.Values(f.samples))
	f.Low, f.High = sortedQuantile(s, 0.125), sortedQuantile(s, 0.875)
	if f.job.w.drawn.bands && f.Unit == "ns" || f.Reps >= bandedReps {
		f.Bands = bandsOf(s)
	}
}

// wide reports whether the repetitions lie so far apart that the median should not be believed.
func (f *figure) wide() bool { return f.Reps > 2 && f.High-f.Low > 0.5*f.Value }

// sums tells what the checksum came to.
func (f *figure) sums() string {
	return fmt.Sprintf("%s, %s, %s, n = %d: got %d, want %d",
		f.Impl, f.Workload, f.Metric, f.N, f.Checksum, f.Want)
}

// place names a figure.
type place struct {
	impl, workload, metric string
	n, elemBytes           int
}

// byPlace returns figures by what names them.
func byPlace(figures []*figure) map[place]*figure {
	at := map[place]*figure{}
	for _, f := range figures {
		at[f.job.at(f.Impl, f.Metric)] = f
	}
	return at
}

// index returns all figures by place.
func index(rec *recorder) map[place]*figure {
	return byPlace(rec.all())
}

// curve is the figure of each step of a workload that has steps, one row per repetition.
type curve struct {
	job    job
	impl   string
	reps   [][]float64
	rounds []int
	sums   sums
}

// sums holds what a checksum came to and should have come to, over all repetitions: a wrong one
// stays, whatever follows.
type sums struct {
	got, want uint64
	seen      bool
}

func (s *sums) add(got, want uint64) {
	if !s.seen || s.got == s.want {
		*s = sums{got, want, true}
	}
}

// recorder collects the samples of a run.
type recorder struct {
	figures []*figure
	at      map[place]*figure
	curves  []*curve
	round   int       // the one that is being measured
	noise   []float64 // what a loop that is always the same took, in ns
	settled []*figure // what all returned, until there are further samples
}

func newRecorder() *recorder { return &recorder{at: map[place]*figure{}} }

// add records one repetition's sample of a metric.
func (r *recorder) add(impl string, j job, metric, unit string, value float64, got, want uint64) {
	r.settled = nil
	k := j.at(impl, metric)
	f := r.at[k]
	if f == nil {
		f = &figure{job: j, Result: Result{
			Impl: impl, Workload: j.w.name, Metric: metric, N: j.n, ElemBytes: j.elem, Unit: unit,
		}}
		r.at[k] = f
		r.figures = append(r.figures, f)
	}
	s := sums{f.Checksum, f.Want, len(f.samples) > 0}
	s.add(got, want)
	f.Checksum, f.Want, f.ChecksumOK = s.got, s.want, s.got == s.want
	f.samples, f.rounds = append(f.samples, value), append(f.rounds, r.round)
}

// addSteps records one repetition of a workload that has steps, in its unit per step.
func (r *recorder) addSteps(impl string, j job, steps []float64, got, want uint64) {
	r.settled = nil
	i := slices.IndexFunc(r.curves, func(c *curve) bool { return c.impl == impl && c.job == j })
	if i < 0 {
		r.curves = append(r.curves, &curve{job: j, impl: impl})
		i = len(r.curves) - 1
	}
	c := r.curves[i]
	c.reps, c.rounds = append(c.reps, slices.Clone(steps)), append(c.rounds, r.round)
	c.sums.add(got, want)
}

// medians returns the median of each step.
func (c *curve) medians() []float64 {
	m := make([]float64, len(c.reps[0]))
	col := make([]float64, len(c.reps))
	for i := range m {
		for k, rep := range c.reps {
			col[k] = rep[i]
		}
		m[i] = quantile(col, 0.5)
	}
	return m
}

// all returns every figure: those recorded, and those that follow from the steps.
func (r *recorder) all() []*figure {
	if r.settled != nil {
		return r.settled
	}
	out := slices.Clone(r.figures)
	for _, f := range out {
		f.Value = quantile(f.samples, 0.5)
		f.settle()
	}
	for _, c := range r.curves {
		out = append(out, c.figures()...)
	}
	at := byPlace(out)
	for _, f := range out {
		f.Ratio = nil
		base := at[f.job.at(f.job.family.baseline, baseMetric(f.Metric))]
		if base != nil && base.Value > 0 && base.ChecksumOK && f.ChecksumOK {
			f.Ratio = newRatio(f, base)
		}
	}
	r.settled = out
	return out
}

// figures returns those that follow from the steps. Their values are taken over the medians of each
// step, since a single one can be anything.
func (c *curve) figures() (out []*figure) {
	m := c.medians()
	for _, d := range c.job.w.steps.metrics {
		f := &figure{
			Result: Result{
				Impl: c.impl, Workload: c.job.w.name, Metric: d.name,
				N: c.job.n, ElemBytes: c.job.elem, Value: d.of(m), Unit: d.unit,
				Checksum: c.sums.got, ChecksumOK: c.sums.got == c.sums.want,
			},
			Want: c.sums.want, job: c.job, rounds: c.rounds,
		}
		for _, rep := range c.reps {
			f.samples = append(f.samples, d.of(rep))
		}
		f.settle()
		f.Bands = nil // they would be of single repetitions, which the value is not
		out = append(out, f)
	}
	return out
}

// results returns what results.json holds. It is never nil, so that nothing measured is [].
func (r *recorder) results() []Result {
	out := []Result{}
	for _, f := range r.all() {
		out = append(out, f.Result)
	}
	return out
}

// quantile interpolates between the two samples next to q, which is in [0, 1].
func quantile(samples []float64, q float64) float64 {
	s := slices.Clone(samples)
	slices.SortFunc(s, cmp.Compare[float64])
	return sortedQuantile(s, q)
}

// sortedQuantile is quantile of samples in order.
func sortedQuantile(s []float64, q float64) float64 {
	at := q * float64(len(s)-1)
	i := int(math.Floor(at))
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}

// baseMetric returns the metric that a collection's other loop is to be compared with.
func baseMetric(m string) string {
	for _, suffix := range []string{"_values", "_spans", "_pairs", "_twokey"} {
		m = strings.TrimSuffix(m, suffix)
	}
	return m
}

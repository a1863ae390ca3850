package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
	Bands      *Bands  `json:"bands,omitempty"`
	Note       string  `json:"note,omitempty"`
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

// bandsOf returns the bands of samples.
func bandsOf(samples []float64) *Bands {
	s := slices.Sorted(slices.Values(samples))
	pair := func(q float64) [2]float64 {
		return [2]float64{sortedQuantile(s, q), sortedQuantile(s, 1-q)}
	}
	return &Bands{s[0], s[len(s)-1], pair(0.025), pair(0.125), pair(0.25)}
}

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
	Want      uint64 // the checksum that the reference reaches
	Reps      int
	Low, High float64 // three quarters of the repetitions lie between them
	samples   []float64
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

// curve is the time of each step of a workload that has steps, one row per repetition.
type curve struct {
	job  job
	impl string
	reps [][]float64
	sums sums
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
}

func newRecorder() *recorder { return &recorder{at: map[place]*figure{}} }

// add records one repetition's sample of a metric.
func (r *recorder) add(impl string, j job, metric, unit string, value float64, got, want uint64) {
	k := j.at(impl, metric)
	f := r.at[k]
	if f == nil {
		f = &figure{Result: Result{
			Impl: impl, Workload: j.w.name, Metric: metric, N: j.n, ElemBytes: j.elem, Unit: unit,
		}}
		r.at[k] = f
		r.figures = append(r.figures, f)
	}
	s := sums{f.Checksum, f.Want, f.Reps > 0}
	s.add(got, want)
	f.Checksum, f.Want, f.ChecksumOK = s.got, s.want, s.got == s.want
	f.samples = append(f.samples, value)
	f.Reps++
	f.Value = quantile(f.samples, 0.5)
	f.Low, f.High = quantile(f.samples, 0.125), quantile(f.samples, 0.875)
	if j.w.bands && unit == "ns" {
		f.Bands = bandsOf(f.samples)
	}
}

// addSteps records one repetition of a workload that has steps, in ns per step.
func (r *recorder) addSteps(impl string, j job, steps []float64, got, want uint64) {
	i := slices.IndexFunc(r.curves, func(c *curve) bool { return c.impl == impl && c.job == j })
	if i < 0 {
		r.curves = append(r.curves, &curve{job: j, impl: impl})
		i = len(r.curves) - 1
	}
	c := r.curves[i]
	c.reps = append(c.reps, slices.Clone(steps))
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
	out := slices.Clone(r.figures)
	for _, c := range r.curves {
		m := c.medians()
		for _, d := range c.job.w.stepMetrics() {
			per := make([]float64, len(c.reps))
			for k, rep := range c.reps {
				per[k] = d.of(rep)
			}
			out = append(out, &figure{
				Result: Result{
					Impl: c.impl, Workload: c.job.w.name, Metric: d.name,
					N: c.job.n, ElemBytes: c.job.elem, Value: d.of(m), Unit: cmp.Or(d.unit, "ns"),
					Checksum: c.sums.got, ChecksumOK: c.sums.got == c.sums.want,
				},
				Want: c.sums.want,
				Reps: len(c.reps),
				Low:  quantile(per, 0.125), High: quantile(per, 0.875),
			})
		}
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

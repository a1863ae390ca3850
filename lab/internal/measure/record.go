package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Result is one figure, as in results.json.
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

// Ratio compares a figure with that of a base. On a shared machine a ratio is more reliable than a
// figure, since a disturbance of a round affects both sides.
type Ratio struct {
	To string `json:"to"` // the base
	// Value is the median of the rounds' ratios. With too few rounds for Low and High, it is the
	// quotient of the medians.
	Value float64 `json:"value"`
	// Low and High enclose the median of the rounds' ratios with a confidence of 95 %, whatever
	// their distribution. They are 0 with too few rounds.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
}

const confidence = 0.95

// RatioTo compares f with a figure of the same job and metric, round by round. It returns nil if
// either has a wrong checksum, or the base is 0.
func (f *Figure) RatioTo(base *Figure) *Ratio {
	if !f.ChecksumOK || !base.ChecksumOK || base.Value <= 0 {
		return nil
	}
	r := &Ratio{To: base.Impl, Value: f.Value / base.Value}
	in := map[int]float64{}
	for k, round := range base.rounds {
		in[round] = base.Samples[k]
	}
	var each []float64
	for k, round := range f.rounds {
		if b := in[round]; b > 0 {
			each = append(each, f.Samples[k]/b)
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

// Bands describes the spread of a figure's repetitions: the minimum and maximum, and the ranges of
// the middle 95, 75 and 50 %, which are nested.
type Bands struct {
	Min float64    `json:"min"`
	Max float64    `json:"max"`
	B95 [2]float64 `json:"band95"`
	B75 [2]float64 `json:"band75"`
	B50 [2]float64 `json:"band50"`
}

func bandsOf(s []float64) *Bands {
	pair := func(q float64) [2]float64 {
		return [2]float64{SortedQuantile(s, q), SortedQuantile(s, 1-q)}
	}
	return &Bands{s[0], s[len(s)-1], pair(0.025), pair(0.125), pair(0.25)}
}

// BandedReps is the smallest number of repetitions with bands.
const BandedReps = 5

// Notes returns the notes on a job's figures.
func (r *Recorder) Notes(j Job) []string {
	var out []string
	for _, f := range r.figures {
		text := f.Impl + ": " + f.Note
		if f.Note != "" && j.Has(f) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// Figure is a Result with its samples.
type Figure struct {
	Result
	Want      uint64  // the checksum of the reference
	Low, High float64 // the middle three quarters of the repetitions lie between them
	job       Job
	Samples   []float64
	rounds    []int // the round of each sample
}

func (f *Figure) settle() {
	f.Reps = len(f.Samples)
	s := slices.Sorted(slices.Values(f.Samples))
	f.Low, f.High = SortedQuantile(s, 0.125), SortedQuantile(s, 0.875)
	if f.job.Workload.Drawn.Bands && f.Unit == "ns" || f.Reps >= BandedReps {
		f.Bands = bandsOf(s)
	}
}

// Wide reports whether the repetitions are spread so widely that the median is unreliable.
func (f *Figure) Wide() bool { return f.Reps > 2 && f.High-f.Low > 0.5*f.Value }

// Sums describes the checksum.
func (f *Figure) Sums() string {
	return fmt.Sprintf("%s, %s, %s, n = %d: got %d, want %d",
		f.Impl, f.Workload, f.Metric, f.N, f.Checksum, f.Want)
}

// Place identifies a figure.
type Place struct {
	impl, workload, metric string
	n, elemBytes           int
}

// Index returns all figures by place.
func Index(rec *Recorder) map[Place]*Figure {
	rec.All()
	return rec.index
}

// curve holds the figures of each step of a workload with steps, one row per repetition.
type curve struct {
	Job    Job
	Impl   string
	reps   [][]float64
	rounds []int
	sums   sums
}

// sums holds the actual and the expected checksum of all repetitions. A wrong one stays.
type sums struct {
	got, want uint64
	seen      bool
}

func (s *sums) add(got, want uint64) {
	if !s.seen || s.got == s.want {
		*s = sums{got, want, true}
	}
}

// Recorder collects the samples of a run.
type Recorder struct {
	figures []*Figure
	at      map[Place]*Figure
	Curves  []*curve
	round   int               // the current round
	noise   []float64         // the times of the fixed loop, in ns
	settled []*Figure         // the result of All, until there are further samples
	index   map[Place]*Figure // of settled
}

func NewRecorder() *Recorder { return &Recorder{at: map[Place]*Figure{}} }

// Add records one repetition's sample of a metric.
func (r *Recorder) Add(impl string, j Job, metric, unit string, value float64, got, want uint64) {
	r.settled = nil
	k := j.At(impl, metric)
	f := r.at[k]
	if f == nil {
		f = &Figure{job: j, Result: Result{
			Impl: impl, Workload: j.Workload.Name, Metric: metric,
			N: j.N, ElemBytes: j.Elem, Unit: unit,
		}}
		r.at[k] = f
		r.figures = append(r.figures, f)
	}
	s := sums{f.Checksum, f.Want, len(f.Samples) > 0}
	s.add(got, want)
	f.Checksum, f.Want, f.ChecksumOK = s.got, s.want, s.got == s.want
	f.Samples, f.rounds = append(f.Samples, value), append(f.rounds, r.round)
}

// AddSteps records one repetition of a workload with steps, in its unit per step.
func (r *Recorder) AddSteps(impl string, j Job, steps []float64, got, want uint64) {
	r.settled = nil
	i := slices.IndexFunc(r.Curves, func(c *curve) bool { return c.Impl == impl && c.Job == j })
	if i < 0 {
		r.Curves = append(r.Curves, &curve{Job: j, Impl: impl})
		i = len(r.Curves) - 1
	}
	c := r.Curves[i]
	c.reps, c.rounds = append(c.reps, slices.Clone(steps)), append(c.rounds, r.round)
	c.sums.add(got, want)
}

// Medians returns the median of each step.
func (c *curve) Medians() []float64 {
	m := make([]float64, len(c.reps[0]))
	col := make([]float64, len(c.reps))
	for i := range m {
		for k, rep := range c.reps {
			col[k] = rep[i]
		}
		m[i] = Quantile(col, 0.5)
	}
	return m
}

// All returns every figure: the recorded ones, and those computed from steps.
func (r *Recorder) All() []*Figure {
	if r.settled != nil {
		return r.settled
	}
	out := slices.Clone(r.figures)
	for _, f := range out {
		f.Value = Quantile(f.Samples, 0.5)
		f.settle()
	}
	for _, c := range r.Curves {
		out = append(out, c.figures()...)
	}
	r.index = map[Place]*Figure{}
	for _, f := range out {
		r.index[f.job.At(f.Impl, f.Metric)] = f
	}
	for _, f := range out {
		f.Ratio = nil
		base := r.index[f.job.At(f.job.Family.Baseline, BaseMetric(f.Metric))]
		if base != nil {
			f.Ratio = f.RatioTo(base)
		}
	}
	r.settled = out
	return out
}

// figures returns the figures computed from steps. They use the medians of the steps, since a
// single step is unreliable.
func (c *curve) figures() (out []*Figure) {
	m := c.Medians()
	for _, d := range c.Job.Workload.Steps.Metrics {
		f := &Figure{
			Result: Result{
				Impl: c.Impl, Workload: c.Job.Workload.Name, Metric: d.Name,
				N: c.Job.N, ElemBytes: c.Job.Elem, Value: d.Of(m), Unit: d.Unit,
				Checksum: c.sums.got, ChecksumOK: c.sums.got == c.sums.want,
			},
			Want: c.sums.want, job: c.Job, rounds: c.rounds,
		}
		for _, rep := range c.reps {
			f.Samples = append(f.Samples, d.Of(rep))
		}
		f.settle()
		f.Bands = nil // they would be those of single repetitions, not of the value
		out = append(out, f)
	}
	return out
}

// Results returns the contents of results.json. It is never nil, so that no results are encoded as
// [].
func (r *Recorder) Results() []Result {
	out := []Result{}
	for _, f := range r.All() {
		out = append(out, f.Result)
	}
	return out
}

// Quantile interpolates between the two samples next to q, which is in [0, 1].
func Quantile(samples []float64, q float64) float64 {
	return SortedQuantile(slices.Sorted(slices.Values(samples)), q)
}

// SortedQuantile is Quantile for sorted samples.
func SortedQuantile(s []float64, q float64) float64 {
	at := q * float64(len(s)-1)
	i := int(math.Floor(at))
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}

// BaseMetric returns the metric that a metric of another loop is compared with.
func BaseMetric(m string) string {
	for _, suffix := range []string{"_values", "_spans", "_pairs", "_twokey"} {
		m = strings.TrimSuffix(m, suffix)
	}
	return m
}

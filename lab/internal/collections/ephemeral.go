package collections

import (
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The shape of all ephemeral workloads: one value comes each step, and many at one of them.
const (
	StepCount = 255
	burstStep = 100
	MaxTTL    = 50
)

// stepMetrics covers the quiet time before the burst, the moments after it, and the time when all
// of the burst is gone and a collection should be as fast as before.
var stepMetrics = []measure.StepMetric{
	{Name: "step_50", Unit: "ns", Of: func(ns []float64) float64 { return ns[50] }},
	{Name: "step_100", Unit: "ns", Of: func(ns []float64) float64 { return ns[100] }},
	{Name: "step_110", Unit: "ns", Of: func(ns []float64) float64 { return ns[110] }},
	{Name: "step_149", Unit: "ns", Of: func(ns []float64) float64 { return ns[149] }},
	{Name: "step_200", Unit: "ns", Of: func(ns []float64) float64 { return ns[200] }},
	{Name: "step_254", Unit: "ns", Of: func(ns []float64) float64 { return ns[254] }},
	{Name: "pre_mean", Unit: "ns", Of: func(ns []float64) float64 { return mean(ns[60:100]) }},
	{Name: "post_mean", Unit: "ns", Of: func(ns []float64) float64 { return mean(ns[160:255]) }},
	{
		Name: "worst_after",
		Unit: "ns",
		Of:   func(ns []float64) float64 { return slices.Max(ns[101:]) },
	},
	{Name: "total", Unit: "ns", Of: func(ns []float64) float64 { return mean(ns) * StepCount }},
}

// ReturnMetrics is stepMetrics with the peak and the step of return.
var ReturnMetrics = append(
	slices.Clone(stepMetrics),
	measure.StepMetric{
		Name: "peak",
		Unit: "ratio",
		Of:   peak,
	},
	measure.StepMetric{Name: "back", Unit: "step", Of: back},
)

// NewStepping returns the Steps of the workloads with this shape whose steps are timed.
func NewStepping(file string) *measure.Steps {
	return &measure.Steps{
		Count: StepCount, Event: burstStep, EventName: "burst",
		Title: "Time of each step", Unit: "ns", Metrics: stepMetrics, File: file,
	}
}

// ExpectSteps is the Expect of all workloads that have only steps.
func ExpectSteps(_ measure.Job, want any, metric string) (uint64, bool) {
	return want.(uint64), metric == measure.StepsMetric
}

// A collection returns after the burst if its last backSteps steps take at most backTo times the
// mean of the steps before the burst.
const (
	backTo    = 1.5
	backSteps = 50
)

// back returns the step at which a collection returns: the first one after the burst from which any
// backSteps steps in a row take at most backTo times the mean of steps 60-99. It returns steps if
// the last ones take more, that is, if the collection does not return within the run.
func back(ns []float64) float64 {
	most := backTo * mean(ns[60:burstStep])
	first := StepCount
	for s := StepCount - backSteps; s > burstStep && mean(ns[s:s+backSteps]) <= most; s-- {
		first = s
	}
	return float64(first)
}

// peak returns the largest ratio, over the steps after the burst, of a step to the mean of the two
// before it and the two after it.
func peak(ns []float64) (most float64) {
	for s := burstStep + 2; s < StepCount-2; s++ {
		beside := (ns[s-2] + ns[s-1] + ns[s+1] + ns[s+2]) / 4
		most = max(most, ns[s]/max(beside, 1))
	}
	return most
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x
	}
	return m / float64(len(v))
}

var ephemeralKey = []string{"pre_mean", "step_100", "worst_after", "post_mean", "total"}

const StepMethod = "A step's figure is the median of the repetitions; the means, worst_after " +
	"(of steps 101-254) and total are taken over these medians. " +
	"pre_mean covers steps 60-99, post_mean steps 160-254."

var Ephemeral = &measure.Workload{
	Name:   "ephemeral",
	About:  "255 steps of one particle each, a burst at step 100; all age and die",
	Method: "Time of each whole step: insert, visit, remove. " + StepMethod,
	N:      10_000, QuickN: 10_000, MaxN: 1_000_000, NMeans: "particles in the burst",
	Elems: []int{4}, Own: true,
	Reps: 25, QuickReps: 3, Warm: true,
	Budget: 6 * time.Second, ImplBudget: 2 * time.Second,
	Key:    ephemeralKey,
	Runs:   HasParticles,
	Want:   func(j measure.Job) any { return WantEphemeral(j.N) },
	Start:  StartEphemeral,
	Expect: ExpectSteps,
	Steps:  NewStepping("ephemeral-steps"),
}

// drawLifetimes returns the lifetimes of all particles in the order of their inserts.
func drawLifetimes(burst int) []uint32 {
	r := measure.RNG{S: measure.Seed ^ 3}
	ttls := make([]uint32, StepCount+burst)
	for i := range ttls {
		ttls[i] = uint32(1 + r.Below(MaxTTL))
	}
	return ttls
}

func arrivals(step, burst int) int {
	if step == burstStep {
		return 1 + burst
	}
	return 1
}

func StartEphemeral(t *measure.Trial) func() error {
	ttls := drawLifetimes(t.N)
	ns := make([]float64, StepCount)
	return func() error {
		if err := t.Pause(); err != nil {
			return err
		}
		var sum lifeSums
		c, rest := KitOf(t.Impl).Particles(), ttls
		for step := range StepCount {
			k := arrivals(step, t.N)
			start := time.Now()
			c.Insert(rest[:k])
			visits, deaths := c.Age()
			ns[step] = float64(time.Since(start).Nanoseconds())
			rest = rest[k:]
			sum.add(c.Len(), visits, deaths)
		}
		t.AddSteps(ns, sum.checksum(), t.Want.(uint64))
		return nil
	}
}

// lifeSums counts the work of the steps of ephemeral.
type lifeSums struct{ lens, visits, deaths uint64 }

func (s *lifeSums) add(length, visits, deaths int) {
	s.lens += uint64(length)
	s.visits += uint64(visits)
	s.deaths += uint64(deaths)
}

func (s *lifeSums) checksum() uint64 { return s.lens*1_000_000 + s.visits%1_000_000 + s.deaths }

var crossEphemeral = &measure.Workload{
	Name:   "cross-ephemeral",
	About:  "ephemeral with colliders, which also all meet at each step",
	Method: "Time of each whole step: insert, nested loop, visit, remove. " + StepMethod,
	N:      1000, QuickN: 300, MaxN: 5_000, NMeans: "colliders in the burst",
	Elems: []int{8}, Own: true,
	Reps: 7, QuickReps: 2,
	Budget: 7 * time.Second, ImplBudget: 2 * time.Second,
	Key:    ephemeralKey,
	Runs:   HasColliders,
	Want:   func(j measure.Job) any { return WantCrossEphemeral(j.N) },
	Start:  StartCrossEphemeral,
	Expect: ExpectSteps,
	Steps:  NewStepping(""),
}

// drawAgeing returns colliders with lifetimes in the order of their inserts.
func drawAgeing(burst int) []Collider {
	r := measure.RNG{S: measure.Seed ^ 4}
	cs := make([]Collider, StepCount+burst)
	for i := range cs {
		cs[i].X = int16(r.Below(1000))
		cs[i].Y = int16(r.Below(1000))
		cs[i].ttl = uint8(1 + r.Below(MaxTTL))
	}
	return cs
}

func StartCrossEphemeral(t *measure.Trial) func() error {
	cs := drawAgeing(t.N)
	ns := make([]float64, StepCount)
	return func() error {
		if err := t.Pause(); err != nil {
			return err
		}
		var pairs, both uint64
		c, rest := KitOf(t.Impl).Colliders(), cs
		for step := range StepCount {
			k := arrivals(step, t.N)
			start := time.Now()
			c.Insert(rest[:k])
			p := c.Cross()
			_, b := c.Age()
			ns[step] = float64(time.Since(start).Nanoseconds())
			rest = rest[k:]
			pairs += uint64(p)
			both += uint64(b)
			if t.Ctx.Err() != nil {
				return measure.ErrStopped
			}
		}
		t.AddSteps(ns, pairs*100_000+both, t.Want.(uint64))
		return nil
	}
}

// WantEphemeral counts by lifetimes alone: a particle inserted at step s with lifetime t is
// visited at s, …, s+t-1 and dies at the last of these, if the steps last that long.
func WantEphemeral(burst int) uint64 {
	ttls := drawLifetimes(burst)
	var lens, visits, deaths uint64
	k := 0
	for s := range StepCount {
		for range arrivals(s, burst) {
			last := s + int(ttls[k]) - 1
			k++
			visits += uint64(min(last, StepCount-1) - s + 1)
			lens += uint64(min(last, StepCount) - s)
			if last < StepCount {
				deaths++
			}
		}
	}
	return lens*1_000_000 + visits%1_000_000 + deaths
}

func WantCrossEphemeral(burst int) uint64 {
	all := drawAgeing(burst)
	var live []Collider
	var pairs, both uint64
	for s := range StepCount {
		k := arrivals(s, burst)
		live = append(live, all[:k]...)
		all = all[k:]
		pairs += ModelMeet(live)
		var rest []Collider
		for _, c := range live {
			c.ttl--
			if c.ttl > 0 {
				rest = append(rest, c)
			} else if c.Hit && c.Been {
				both++
			}
		}
		live = rest
	}
	return pairs*100_000 + both
}

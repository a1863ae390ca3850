package collections

import (
	"math"
	"slices"
	"testing"
)

// The models check every other size, and are checked here themselves.
func TestModelsReachPublishedSums(t *testing.T) {
	check := func(what string, got, want uint64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	check("cross", WantCross(1000), 1200012)
	check("ephemeral", WantEphemeral(10_000), 251263271721)
	check("cross-ephemeral", WantCrossEphemeral(1000), 17400014)
	check("churn", wantChurn(100_000), 50004980321324)
	check("dcm", modelDcm(15_000, frames, framePasses, mortalHP).checksum(), dcmSums{updates: 28_493_767, deaths: 60_011}.checksum())
	check("dcm-pool", modelDcmPool(dcmPool.N).checksum(), wantDcmPool(dcmPool.N).checksum())
	model := wantSparse(1_000_000)
	for name, want := range map[string]uint64{
		"remove50": 250207395303, "remove90": 49919402831,
		"keep25_random": 13150000, "keep25_first": 300, "keep25_last": 24999675,
	} {
		check("sparse "+name, model[name], want)
	}
	if len(model) != 5 {
		t.Errorf("%d sums of sparse, want 5", len(model))
	}
}

// With one hit point each, the sums can be computed by hand.
func TestDcmModelByHand(t *testing.T) {
	lives := []int{4, 11, 2, 4, 8}
	for k, want := range lives {
		if got := lifetime(uint32(k), 1); got != want {
			t.Errorf("lifetime(%d, 1) = %d, want %d", k, got, want)
		}
		visits := 0
		m := newMortal(uint32(k))
		for m.hp = 1; !m.Dead(); visits++ {
			m.Update()
		}
		if visits != want {
			t.Errorf("mortal %d is dead after %d visits, want %d", k, visits, want)
		}
	}
	for _, tc := range []struct {
		n, frames, passes int
		want              dcmSums
	}{
		{1, 1, 3, dcmSums{updates: 3, deaths: 0}},
		{1, 1, 4, dcmSums{updates: 4, deaths: 1}},
		{2, 2, 3, dcmSums{updates: 4 + 6 + 2 + 3, deaths: 2}},
		{1, 3, 4, dcmSums{updates: 4 + 8 + 2, deaths: 2}},
	} {
		if got := modelDcm(tc.n, tc.frames, tc.passes, 1); got != tc.want {
			t.Errorf("modelDcm(%d, %d, %d): got %+v, want %+v", tc.n, tc.frames, tc.passes, got, tc.want)
		}
	}
}

// The model of dcm-pool, loop by loop, and the shape that dcm_pool publishes: some 72.4 million
// updates in the first frame, 6950 things at its end and from then on.
func TestDcmPoolModel(t *testing.T) {
	const n = 60
	var want dcmSums
	var all []Mortal
	for k := range uint32(loopFrames * n) {
		all = append(all, newLooped(k, n))
		want.updates += UpdateAll(all)
		before := len(all)
		all = slices.DeleteFunc(all, func(m Mortal) bool { return m.Dead() })
		want.deaths += uint64(before - len(all))
	}
	if got := modelDcmPool(n); got != want || want.deaths < n {
		t.Errorf("the model comes to %+v, the loops to %+v", got, want)
	}
	mean, last := 0.0, 0.0
	for k := range uint32(loopsFull) {
		visits := 4 * float64(hpOfNumber(k)) // one visit in four takes a point off
		left := float64(loopsFull - k)
		mean += min(visits, left)
		if visits > left {
			last++
		}
	}
	if mean < 71e6 || mean > 74e6 || last < 6700 || last > 7100 {
		t.Errorf("some %.3g updates in the first frame, and %.0f things at its end", mean, last)
	}
}

func hpOfNumber(k uint32) int32 {
	m := newLooped(k, loopsFull)
	return m.hp
}

func TestPeak(t *testing.T) {
	flat := slices.Repeat([]float64{10}, StepCount)
	if got := peak(flat); got != 1 {
		t.Errorf("peak of equal steps = %g, want 1", got)
	}
	for s, want := range map[int]float64{50: 1, 101: 1, 102: 4, 252: 4, 253: 1} {
		ns := slices.Clone(flat)
		ns[s] = 40
		if got := peak(ns); got != want {
			t.Errorf("peak of 40 at step %d among 10 = %g, want %g", s, got, want)
		}
	}
	if got := peak(make([]float64, StepCount)); got != 0 {
		t.Errorf("peak of nothing = %g, want 0", got)
	}
	if got := peak(flat); got != 1 {
		t.Errorf("peak of what is always the same = %g, want 1", got)
	}
}

// A collection is back at the first step from which no 50 in a row take more than 1.5 times the
// mean from before the burst. If the last 50 take more, it does not return.
func TestBack(t *testing.T) {
	for name, c := range map[string]struct {
		ns   func(s int) float64
		want float64
	}{
		"always the same":  {func(int) float64 { return 10 }, 101},
		"at the limit":     {func(s int) float64 { return map[bool]float64{true: 15, false: 10}[s > 100] }, 101},
		"just above":       {func(s int) float64 { return map[bool]float64{true: 15.1, false: 10}[s > 100] }, StepCount},
		"down at 190":      {func(s int) float64 { return map[bool]float64{true: 2000, false: 10}[s > 99 && s < 190] }, 190},
		"down at 205":      {func(s int) float64 { return map[bool]float64{true: 2000, false: 10}[s > 99 && s < 205] }, 205},
		"down at 206":      {func(s int) float64 { return map[bool]float64{true: 2000, false: 10}[s > 99 && s < 206] }, StepCount},
		"one late step":    {func(s int) float64 { return map[bool]float64{true: 200, false: 10}[s == 230] }, 101},
		"up again":         {func(s int) float64 { return map[bool]float64{true: 40, false: 10}[s > 246] }, 101},
		"up again by more": {func(s int) float64 { return map[bool]float64{true: 40, false: 10}[s > 245] }, StepCount},
		"slow from step 0": {func(s int) float64 { return map[bool]float64{true: 1, false: 10}[s < 60] }, 101},
	} {
		ns := make([]float64, StepCount)
		for s := range ns {
			ns[s] = c.ns(s)
		}
		if got := back(ns); got != c.want {
			t.Errorf("%s: back at %g, want %g", name, got, c.want)
		}
	}
}

// The figures computed from the steps: the quiet time before the burst, and the time after it.
func TestStepMetrics(t *testing.T) {
	ns := slices.Repeat([]float64{1}, StepCount)
	for i := 160; i < StepCount; i++ {
		ns[i] = 20
	}
	want := map[string]float64{
		"step_50": 1, "step_100": 1, "step_110": 1, "step_149": 1, "step_200": 20, "step_254": 20,
		"pre_mean": 1, "post_mean": 20, "worst_after": 20, "total": 160 + 95*20, "peak": 20.0 / 15.25, "back": StepCount,
	}
	for _, m := range ReturnMetrics {
		if got := m.Of(ns); math.Abs(got-want[m.Name]) > 1e-9 && m.Name != "peak" {
			t.Errorf("%s = %g, want %g", m.Name, got, want[m.Name])
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

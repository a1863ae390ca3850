package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/stable"
)

// The same with a clock instead of lifetimes: what is there at each step, in a map.
func TestWavesModel(t *testing.T) {
	for _, n := range []int{1, 700, 12_000} {
		w := newWaves(n)
		var sum waveSums
		live := map[uint32]bool{}
		next, gone := uint32(0), 0
		for s := range n {
			for range w.came[s] {
				live[next] = true
				next++
			}
			for range w.gone[s] {
				k := w.order[gone]
				gone++
				if !live[k] {
					t.Fatalf("n=%d, step %d: %d goes, which is not there", n, s, k)
				}
				delete(live, k)
				sum.removed += uint64(k)
			}
			sum.lens += uint64(len(live))
		}
		for k := range live {
			sum.left += uint64(k)
		}
		if want := modelWaves(n); sum != want || int(next) != w.total || gone != len(w.order) {
			t.Errorf("n=%d: the plan comes to %+v, the model to %+v", n, sum, want)
		}
	}
}

// Some 1000 values live, and their number swings.
func TestWavesShape(t *testing.T) {
	w := newWaves(waveSteps)
	var lens []float64
	live := 0
	for s := range w.came {
		if w.came[s] > 3 {
			t.Fatalf("step %d: %d come, want 3 at most", s, w.came[s])
		}
		live += int(w.came[s]) - int(w.gone[s])
		lens = append(lens, float64(live))
	}
	if m := mean(lens); m < 800 || m > 1200 {
		t.Errorf("%g values live in the mean, want about 1000", m)
	}
	if lo, hi := quantile(lens[waveMaxLife:], 0), quantile(lens, 1); lo > 300 || hi < 1400 {
		t.Errorf("between %g and %g values live, want them to swing more", lo, hi)
	}
}

func TestTruncationModelsByHand(t *testing.T) {
	for _, tc := range []struct {
		n           int
		length, sum uint64
	}{{1, 0, 0}, {2, 1, 0}, {3, 2, 1}, {16_384, 2, 1}} {
		if got, want := modelWorst(tc.n), leftSum(int(tc.length), tc.sum); got != want {
			t.Errorf("modelWorst(%d) = %d, want %d", tc.n, got, want)
		}
	}
	for n, want := range map[int]uint64{1: leftSum(1, 0), 3: leftSum(3, 3), 25: leftSum(25, 300)} {
		if got := modelFar(n); got != want {
			t.Errorf("modelFar(%d) = %d, want %d", n, got, want)
		}
	}
}

// What the thesis says of the worst removal: published as it was, the list looks at half of its
// slots; the default looks at none. The counts do not depend on the machine.
func TestVisitsOfTheWorstRemoval(t *testing.T) {
	jobs, err := plan([]*workload{thesisTruncation}, sizing{n: thesisTruncation.n, reps: 1, quick: true})
	if err != nil {
		t.Fatal(err)
	}
	rec := runJobs(t, jobs, lists.impls)
	checkRecord(t, rec, jobs, lists.impls)
	at := index(rec)
	for name, want := range map[string]float64{
		"Quartered": 0, "Quartered stepwise": 8166, "FirstFree": 0, "FirstFreeHeap": 0, "FirstFreeHeap walk": 16_381,
	} {
		if got := at[jobs[0].at(name, "visits")].Value; got != want {
			t.Errorf("%s: %g visits, want %g", name, got, want)
		}
	}
	if at[jobs[0].at("berth.Pool", "visits")] != nil {
		t.Error("berth.Pool runs thesis-truncation")
	}
}

// leaky is a list that does not remove the value of number 7.
type leaky struct {
	stableValues[[1]uint64, uint32, stable.Counter32]
}

func (c *leaky) Waves(w *waves, look func()) uint64 {
	return c.stableValues.Waves(w, look) - 7
}

func (c *leaky) Remove(lo, hi int) { c.stableValues.Remove(lo+1, max(lo+1, hi)) }

func TestWrongListIsFound(t *testing.T) {
	bad := impl{name: "bad", kit: collectionKit{Truncates: true, Values: func(int) Values { return new(leaky) }}}
	withImpls(t, lists, quarteredImpl, bad)
	dir := t.TempDir()
	code := run(t.Context(), []string{"-quick", "-n", "100", "-workload", "thesis-truncation", "-out", dir}, io.Discard, io.Discard)
	if code != exitFailed {
		t.Errorf("run: exit code %d, want %d", code, exitFailed)
	}
	for _, r := range readResults(t, dir) {
		if r.ChecksumOK != (r.Impl == "Quartered") {
			t.Errorf("%s, %s: checksum_ok is %t", r.Impl, r.Metric, r.ChecksumOK)
		}
	}
}

// Indices of 16 bits are left out where there are more values than they can name.
func TestNarrowIndices(t *testing.T) {
	for _, tc := range []struct {
		w    *workload
		n    int
		want bool
	}{
		{thesisBasic, 65_536, true}, {thesisBasic, 65_537, false},
		{thesisEphemeral, 65_536 - maxTTL, true}, {thesisEphemeral, 65_536, false},
	} {
		if got := quartered16Impl.can(job{w: tc.w, n: tc.n}); got != tc.want {
			t.Errorf("%s, n=%d: can = %t, want %t", tc.w.name, tc.n, got, tc.want)
		}
	}
	ims := []impl{quarteredImpl, quartered16Impl}
	for _, n := range []int{65_536, 65_537} {
		jobs, err := plan([]*workload{thesisBasic}, sizing{n: n, reps: 1, quick: true})
		if err != nil {
			t.Fatal(err)
		}
		rec := runJobs(t, jobs, ims)
		checkRecord(t, rec, jobs, ims)
		if got := index(rec)[jobs[0].at(quartered16Impl.name, "insert")] != nil; got != (n == 65_536) {
			t.Errorf("n=%d: 16 bits have figures: %t", n, got)
		}
	}
}

// An implementation that is in two families is listed once, and found by both.
func TestImplsOfTwoFamilies(t *testing.T) {
	count := map[string]int{}
	for _, im := range allImpls() {
		count[im.name]++
	}
	for name, n := range count {
		if n != 1 {
			t.Errorf("%s is listed %d times", name, n)
		}
	}
	for _, f := range families {
		if got := f.of(allImpls()); len(got) != len(f.impls) {
			t.Errorf("%s: %d of all, want %d", f.id, len(got), len(f.impls))
		}
	}
	if got := nameList(lists.of([]impl{genpoolImpl, linkedImpl, quarteredImpl})); got != "Quartered, genpool" {
		t.Errorf("lists.of: got %s, want them in the order of the family", got)
	}
}

func TestPeak(t *testing.T) {
	flat := slices.Repeat([]float64{10}, steps)
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
	if got := peak(make([]float64, steps)); got != 0 {
		t.Errorf("peak of nothing = %g, want 0", got)
	}
	rec := newRecorder()
	for _, w := range []*workload{ephemeral, thesisEphemeral} {
		j := job{w: w, n: 1, elem: 4}
		rec.addSteps("x", j, flat, 1, 1)
		f := index(rec)[j.at("x", "peak")]
		if (f != nil) != w.peaks || f != nil && (f.Value != 1 || f.Unit != "ratio") {
			t.Errorf("%s: the peak is %+v", w.name, f)
		}
	}
}

// A collection is back at the first step from which no 50 in a row take more than 1.5 times the
// mean from before the burst; if the last 50 do, it does not return.
func TestBack(t *testing.T) {
	for name, c := range map[string]struct {
		ns   func(s int) float64
		want float64
	}{
		"always the same":  {func(int) float64 { return 10 }, 101},
		"at the limit":     {func(s int) float64 { return map[bool]float64{true: 15, false: 10}[s > 100] }, 101},
		"just above":       {func(s int) float64 { return map[bool]float64{true: 15.1, false: 10}[s > 100] }, steps},
		"down at 190":      {func(s int) float64 { return map[bool]float64{true: 2000, false: 10}[s > 99 && s < 190] }, 190},
		"down at 205":      {func(s int) float64 { return map[bool]float64{true: 2000, false: 10}[s > 99 && s < 205] }, 205},
		"down at 206":      {func(s int) float64 { return map[bool]float64{true: 2000, false: 10}[s > 99 && s < 206] }, steps},
		"one late step":    {func(s int) float64 { return map[bool]float64{true: 200, false: 10}[s == 230] }, 101},
		"up again":         {func(s int) float64 { return map[bool]float64{true: 40, false: 10}[s > 246] }, 101},
		"up again by more": {func(s int) float64 { return map[bool]float64{true: 40, false: 10}[s > 245] }, steps},
		"slow from step 0": {func(s int) float64 { return map[bool]float64{true: 1, false: 10}[s < 60] }, 101},
	} {
		ns := make([]float64, steps)
		for s := range ns {
			ns[s] = c.ns(s)
		}
		if got := back(ns); got != c.want {
			t.Errorf("%s: back at %g, want %g", name, got, c.want)
		}
	}
}

func TestBands(t *testing.T) {
	var samples []float64
	for i := range 101 {
		samples = append(samples, float64((i*37)%101))
	}
	want := Bands{0, 100, [2]float64{2.5, 97.5}, [2]float64{12.5, 87.5}, [2]float64{25, 75}}
	slices.Sort(samples)
	got := bandsOf(samples)
	for i, pair := range [][2]float64{{got.Min, want.Min}, {got.Max, want.Max}, {got.B95[0], want.B95[0]}, {got.B95[1], want.B95[1]},
		{got.B75[0], want.B75[0]}, {got.B75[1], want.B75[1]}, {got.B50[0], want.B50[0]}, {got.B50[1], want.B50[1]}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("bandsOf, number %d: got %g, want %g", i, pair[0], pair[1])
		}
	}
	if got := bandsOf([]float64{7}); *got != (Bands{7, 7, [2]float64{7, 7}, [2]float64{7, 7}, [2]float64{7, 7}}) {
		t.Errorf("bands of one sample: %+v", *got)
	}
}

// The thesis' figures are there in their order, each with a row or a line for everyone who belongs
// into it. What stands there is not drawn again with its workload.
func TestThesisFigures(t *testing.T) {
	r := fixedReport(false)
	p := r.page()
	var names []string
	for _, c := range p.Thesis {
		names = append(names, c.name)
	}
	want := "thesis-6-1-insert thesis-6-2-iterate thesis-6-3-random-get thesis-6-4-random-remove thesis-6-5-cross thesis-6-6-unsafe thesis-6-7-slow-after thesis-6-8-back"
	if got := strings.Join(names, " "); got != want {
		t.Fatalf("the thesis' figures are %s, want %s", got, want)
	}
	at := index(r.rec)
	for i, c := range p.Thesis {
		if want := fmt.Sprintf("Figure 6.%d. ", i+1); !strings.HasPrefix(c.Title, want) {
			t.Errorf("figure %d has the title %q", i+1, c.Title)
		}
		j, _ := r.firstJob(thesisEphemeral)
		if i < 5 {
			j, _ = r.firstJob(thesisFigures[i].w)
		}
		for _, im := range j.runners(r.impls) {
			in := true
			if i >= 5 {
				back := at[j.at(im.name, "back")].Value < steps
				in = im.safe == (i > 5) && (!im.safe || back == (i == 7))
			}
			if got := strings.Contains(string(c.SVG), ">"+im.name+"</text>"); got != in {
				t.Errorf("%s has %s: %t, want %t", c.name, im.name, got, in)
			}
		}
	}
	for _, s := range p.Sections {
		if s.Above != slices.Contains([]string{"thesis-basic", "thesis-cross", "thesis-ephemeral"}, s.workload) {
			t.Errorf("%s refers to the thesis' figures: %t", s.ID, s.Above)
		}
		for _, c := range slices.Concat(s.Big, s.Small) {
			if c.Title == "insert" && s.workload == "thesis-basic" || s.workload == "thesis-cross" || s.workload == "thesis-ephemeral" {
				t.Errorf("%s draws %s again", s.ID, c.Title)
			}
		}
	}
	page, err := p.html()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), ", genpool: as above.</p>") {
		t.Error("the lists' family does not refer to what has been described")
	}
}

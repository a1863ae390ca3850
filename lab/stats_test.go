package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// record adds a figure of each round to a recorder.
func record(rec *recorder, impl string, j job, metric string, values ...float64) {
	for round, v := range values {
		rec.round = round
		rec.add(impl, j, metric, "ns", v, 1, 1)
	}
}

// What disturbs a round disturbs a figure and its base alike, and so not their ratio.
func TestRatioIsTakenByRounds(t *testing.T) {
	rec := newRecorder()
	j := job{w: basic, n: 1, elem: 8}
	var base, other []float64
	for round := range 20 {
		disturbed := 1 + float64((round*7)%20)/4 // up to 5.75 times as slow
		base = append(base, 10*disturbed)
		other = append(other, 30*disturbed)
	}
	record(rec, basic.family.baseline, j, "m", base...)
	record(rec, "x", j, "m", other...)
	record(rec, "few", j, "m", 20, 21, 22)
	at := index(rec)
	r := at[j.at("x", "m")].Ratio
	if r == nil || r.To != "[]T" || math.Abs(r.Value-3) > 1e-9 || math.Abs(r.Low-3) > 1e-9 || math.Abs(r.High-3) > 1e-9 {
		t.Errorf("ratio %+v, want 3 of []T, and no doubt about it", r)
	}
	if r := at[j.at("few", "m")].Ratio; r == nil || r.Low != 0 || r.High != 0 {
		t.Errorf("ratio of three rounds %+v, want one without confidence", r)
	}
}

// A figure that was not taken in all rounds is compared in those that both have.
func TestRatioOfFewerRounds(t *testing.T) {
	rec := newRecorder()
	j := job{w: basic, n: 1, elem: 8}
	record(rec, basic.family.baseline, j, "m", 1, 2, 3, 4, 5, 6, 700, 800, 900)
	record(rec, "x", j, "m", 5, 10, 15, 20, 25, 30)
	if r := index(rec)[j.at("x", "m")].Ratio; r == nil || r.Low != 5 || r.High != 5 {
		t.Errorf("ratio %+v, want 5 with certainty", r)
	}
}

func TestRatioHasDoubt(t *testing.T) {
	rec := newRecorder()
	j := job{w: basic, n: 1, elem: 8}
	record(rec, basic.family.baseline, j, "m", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	record(rec, "x", j, "m", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	// The second and the ninth of ten enclose the median with 97.9 %; the third and the eighth
	// would with 89.1 %.
	if r := index(rec)[j.at("x", "m")].Ratio; r == nil || r.Value != 5.5 || r.Low != 2 || r.High != 9 {
		t.Errorf("ratio %+v, want 5.5 between 2 and 9", r)
	}
}

// The ratio lies within its confidence, though the quotient of the medians may not.
func TestRatioIsOfTheRounds(t *testing.T) {
	rec := newRecorder()
	j := job{w: basic, n: 1, elem: 8}
	record(rec, basic.family.baseline, j, "m", 1, 2, 3, 4, 5, 6, 7)
	record(rec, "x", j, "m", 2, 4, 6, 1, 10, 12, 14) // twice as much in all rounds but one
	if r := index(rec)[j.at("x", "m")].Ratio; r == nil || r.Value != 2 || r.Low > 2 || r.High != 2 {
		t.Errorf("ratio %+v, want 2", r)
	}
}

// A figure with a wrong checksum does not count: it is no base, and wins nothing.
func TestWrongFiguresAreNoMeasure(t *testing.T) {
	j := job{w: basic, n: 1, elem: 8}
	rec := newRecorder()
	rec.add("[]T", j, "m", "ns", 1, 7, 8)
	rec.add("x", j, "m", "ns", 2, 8, 8)
	rec.add("berth.Pool", j, "m", "ns", 3, 8, 8)
	at := index(rec)
	get := func(impl, metric string) *figure { return at[j.at(impl, metric)] }
	if r := get("x", "m").Ratio; r != nil {
		t.Errorf("ratio %+v to a wrong base", r)
	}
	ims := []impl{poolImpl, sliceImpl, {name: "x"}}
	if v := judgeMetric(collections, "berth.Pool", ims, get, "m").All; v == nil || v.rival != "x" {
		t.Errorf("berth.Pool is judged %+v, want against x", v)
	}
	rec.add("berth.Pool", j, "m", "ns", 1, 0, 8)
	at = index(rec)
	if v := judgeMetric(collections, "berth.Pool", ims, get, "m").All; v != nil {
		t.Errorf("berth.Pool, of a wrong checksum, is judged %+v", v)
	}
}

// Each figure says in which round it was taken, and each round begins with a look at the machine.
func TestRoundsAreRecorded(t *testing.T) {
	jobs, err := plan([]*workload{cross, ephemeral}, sizing{n: 10, reps: 3, quick: true})
	if err != nil {
		t.Fatal(err)
	}
	rec := runJobs(t, jobs, []impl{sliceImpl, poolImpl})
	if len(rec.noise) != 3*len(jobs) || slices.Min(rec.noise) <= 0 {
		t.Errorf("noise %v, want that of 3 rounds of %d workloads", rec.noise, len(jobs))
	}
	for _, f := range rec.all() {
		if !slices.Equal(f.rounds, []int{0, 1, 2}) || len(f.samples) != 3 {
			t.Errorf("%s, %s, %s: %d samples of rounds %v, want one of each of three", f.Impl, f.Workload, f.Metric, len(f.samples), f.rounds)
		}
	}
}

func TestNoise(t *testing.T) {
	j := job{w: basic, n: 1, elem: 8}
	for _, tc := range []struct {
		noise []float64
		wide  int // of ten figures
		want  string
	}{
		{[]float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 900}, 1, ""},
		{[]float64{100, 101, 102, 103, 104, 105, 106, 107, 200, 210, 220}, 0, "took 2.1 times its best time"},
		{[]float64{100, 100}, 2, ""}, // a fifth, but two are few
		{[]float64{100, 100}, 3, "3 of 10 figures have repetitions that lie far apart"},
		{nil, 0, ""},
	} {
		rec := newRecorder()
		rec.noise = tc.noise
		for i := range 10 {
			values := []float64{10, 10, 10}
			if i < tc.wide {
				values = []float64{10, 20, 40}
			}
			record(rec, "x", j, fmt.Sprint("m", i), values...)
		}
		if got := rec.noisy(); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("noise %v, %d wide: %q, want %q in it", tc.noise, tc.wide, got, tc.want)
		}
	}
	if a, b := spin(1000), spin(1000); a != b || a == spin(999) {
		t.Errorf("spin: %d and %d, want the same, and another one for fewer steps", a, b)
	}
}

func TestNoisyRunIsToldOf(t *testing.T) {
	old := basic.start
	basic.start = func(tr *trial) func() error {
		next := 1.0
		return func() error {
			next *= 3
			for _, m := range []string{"a", "b", "c"} {
				tr.add(m, "ns", next, 1, 1)
			}
			return nil
		}
	}
	t.Cleanup(func() { basic.start = old })
	var stderr bytes.Buffer
	args := []string{"-workload", "basic", "-impl", "[]T", "-reps", "9", "-out", t.TempDir()}
	if code := run(t.Context(), args, io.Discard, &stderr); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(stderr.String(), "too noisy to believe") {
		t.Errorf("stderr does not tell of the noise:\n%s", &stderr)
	}
}

// What -bench prints is what benchstat reads.
func TestBenchFormat(t *testing.T) {
	var stdout bytes.Buffer
	args := []string{"-bench", "-quick", "-n", "20", "-workload", "basic,memory,cross-ephemeral", "-impl", "[]T,berth.Pool,container/list,[]T in order", "-reps", "3", "-out", t.TempDir()}
	if code := run(t.Context(), args, &stdout, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	r := benchfmt.NewReader(&stdout, "stdout")
	lines := map[string]int{}
	units := map[string]bool{}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatalf("line %d: %v", rec.Line, rec.Msg)
		case *benchfmt.Result:
			if rec.Iters != 1 || len(rec.Values) != 1 {
				t.Errorf("%s: %d times, %v", rec.Name, rec.Iters, rec.Values)
			}
			lines[string(rec.Name)]++
			units[rec.Values[0].OrigUnit+rec.Values[0].Unit] = true
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("Basic/metric=get_random/impl=berth.Pool/n=20/bytes=32-%d", thisMachine().Procs)
	if lines[name] != 3 {
		t.Errorf("%s: %d lines, want 3; there are %v", name, lines[name], lines)
	}
	if !units["B"] && !units["BB"] {
		t.Errorf("units are %v, want bytes among them", units)
	}
	for name := range lines {
		if strings.Contains(name, "container/list") {
			t.Errorf("%s: the slash begins another key", name)
		}
	}
}

func TestJSONOutput(t *testing.T) {
	var stdout bytes.Buffer
	dir := t.TempDir()
	args := []string{"-json", "-quick", "-n", "20", "-workload", "basic", "-out", dir}
	if code := run(t.Context(), args, &stdout, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	var rows []Result
	if err := json.Unmarshal(stdout.Bytes(), &rows); err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if file := read(t, dir, resultsFile); file != stdout.String() {
		t.Error("what is printed is not what is in results.json")
	}
}

// deaf cannot be written to.
type deaf struct{}

var errDeaf = errors.New("nobody listens")

func (deaf) Write([]byte) (int, error) { return 0, errDeaf }

func TestNobodyReads(t *testing.T) {
	for _, flag := range []string{"-json", "-bench", "-reps=1"} {
		var stderr bytes.Buffer
		dir := t.TempDir()
		args := []string{flag, "-quick", "-n", "20", "-workload", "cross", "-out", dir}
		if code := run(t.Context(), args, deaf{}, &stderr); code != exitFailed || !strings.Contains(stderr.String(), errDeaf.Error()) {
			t.Errorf("%s: exit code %d, %q", flag, code, &stderr)
		}
		if len(readResults(t, dir)) == 0 { // the files are there all the same
			t.Errorf("%s: no results", flag)
		}
	}
}

func TestGC(t *testing.T) {
	var stdout bytes.Buffer
	args := []string{"-json", "-quick", "-n", "1000", "-workload", "gc", "-impl", "[]T,[]*T", "-out", t.TempDir()}
	if code := run(t.Context(), args, &stdout, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	var rows []Result
	if err := json.Unmarshal(stdout.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows {
		got[r.Metric] = r.Unit
		if r.Metric == "collect" && r.Value <= 0 || r.Metric == "worst" && r.Value <= 0 || r.Metric == "gc_share" && (r.Value < 0 || r.Value > 100) {
			t.Errorf("%s, %s: %g %s", r.Impl, r.Metric, r.Value, r.Unit)
		}
	}
	want := map[string]string{"collect": "ms", "p50": "ms", "p99": "ms", "worst": "ms", "late": "frames", "collections": "times", "gc_share": "%"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("metrics %v, want %v", got, want)
	}
}

// The bytes of the burst are seen to come, and to go where a collection gives them back.
func TestSpikeIsSeen(t *testing.T) {
	jobs, err := plan([]*workload{spike}, sizing{n: 100_000, reps: 1})
	if err != nil {
		t.Fatal(err)
	}
	ims := []impl{poolImpl, sliceImpl}
	rec := runJobs(t, jobs, ims)
	checkRecord(t, rec, jobs, ims)
	at := index(rec)
	held := func(im impl, metric string) float64 { return at[jobs[0].at(im.name, metric)].Value }
	for _, im := range ims {
		if p := held(im, "bytes_peak"); p < 4*100_000 {
			t.Errorf("%s: at most %g bytes, want 4 a particle at least", im.name, p)
		}
	}
	if after := held(poolImpl, "bytes_after"); after > 0.1*held(poolImpl, "bytes_peak") {
		t.Errorf("berth.Pool holds %g bytes when the burst is gone", after)
	}
	if after := held(sliceImpl, "bytes_after"); after < 0.5*held(sliceImpl, "bytes_peak") {
		t.Errorf("[]T holds %g bytes when the burst is gone: who gave them back?", after)
	}
}

// Variants take part in a full run, and where they are asked for.
func TestVariantsByName(t *testing.T) {
	names := func(args ...string) string {
		o, err := parsed(t, args)
		if err != nil {
			t.Fatal(err)
		}
		return "," + strings.ReplaceAll(nameList(o.impls), ", ", ",") + ","
	}
	for _, im := range allImpls() {
		name := "," + im.name + ","
		if got := strings.Contains(names(), name); got == im.variant {
			t.Errorf("%s takes part by default: %t", im.name, got)
		}
		if !strings.Contains(names("-full"), name) || names("-impl", im.name, "-workload", runsOne(im)) != name {
			t.Errorf("%s does not take part where it is asked for", im.name)
		}
	}
	for _, w := range workloads {
		o, err := parsed(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := false
		for _, j := range o.jobs {
			in = in || j.w == w
		}
		if in == w.onlyFull {
			t.Errorf("%s is run by default: %t", w.name, in)
		}
	}
}

// runsOne returns a workload that im does.
func runsOne(im impl) string {
	for _, w := range workloads {
		if len(w.of([]impl{im})) > 0 {
			return w.name
		}
	}
	return ""
}

func TestCommandIsSuggested(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"lst", `unexpected argument "lst"; there is a command list`},
		{"list basic", `unexpected argument "basic"`},
		{"nonsense", "unexpected argument \"nonsense\"\nlab: -help"}, // and nothing like it
		{`""`, `unexpected argument ""`},
		{`list ""`, `unexpected argument ""`},
		{"list -json", "not defined: -json"},
		{"replay -full x", "not defined: -full"},
		{"-elem 8 -workload cross", "-elem 8: no chosen workload lets its elements be chosen"},
		{"-json -bench", "-json and -bench: choose one"},
		{"-full -quick", "-full and -quick: choose one"},
	} {
		var stderr bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(tc.args, `""`, "EMPTY"))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "EMPTY", "")
		}
		code := run(t.Context(), args, io.Discard, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tc.args, code, &stderr, tc.want)
		}
	}
}

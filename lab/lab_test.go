package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urfave/cli/v3"
)

// asCommand makes the test binary be the command, for tests that need a process to send signals to.
const asCommand = "BERTH_LAB_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestGeneratorFirstDraws(t *testing.T) {
	r := rng{seed ^ 1}
	want := []uint64{10884996444419297053, 6545267061135302521, 1180306646388297779, 2264667778206765140}
	for i, w := range want {
		if got := r.next(); got != w {
			t.Errorf("draw %d of seed^1: got %d, want %d", i, got, w)
		}
	}
}

// The models are what checks every other size: here they are checked themselves.
func TestModelsReachPublishedSums(t *testing.T) {
	check := func(what string, got, want uint64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	check("cross", modelCross(cross.n), wantCross(cross.n))
	check("ephemeral", modelEphemeral(ephemeral.n), wantEphemeral(ephemeral.n))
	check("cross-ephemeral", modelCrossEphemeral(crossEphemeral.n), wantCrossEphemeral(crossEphemeral.n))
	for _, n := range broadphase.sizes(sizing{}) {
		check(fmt.Sprintf("broadphase of %d", n), modelBroad(n).checksum(), wantBroad(n).checksum())
	}
	check("churn", modelChurn(churn.n), wantChurn(churn.n))
	check("dcm", modelDcm(dcm.n, frames, framePasses, mortalHP).checksum(), wantDcm(dcm.n).checksum())
	check("dcm-pool", modelDcmPool(dcmPool.n).checksum(), wantDcmPool(dcmPool.n).checksum())
	model := modelSparse(sparse.n)
	for name, want := range wantSparse(sparse.n) {
		check("sparse "+name, model[name], want)
	}
}

// published lists the metrics that every implementation must have, by workload.
var published = map[string][]string{
	"basic":           {"insert_reserved", "insert_new", "iter_sum", "iter_mut", "get_seq", "get_random", "remove_random", "insert_refill"},
	"cross":           {"ns_per_pair"},
	"ephemeral":       {"step_50", "step_100", "step_110", "step_149", "step_200", "step_254", "pre_mean", "post_mean", "worst_after", "total"},
	"cross-ephemeral": {"step_50", "step_100", "step_110", "step_149", "step_200", "step_254", "pre_mean", "post_mean", "worst_after", "total"},
	"sparse": {"remove50_sum", "remove90_sum", "keep25_random_pass", "keep25_first_pass", "keep25_last_pass",
		"remove50_mut", "remove90_mut", "keep25_random_mut", "keep25_first_mut", "keep25_last_mut"},
	"spike":                  {"bytes_before", "bytes_peak", "bytes_149", "bytes_after", "bytes_254"},
	"gc":                     {"collect", "p50", "p99", "worst", "late", "collections", "gc_share"},
	"churn":                  {"ns_per_pair"},
	"thesis-basic":           {"insert", "iterate", "random_get", "random_remove", "bytes_per_value"},
	"thesis-cross":           {"ns_per_pair"},
	"thesis-ephemeral":       {"pre_mean", "step_100", "post_mean", "worst_after", "total", "peak", "back"},
	"thesis-cross-ephemeral": {"pre_mean", "step_100", "post_mean", "worst_after", "total", "peak", "back"},
	"thesis-truncation": {"random_step", "truncations", "touched_per_live", "far_pass", "far_pass_spans",
		"touched_left", "worst_removal", "visits"},
	"dcm":      {"iterate", "insert", "remove"},
	"dcm-pool": {"iterate", "insert", "remove", "calls"},
	"memory":   {"bytes_per_value", "peak_bytes_per_value", "left_25_random", "left_25_first", "left_25_last"},
	"rooms":    {"bytes_each", "fill", "visit", "churn"},
	"freelist": {"pair", "lifo", "nearly_full", "random", "bytes_per_entry"},

	"broadphase": {"total", "build", "pairs"},

	"arena-bump":  {"ns_per_value"},
	"arena-pages": {"first_touch", "again", "give_back"},
	"arena-deque": {"fifo", "lifo", "fill", "drain"},
	"arena-vec":   {"push_reserved", "push_new"},
	"arena-map":   {"insert", "insert_reserved", "get_random", "churn", "iterate", "bytes_per_entry", "bytes_reserved", "collect"},
	"arena-pool":  {"insert", "iterate", "get_random", "remove_random"},
}

// publishedOf returns the metrics that an implementation must have in a workload.
func publishedOf(im impl, w *workload) []string {
	switch {
	case w != broadphase:
	case broadKitOf(im).Walk:
		return []string{"walk"}
	case im.name == bruteImpl.name:
		return []string{"total", "pairs"}
	}
	return published[w.name]
}

// runJobs measures and returns the figures.
func runJobs(t *testing.T, jobs []job, ims []impl) *recorder {
	t.Helper()
	rec := newRecorder()
	if err := measure(t.Context(), jobs, ims, rec, newProgress(io.Discard)); err != nil {
		t.Fatalf("measure: %v", err)
	}
	return rec
}

// checkRecord fails for a figure that is missing or has a wrong checksum.
func checkRecord(t *testing.T, rec *recorder, jobs []job, ims []impl) {
	t.Helper()
	at := index(rec)
	for _, j := range jobs {
		for _, im := range j.runners(ims) {
			for _, m := range publishedOf(im, j.w) {
				if f := at[j.at(im.name, m)]; f == nil {
					t.Errorf("%s, %s n=%d elem=%d: no %s", im.name, j.w.name, j.n, j.elem, m)
				} else if f.Unit != "bytes" && f.Value < 0 { // what is held may be less than before
					t.Errorf("%s, %s n=%d %s: got %g", im.name, j.w.name, j.n, m, f.Value)
				}
			}
		}
	}
	for _, f := range rec.all() {
		if !f.ChecksumOK {
			t.Errorf("%s, %s n=%d elem=%d %s: checksum %d, want %d", f.Impl, f.Workload, f.N, f.ElemBytes, f.Metric, f.Checksum, f.Want)
		}
	}
}

func TestEveryImplementationAgrees(t *testing.T) {
	sizes := []struct{ n, elem int }{{26, 8}, {777, 128}, {1, 32}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for i, size := range sizes {
		works := workloads
		if i > 0 || testing.Short() { // these two take their time at any size
			works = slices.DeleteFunc(slices.Clone(works), func(w *workload) bool { return w == spike || w == gcWork })
		}
		jobs, err := plan(works, sizing{n: size.n, elem: size.elem, reps: 1, quick: true})
		if err != nil {
			t.Fatal(err)
		}
		checkRecord(t, runJobs(t, jobs, allImpls()), jobs, allImpls())
	}
}

func TestPublishedSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("the measurements themselves check the same sums")
	}
	jobs, err := plan([]*workload{basic, cross, ephemeral, crossEphemeral, dcm, thesisBasic, thesisCross, thesisEphemeral, thesisCrossEphemeral, broadphase, spike}, sizing{reps: 1})
	if err != nil {
		t.Fatal(err)
	}
	checkRecord(t, runJobs(t, jobs, allImpls()), jobs, allImpls())
}

// forgetful is a slice that does not visit its first value.
type forgetful struct{ sliceValues[[1]uint64] }

func (c *forgetful) Sum() uint64 { return c.sliceValues.Sum() - c.s[0][0] - 1 }

// undying is a slice of particles that keeps the one that should have died first.
type undying struct{ sliceParticles }

func (c *undying) Age() (visits, deaths int) {
	visits, deaths = c.sliceParticles.Age()
	if deaths > 0 {
		c.s = append(c.s, 1)
	}
	return visits, deaths
}

// withImpls puts other implementations in the place of the real ones of a family.
func withImpls(t *testing.T, f *family, ims ...impl) {
	t.Helper()
	old := f.impls
	f.impls = ims
	t.Cleanup(func() { f.impls = old })
}

func TestWrongImplementationIsFound(t *testing.T) {
	bad := impl{
		name: "bad",
		kit: collectionKit{
			Values:    func(int) Values { return new(forgetful) },
			Particles: func() Particles { return new(undying) },
		},
	}
	withImpls(t, collections, sliceImpl, bad)
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-quick", "-n", "100", "-elem", "8", "-workload", "basic,ephemeral,sparse", "-out", dir}, &stdout, &stderr)
	if code != exitFailed {
		t.Errorf("run: exit code %d, want %d", code, exitFailed)
	}
	for _, r := range readResults(t, dir) {
		sums := []string{"insert_reserved", "insert_new", "iter_sum", "iter_mut", "insert_refill"}
		wrong := r.Impl == "bad" && (r.Workload != "basic" || slices.Contains(sums, r.Metric))
		if r.ChecksumOK == wrong {
			t.Errorf("%s, %s, %s: checksum_ok is %t", r.Impl, r.Workload, r.Metric, r.ChecksumOK)
		}
	}
	if !strings.Contains(stderr.String(), "wrong checksum: bad, basic, iter_sum, n = 100: got ") {
		t.Errorf("stderr does not name the wrong checksum:\n%s", &stderr)
	}
	if page := read(t, dir, reportFile); !strings.Contains(page, "Wrong checksum.") {
		t.Error("the report does not tell of the wrong checksum")
	}
	if !strings.Contains(stdout.String(), "!") {
		t.Error("the table does not mark the wrong checksum")
	}
}

// A checksum that was wrong once stays wrong, though later repetitions are right.
func TestWrongChecksumStays(t *testing.T) {
	rec := newRecorder()
	j := job{w: basic, n: 1, elem: 8}
	for _, got := range []uint64{5, 6, 5} {
		rec.add("x", j, "m", "ns", 1, got, 5)
	}
	if f := rec.all()[0]; f.ChecksumOK || f.Checksum != 6 {
		t.Errorf("checksum %d, ok %t; want 6, false", f.Checksum, f.ChecksumOK)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readResults(t *testing.T, dir string) []Result {
	t.Helper()
	var out []Result
	if err := json.Unmarshal([]byte(read(t, dir, resultsFile)), &out); err != nil {
		t.Fatalf("results.json: %v", err)
	}
	return out
}

func TestCommandLineErrors(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"-impl nope", `-impl: unknown name "nope"; known are `},
		{"-impl []T,", `unknown name ""`},
		{"-workload basic,nope", `-workload: unknown name "nope"; known are basic, cross, ephemeral, spike, cross-ephemeral, sparse, churn, dcm, dcm-pool, thesis-basic, thesis-cross, thesis-ephemeral, thesis-cross-ephemeral, thesis-truncation, freelist, broadphase, arena-bump, arena-pages, arena-deque, arena-vec, arena-map, arena-pool, rooms, memory, gc`},
		{"-n 0", "-n 0: must be at least 1"},
		{"-n -5", "-n -5: must be at least 1"},
		{"-n 20000000 -workload basic", "at most 10000000"},
		{"-n 9000000 -elem 128 -workload churn", "at most 4194304"},
		{"-n 20000 -workload cross", "at most 10000"},
		{"-n 99999999999999999999", "invalid value"},
		{"-elem 16", "-elem 16: must be 8, 32 or 128"},
		{"-elem 0", "must be 8, 32 or 128"},
		{"-reps 0", "-reps 0: must be between 1 and"},
		{"-reps -1", "must be between 1 and"},
		{"-reps 1000000", "must be between 1 and"},
		{"-n 20000000 -workload freelist", "-n 20000000: freelist takes at most 16777216 entries"},
		{"-impl Lowest -workload basic", "-impl Lowest: none of them runs basic at n = 10000; these do: berth.Pool, berth.Dense, stable.List, []T"},
		{"-impl genpool,[]T -workload churn,freelist", "none of them runs freelist at n = 256; these do: Stack[uint8], Stack[uint16]"},
		{"-impl Stack[uint8] -n 257 -workload freelist", "-impl Stack[uint8]: none of them runs freelist at n = 257; these do: Stack[uint16], "},
		{"-impl Stack[uint8] -n 257", "-impl Stack[uint8]: none of them runs basic at n = 257"},
		{"-impl map[uint64]T -workload dcm", "none of them runs dcm at n = 15000; these do: berth.Pool, berth.Dense, stable.List, []T, []*T, map[uint64]*T, container/list"},
		{"-impl genpool,[]T -workload thesis-truncation", "none of them runs thesis-truncation at n = 16384; these do: FirstFree, Quartered, Quartered stepwise, "},
		{"-impl Quartered -workload basic", "none of them runs basic at n = 10000"},
		{"-impl donburi,unitoftime/ecs -workload churn", "none of them runs churn at n = 100000; these do: berth.Pool"},
		{"-impl brute -workload broadphase", `-impl: unknown name "brute"`},
		{"-n 2000000 -workload broadphase", "-n 2000000: broadphase takes at most 1000000 colliders"},
		{"-nope", "not defined"},
		{"basic", `unexpected argument "basic"`},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append(strings.Fields(tc.args), "-out", dir), &stdout, &stderr)
		if tc.args == "basic" {
			code = run(t.Context(), []string{"-out", dir, "basic"}, &stdout, &stderr)
		}
		if code != exitUsage || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: exit code %d, want %d; stderr %q, want %q in it", tc.args, code, exitUsage, &stderr, tc.want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: made the folder all the same", tc.args)
		}
	}
	for _, im := range allImpls() {
		var stderr bytes.Buffer
		run(t.Context(), []string{"-impl", "nope"}, io.Discard, &stderr)
		if !strings.Contains(stderr.String(), im.name) {
			t.Errorf("-impl nope: %s is not in the list of the known", im.name)
		}
	}
}

func TestPlan(t *testing.T) {
	jobs, err := plan([]*workload{basic, cross, memory}, sizing{elem: 128})
	if err != nil {
		t.Fatal(err)
	}
	want := []job{
		{w: basic, n: 10_000, elem: 128, reps: basic.reps},
		{w: cross, n: 1000, elem: 8, reps: cross.reps},
		{w: memory, n: 1_000_000, elem: 128, reps: memory.reps},
	}
	if !slices.Equal(jobs, want) {
		t.Errorf("plan with -elem 128: got %v, want %v", jobs, want)
	}
	jobs, err = plan([]*workload{memory}, sizing{n: 9, reps: 2, quick: true})
	if want := []job{{w: memory, n: 9, elem: 8, reps: 2, exact: true, quick: true}}; err != nil || !slices.Equal(jobs, want) {
		t.Errorf("plan with -quick -n 9 -reps 2: got %v (%v), want %v", jobs, err, want)
	}
}

func TestPlanOfSizes(t *testing.T) {
	at := func(n, reps int, more, exact, quick bool) job {
		return job{w: freelistWork, n: n, elem: 4, reps: reps, more: more, exact: exact, quick: quick, many: n != 1000}
	}
	reps, few := freelistWork.reps, freelistWork.quickReps
	for _, tc := range []struct {
		asked sizing
		want  []job
	}{
		{sizing{elem: 128}, []job{at(256, reps, false, false, false), at(65_536, reps, true, false, false), at(16_777_216, reps, true, false, false)}},
		{sizing{reps: 1}, []job{at(256, 1, false, true, false), at(65_536, 1, false, true, false), at(16_777_216, 1, false, true, false)}},
		{sizing{quick: true}, []job{at(256, few, false, false, true), at(4096, few, true, false, true)}},
		{sizing{n: 1000, quick: true}, []job{at(1000, few, false, false, true)}},
	} {
		jobs, err := plan([]*workload{freelistWork}, tc.asked)
		if err != nil || !slices.Equal(jobs, tc.want) {
			t.Errorf("plan(%+v) = %v (%v), want %v", tc.asked, jobs, err, tc.want)
		}
	}
}

// A workload that was not asked for is left out where no chosen implementation runs it, and so is a
// size.
func TestChosenImplsMeetWorkloads(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"-impl", "linked list, Stack[uint8]"}, "freelist-256 freelist-65536 freelist-16777216"},
		{[]string{"-impl", "Stack[uint8],[]T", "-workload", "freelist,churn"}, "churn-32 freelist-256"},
		{[]string{"-impl", "genpool"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "stable.List"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "FirstFree"}, "thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 thesis-truncation-8"},
		{[]string{"-impl", "map[uint64]T,[]T in order"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "Dense immediate"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "[]T in order"}, "dcm-16"},
		{[]string{"-workload", "gc", "-impl", "[]T"}, "gc-32"},
		{[]string{"-full", "-workload", "basic,sparse,thesis-cross", "-impl", "[]T"}, "basic-10000-8 basic-1000000-8 basic-10000-32 basic-1000000-32 basic-10000-128 basic-1000000-128 sparse-8 sparse-32 thesis-cross-8"},
		{[]string{"-impl", "List 16-bit"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 dcm-16 rooms-8"},
		{[]string{"-impl", "arena.Handles 32-bit"}, "arena-pool-10000"},
		{[]string{"-impl", "donburi"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 dcm-16 rooms-8"},
		{[]string{"-impl", "ark"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "unitoftime/ecs", "-n", "50000", "-workload", "churn,sparse,memory"}, "sparse-8 churn-32 memory-8 memory-32"},
		{[]string{"-impl", "ortuman/nuke,modernc.org/memory"}, "arena-bump-16 arena-bump-64 arena-pages-4096"},
		{[]string{"-workload", "arena"}, "arena-bump-16 arena-bump-64 arena-pages-4096 arena-deque-8 arena-vec-8 arena-map-100000 arena-map-1000000 arena-pool-1000000 arena-pool-10000"},
		{[]string{"-workload", "thesis,arena", "-impl", "berth.Pool"}, "thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 arena-pool-1000000 arena-pool-10000"},
		{[]string{"-workload", "churn,thesis", "-impl", "Quartered,[]T"}, "churn-32 thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 thesis-truncation-8"},
		{[]string{"-workload", "cross", "-impl", "arena.Pool"}, "cross-8"},
		{[]string{"-impl", "near.Grid"}, "broadphase-1000 broadphase-10000 broadphase-100000"},
		{[]string{"-impl", "brute force"}, "broadphase-1000 broadphase-10000"},
	} {
		o, err := parsed(t, tc.args)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, j := range o.jobs {
			ids = append(ids, j.id())
		}
		if got := strings.Join(ids, " "); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.args, got, tc.want)
		}
	}
}

// parsed returns what parse makes of a command line.
func parsed(t *testing.T, args []string) (o options, err error) {
	c := command(args, io.Discard, io.Discard)
	c.Action = func(_ context.Context, c *cli.Command) error {
		o, err = parse(c)
		return nil
	}
	if err := c.Run(t.Context(), append([]string{"lab"}, args...)); err != nil {
		t.Fatal(err)
	}
	return o, err
}

func TestHelp(t *testing.T) {
	var stdout bytes.Buffer
	if code := run(t.Context(), []string{"-help"}, &stdout, io.Discard); code != exitOK {
		t.Errorf("-help: exit code %d", code)
	}
	for _, want := range []string{"-quick", "-full", "Examples:", "go run ./lab replay", "Exit codes", "completion", "list "} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("-help does not mention %q", want)
		}
	}
}

func TestList(t *testing.T) {
	var stdout bytes.Buffer
	if code := run(t.Context(), []string{"list"}, &stdout, io.Discard); code != exitOK {
		t.Errorf("list: exit code %d", code)
	}
	for _, want := range []string{"genpool", "generational pool", "cross-ephemeral", "at most", "dense+sparse", "things that come in a frame, 15000, at most 100000", "Stack[*T]", "thesis-truncation", "FirstFreeHeap walk", "gammazero/deque", "edwingeng/deque", "ortuman/nuke", "modernc.org/memory", "unitoftime/ecs", "near.Grid on Dense", "arena.Handles 32-bit", "entries, 256, 65536, 16777216, at most 16777216"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("list does not mention %q", want)
		}
	}
}

func TestOutputFolderThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-out", path}, io.Discard, &stderr); code != exitFailed {
		t.Errorf("-out FILE: exit code %d, want %d", code, exitFailed)
	}
	if !strings.Contains(stderr.String(), "cannot write results") {
		t.Errorf("-out FILE: stderr %q", &stderr)
	}
}

func TestResultsSchema(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-quick", "-n", "30", "-out", dir}
	if testing.Short() { // a few of all kinds
		args = append(args, "-impl", "[]T,berth.Pool,Quartered,linked list", "-workload", "basic,cross,ephemeral,spike,thesis,freelist,memory,gc")
	}
	if code := run(t.Context(), args, io.Discard, io.Discard); code != exitOK {
		t.Fatalf("run: exit code %d", code)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(read(t, dir, resultsFile)), &rows); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{
		"impl": "s", "workload": "s", "metric": "s", "n": "f", "elem_bytes": "f",
		"value": "f", "unit": "s", "checksum": "f", "checksum_ok": "b", "reps": "f",
	}
	for _, row := range rows {
		banded := row["reps"].(float64) >= bandedReps || row["unit"] == "ns" && (row["workload"] == "thesis-basic" || row["workload"] == "thesis-cross")
		if _, ok := row["bands"].(map[string]any); ok != banded {
			t.Errorf("%s, %s: has bands: %t", row["workload"], row["metric"], ok)
		}
		delete(row, "bands")
		delete(row, "note")
		// A ratio is 0 only where nothing was counted: no late frame, no truncation.
		if r, ok := row["ratio"].(map[string]any); ok && (r["to"] == "" || r["value"].(float64) < 0 || r["value"] == 0.0 && row["value"] != 0.0) {
			t.Errorf("%s, %s: ratio %v", row["workload"], row["metric"], r)
		}
		delete(row, "ratio")
		if len(row) != len(kinds) {
			t.Fatalf("row has %d fields, want %d: %v", len(row), len(kinds), row)
		}
		for k, v := range row {
			kind := "?"
			switch v.(type) {
			case string:
				kind = "s"
			case float64:
				kind = "f"
			case bool:
				kind = "b"
			}
			if kinds[k] != kind {
				t.Fatalf("field %s: %v", k, v)
			}
		}
		want := map[any]string{
			"bytes_each": "bytes", "bytes_per_entry": "bytes", "bytes_per_value": "bytes", "bytes_reserved": "bytes", "peak": "ratio", "back": "step", "calls": "count", "truncations": "count",
			"touched_per_live": "slots", "touched_left": "slots", "visits": "slots",
		}[row["metric"]]
		switch row["workload"] {
		case "memory", "spike":
			want = "bytes"
		case "gc": // TestGC looks at these
			continue
		}
		if want = cmp.Or(want, "ns"); row["unit"] != want {
			t.Errorf("unit of %s, %s is %s, want %s", row["workload"], row["metric"], row["unit"], want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("folder holds %v, want figures, report.html and results.json alone (%v)", entries, err)
	}
}

// What an earlier run has left is not written over with nothing.
func TestInterruptedBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, resultsFile), []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := run(ctx, []string{"-quick", "-out", dir}, io.Discard, &stderr); code != exitInterrupted || !strings.Contains(stderr.String(), "before anything was measured") {
		t.Errorf("run: exit code %d, want %d; %q", code, exitInterrupted, &stderr)
	}
	if got := read(t, dir, resultsFile); got != "of before" {
		t.Errorf("results.json: got %s, want that of before", got)
	}
}

// canceller cancels at the first word of progress, which comes when the first workload is done.
type canceller struct{ cancel func() }

func (c canceller) Write(b []byte) (int, error) {
	c.cancel()
	return len(b), nil
}

func TestInterruptedHalfWay(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	if code := run(ctx, []string{"-quick", "-out", dir}, io.Discard, canceller{cancel}); code != exitInterrupted {
		t.Errorf("run: exit code %d, want %d", code, exitInterrupted)
	}
	rows := readResults(t, dir)
	if len(rows) < len(basic.of(slices.DeleteFunc(allImpls(), func(im impl) bool { return im.variant })))*len(published["basic"]) {
		t.Errorf("results.json has %d rows, want those of basic at least", len(rows))
	}
	for _, r := range rows {
		if r.Workload != "basic" || !r.ChecksumOK {
			t.Errorf("unexpected row %+v", r)
		}
	}
	if !strings.Contains(read(t, dir, reportFile), "Partial.") {
		t.Error("the report is not marked partial")
	}
}

func TestInterruptedProcess(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-workload", "cross,churn", "-impl", "[]T,genpool", "-reps", "40", "-out", dir)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		watchdog := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		if _, err := stderr.Read(make([]byte, 1)); err != nil { // cross is done
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, stderr) }()
		err = cmd.Wait()
		watchdog.Stop()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%v: exit code %d (%v), want %d", sig, code, err, exitInterrupted)
		}
		if rows := readResults(t, dir); len(rows) < 2 {
			t.Errorf("%v: results.json has %d rows, want cross at least", sig, len(rows))
		}
		if !strings.Contains(read(t, dir, reportFile), "Partial.") {
			t.Errorf("%v: the report is not marked partial", sig)
		}
	}
}

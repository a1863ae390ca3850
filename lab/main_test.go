package main

import (
	"bufio"
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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/report"
)

// asCommand makes the test binary run the command, for tests that send signals to a process.
const asCommand = "BERTH_LAB_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	runtime.GOMAXPROCS(1) // on several, a forced garbage collection may spin for long
	os.Exit(m.Run())
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return string(b)
}

func readResults(t *testing.T, dir string) []measure.Result {
	t.Helper()
	var out []measure.Result
	if err := json.Unmarshal([]byte(read(t, dir, report.ResultsFile)), &out); err != nil {
		t.Fatalf("results.json: %v", err)
	}
	return out
}

// The fields depend on the workload, so two implementations are enough for most.
func TestResultsSchema(t *testing.T) {
	dir := t.TempDir()
	ims := []string{"berth.Pool", "Quartered"}
	for _, f := range catalogue.All {
		if !slices.Contains(ims, f.Baseline) {
			ims = append(ims, f.Baseline)
		}
	}
	args := []string{"-quick", "-n", "30", "-impl", strings.Join(ims, ","), "-out", dir}
	if code, _, _ := lab(t, args...); code != exitOK {
		t.Fatalf("run: exit code %d", code)
	}
	var rows []map[string]any
	must(t, json.Unmarshal([]byte(read(t, dir, report.ResultsFile)), &rows))
	kinds := map[string]string{
		"impl": "string", "workload": "string", "metric": "string", "n": "float64", "elem_bytes": "float64",
		"value": "float64", "unit": "string", "checksum": "float64", "checksum_ok": "bool", "reps": "float64",
	}
	for _, row := range rows {
		banded := row["reps"].(float64) >= measure.BandedReps || row["unit"] == "ns" && (row["workload"] == "thesis-basic" || row["workload"] == "thesis-cross")
		if _, ok := row["bands"].(map[string]any); ok != banded {
			t.Errorf("%s, %s: has bands: %t", row["workload"], row["metric"], ok)
		}
		delete(row, "bands")
		delete(row, "note")
		// A ratio is 0 only if nothing was counted: no late frame, no truncation.
		if r, ok := row["ratio"].(map[string]any); ok && (r["to"] == "" || r["value"].(float64) < 0 || r["value"] == 0.0 && row["value"] != 0.0) {
			t.Errorf("%s, %s: ratio %v", row["workload"], row["metric"], r)
		}
		delete(row, "ratio")
		if len(row) != len(kinds) {
			t.Fatalf("row has %d fields, want %d: %v", len(row), len(kinds), row)
		}
		for k, v := range row {
			if fmt.Sprintf("%T", v) != kinds[k] {
				t.Fatalf("field %s: %v", k, v)
			}
		}
		want := map[any]string{
			"bytes_each": "bytes", "bytes_full": "bytes", "bytes_left": "bytes", "bytes_per_entry": "bytes", "bytes_per_value": "bytes", "bytes_reserved": "bytes", "peak": "ratio", "back": "step", "calls": "count", "truncations": "count",
			"touched_per_live": "slots", "touched_left": "slots", "visits": "slots",
		}[row["metric"]]
		if w := row["workload"]; w == "memory" || w == "spike" {
			want = "bytes"
		}
		if want = cmp.Or(want, "ns"); row["unit"] != want {
			t.Errorf("unit of %s, %s is %s, want %s", row["workload"], row["metric"], row["unit"], want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("folder holds %v, want report.html and results.json alone (%v)", entries, err)
	}
}

// Results of an earlier run are not overwritten with nothing.
func TestInterruptedBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, report.ResultsFile), []byte("of before"), 0o600))
	var stderr bytes.Buffer
	if code := run(ctx, catalogue.All, []string{"-quick", "-out", dir}, io.Discard, &stderr); code != exitInterrupted || !strings.Contains(stderr.String(), "before anything was measured") {
		t.Errorf("run: exit code %d, want %d; %q", code, exitInterrupted, &stderr)
	}
	if got := read(t, dir, report.ResultsFile); got != "of before" {
		t.Errorf("results.json: got %s, want that of before", got)
	}
}

func TestInterruptedProcess(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-workload", "cross,churn", "-impl", "[]T,genpool", "-reps", "40", "-out", dir)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		stderr, err := cmd.StderrPipe()
		must(t, err)
		must(t, cmd.Start())
		watchdog := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		for lines := bufio.NewScanner(stderr); ; {
			if !lines.Scan() {
				t.Fatalf("%v: no line of cross", sig)
			}
			if strings.HasPrefix(lines.Text(), "cross ") { // it is done
				break
			}
		}
		must(t, cmd.Process.Signal(sig))
		go func() { _, _ = io.Copy(io.Discard, stderr) }()
		err = cmd.Wait()
		watchdog.Stop()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%v: exit code %d (%v), want %d", sig, code, err, exitInterrupted)
		}
		if rows := readResults(t, dir); len(rows) < 2 {
			t.Errorf("%v: results.json has %d rows, want cross at least", sig, len(rows))
		}
		if !strings.Contains(read(t, dir, report.ReportFile), "Partial.") {
			t.Errorf("%v: the report is not marked partial", sig)
		}
	}
}

// deaf fails to be written to.
type deaf struct{}

var errDeaf = errors.New("nobody listens")

func (deaf) Write([]byte) (int, error) { return 0, errDeaf }

func TestNobodyReads(t *testing.T) {
	for _, flag := range []string{"-json", "-bench", "-reps=1"} {
		var stderr bytes.Buffer
		dir := t.TempDir()
		args := []string{flag, "-quick", "-n", "20", "-workload", "cross", "-impl", "[]T", "-out", dir}
		if code := run(t.Context(), catalogue.All, args, deaf{}, &stderr); code != exitFailed || !strings.Contains(stderr.String(), errDeaf.Error()) {
			t.Errorf("%s: exit code %d, %q", flag, code, &stderr)
		}
		if len(readResults(t, dir)) == 0 { // the files are still written
			t.Errorf("%s: no results", flag)
		}
	}
}

func TestGC(t *testing.T) {
	dir := t.TempDir()
	code, stdout, _ := lab(t, "-json", "-quick", "-n", "1000", "-workload", "gc", "-impl", "[]T,[]*T", "-out", dir)
	if code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	var rows []measure.Result
	must(t, json.Unmarshal([]byte(stdout), &rows))
	if file := read(t, dir, report.ResultsFile); file != stdout {
		t.Error("what is printed is not what is in results.json")
	}
	got := map[string]string{}
	for _, r := range rows {
		got[r.Metric] = r.Unit
		if strings.HasPrefix(r.Metric, "collect") && r.Value <= 0 || r.Metric == "worst" && r.Value <= 0 || r.Metric == "gc_share" && (r.Value < 0 || r.Value > 100) {
			t.Errorf("%s, %s: %g %s", r.Impl, r.Metric, r.Value, r.Unit)
		}
	}
	want := map[string]string{"collect": "ms", "collect_pointers": "ms", "p50": "ms", "p99": "ms", "worst": "ms", "late": "frames", "collections": "times", "gc_share": "%"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("metrics %v, want %v", got, want)
	}
}

// At a size that an implementation cannot do, its figure is a dash.
func TestFreeListsThatAreTooSmall(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := lab(t, "-quick", "-impl", "Stack[uint8],Stack[uint16],linked list", "-n", "257", "-out", dir)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, r := range readResults(t, dir) {
		if r.Impl == "Stack[uint8]" || r.Workload != "freelist" || r.N != 257 {
			t.Errorf("unexpected row %+v", r)
		}
	}
	dash := slices.ContainsFunc(strings.Split(stdout, "\n"), func(line string) bool {
		return strings.Join(strings.Fields(line), " ") == "Stack[uint8] - - - - -"
	})
	if !dash {
		t.Errorf("no row of dashes:\n%s", stdout)
	}
}

// benchstat can read the output of -bench.
func TestBenchFormat(t *testing.T) {
	args := []string{"-bench", "-quick", "-n", "20", "-workload", "basic,memory,cross-ephemeral,arena-deque", "-impl", "[]T,berth.Pool,gammazero/deque,[]T in order", "-reps", "3", "-out", t.TempDir()}
	code, stdout, _ := lab(t, args...)
	if code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	r := benchfmt.NewReader(strings.NewReader(stdout), "stdout")
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
	must(t, r.Err())
	name := fmt.Sprintf("Basic/metric=get_random/impl=berth.Pool/n=20/bytes=32-%d", measure.ThisMachine().Procs)
	if lines[name] != 3 {
		t.Errorf("%s: %d lines, want 3; there are %v", name, lines[name], lines)
	}
	if !units["B"] && !units["BB"] {
		t.Errorf("units are %v, want bytes among them", units)
	}
	for name := range lines {
		if strings.Contains(name, "gammazero/deque") {
			t.Errorf("%s: the slash begins another key", name)
		}
	}
}

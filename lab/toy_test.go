package main

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/report"
)

// toyKit is the kit of the toy workload: it adds up the numbers below n.
type toyKit struct{ sum func(n int) uint64 }

// toySum is a complete workload: its sizes, its implementations, its checksum, and a repetition.
var toySum = &measure.Workload{
	Name: "toy-sum", About: "add up the numbers below n", Method: "Invented.",
	N: 1000, QuickN: 10, MaxN: 1 << 20, NMeans: "numbers",
	Elems: []int{8}, Own: true, Reps: 9, QuickReps: 2,
	Key:  []string{"sum"},
	Runs: func(im measure.Impl) bool { return im.Kit != nil },
	Want: func(j measure.Job) any { return uint64(j.N) * uint64(j.N-1) / 2 },
	Start: func(t *measure.Trial) func() error {
		kit, ns := t.Impl.Kit.(toyKit), 1.0
		return func() error {
			if t.Impl.Name == "noisy" {
				ns *= 3
			}
			for _, m := range []string{"sum", "b", "c"} {
				t.Note("as invented as a toy")
				t.Add(m, "ns", ns, kit.sum(t.N), t.Want.(uint64))
			}
			return nil
		}
	},
}

// toys is a catalogue of one workload and the given implementations.
func toys(ims ...measure.Impl) measure.Catalogue {
	return measure.Catalogue{{
		ID: "toys", Title: "What each toy is", Stale: "A stale toy", Baseline: "loop",
		Workloads: []*measure.Workload{toySum}, Impls: ims, Subjects: []string{"formula"},
	}}
}

// Three implementations: a slow one, a fast one, and a wrong one, each in one line.
var (
	toyLoop = measure.Impl{Name: "loop", About: "a loop", Kit: toyKit{func(n int) (sum uint64) {
		for i := range n {
			sum += uint64(i)
		}
		return sum
	}}}
	toyFormula = measure.Impl{Name: "formula", Ours: true, Kit: toyKit{func(n int) uint64 {
		return uint64(n) * uint64(n-1) / 2
	}}}
	toyWrong = measure.Impl{Name: "wrong", Kit: toyKit{func(n int) uint64 { return uint64(n) }}}
	toyNoisy = measure.Impl{Name: "noisy", Kit: toyFormula.Kit}
)

// A workload and its implementations that the command does not know are listed, chosen, measured,
// printed and reported.
func TestToysAreMeasured(t *testing.T) {
	all := toys(toyLoop, toyFormula)
	if code, list, _ := labOf(t, all, "list"); code != exitOK ||
		!strings.Contains(list, "Implementations of toy-sum:") || !strings.Contains(list, "-n: numbers, 1000,") {
		t.Errorf("list: exit code %d\n%s", code, list)
	}
	dir := t.TempDir()
	code, stdout, stderr := labOf(t, all, "-workload", "toy", "-impl", "loop,formula", "-out", dir)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if rows := readResults(t, dir); len(rows) != 6 {
		t.Errorf("%d rows, want 6", len(rows))
	}
	for _, want := range []string{"toy-sum: add up the numbers below n\n", "numbers: 1000, 8 bytes each; ns; ratio to loop\n", "\nformula: as invented as a toy\n"} {
		if n := strings.Count(stdout, want); n != 1 {
			t.Errorf("the table has %q %d times:\n%s", want, n, stdout)
		}
	}
	if page := read(t, dir, report.ReportFile); strings.Count(page, "formula: as invented as a toy") != 1 || !strings.Contains(page, `<th scope="colgroup" colspan="3">formula</th>`) {
		t.Error("the report lacks the note of the toys, or their ratios")
	}
}

// A wrong checksum is reported in every format, and by the exit code.
func TestWrongImplementationIsFound(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := labOf(t, toys(toyLoop, toyWrong), "-n", "100", "-out", dir)
	if code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	for _, r := range readResults(t, dir) {
		if r.ChecksumOK == (r.Impl == "wrong") {
			t.Errorf("%s, %s: checksum_ok is %t", r.Impl, r.Metric, r.ChecksumOK)
		}
	}
	if want := "wrong checksum: wrong, toy-sum, sum, n = 100: got 100, want 4950"; !strings.Contains(stderr, want) {
		t.Errorf("stderr has no %q:\n%s", want, stderr)
	}
	if page := read(t, dir, report.ReportFile); !strings.Contains(page, "Wrong checksum.") {
		t.Error("the report does not tell of the wrong checksum")
	}
	if !strings.Contains(stdout, "!") {
		t.Error("the table does not mark the wrong checksum")
	}
}

func TestNoisyRunIsToldOf(t *testing.T) {
	code, _, stderr := labOf(t, toys(toyNoisy), "-reps", "9", "-out", t.TempDir())
	if code != exitOK || !strings.Contains(stderr, "too noisy to believe") {
		t.Errorf("exit code %d; stderr does not tell of the noise:\n%s", code, stderr)
	}
}

package docs

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

// fake returns a machine whose processors are busy for so long during a run of ten seconds.
func fake(load string, busy time.Duration) system {
	calls := 0
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	return system{
		load: func() string { return load },
		busy: func() (time.Duration, error) {
			calls++
			return time.Duration(calls) * busy, nil
		},
		now: func() time.Time {
			now = now.Add(10 * time.Second)
			return now
		},
	}
}

func TestMeasureRefuses(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		load    string
		busy    time.Duration
		want    string
		figures bool // although there is an error
	}{
		{"1.50", 2400 * time.Millisecond, "", true},
		{"1.51", 0, "the load is 1.51, and figures need 1.5 at most", false},
		{"", 0, "does not tell its load", false},
		{"0.1", 2600 * time.Millisecond, "others used 0.26 processors, and figures need 0.25 at most", true},
	} {
		f, err := measureAll(ctx, nil, io.Discard, fake(tt.load, tt.busy))
		if (f != nil) != tt.figures {
			t.Errorf("load %s, busy %v: figures %v", tt.load, tt.busy, f)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("load %s, busy %v: %v, want %q", tt.load, tt.busy, err, tt.want)
		}
	}
	sys := fake("0.1", 0)
	sys.busy = func() (time.Duration, error) { return 0, errors.New("no") }
	if _, err := measureAll(ctx, nil, io.Discard, sys); err == nil {
		t.Error("a machine that does not tell what others use was accepted")
	}
}

// Each step runs in every layout, and its own processor time is not that of others.
func TestMeasureRunsEachLayout(t *testing.T) {
	t.Chdir(t.TempDir())
	const test = `package toy

import ("os"; "testing")

func init() {
	f, err := os.OpenFile("runs", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString("x")
	}
	if err != nil {
		panic(err)
	}
}

func BenchmarkToy(b *testing.B) { for b.Loop() {} }
`
	for name, text := range map[string]string{"toy_test.go": test, "go.mod": "module toy\n"} {
		testkit.Must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	s := step{bench: "Toy", pkg: ".", env: []string{"GOWORK=off"}}
	f, err := measureAll(context.Background(), []step{s}, io.Discard, fake("0", 2550*time.Millisecond))
	if err != nil || f.By["Toy:ns/op"].Value <= 0 || f.Date != "1 May 2026" {
		t.Errorf("figures %v, %v", f, err)
	}
	if runs, err := os.ReadFile("runs"); err != nil || len(runs) != layouts {
		t.Errorf("runs %q, %v; want %d", runs, err, layouts)
	}
}

// A step that fails ends the run, and the error names its command.
func TestMeasureFails(t *testing.T) {
	steps := []step{{bench: "None", pkg: "./nowhere", env: []string{"A=b"}}}
	_, err := measureAll(context.Background(), steps, io.Discard, fake("0", 0))
	if err == nil || !strings.HasPrefix(err.Error(), "A=b go test -run ^$ -bench None -count 3 -benchtime 50ms ./nowhere: exit status 1") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measureAll(ctx, steps, io.Discard, fake("0", 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

func TestAddLab(t *testing.T) {
	f := &Figures{By: map[string]Figure{}}
	const one = `{"impl":"[]T","workload":"w","metric":"m","n":5,"elem_bytes":8,"value":3,"unit":"ns","checksum_ok":true,` +
		`"bands":{"band75":[2,3.5],"band50":[3,3]},"ratio":{"to":"x","value":0.5}}`
	testkit.Must(t, addLab(f, []byte("["+one+"]")))
	if got, want := f.By["w/m@5x8/[]T"], (Figure{3, "ns", 0.5, 0.5, 0}); got != want {
		t.Errorf("figure %v, want %v", got, want)
	}
	for text, want := range map[string]string{
		"[" + one + "]": "figure w/m@5x8/[]T was measured twice",
		"[" + strings.Replace(one, "true", "false", 1) + "]": "wrong checksum: m of w by []T",
		"no": "invalid character",
	} {
		if err := addLab(f, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestAddBench(t *testing.T) {
	const narrow = "BenchmarkC 1 10 ns/op\nBenchmarkC 1 14 ns/op\nBenchmarkC 1 12 ns/op\n"
	const out = narrow + "goos: linux\nBenchmarkA/op=x/n=10-2 \t 100\t 30 ns/op\t 4 ns/elem\nBenchmarkA/op=x/n=10-2 \t 100\t 10 ns/op\t 1 ns/elem\n" +
		"BenchmarkA/op=x/n=10-2 \t 100\t 12 ns/op\t 2 ns/elem\nBenchmarkB \t 1\t 5 ns/op\t 64 B/op\nPASS\n"
	f := &Figures{By: map[string]Figure{}}
	testkit.Must(t, addBench(f, []byte(out)))
	want := map[string]Figure{
		"A/op=x/n=10:ns/op":   {12, "ns/op", 0, 1.25, 0},
		"A/op=x/n=10:ns/elem": {2, "ns/elem", 0, 1.125, 0},
		"B:ns/op":             {5, "ns/op", 0, 0, 0},
		"B:B/op":              {64, "B/op", 0, 0, 0},
		"C:ns/op":             {12, "ns/op", 0, 0.25, 0},
	}
	for name, fig := range want {
		if got := f.By[name]; got != fig {
			t.Errorf("%s: %v, want %v", name, got, fig)
		}
	}
	if len(f.By) != len(want) {
		t.Errorf("figures %v", f.By)
	}
	for text, want := range map[string]string{out: "measured twice", "PASS\n": "no benchmark ran"} {
		if err := addBench(f, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestBusyIn(t *testing.T) {
	got, err := busyIn("cpu  1 2 4 1000 2000 8 16 32 64 128\ncpu0 1 1 1 1 1 1 1 1\n")
	if want := (1 + 2 + 4 + 8 + 16 + 32) * 10 * time.Millisecond; err != nil || got != want {
		t.Errorf("busy for %v, %v; want %v", got, err, want)
	}
	for _, text := range []string{"", "cpu 1 2 3\n", "cpu  1 2 4 1000 x 8 16 32\n"} {
		if _, err := busyIn(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

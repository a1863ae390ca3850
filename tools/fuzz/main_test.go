package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// write makes a module of one package with the given tests, and changes into it.
func write(t *testing.T, tests string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	for name, text := range map[string]string{
		"go.mod":    "module fake\n\ngo 1.26\n",
		"x_test.go": "package fake\n\nimport \"testing\"\n\n" + tests,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	sound  = "func FuzzSound(f *testing.F) { f.Fuzz(func(*testing.T, int) {}) }\n"
	broken = "func FuzzBroken(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) {\n" +
		"if len(b) > 1 { t.Error(\"too long\") } }) }\n"
)

func TestFuzzAll(t *testing.T) {
	if testing.Short() {
		t.Skip("fuzzes")
	}
	tests := []struct{ name, text, wrong string }{
		{"sound", sound, ""},
		{"broken", sound + broken, "fake FuzzBroken: exit status 1"},
		{"none", "func TestA(*testing.T) {}", "no fuzz targets"},
		{"does not compile", "func FuzzA() int {}", "fake FuzzA: exit status 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			write(t, tt.text)
			var out strings.Builder
			got := ""
			if err := fuzzAll([]string{"."}, time.Second, 2, &out); err != nil {
				got = err.Error()
			}
			if got != tt.wrong {
				t.Errorf("fuzzAll: got error %q, want %q; it printed:\n%s", got, tt.wrong, &out)
			}
		})
	}
}

func TestFind(t *testing.T) {
	write(t, sound+broken+"func Fuzzy() {}\nfunc (f) FuzzMethod() {}\n")
	outside := "package fake_test\n\nfunc FuzzOutside() {}\n"
	if err := os.WriteFile("outside_test.go", []byte(outside), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := find([]string{"./..."})
	want := []target{{"fake", "FuzzSound"}, {"fake", "FuzzBroken"}, {"fake", "FuzzOutside"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("find = %v, %v; want %v", got, err, want)
	}
}

func TestUnclear(t *testing.T) {
	const (
		start = "fuzz: elapsed: 0s, execs: 0 (0/sec), new interesting: 0 (total: 0)\n"
		six   = "fuzz: elapsed: 6s, execs: 900 (150/sec), new interesting: 2 (total: 2)\n"
		nine  = "fuzz: elapsed: 9s, execs: 901 (0/sec), new interesting: 2 (total: 2)\n"
		stuck = "fuzz: elapsed: 9s, execs: 900 (0/sec), new interesting: 2 (total: 2)\n"
		end   = "fuzz: elapsed: 10s, execs: 901 (0/sec), new interesting: 2 (total: 2)\n"
		late  = "--- FAIL: FuzzA (10.01s)\n    context deadline exceeded\nFAIL\n"
		found = "    Failing input written to testdata/fuzz/FuzzA/0\n"
		base  = "fuzz: elapsed: 0s, gathering baseline coverage: 0/8 completed\n"
		base3 = "fuzz: elapsed: 3s, gathering baseline coverage: 0/8 completed\n"
	)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"passes", start + six + nine + end, false},
		{"stopped late", start + six + late, true},
		{"found one", start + six + late + found, false},
		{"hangs", start + six + stuck, true},
		{"hangs at once", base + base3, true},
		{"does not compile", "x.go:1: undefined\n", false},
	}
	for _, tt := range tests {
		if got := unclear(tt.text); got != tt.want {
			t.Errorf("%s: unclear = %v, want %v", tt.name, got, tt.want)
		}
	}
}

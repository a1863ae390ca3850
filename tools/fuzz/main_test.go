package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// TestFuzzAll has a go command that does not fuzz, but prints how it is called. It fails for
// FuzzBroken. With the true one, TestFuzz does the same.
func TestFuzzAll(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no sh")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := "#!/bin/sh\n[ $1 = list ] && exec " + tool + " \"$@\"\necho \"$@\"\n[ $7 != '^FuzzBroken$' ]\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	write(t, sound+broken)
	var out strings.Builder
	err = fuzzAll([]string{"."}, time.Second, 2, &out)
	if err == nil || err.Error() != "fake FuzzBroken: exit status 1" {
		t.Errorf("fuzzAll: got error %v, want the status of FuzzBroken", err)
	}
	const want = "--- fake FuzzSound\n" +
		"test -vet off -run ^$ -fuzz ^FuzzSound$ -fuzztime 1s -fuzzminimizetime 10x -parallel 1 fake\n" +
		"--- fake FuzzBroken\n" +
		"test -vet off -run ^$ -fuzz ^FuzzBroken$ -fuzztime 1s -fuzzminimizetime 10x -parallel 1 fake\n"
	if out.String() != want {
		t.Errorf("fuzzAll: it printed\n%s\nwant\n%s", &out, want)
	}
	write(t, "func TestA(*testing.T) {}")
	if err := fuzzAll([]string{"."}, time.Second, 2, &out); err == nil || err.Error() != "no fuzz targets" {
		t.Errorf("fuzzAll without a target: got error %v", err)
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

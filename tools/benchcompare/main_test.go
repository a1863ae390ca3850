package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	module = "module example.com/m\n\ngo 1.24\n"
	code   = "package m\n\nfunc F() int { return 1 }\n"
	bench  = `package m

import "testing"

func BenchmarkF(b *testing.B) {
	for b.Loop() {
		F()
	}
	b.ReportMetric(float64(F()), "result")
}
`
)

// files are texts by name. Without text, there is no such file.
type files map[string]string

// repository makes a git repository whose one commit has some files, and whose working tree has
// changed them.
func repository(t *testing.T, committed, changed files) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	committed.put(t)
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m"},
	} {
		if text, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, text)
		}
	}
	changed.put(t)
}

func (f files) put(t *testing.T) {
	t.Helper()
	for name, text := range f {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			_ = os.Remove(name)
		}
	}
}

func quick() options {
	return options{base: "HEAD", bench: "F", out: "out", pkg: ".", turns: 3, time: time.Microsecond}
}

func TestCompare(t *testing.T) {
	returns2 := strings.Replace(code, "return 1", "return 2", 1)
	renamed := strings.ReplaceAll(bench, "result", "outcome")
	tests := map[string]struct {
		pkg                string
		committed, changed files
		base, new, log     string
	}{
		"code of another package changes": {
			"sub",
			files{"go.mod": module, "sub/a.go": code, "sub/a_bench_test.go": bench},
			files{"sub/a.go": returns2},
			"1.000 result", "2.000 result", "",
		},
		"the benchmark changes, moves to another file and compiles at base": {
			".",
			files{"go.mod": module, "a.go": code, "a_bench_test.go": bench},
			files{"a.go": returns2, "a_bench_test.go": "", "bench_test.go": renamed},
			"1.000 outcome", "2.000 outcome", "",
		},
		"the benchmark does not compile at base": {
			".",
			files{"go.mod": module, "a.go": code, "a_bench_test.go": bench},
			files{
				"a.go":            strings.ReplaceAll(returns2, "F", "FF"),
				"a_bench_test.go": strings.ReplaceAll(renamed, "F()", "FF()"),
			},
			"1.000 result", "2.000 outcome", "each side runs its own",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			repository(t, tt.committed, tt.changed)
			o := quick()
			o.pkg = tt.pkg
			var log strings.Builder
			if err := compare(o, &log); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"base.txt": tt.base, "new.txt": tt.new} {
				text, err := os.ReadFile(filepath.Join("out", name))
				if err != nil || strings.Count(string(text), want) != 3 {
					t.Errorf("%v; want %q 3 times in %s:\n%s", err, want, name, text)
				}
			}
			if own := "each side runs its own"; strings.Contains(log.String(), own) != (tt.log == own) {
				t.Errorf("log is %q", log.String())
			}
		})
	}
}

func TestCompareRefuses(t *testing.T) {
	repository(t, files{"go.mod": module, "a.go": code, "a_bench_test.go": bench}, nil)
	tests := map[string]struct {
		change func(*options)
		want   string
	}{
		"no turns":      {func(o *options) { o.turns = 0 }, "-turns must be positive (got 0)"},
		"no revision":   {func(o *options) { o.base = "nowhere" }, "git rev-parse --verify nowhere"},
		"no benchmarks": {func(o *options) { o.bench = "G" }, `no benchmark of . matches "G"`},
		"no package":    {func(o *options) { o.pkg = "none" }, "go test -c in none"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := quick()
			tt.change(&o)
			if err := compare(o, io.Discard); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
)

// PrintRun prints what is to be read.
func PrintRun(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	printTables(b, r.Recorder, r.Impls, r.Jobs)
	fmt.Fprintf(b, "\n%s\n", r.Machine)
	if r.Out != "" {
		fmt.Fprintf(b, "Every figure: %s\n", filepath.Join(r.Out, ReportFile))
	}
	return b.Flush()
}

func encodeResults(r *Report) ([]byte, error) {
	results, err := json.MarshalIndent(r.Recorder.Results(), "", " ")
	return append(results, '\n'), err
}

func PrintJSON(w io.Writer, r *Report) error {
	results, err := encodeResults(r)
	if err != nil {
		return err
	}
	_, err = w.Write(results)
	return err
}

// PrintBench prints every sample in the format of Go's benchmarks, a line each, so that benchstat
// takes their medians and compares two runs, or two implementations:
//
//	benchstat -col /impl new.txt
//
// Source: https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md
func PrintBench(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: github.com/seed505807e1/berth/lab\ncpu: %s\n",
		runtime.GOOS, runtime.GOARCH, r.Machine.CPU)
	for _, f := range r.Recorder.All() {
		if !f.ChecksumOK {
			continue // it does not count
		}
		name := fmt.Sprintf("Benchmark%s/metric=%s/impl=%s/n=%d/bytes=%d-%d",
			camel(f.Workload), f.Metric, benchName(f.Impl), f.N, f.ElemBytes, r.Machine.Procs)
		for _, v := range f.Samples {
			fmt.Fprintf(b, "%s 1 %g %s\n", name, v, benchUnit(f.Unit))
		}
	}
	return b.Flush()
}

// camel writes cross-ephemeral as CrossEphemeral.
func camel(name string) string {
	parts := strings.Split(name, "-")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// benchName takes out of a name what ends a word or a key in the format.
func benchName(impl string) string {
	return strings.NewReplacer(" ", "_", "/", "_", "-", "_").Replace(impl)
}

// benchUnit is the unit as benchstat wants it: by it, ns/op is shown as time and B as bytes.
func benchUnit(unit string) string {
	units := map[string]string{"ns": "ns/op", "ms": "ms/op", "bytes": "B"}
	if u, ok := units[unit]; ok {
		return u
	}
	return strings.ReplaceAll(unit, " ", "-")
}

package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// A run is refused at a higher load than maxLoad, and its figures if others used more than
// maxOthers processors while it ran.
const (
	maxLoad   = 1.5
	maxOthers = 0.25
)

// step is a command whose figures the pages show: the lab with these arguments, or go test.
type step struct {
	lab   []string
	bench string // the pattern of benchmarks
	pkg   string // of the benchmarks
	env   []string
}

// benchArgs are those of each go test.
var benchArgs = []string{"-count", "3", "-benchtime", "50ms"}

// layouts is the number of programs that are linked in different orders. Loops of the same
// instructions may take twice as long at another address, so a figure is the median of its figures
// in all of them.
const layouts = 3

// steps are those of a run. The first use all processors; none measures what another does.
var steps = []step{
	{lab: []string{"-workload", "shared", "-reps", "15"}},
	{lab: []string{"-workload", "shared-memory", "-reps", "2"}},
	{bench: "Parallel", pkg: "."},
	{bench: "Members", pkg: "./concurrent"},
	{lab: []string{"-peers", "rust,cpp", "-workload", "basic,ephemeral,sparse,churn"}},
	{lab: []string{"-peers", "rust,cpp", "-workload", "memory", "-elem", "8"}},
	{lab: []string{"-workload", "elements,rooms"}},
	{lab: []string{"-workload", "gc", "-impl", "berth.Pool,berth.Dense,[]T,[]*T,map[uint64]*T"}},
	{lab: []string{"-peers", "rust", "-workload", "growth"}},
	{lab: []string{"-workload", "freelist,broadphase"}},
	{lab: []string{"-workload", "lru"}},
	{lab: []string{"-workload", "arena"}},
	{lab: []string{"-peers", "rust", "-workload", "columns"}},
	{lab: []string{"-workload", "entities", "-full"}},
	{lab: []string{"-workload", "save", "-reps", "5"}},
	{lab: []string{"-workload", "dcm-pool", "-reps", "3"}},
	{bench: "InsertMany|LRU|Column|SetAll", pkg: "."},
	{bench: "Particles", pkg: "./examples/recipes", env: []string{"GOEXPERIMENT=simd"}},
	{bench: "Step", pkg: "./lab/internal/ecs"},
	{bench: "From|Small", pkg: "./examples/migrating"},
	{bench: ".", pkg: "./observe"},
}

func (s step) args() []string {
	if s.lab != nil {
		return s.lab
	}
	test := []string{"test", "-run", "^$", "-bench", s.bench}
	return slices.Concat(test, benchArgs, []string{s.pkg})
}

// String returns the command.
func (s step) String() string {
	words := slices.Concat(s.env, []string{"go"}, s.args())
	if s.lab != nil {
		words = append([]string{"go", "run", "./lab"}, s.lab...)
	}
	return strings.Join(words, " ")
}

// Measure takes all figures, in the root of the repository. Progress goes to log. It returns an
// error if the machine is busy. If it was busy during the run, Measure returns the figures too.
func Measure(ctx context.Context, log io.Writer) (*Figures, error) {
	return measureAll(ctx, steps, log, system{measure.SystemLoad, busyNow, time.Now})
}

type system struct {
	load func() string
	busy func() (time.Duration, error)
	now  func() time.Time
}

// measureAll is Measure with other steps, on another machine.
func measureAll(
	ctx context.Context, steps []step, log io.Writer, sys system,
) (*Figures, error) {
	load, err := strconv.ParseFloat(sys.load(), 64)
	if err != nil {
		return nil, errors.New("the system does not tell its load, so figures cannot be trusted")
	}
	if load > maxLoad {
		return nil, fmt.Errorf("the load is %.2f, and figures need %.1f at most", load, maxLoad)
	}
	began := sys.now()
	busy, err := sys.busy()
	if err != nil {
		return nil, err
	}
	m := measure.ThisMachine()
	f := &Figures{
		Date: began.Format("2 January 2006"),
		Machine: fmt.Sprintf("%s (%d virtual cores, %s), %s, %s",
			m.CPU, m.Cores, m.Memory, m.OS, strings.Replace(m.Go, "go", "Go ", 1)),
		By: map[string]Figure{},
	}
	var own time.Duration
	for i, s := range steps {
		fmt.Fprintf(log, "%d of %d: %s\n", i+1, len(steps), s)
		var each []*Figures
		for layout := range layouts {
			one := &Figures{By: map[string]Figure{}}
			used, err := s.run(ctx, one, layout+1, log)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s, err)
			}
			own += used
			each = append(each, one)
		}
		if err := f.addMedians(each); err != nil {
			return nil, err
		}
	}
	all, err := sys.busy()
	if err != nil {
		return nil, err
	}
	others := float64(all-busy-own) / float64(sys.now().Sub(began))
	fmt.Fprintf(log, "%s; load %.2f before; others used %.2f processors\n",
		sys.now().Sub(began).Round(time.Second), load, others)
	if others > maxOthers {
		return f, fmt.Errorf("others used %.2f processors, and figures need %.2f at most",
			others, maxOthers)
	}
	return f, nil
}

// run runs the command in a layout, adds its figures to f, and returns its processor time.
func (s step) run(
	ctx context.Context, f *Figures, layout int, log io.Writer,
) (time.Duration, error) {
	name, args, read := s.command(layout)
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, log
	cmd.Env = append(os.Environ(), s.env...)
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fmt.Errorf("%w\n%s", err, tail(out.Bytes()))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), read(f, out.Bytes())
}

// tail returns the end of a command's output.
func tail(out []byte) []byte { return out[max(0, len(out)-1000):] }

// command returns the command that is run in a layout, and a function that adds the figures in its
// output. The go command keeps what it has compiled, and links anew.
func (s step) command(
	layout int,
) (name string, args []string, read func(*Figures, []byte) error) {
	order := fmt.Sprintf("-ldflags=-randlayout=%d", layout)
	if s.lab == nil {
		return "go", slices.Insert(s.args(), 1, order), addBench
	}
	args = []string{"run", order, "./lab", "-json", "-out", filepath.Join("lab-out", "docs")}
	return "go", append(args, s.args()...), addLab
}

// addLab adds the figures of results.json.
func addLab(f *Figures, out []byte) error {
	var results []measure.Result
	if err := json.Unmarshal(out, &results); err != nil {
		return err
	}
	for _, r := range results {
		if !r.ChecksumOK {
			return fmt.Errorf("wrong checksum: %s of %s by %s", r.Metric, r.Workload, r.Impl)
		}
		fig := Figure{Value: r.Value, Unit: r.Unit}
		if r.Bands != nil {
			fig.Spread = spread(r.Value, r.Bands.B75[0], r.Bands.B75[1])
		}
		if r.Ratio != nil {
			fig.Ratio = r.Ratio.Value
		}
		name := fmt.Sprintf("%s/%s@%dx%d/%s", r.Workload, r.Metric, r.N, r.ElemBytes, r.Impl)
		if err := f.add(name, fig); err != nil {
			return err
		}
	}
	return nil
}

// addBench adds the medians of the benchmarks in the output of go test.
func addBench(f *Figures, out []byte) error {
	samples := map[string][]float64{}
	var names []string
	r := benchfmt.NewReader(bytes.NewReader(out), "go test")
	for r.Scan() {
		b, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		base, parts := b.Name.Parts()
		if last := len(parts) - 1; last >= 0 && parts[last][0] == '-' { // GOMAXPROCS
			parts = parts[:last]
		}
		name := string(base) + string(bytes.Join(parts, nil))
		for _, v := range b.Values {
			value, unit := v.Value, v.Unit
			if v.OrigUnit != "" {
				value, unit = v.OrigValue, v.OrigUnit
			}
			key := name + ":" + unit
			if samples[key] == nil {
				names = append(names, key)
			}
			samples[key] = append(samples[key], value)
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("no benchmark ran")
	}
	for _, name := range names {
		s := samples[name]
		_, unit, _ := strings.Cut(name, ":")
		fig := Figure{Value: measure.Quantile(s, 0.5), Unit: unit}
		fig.Spread = spread(fig.Value, measure.Quantile(s, 0.125), measure.Quantile(s, 0.875))
		if err := f.add(name, fig); err != nil {
			return err
		}
	}
	return nil
}

// busyNow returns the time that the processors have been busy since the start, with what other
// machines on the same hardware took.
func busyNow() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("the system does not tell what other programs use: %w", err)
	}
	return busyIn(string(text))
}

// busyIn reads the first line of /proc/stat: hundredths of seconds as user, nice, system, idle,
// waiting, interrupts, soft interrupts, stolen.
func busyIn(stat string) (time.Duration, error) {
	line, _, _ := strings.Cut(stat, "\n")
	words := strings.Fields(line)
	if len(words) < 9 {
		return 0, fmt.Errorf("/proc/stat begins with %q", line)
	}
	var sum int64
	for i, word := range words[1:9] {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/stat: %w", err)
		}
		if i != 3 && i != 4 { // idle, waiting
			sum += n
		}
	}
	return time.Duration(sum) * 10 * time.Millisecond, nil
}

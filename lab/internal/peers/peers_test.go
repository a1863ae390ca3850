package peers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/collections"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
	"github.com/seed505807e1/berth/lab/internal/testkit"
)

// asPeer makes the test binary run as a peer whose implementations fail, each in the way of its
// name.
const asPeer = "BERTH_LAB_AS_PEER"

func init() {
	if os.Getenv(asPeer) != "" {
		fakePeer()
		os.Exit(0)
	}
}

// fakes are the implementations of the fake peer, with the expected reports.
var fakes = []struct {
	name string
	rep  func(n uint64) // its answer to the request for a repetition
	want string         // in the line about it; none if empty
}{
	{"right", func(n uint64) { sayMetric("insert_new", "1.5", n*(n-1)/2) }, ""},
	{"wrong", func(uint64) { sayMetric("insert_new", "1.5", 1) }, ""},
	{"dies", func(uint64) { fmt.Fprintln(os.Stderr, "out of\nluck"); os.Exit(3) }, "exit status 3: out of luck"},
	{"leaves", func(uint64) { os.Exit(0) }, "it ended"},
	{"hangs", func(uint64) { time.Sleep(time.Hour) }, "no answer within"},
	{"refuses", func(uint64) { fmt.Println("error not today") }, "it refuses: not today"},
	{"babbles", func(uint64) { fmt.Println("all is well\nend") }, `nonsense: "all is well"`},
	{"says nothing", func(uint64) { fmt.Println("end") }, "nonsense"},
	{"never stops", func(uint64) {
		for {
			fmt.Println("metric insert_new ns 1 1")
		}
	}, "nonsense"},
	{"long line", func(uint64) { fmt.Println(strings.Repeat("x", 2*maxAnswerLine)) }, "token too long"},
	{"no number", func(n uint64) { sayMetric("insert_new", "NaN", n*(n-1)/2) }, "nonsense"},
	{"below zero", func(n uint64) { sayMetric("insert_new", "-1", n*(n-1)/2) }, "nonsense"},
	{"other metric", func(n uint64) { sayMetric("insert_old", "1", n*(n-1)/2) }, "nonsense"},
	{"other unit", func(n uint64) { fmt.Printf("metric insert_new miles 1 %d\nend\n", n*(n-1)/2) }, "nonsense"},
	{"no checksum", func(uint64) { fmt.Println("metric insert_new ns 1 -1\nend") }, "nonsense"},
	{"has steps", func(uint64) { fmt.Println("steps 1" + strings.Repeat(" 1", collections.StepCount) + "\nend") }, "nonsense"},
	{"two lines", func(n uint64) { fmt.Print("metric insert_new ns 1 1\n\xff\xfe\nend\n") }, "nonsense"},
}

func sayMetric(name, value string, sum uint64) {
	fmt.Printf("metric %s ns %s %d\nend\n", name, value, sum)
}

// fakeID is a fake's name in the protocol: without spaces.
func fakeID(name string) string { return strings.ReplaceAll(name, " ", "-") }

func fakePeer() {
	greeting := "peer 1\n"
	for _, f := range fakes {
		greeting += "impl " + fakeID(f.name) + " basic\n"
	}
	if g := os.Getenv(asPeer); g != "fakes" {
		greeting = g
	}
	var n uint64
	started := map[string]bool{}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		words := strings.Fields(in.Text())
		switch words[0] {
		case "hello":
			fmt.Print(greeting + "end\n")
		case "start":
			started[words[1]] = true
			n, _ = strconv.ParseUint(words[3], 10, 64)
			fmt.Println("end")
		case "rep":
			if !started[words[1]] {
				fmt.Println("error not started")
				continue
			}
			for _, f := range fakes {
				if fakeID(f.name) == words[1] {
					f.rep(n)
				}
			}
		}
	}
}

// newFake returns a peer that is the test binary, with this greeting.
func newFake(t *testing.T, ctx context.Context, say io.Writer, greeting string) *peer {
	t.Helper()
	exe, err := os.Executable()
	testkit.Must(t, err)
	p := newPeer(ctx, "fake", say, exe)
	command := p.command
	p.command = func(ctx context.Context) *exec.Cmd {
		c := command(ctx)
		c.Env = append(os.Environ(), asPeer+"="+greeting)
		return c
	}
	p.limit = 3 * time.Second
	t.Cleanup(p.drop)
	return p
}

// fakeImpls returns the implementations of the fake peer.
func fakeImpls(t *testing.T, p *peer) []measure.Impl {
	t.Helper()
	if err := p.greet(); err != nil {
		t.Fatalf("greet: %v", err)
	}
	return (&language{prefix: "fake"}).implsOf(p)
}

// jobOf returns a job of the named workload, whose family also has ims.
func jobOf(name string, n, elem, reps int, ims []measure.Impl) measure.Job {
	for _, w := range catalogue.All.With(ims).Works() {
		if w.Name == name {
			return measure.Job{Family: w.Family, Workload: w.Workload, N: n, Elem: elem, Reps: reps}
		}
	}
	panic("no workload " + name)
}

// A failing implementation must not end the run, or affect the others of its process.
func TestPeerFailures(t *testing.T) {
	t.Parallel() // it waits for what hangs
	var said bytes.Buffer
	p := newFake(t, t.Context(), &said, "fakes")
	ims := append(fakeImpls(t, p), impls.Slice)
	const reps = 3
	j := jobOf("basic", 50, 32, reps, ims)
	rec := measuretest.Run(t, []measure.Job{j}, ims)
	lines := strings.Split(said.String(), "\n")
	at := measure.Index(rec)
	for _, f := range fakes {
		name := "fake " + fakeID(f.name)
		i := slices.IndexFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, "peers: "+name+" is left out from basic, 32 B on: ")
		})
		fig := at[j.At(name, "insert_new")]
		switch {
		case f.want != "":
			if i < 0 || !strings.Contains(lines[i], f.want) {
				t.Errorf("%s: no line with %q in\n%s", name, f.want, said.String())
			}
			if fig != nil {
				t.Errorf("%s: a figure of what failed: %+v", name, fig)
			}
		case i >= 0:
			t.Errorf("%s: %s", name, lines[i])
		case fig == nil || len(fig.Samples) != reps || fig.Value != 1.5:
			t.Errorf("%s: want a figure 1.5 of %d repetitions, got %+v", name, reps, fig)
		case fig.ChecksumOK != (f.name == "right"):
			t.Errorf("%s: checksum ok: %v", name, fig.ChecksumOK)
		}
	}
	if at[j.At("[]T", "insert_new")] == nil {
		t.Error("[]T was not measured")
	}
	if want := len(fakes) - 2; len(lines)-1 != want {
		t.Errorf("%d lines said, want %d, one each", len(lines)-1, want)
	}
}

// Figures from before a failure stay, with a note.
func TestPeerFailsLater(t *testing.T) {
	p := newFake(t, t.Context(), io.Discard, "fakes")
	ims := fakeImpls(t, p)
	j := jobOf("basic", 50, 32, 1, ims)
	rec := measure.NewRecorder()
	r := ims[0].Remote.(*peerImpl)
	tr := &measure.Trial{Job: j, Ctx: t.Context(), Impl: ims[0], Want: j.Workload.Want(j), Recorder: rec}
	once := ims[0].Remote.Start(tr)
	testkit.Must(t, once())
	p.command = func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "/nonexistent/peer") }
	p.drop()
	for range 2 { // the second time it gets no request
		testkit.Must(t, once())
	}
	f := rec.All()[0]
	if !r.gone || !strings.Contains(f.Note, "failed") || len(f.Samples) != 1 {
		t.Errorf("gone %v, figure %+v", r.gone, f)
	}
}

func TestPeerGreeting(t *testing.T) {
	for greeting, want := range map[string]string{
		"peer 2\n":                   "nonsense",
		"good morning\n":             "nonsense",
		"peer 1\nimpl\n":             "nonsense",
		"peer 1\nhere I am\n":        "nonsense",
		"error not today\n":          "it refuses: not today",
		"peer 1\nimpl right spell\n": "", // unknown workloads are ignored
	} {
		p := newFake(t, t.Context(), io.Discard, greeting)
		switch err := p.greet(); {
		case want == "" && err != nil:
			t.Errorf("greet %q: %v", greeting, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("greet %q: got %v, want %q", greeting, err, want)
		}
	}
}

// An interrupted run ends at once, reports no failures, and leaves no process.
func TestPeerInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var said bytes.Buffer
	p := newFake(t, ctx, &said, "fakes")
	ims := fakeImpls(t, p)
	ims = slices.DeleteFunc(ims, func(im measure.Impl) bool { return im.Remote.(*peerImpl).id != "hangs" })
	p.limit = time.Hour
	process := p.process
	time.AfterFunc(100*time.Millisecond, stop)
	j := jobOf("basic", 50, 32, 1, ims)
	err := measure.Run(ctx, []measure.Job{j}, ims, measure.NewRecorder(), measure.Silent{})
	if !errors.Is(err, measure.ErrStopped) || said.Len() > 0 {
		t.Errorf("measure: %v, and said %q", err, said.String())
	}
	if how := <-process.ended; how == nil {
		t.Error("the process was not killed")
	} else {
		process.ended <- how
	}
}

func TestChooseLanguages(t *testing.T) {
	for list, want := range map[string]int{"rust": 1, "cpp": 1, "cpp,rust": 2, "rust, cpp": 2, "rust,rust": 1} {
		if got, err := chooseLanguages(list); err != nil || len(got) != want {
			t.Errorf("%q: %d languages and %v, want %d", list, len(got), err, want)
		}
	}
	for _, list := range []string{"", "go", "rust,", "Rust"} {
		_, _, err := Start(t.Context(), list, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "known are rust, cpp") {
			t.Errorf("-peers %q: got %v", list, err)
		}
	}
}

// Without compilers the run continues, and a line for each language names the packages to install.
func TestPeersMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said bytes.Buffer
	ims, stop, err := Start(t.Context(), "rust,cpp", &said)
	if err != nil || len(ims) > 0 {
		t.Fatalf("%d implementations and %v", len(ims), err)
	}
	stop()
	want := "peers: rust is left out: cargo: not installed; it needs the Debian packages " + rustLang.needs + "\n" +
		"peers: cpp is left out: g++: not installed; it needs the Debian packages " + cppLang.needs + "\n"
	if said.String() != want {
		t.Errorf("said\n%swant\n%s", said.String(), want)
	}
}

func TestPeerBuildsOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	builds, version := 0, "1"
	l := *cppLang
	l.tools = nil
	l.version = func(context.Context) (string, error) { return version + "\nand a library", nil }
	l.build = func(_ context.Context, dir string, log io.Writer) (string, error) {
		builds++
		if builds == 1 {
			fmt.Fprintln(log, "undeclared identifier")
			return "", errors.New("exit status 1")
		}
		if _, err := os.Stat(filepath.Join(dir, "main.cpp")); err != nil {
			t.Errorf("the sources are not there: %v", err)
		}
		bin := filepath.Join(dir, "out")
		return bin, os.WriteFile(bin, nil, 0o755)
	}
	_, _, err := l.binary(t.Context(), io.Discard)
	if err == nil {
		t.Fatal("a build that failed gave no error")
	}
	_, path, ok := strings.Cut(err.Error(), "exit status 1; see ")
	if log, err := os.ReadFile(path); !ok || string(log) != "undeclared identifier\n" {
		t.Errorf("the log %q: %q, %v", path, log, err)
	}
	first, _, err := l.binary(t.Context(), io.Discard)
	testkit.Must(t, err)
	if again, by, err := l.binary(t.Context(), io.Discard); err != nil || again != first || by != "1" || builds != 2 {
		t.Errorf("again: %s, %v after %d builds; want %s after 2", again, err, builds, first)
	}
	version = "2"
	if other, _, err := l.binary(t.Context(), io.Discard); err != nil || other == first || builds != 3 {
		t.Errorf("another compiler: %s, %v after %d builds", other, err, builds)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(first), "build-*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
}

// realPeers starts the real peers, or skips the test.
func realPeers(t *testing.T) []measure.Impl {
	t.Helper()
	if testing.Short() {
		t.Skip("building them takes half a minute")
	}
	var said bytes.Buffer
	ims, stop, err := Start(t.Context(), "rust,cpp", &said)
	testkit.Must(t, err)
	t.Cleanup(stop)
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "left out") && !strings.Contains(line, errMissing.Error()) {
			t.Error(line)
		}
		t.Log(line)
	}
	if len(ims) == 0 && !t.Failed() {
		t.Skip(said.String())
	}
	return ims
}

// only lists the peers of the workloads that not all peers run.
var only = map[string][]string{
	"growth":        {"rust slotmap", "rust DenseSlotMap"},
	"columns":       {"rust slotmap"},
	"shared":        {"rust sharded-slab"},
	"shared-memory": {"rust sharded-slab"},
}

// apart lists the peers that run only workloads of only.
var apart = []string{"rust sharded-slab"}

func TestPeersAgree(t *testing.T) {
	t.Parallel()
	ims := realPeers(t)
	var jobs []measure.Job
	all := catalogue.All.With(ims)
	for _, w := range all.Works() {
		if !ims[0].Remote.Runs(w.Name) {
			continue
		}
		for _, size := range []struct{ n, elem int }{{1, 8}, {26, 128}, {777, 32}} {
			if w.Own {
				size.elem = w.Elems[0]
			}
			jobs = append(jobs, jobOf(w.Name, size.n, size.elem, 1, ims))
		}
		if slices.Contains([]string{"basic", "cross", "ephemeral", "cross-ephemeral"}, w.Name) { // the published sums
			jobs = append(jobs, jobOf(w.Name, w.N, w.Elems[0], 2, ims))
		}
	}
	common := len(ims)
	for _, im := range ims {
		if im.About == "" || im.Stale == "" || im.Loops == "" {
			t.Errorf("%s: nothing is said of it", im.Name)
		}
		want := len(ims[len(ims)-1].Remote.(*peerImpl).works)
		if slices.Contains(apart, im.Name) {
			want = 0
			common--
		}
		for work, peers := range only {
			runs := slices.Contains(peers, im.Name)
			if runs {
				want++
			}
			if im.Remote.Runs(work) != runs {
				t.Errorf("%s runs %s: %t", im.Name, work, !runs)
			}
		}
		if n := len(im.Remote.(*peerImpl).works); n != want {
			t.Errorf("%s runs %d workloads, want %d", im.Name, n, want)
		}
	}
	rec := measuretest.Run(t, jobs, ims)
	measuretest.Check(t, rec, jobs, ims)
	for _, j := range jobs {
		want := common
		if peers, ok := only[j.Workload.Name]; ok {
			want = len(peers)
		}
		if n := len(j.Runners(ims)); n != want {
			t.Errorf("%s: %d run it, want %d", j.Label(), n, want)
		}
	}
}

// A real peer answers any input with a line, and continues.
func TestPeersRefuse(t *testing.T) {
	for _, im := range realPeers(t) {
		r := im.Remote.(*peerImpl)
		p, id := r.peer, r.id
		for _, line := range []string{
			"", "  ", "hello there", "start", "rep", "rep nobody", "start nobody basic 10 8", "\xff\xfe\x00",
			"start " + id + " basic 0 8", "start " + id + " basic -1 8", "start " + id + " basic 10000001 8",
			"start " + id + " basic 99999999999999999999 8", "start " + id + " basic 10 9", "start " + id + " basic ten 8",
			"start " + id + " nothing 10 8", "start " + id + " basic 10 8 8", strings.Repeat("x ", 50_000),
		} {
			process := p.process
			if _, err := p.ask(line); !errors.Is(err, errRefused) || p.process != process {
				t.Errorf("%s, %.40q: got %v", im.Name, line, err)
			}
		}
	}
}

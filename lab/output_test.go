package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fixedReport makes a report of invented figures: every metric, some of them extreme, one wrong.
func fixedReport(partial bool) *report {
	rec := newRecorder()
	jobs, err := plan(workloads, 0, 0, 0, false)
	if err != nil {
		panic(err)
	}
	if partial {
		jobs = jobs[:3]
	}
	r := rng{seed}
	for _, j := range jobs {
		for k, im := range j.runners(allImpls()) {
			k %= 7 // more powers than that make figures that nobody prints
			if slices.Contains(published[j.w.name], "step_100") {
				ns := make([]float64, steps)
				for i := range ns {
					ns[i] = float64(50*(k+1)) + float64(r.below(40))
					if i >= burstStep {
						ns[i] *= 1000 * math.Exp(-float64(i-burstStep)/20*float64(7-k))
					}
				}
				rec.addSteps(im.name, j, ns, 7, 7)
				continue
			}
			for _, m := range publishedOf(im, j.w) {
				for range 3 {
					rec.add(im.name, j, m, "ns", math.Pow(30, float64(k))/10+float64(r.below(20)), 7, 7)
				}
			}
		}
	}
	rec.add(collections.impls[0].name, jobs[0], "iter_sum_values", "ns", 1.5, 7, 7)
	rec.add(collections.impls[1].name, jobs[0], "iter_sum", "ns", 1.5, 8, 7)
	return &report{
		rec: rec, impls: allImpls(), jobs: jobs, partial: partial,
		started: time.Unix(1_800_000_000, 0).UTC(), took: time.Minute,
		command: "go run ./lab <&> '$(x)'", machine: machine{CPU: "A processor", Go: "go1.26", OS: "linux/amd64", Cores: 2, Procs: 2, Berth: "of a test"},
	}
}

func TestTableWidth(t *testing.T) {
	r := fixedReport(false)
	var b bytes.Buffer
	printTables(&b, r.rec, r.impls, r.jobs)
	for line := range strings.SplitSeq(b.String(), "\n") {
		if len(line) > tableWidth {
			t.Errorf("line of %d columns:\n%s", len(line), line)
		}
	}
	for _, w := range workloads {
		if !strings.Contains(b.String(), "\n"+w.name+": ") {
			t.Errorf("no table of %s", w.name)
		}
	}
	for _, f := range families {
		for _, im := range f.impls {
			tables := len(slices.DeleteFunc(slices.Clone(r.jobs), func(j job) bool { return len(j.w.of([]impl{im})) == 0 }))
			if n := strings.Count(b.String(), "\n"+im.name+" "); n < tables {
				t.Errorf("%s has %d rows, want one in each of %d tables at least", im.name, n, tables)
			}
			if n := strings.Count(b.String(), "\n"+im.name+" "); im.name == orderedImpl.name && n != 1 {
				t.Errorf("%s has %d rows, want one, in dcm alone", im.name, n)
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		v    float64
		want string
	}{
		{0, "0.00"}, {0.2345, "0.23"}, {9.994, "9.99"}, {12.34, "12.3"}, {99.96, "100"}, {1234, "1234"},
		{12345, "12.3k"}, {1234567, "1235k"}, {12345678, "12.3M"}, {1e11, "100G"}, {-5, "-5.00"},
	} {
		if got := number(tc.v); got != tc.want {
			t.Errorf("number(%g) = %s, want %s", tc.v, got, tc.want)
		}
	}
}

func TestRatio(t *testing.T) {
	for _, tc := range []struct {
		q    float64
		want string
	}{{0.0001, "<0.01x"}, {0.5, "0.50x"}, {1, "1.0x"}, {1.26, "1.3x"}, {9.96, "10x"}, {1234, "1234x"}, {12345, "12.3kx"}} {
		if got := ratio(tc.q); got != tc.want {
			t.Errorf("ratio(%g) = %s, want %s", tc.q, got, tc.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{5, 1, 3, 2, 4}
	for _, tc := range []struct{ q, want float64 }{{0, 1}, {0.5, 3}, {0.125, 1.5}, {1, 5}} {
		if got := quantile(v, tc.q); got != tc.want {
			t.Errorf("quantile(%v, %g) = %g, want %g", v, tc.q, got, tc.want)
		}
	}
	if got := quantile([]float64{7}, 0.875); got != 7 {
		t.Errorf("quantile of one sample = %g, want it", got)
	}
}

func TestStepMetricsFromMedians(t *testing.T) {
	rec := newRecorder()
	j := job{w: ephemeral, n: 1, elem: 4}
	ns := make([]float64, steps)
	for _, late := range []float64{30, 10, 20} {
		for i := range ns {
			ns[i] = 1
			if i >= 160 {
				ns[i] = late
			}
		}
		rec.addSteps("x", j, ns, 1, 1)
	}
	at := index(rec)
	for m, want := range map[string]float64{"step_50": 1, "step_254": 20, "pre_mean": 1, "post_mean": 20, "worst_after": 20, "total": 160 + 95*20} {
		if got := at[j.at("x", m)].Value; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", m, got, want)
		}
	}
}

// marks parses a document and counts the shapes that draw data.
func marks(t *testing.T, doc string) int {
	t.Helper()
	n := 0
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		if e, ok := tok.(xml.StartElement); ok && (e.Name.Local == "rect" || e.Name.Local == "path") {
			n++
		}
		if e, ok := tok.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestChartsAreWellFormed(t *testing.T) {
	nasty := `<b> & "c"`
	for _, logAxis := range []bool{false, true} {
		for _, v := range []float64{-3, 0, 1e-9, 1, 1e12} {
			bars := []bar{{nasty, v, "ours", "(1x)"}, {"b", v * 2, "", ""}}
			if n := marks(t, string(barChart("id", nasty, "ns", bars, logAxis))); n != 2 {
				t.Errorf("barChart(%g, log %t): %d marks, want 2", v, logAxis, n)
			}
		}
	}
	for _, v := range []float64{0, 1, 1e12} {
		lines := []series{{nasty, 0, slices.Repeat([]float64{v}, steps)}, {"b", 6, slices.Repeat([]float64{v + 1}, steps)}}
		if n := marks(t, string(lineChart("id", nasty, "ns", lines))); n != 2 {
			t.Errorf("lineChart(%g): %d marks, want 2", v, n)
		}
	}
}

func TestReport(t *testing.T) {
	for _, partial := range []bool{false, true} {
		page, err := fixedReport(partial).html()
		if err != nil {
			t.Fatal(err)
		}
		s := string(page)
		for _, im := range allImpls() {
			if name := strings.ReplaceAll(im.name, "+", "&#43;"); !strings.Contains(s, "<h3>"+name+"</h3>") {
				t.Errorf("partial %t: no description of %s", partial, im.name)
			}
		}
		if strings.Contains(s, "Partial.") != partial {
			t.Errorf("partial %t: banner is there: %t", partial, !partial)
		}
		if n := strings.Count(s, "http"); n != strings.Count(s, `xmlns="http://www.w3.org/2000/svg"`) {
			t.Errorf("partial %t: the page refers to something outside itself", partial)
		}
		if strings.Contains(s, "ZgotmplZ") || strings.Contains(s, "<&>") {
			t.Errorf("partial %t: badly escaped", partial)
		}
		if n, want := strings.Count(s, "<svg"), strings.Count(s, "<desc"); n == 0 || n != want || n != strings.Count(s, "<figure") {
			t.Errorf("partial %t: %d figures, %d descriptions", partial, n, want)
		}
	}
}

func TestJudge(t *testing.T) {
	fig := func(impl string, v float64) *figure { return &figure{Result: Result{Impl: impl, Value: v}} }
	rivals := []*figure{fig("a", 20), fig("b", 10), fig("c", 30)}
	for _, tc := range []struct {
		v    float64
		want verdict
	}{
		{5, verdict{"wins", "wins 2.0x over b"}},
		{10.4, verdict{"even", "even with b"}},
		{9.6, verdict{"even", "even with b"}},
		{15, verdict{"loses", "loses 1.5x to b"}},
	} {
		if got := judge(fig("x", tc.v), rivals); *got != tc.want {
			t.Errorf("judge(%g) = %v, want %v", tc.v, *got, tc.want)
		}
	}
	if got := judge(fig("x", 1), nil); got != nil {
		t.Errorf("judge without rivals = %v, want nil", *got)
	}
}

// Each subject has verdicts of its own, in which what is of this library is no rival.
func TestTwoSubjects(t *testing.T) {
	rec := newRecorder()
	j := job{w: churn, n: 1, elem: 8}
	ims := []impl{poolImpl, denseImpl, sliceImpl, genpoolImpl}
	for i, v := range []float64{20, 1, 10, 40} {
		rec.add(ims[i].name, j, "ns_per_pair", "ns", v, 7, 7)
	}
	page, err := (&report{rec: rec, impls: ims, jobs: []job{j}}).html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<th scope="col" class="verdict">berth.Pool against the best</th><th scope="col" class="verdict">berth.Dense against the best</th>`,
		`<span class="loses">loses 2.0x to []T</span><br>of the safe: <span class="wins">wins 2.0x over genpool</span></td>` +
			`<td class="verdict"><span class="wins">wins 10x over []T</span><br>of the safe: <span class="wins">wins 40x over genpool</span></td>`,
		`Of the 1 figures that berth.Pool has rivals in, outside this library, it is the fastest or smallest in 0, within 5 % of the best in 0, and behind in 1. ` +
			`Against the safe ones alone, whose stale handles find nothing (genpool): ahead in 1, within 5 % in 0, behind in 0.</p>`,
		`Of the 1 figures that berth.Dense has rivals in, outside this library, it is the fastest or smallest in 1,`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	page, err = (&report{rec: rec, impls: ims[1:2], jobs: []job{j}}).html()
	if err != nil || strings.Contains(string(page), "against the best") {
		t.Errorf("a subject without rivals has verdicts (%v)", err)
	}
}

func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "two"} {
		if err := writeFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, dir, "f"); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	taken := filepath.Join(dir, "taken")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(taken, []byte("x")); err == nil {
		t.Error("writing over a folder: no error")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("a temporary file is left: %v (%v)", entries, err)
	}
}

func TestGenpool(t *testing.T) {
	var p genpool[int]
	if p.ptr(genhandle{}) != nil {
		t.Error("the zero handle resolves in an empty pool")
	}
	a := p.insert(1)
	if p.ptr(genhandle{}) != nil {
		t.Error("the zero handle resolves")
	}
	if v, ok := p.remove(a); v != 1 || !ok {
		t.Errorf("remove = %d, %t; want 1, true", v, ok)
	}
	if _, ok := p.remove(a); ok {
		t.Error("removing twice succeeds")
	}
	if p.slots[0].val != 0 {
		t.Error("the vacant slot keeps its value")
	}
	b := p.insert(2)
	if b.index != a.index || p.ptr(a) != nil || *p.ptr(b) != 2 {
		t.Errorf("after reuse: handles %v and %v", a, b)
	}
	c := p.insert(3)
	if *p.ptr(b) != 2 || *p.ptr(c) != 3 {
		t.Error("two live handles do not resolve to their own values")
	}
}

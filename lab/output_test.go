package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// fixedReport makes a report of invented figures: every metric, some of them extreme, one wrong.
func fixedReport(partial bool) *report {
	jobs, err := plan(workloads, sizing{})
	if err != nil {
		panic(err)
	}
	if partial {
		jobs = jobs[:3]
	}
	r := invented(jobs)
	r.partial = partial
	return r
}

// invented makes a report of invented figures of jobs.
func invented(jobs []job) *report {
	rec := newRecorder()
	r := rng{seed}
	for _, j := range jobs {
		for k, im := range j.runners(allImpls()) {
			k %= 7 // more powers than that make figures that nobody prints
			if slices.Contains(published[j.w.name], "step_100") || j.w.stepUnit != "" {
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
				for range bandedReps {
					rec.add(im.name, j, m, "ns", math.Pow(30, float64(k))/10+float64(r.below(20)), 7, 7)
				}
			}
		}
	}
	rec.add(collections.impls[0].name, jobs[0], "iter_sum_values", "ns", 1.5, 7, 7)
	rec.add(collections.impls[1].name, jobs[0], "iter_sum", "ns", 1.5, 8, 7)
	return &report{
		rec: rec, impls: allImpls(), jobs: jobs,
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
			if n := strings.Count(b.String(), "\n"+im.name+" "); im.name == orderedImpl.name && n != 2 {
				t.Errorf("%s has %d rows, want two, in dcm and dcm-pool alone", im.name, n)
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

func TestReport(t *testing.T) {
	for _, partial := range []bool{false, true} {
		r := fixedReport(partial)
		p := r.page()
		page, err := p.html()
		if err != nil {
			t.Fatal(err)
		}
		s := string(page)
		for _, im := range allImpls() {
			if name := strings.ReplaceAll(im.name, "+", "&#43;"); !strings.Contains(s, "<h4>"+name+"</h4>") {
				t.Errorf("partial %t: no description of %s", partial, im.name)
			}
		}
		if strings.Contains(s, "Partial.") != partial {
			t.Errorf("partial %t: banner is there: %t", partial, !partial)
		}
		if strings.Contains(s, "http") || strings.Contains(s, "<script") {
			t.Errorf("partial %t: the page refers to something outside itself, or has a script", partial)
		}
		if strings.Contains(s, "ZgotmplZ") || strings.Contains(s, "<&>") || strings.Contains(s, "%!") {
			t.Errorf("partial %t: badly escaped or formatted", partial)
		}
		charts, big := len(p.charts()), 0
		for _, c := range p.charts() {
			if c.Big() {
				big++
			}
		}
		for _, s := range p.Sections {
			charts -= len(s.Away)
		}
		if n := strings.Count(s, "<figure"); charts == 0 || n != charts || strings.Count(s, "<svg") != n+big || strings.Count(s, "<desc") != n+big {
			t.Errorf("partial %t: %d figures of %d charts", partial, n, charts)
		}
		for _, id := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(s, -1) {
			if !strings.Contains(s, ` id="`+id[1]+`"`) {
				t.Errorf("partial %t: a link leads to %s, which is not there", partial, id[1])
			}
		}
		seen := map[string]bool{}
		for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(s, -1) {
			if seen[id[1]] {
				t.Errorf("partial %t: two elements are %s", partial, id[1])
			}
			seen[id[1]] = true
		}
	}
}

// A page of all variants at all sizes is no larger than a mail can carry: what makes it too large is
// in files alone, to which it leads.
func TestReportSize(t *testing.T) {
	p := fullReport(t).page()
	page, err := p.html()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the report of a full run has %d bytes", len(page))
	if len(page) > 2_000_000 {
		t.Error("that is more than 2 MB")
	}
	away := 0
	for _, s := range p.Sections {
		for _, c := range s.Away {
			away++
			if !bytes.Contains(page, []byte(`<a href="figures/`+c.File()+`">`+c.Title+`</a>`)) || !slices.ContainsFunc(p.charts(), func(o chart) bool { return o.name == c.name }) {
				t.Errorf("no link to %s, or no file", c.File())
			}
		}
	}
	if away == 0 || bytes.Count(page, []byte("<figure")) != len(p.charts())-away {
		t.Errorf("%d figures of %d charts, %d of them in files alone", bytes.Count(page, []byte("<figure")), len(p.charts()), away)
	}
}

// fullReport makes a report of invented figures as a full run has them.
func fullReport(t *testing.T) *report {
	t.Helper()
	jobs, err := plan(workloads, sizing{full: true})
	if err != nil {
		t.Fatal(err)
	}
	return invented(jobs)
}

func TestJudge(t *testing.T) {
	fig := func(impl string, v float64) *figure { return &figure{Result: Result{Impl: impl, Value: v}} }
	rivals := []*figure{fig("a", 20), fig("b", 10), fig("c", 30)}
	for _, tc := range []struct {
		v    float64
		want verdict
	}{
		{5, verdict{"wins", "wins 2.0x over b", 2, "b"}},
		{10.4, verdict{"even", "even with b", 1, "b"}},
		{9.6, verdict{"even", "even with b", 1, "b"}},
		{15, verdict{"loses", "loses 1.5x to b", 1.5, "b"}},
	} {
		if got := judge(fig("x", tc.v), rivals); *got != tc.want {
			t.Errorf("judge(%g) = %v, want %v", tc.v, *got, tc.want)
		}
	}
	if got := judge(fig("x", 3), []*figure{fig("none", 0)}); got.Text != "loses 3.00 beside 0.00 to none" {
		t.Errorf("judge beside nothing = %q", got.Text)
	}
	if got := judge(fig("x", 1), nil); got != nil {
		t.Errorf("judge without rivals = %v, want nil", *got)
	}
}

// shownVerdict is a verdict as the page has it: not told by colour alone.
func shownVerdict(class, text string) string {
	return `<span class="` + class + `"><span aria-hidden="true">` + verdict{Class: class}.Mark() + ` </span>` + text + `</span>`
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
		`<th scope="col">berth.Pool against the best</th><th scope="col">berth.Dense against the best</th>`,
		shownVerdict("loses", "loses 2.0x to []T") + `<br>of the safe: ` + shownVerdict("wins", "wins 2.0x over genpool") + `</td>` +
			`<td>` + shownVerdict("wins", "wins 10x over []T") + `<br>of the safe: ` + shownVerdict("wins", "wins 40x over genpool") + `</td>`,
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

// A run takes away the figures of the one before, and nothing that is not its own.
func TestFiguresOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	if err := fixedReport(false).write(dir); err != nil {
		t.Fatal(err)
	}
	figures := filepath.Join(dir, figuresDir)
	names := func() []string {
		entries, err := os.ReadDir(figures)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := names()
	for _, want := range []string{
		"ratios.svg", "thesis-6-1-insert.svg", "thesis-6-8-back.svg", "spike-memory.svg", "ephemeral-steps.svg", "broadphase-growth.svg", "basic-32-insert_new.svg",
	} {
		if !slices.Contains(before, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, name := range []string{"mine.svg", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(figures, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(dir, "outside.svg")
	list := read(t, figures, figuresList) + "../outside.svg\nmine.txt\n"
	for path, text := range map[string]string{outside: "mine", filepath.Join(figures, figuresList): list} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := fixedReport(true)
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	want := []string{figuresList, "mine.svg", "mine.txt"}
	for _, c := range r.page().charts() {
		want = append(want, c.File())
	}
	slices.Sort(want)
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("after a smaller run there are %v, want %v", got, want)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// The first screen counts what the verdicts say, and names the farthest ones of both kinds.
func TestGlance(t *testing.T) {
	rec := newRecorder()
	jobs := []job{{w: churn, n: 1, elem: 8}, {w: cross, n: 1, elem: 8}, {w: freelistWork, n: 256, elem: 4}}
	add := func(j job, metric string, values map[string]float64) {
		for _, im := range allImpls() {
			if v, ok := values[im.name]; ok {
				rec.add(im.name, j, metric, "ns", v, 7, 7)
			}
		}
	}
	add(jobs[0], "ns_per_pair", map[string]float64{"berth.Pool": 20, "berth.Dense": 1, "[]T": 10, "genpool": 40})
	add(jobs[1], "ns_per_pair", map[string]float64{"berth.Pool": 10, "berth.Dense": 90, "[]T": 10, "genpool": 30})
	add(jobs[2], "pair", map[string]float64{"Stack[uint32]": 1, "linked list": 2})
	g := (&report{rec: rec, impls: allImpls(), jobs: jobs}).page().Glance
	if len(g.Jobs) != 2 || len(g.Rest) != 1 || len(g.Ends) != 2 {
		t.Fatalf("glance: %+v", g)
	}
	for i, want := range [][2]scores{
		{{score{1, 0, 0, 1}, score{1, 1, 0, 0}}, {score{1, 1, 0, 0}, score{1, 1, 0, 0}}},
		{{score{1, 0, 1, 0}, score{1, 1, 0, 0}}, {score{1, 0, 0, 1}, score{1, 0, 0, 1}}},
	} {
		if got := [2]scores{*g.Jobs[i].Scores[0], *g.Jobs[i].Scores[1]}; got != want || g.Jobs[i].Scores[2] != nil {
			t.Errorf("%s: %+v, want %+v", g.Jobs[i].Title, got, want)
		}
	}
	if got := g.Rest[0]; got.Subject != "Stack[uint32]" || got.Scores[0].All != (score{1, 1, 0, 0}) {
		t.Errorf("the rest: %+v %+v", got, *got.Scores[0])
	}
	for i, want := range [][2]string{
		{"berth.Dense wins 40x over genpool, berth.Pool wins 3.0x over genpool", "berth.Dense loses 3.0x to genpool"},
		{"berth.Dense wins 10x over []T", "berth.Dense loses 9.0x to []T, berth.Pool loses 2.0x to []T"},
	} {
		for k, list := range [][]glanceEntry{g.Ends[i].Ahead, g.Ends[i].Behind} {
			var got []string
			for _, e := range list {
				got = append(got, e.Subject+" "+e.Verdict.Text)
			}
			if s := strings.Join(got, ", "); s != want[k] {
				t.Errorf("farthest from %s: %s, want %s", g.Ends[i].Of, s, want[k])
			}
		}
	}
}

func TestLawsInReport(t *testing.T) {
	r := fixedReport(true)
	r.laws = &lawTable{[]string{"a <question>"}, []lawRow{{"berth.Pool", []lawCell{{"yes", "words & more"}}}, {"[]T", []lawCell{{"no", ""}}}}}
	page, err := r.html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<th scope="col">a &lt;question&gt;</th>`, `<th scope="row">berth.Pool</th><td><span class="wins">`, `✓`, ` words &amp; more</td>`, `✗`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

func TestPictureOfSteps(t *testing.T) {
	r := fixedReport(false)
	r.impls = slices.DeleteFunc(r.impls, func(im impl) bool { return !slices.Contains(strings.Split(pictured, ","), im.name) })
	got, err := r.picture()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`width="760" height="380"`, ">berth.Pool</text>", ">berth.Dense</text>", ">genpool</text>", "prefers-color-scheme"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	for name, r := range map[string]*report{
		"no jobs":  {rec: newRecorder()},
		"no steps": {rec: newRecorder(), jobs: []job{{w: ephemeral, n: 1, elem: 4}}, impls: allImpls()},
	} {
		if _, err := r.picture(); !errors.Is(err, errNoSteps) {
			t.Errorf("%s: %v, want %v", name, err, errNoSteps)
		}
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

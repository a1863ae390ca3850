package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/draw"
)

//go:embed report.tmpl
var reportText string

//go:embed report.css
var reportStyle string

var reportTemplate = template.Must(template.New(reportFile).Parse(reportText))

// page is what the template shows.
type page struct {
	Partial             bool
	CSS                 template.CSS
	Machine             machine
	Date, Took, Command string
	Wrong, Wide         []string
	Noise               string
	Figures             int
	Glance              glance
	Thesis              []chart
	More                []chart // of what does not belong to a single workload or size
	Laws                *lawTable
	Sections            []section
	Families            []familyText
}

// familyText is a family: how its subjects did in all sections together, and what each of it is.
type familyText struct {
	ID, Title, Stale string
	Subjects         []subjectText
	Safe             string // the names of the safe ones that are not ours
	Rivals           string // whom the subjects are judged against, in the words of a sentence
	Impls            []implText
	Before           string // the names of those that a family before it has described
}

// subjectText is how a subject did.
type subjectText struct {
	Name      string
	All, Safe score
}

type implText struct{ Name, About, Loops, Stale string }

// section is one job.
type section struct {
	ID, Title, About, Size, Method, Reps, Unit string
	Impls                                      []implRow
	Subjects                                   []string    // those that have verdicts
	Rows                                       []metricRow // one for each metric
	Big, Small                                 []chart
	Away                                       []chart // that are in files alone
	Above                                      bool    // charts of it are among the thesis' figures
	Baseline                                   string
	Notes                                      []string
	workload                                   string
	family                                     *family
	key                                        []string // the metrics that say most
}

// metricRow is a metric and its verdicts, one for each of the section's subjects.
type metricRow struct {
	Metric   string
	Verdicts []verdicts
}

// implRow is an implementation and its figures, one for each of the section's metrics.
type implRow struct {
	Name  string
	Cells []tableCell
}

type tableCell struct {
	Value, Ratio, Range string
	Wide, Wrong         bool
}

// crowd is how many implementations may be in the charts of a workload's further sizes, if these
// are to be in the page and not in files alone: with more of them a page gets too large to send.
const crowd = 20

func (r *report) page() *page {
	p := &page{
		Partial: r.partial, CSS: template.CSS(draw.Style() + reportStyle), Machine: r.machine,
		Date:    r.started.Format("2 January 2006 15:04 MST"),
		Took:    fmt.Sprintf("took %.0f s", r.took.Seconds()),
		Command: r.command, Laws: r.laws, Noise: r.rec.noisy(),
	}
	all := r.rec.all()
	p.Figures = len(all)
	for _, f := range all {
		if !f.ChecksumOK {
			p.Wrong = append(p.Wrong, f.sums()+".")
		}
		if f.wide() {
			p.Wide = append(p.Wide, fmt.Sprintf("%s, n = %s, %s, %s: %s %s, "+
				"three quarters between %s and %s, %d repetitions",
				f.Workload, grouped(f.N), f.Metric, f.Impl, number(f.Value), f.Unit,
				number(f.Low), number(f.High), f.Reps))
		}
	}
	p.Thesis, p.More = r.thesisCharts(), r.moreCharts()
	texts := map[*family]*familyText{}
	var described []impl
	for _, f := range r.all {
		texts[f] = r.familyText(f, described)
		described = append(described, f.of(r.impls)...)
	}
	var last *workload
	for _, j := range r.jobs {
		if s, ok := r.section(j); ok {
			if j.w == last {
				s.Method = "Measured as in the part before."
			}
			last = j.w
			p.Sections = append(p.Sections, s)
			texts[j.family].count(s)
		}
	}
	p.Glance = glanceOf(r.all[0], p.Sections)
	for _, f := range r.all {
		if len(texts[f].Impls) > 0 || len(texts[f].Before) > 0 {
			p.Families = append(p.Families, *texts[f])
		}
	}
	return p
}

func (p *page) html() ([]byte, error) {
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// charts returns all charts of the page, in its order.
func (p *page) charts() []chart {
	all := slices.Concat(p.Thesis, p.More)
	for _, s := range p.Sections {
		all = slices.Concat(all, s.Big, s.Small, s.Away)
	}
	return all
}

// familyText describes the chosen ones of a family, but for those that have been described.
func (r *report) familyText(f *family, described []impl) *familyText {
	t := &familyText{
		ID: f.id, Title: f.title, Stale: f.stale, Rivals: "rivals in, outside this library",
	}
	if f.against != "" {
		t.Rivals = f.against + " beside it in"
	}
	for _, name := range f.subjects {
		t.Subjects = append(t.Subjects, subjectText{Name: name})
	}
	var safe, before []impl
	for _, im := range f.of(r.impls) {
		if im.safe && !im.ours {
			safe = append(safe, im)
		}
		if im.among(described) {
			before = append(before, im)
			continue
		}
		t.Impls = append(t.Impls, implText{
			im.name, sentence(im.about), sentence(im.loops), im.stale,
		})
	}
	t.Safe, t.Before = nameList(safe), nameList(before)
	return t
}

// count adds a section's verdicts to the family's. Loops that only a subject has are no figures
// that it has rivals in.
func (t *familyText) count(s section) {
	for i := range t.Subjects {
		subject := &t.Subjects[i]
		k := slices.Index(s.Subjects, subject.Name)
		if k < 0 {
			continue
		}
		for _, row := range s.Rows {
			if baseMetric(row.Metric) == row.Metric {
				subject.All.add(row.Verdicts[k].All)
				subject.Safe.add(row.Verdicts[k].Safe)
			}
		}
	}
}

// shown returns the implementations that a job is shown with: those that its workload runs, and
// others of its family that have figures of it.
func (r *report) shown(j job) []impl {
	return slices.DeleteFunc(j.family.of(r.impls), func(im impl) bool {
		return !j.w.runs(im) && !slices.ContainsFunc(r.rec.all(), func(f *figure) bool {
			return f.Impl == im.name && j.has(f)
		})
	})
}

// section makes the part of one job, if anything of it was measured.
func (r *report) section(j job) (section, bool) {
	at := index(r.rec)
	get := func(impl, metric string) *figure { return at[j.at(impl, metric)] }
	ims := r.shown(j)
	s := section{
		ID: j.id(), Title: j.label(), About: sentence(j.w.about),
		Size:   sentence(fmt.Sprintf("%s: %d; bytes each: %d", j.w.nMeans, j.n, j.elem)),
		Method: j.w.method, Unit: j.units(r.rec),
		Baseline: j.family.baseline, Notes: r.rec.notes(j),
		workload: j.w.name, family: j.family, key: j.w.key,
	}
	metrics := r.metrics(j)
	if len(metrics) == 0 {
		return s, false
	}
	s.Reps = repsText(r.repsOf(j))
	for _, im := range ims {
		row := implRow{Name: im.name}
		for _, m := range metrics {
			row.Cells = append(row.Cells, makeCell(get(im.name, m)))
		}
		s.Impls = append(s.Impls, row)
	}
	for _, name := range j.family.subjects {
		if judged(j.family, name, ims, get, metrics) {
			s.Subjects = append(s.Subjects, name)
		}
	}
	for _, m := range metrics {
		row := metricRow{Metric: m}
		for _, name := range s.Subjects {
			row.Verdicts = append(row.Verdicts, judgeMetric(j.family, name, ims, get, m))
		}
		s.Rows = append(s.Rows, row)
	}
	s.Big, s.Small = r.charts(j, metrics, get)
	if !r.first(j) && len(ims) > crowd {
		s.Away, s.Small = s.Small, nil
	}
	s.Above = r.drawnAbove(j, "")
	return s, true
}

// metrics returns the metrics of a job that were measured.
func (r *report) metrics(j job) (metrics []string) {
	for _, f := range r.rec.all() {
		if j.has(f) && !slices.Contains(metrics, f.Metric) {
			metrics = append(metrics, f.Metric)
		}
	}
	return metrics
}

// repsOf returns how many repetitions the figures of a job have. What has no bands where others
// have was taken once.
func (r *report) repsOf(j job) map[int]bool {
	reps := map[int]bool{}
	for _, f := range r.rec.all() {
		if j.has(f) && (!j.w.drawn.bands || f.Bands != nil) {
			reps[f.Reps] = true
		}
	}
	return reps
}

func makeCell(f *figure) tableCell {
	if f == nil {
		return tableCell{Value: "-"}
	}
	c := tableCell{Value: number(f.Value), Wide: f.wide(), Wrong: !f.ChecksumOK}
	if f.Ratio != nil {
		c.Ratio = ratio(f.Ratio.Value)
		if f.Ratio.High > 0 && f.Ratio.To != f.Impl {
			c.Range = strings.TrimSuffix(ratio(f.Ratio.Low), "x") + "–" + ratio(f.Ratio.High)
		}
	}
	return c
}

// repsText says how many repetitions there were, which may differ between collections.
func repsText(reps map[int]bool) string {
	lo, hi := 0, 0
	for n := range reps {
		if lo == 0 || n < lo {
			lo = n
		}
		hi = max(hi, n)
	}
	switch {
	case lo == hi && lo == 1:
		return "One repetition."
	case lo == hi:
		return fmt.Sprintf("%d repetitions.", lo)
	}
	return fmt.Sprintf("%d to %d repetitions: the slow ones did fewer.", lo, hi)
}

// sentence makes a phrase one.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

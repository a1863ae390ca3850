package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/draw"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

//go:embed report.tmpl
var reportText string

//go:embed report.css
var reportStyle string

var reportTemplate = template.Must(template.New(ReportFile).Parse(reportText))

// page holds the contents of the report for its template.
type page struct {
	Partial             bool
	CSS                 template.CSS
	Machine             measure.Machine
	Date, Took, Command string
	Wrong               []string
	Noisy               bool
	Wide, Figures       int // the figures whose repetitions lie far apart, and all
	Glance              *chart
	Ratios              ratioTable
	Others              []ratioRow
	Laws                *lawTable
	Sections            []section
	Families            []familyText
}

// familyText describes the implementations of a family.
type familyText struct {
	ID, Title, Stale string
	Impls            []implText
	Before           string // the names of those that a family before it has described
}

type implText struct{ Name, About, Loops, Stale string }

type section struct {
	ID, Title, About, Size, Method, Reps, Unit string
	Baseline, Usual                            string
	Metrics                                    []metricText
	Impls                                      []implRow
	Lead, More                                 []chart // drawn openly, and in the details
	Growth                                     []growthTable
	Notes                                      []string
}

// metricText is a metric in words, and as results.json has it.
type metricText struct{ Words, ID string }

// lawTable has a row for each question and a column for each collection.
type lawTable struct {
	Impls []string
	Rows  []lawRow
}

type lawRow struct {
	Question string
	Cells    []laws.Cell
	Answers  []lawAnswer
}

// lawAnswer is an answer in words, and the collections that gave it.
type lawAnswer struct {
	laws.Cell

	Impls []string
}

// crowd is the number of implementations above which the charts of a workload's further sizes are
// left out, so that a page stays small enough to send.
const crowd = 20

// lead is the number of small charts of a workload that are drawn openly: one row of a wide page.
const lead = 3

func (r *Report) page() *page {
	p := &page{
		Partial: r.Partial, CSS: template.CSS(draw.Style() + reportStyle), Machine: r.Machine,
		Date:    r.Started.Format("2 January 2006 15:04 MST"),
		Took:    fmt.Sprintf("took %.0f s", r.Took.Seconds()),
		Command: r.Command, Noisy: r.Recorder.Noisy() != "",
	}
	all := r.Recorder.All()
	p.Figures = len(all)
	for _, f := range all {
		if !f.ChecksumOK {
			p.Wrong = append(p.Wrong, f.Sums()+".")
		}
		if f.Wide() {
			p.Wide++
		}
	}
	var last *measure.Workload
	for _, j := range r.Jobs {
		if s, ok := r.section(j); ok {
			if j.Workload == last {
				s.Method = "Measured as in the part before."
			}
			last = j.Workload
			p.Sections = append(p.Sections, s)
		}
	}
	var described []measure.Impl
	for _, f := range r.Catalogue {
		text := r.familyText(f, described)
		described = append(described, f.Of(r.Impls)...)
		if len(text.Impls) > 0 || len(text.Before) > 0 {
			p.Families = append(p.Families, text)
		}
	}
	p.Laws = newLawTable(r.Laws)
	p.Glance, p.Ratios, p.Others = r.glance(), r.ratios(), r.otherRatios()
	return p
}

// newLawTable returns the answers of the collections, or nil if there are none.
func newLawTable(t *laws.Table) *lawTable {
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	out := &lawTable{}
	for _, q := range t.Questions {
		out.Rows = append(out.Rows, lawRow{Question: q})
	}
	for _, row := range t.Rows {
		out.Impls = append(out.Impls, row.Impl)
		for i, c := range row.Cells {
			out.Rows[i].add(row.Impl, c)
		}
	}
	return out
}

// Count reports whether the answers are amounts: none is yes, no or in part.
func (r lawRow) Count() bool {
	return !slices.ContainsFunc(r.Cells, func(c laws.Cell) bool { return c.Kept != "-" })
}

// Amount returns an answer without what it says beside the amount.
func (lawRow) Amount(c laws.Cell) string {
	amount, _, _ := strings.Cut(c.Text, ",")
	return amount
}

func (r *lawRow) add(impl string, c laws.Cell) {
	r.Cells = append(r.Cells, c)
	for i := range r.Answers {
		if r.Answers[i].Cell == c {
			r.Answers[i].Impls = append(r.Answers[i].Impls, impl)
			return
		}
	}
	r.Answers = append(r.Answers, lawAnswer{c, []string{impl}})
}

func (p *page) html() ([]byte, error) {
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// familyText describes the chosen ones of a family, but for those that have been described.
func (r *Report) familyText(f *measure.Family, described []measure.Impl) familyText {
	t := familyText{ID: f.ID, Title: f.Title, Stale: f.Stale}
	var before []measure.Impl
	for _, im := range f.Of(r.Impls) {
		if im.Among(described) {
			before = append(before, im)
			continue
		}
		t.Impls = append(t.Impls, implText{
			im.Name, sentence(im.About), sentence(im.Loops), im.Stale,
		})
	}
	t.Before = measure.NameList(before)
	return t
}

// section makes the part of one job, if anything of it was measured.
func (r *Report) section(j measure.Job) (section, bool) {
	ims := r.shown(j)
	s := section{
		ID: j.ID(), Title: j.Label(), About: sentence(j.Workload.About),
		Size: sentence(fmt.Sprintf("%s %s, %s bytes each", measure.Grouped(j.N),
			j.Workload.NMeans, measure.Grouped(j.Elem))),
		Method: j.Workload.Method, Unit: j.Units(r.Recorder),
		Baseline: j.Family.Baseline, Usual: j.Family.Usual, Notes: r.Recorder.Notes(j),
	}
	metrics := r.metrics(j)
	if len(metrics) == 0 {
		return s, false
	}
	s.Reps = repsText(r.repsOf(j))
	for _, m := range metrics {
		s.Metrics = append(s.Metrics, metricText{wordsOf(j.Workload, m), m})
	}
	for _, im := range ims {
		row := implRow{Name: im.Name}
		for _, m := range metrics {
			f := r.figure(j, im.Name, m)
			usual := r.figure(j, j.Family.Usual, measure.BaseMetric(m))
			cell := makeCell(f)
			if f != nil && usual != nil {
				cell.Usual = newRatioText(f, usual).Text
			}
			row.Cells = append(row.Cells, cell)
		}
		s.Impls = append(s.Impls, row)
	}
	big, small := r.charts(j, metrics)
	if !r.first(j) && len(ims) > crowd {
		small = nil
	}
	open := 0
	if r.first(j) {
		open = min(lead, len(small))
	}
	s.Lead, s.More = slices.Concat(big, r.moreCharts(j), small[:open]), small[open:]
	s.Growth = r.growthTables(j)
	return s, true
}

func (r *Report) metrics(j measure.Job) (metrics []string) {
	for _, f := range r.Recorder.All() {
		if j.Has(f) && !slices.Contains(metrics, f.Metric) {
			metrics = append(metrics, f.Metric)
		}
	}
	return metrics
}

// repsOf returns the numbers of repetitions that the figures of a job have. A figure without bands
// where others have bands was taken once, and is left out.
func (r *Report) repsOf(j measure.Job) map[int]bool {
	reps := map[int]bool{}
	for _, f := range r.Recorder.All() {
		if j.Has(f) && (!j.Workload.Drawn.Bands || f.Bands != nil) {
			reps[f.Reps] = true
		}
	}
	return reps
}

// repsText gives the number of repetitions, which may differ between collections.
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

package report

import (
	"bytes"

	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"

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

var reportTemplate = template.Must(template.New(ReportFile).Parse(reportText))

// page is what the template shows.
type page struct {
	Partial             bool
	CSS                 template.CSS
	Machine             measure.Machine
	Date, Took, Command string
	Wrong, Wide         []string
	Noise               string
	Figures             int
	Glance              glance
	Thesis              []chart
	More                []chart // of what does not belong to a single workload or size
	Growth              []growthTable
	Laws                *laws.Table
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
	family                                     *measure.Family
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

func (r *Report) page() *page {
	p := &page{
		Partial: r.Partial, CSS: template.CSS(draw.Style() + reportStyle), Machine: r.Machine,
		Date:    r.Started.Format("2 January 2006 15:04 MST"),
		Took:    fmt.Sprintf("took %.0f s", r.Took.Seconds()),
		Command: r.Command, Laws: r.Laws, Noise: r.Recorder.Noisy(),
	}
	all := r.Recorder.All()
	p.Figures = len(all)
	for _, f := range all {
		if !f.ChecksumOK {
			p.Wrong = append(p.Wrong, f.Sums()+".")
		}
		if f.Wide() {
			p.Wide = append(p.Wide, fmt.Sprintf("%s, n = %s, %s, %s: %s %s, "+
				"three quarters between %s and %s, %d repetitions",
				f.Workload, measure.Grouped(f.N), f.Metric, f.Impl, Number(f.Value), f.Unit,
				Number(f.Low), Number(f.High), f.Reps))
		}
	}
	p.Thesis, p.More, p.Growth = r.thesisCharts(), r.moreCharts(), r.growthTables()
	texts := map[*measure.Family]*familyText{}
	var described []measure.Impl
	for _, f := range r.Catalogue {
		texts[f] = r.familyText(f, described)
		described = append(described, f.Of(r.Impls)...)
	}
	var last *measure.Workload
	for _, j := range r.Jobs {
		if s, ok := r.section(j); ok {
			if j.Workload == last {
				s.Method = "Measured as in the part before."
			}
			last = j.Workload
			p.Sections = append(p.Sections, s)
			texts[j.Family].count(s)
		}
	}
	p.Glance = glanceOf(r.Catalogue[0], p.Sections)
	for _, f := range r.Catalogue {
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
func (r *Report) familyText(f *measure.Family, described []measure.Impl) *familyText {
	t := &familyText{
		ID: f.ID, Title: f.Title, Stale: f.Stale, Rivals: "rivals in, outside this library",
	}
	if f.Against != "" {
		t.Rivals = f.Against + " beside it in"
	}
	for _, name := range f.Subjects {
		t.Subjects = append(t.Subjects, subjectText{Name: name})
	}
	var safe, before []measure.Impl
	for _, im := range f.Of(r.Impls) {
		if im.Safe && !im.Ours {
			safe = append(safe, im)
		}
		if im.Among(described) {
			before = append(before, im)
			continue
		}
		t.Impls = append(t.Impls, implText{
			im.Name, sentence(im.About), sentence(im.Loops), im.Stale,
		})
	}
	t.Safe, t.Before = measure.NameList(safe), measure.NameList(before)
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
			if measure.BaseMetric(row.Metric) == row.Metric {
				subject.All.add(row.Verdicts[k].All)
				subject.Safe.add(row.Verdicts[k].Safe)
			}
		}
	}
}

// shown returns the implementations that a job is shown with: those that its workload runs, and
// others of its family that have figures of it.
func (r *Report) shown(j measure.Job) []measure.Impl {
	return slices.DeleteFunc(j.Family.Of(r.Impls), func(im measure.Impl) bool {
		return !j.Workload.Runs(im) &&
			!slices.ContainsFunc(r.Recorder.All(), func(f *measure.Figure) bool {
				return f.Impl == im.Name && j.Has(f)
			})
	})
}

// section makes the part of one job, if anything of it was measured.
func (r *Report) section(j measure.Job) (section, bool) {
	at := measure.Index(r.Recorder)
	get := func(impl, metric string) *measure.Figure { return at[j.At(impl, metric)] }
	ims := r.shown(j)
	s := section{
		ID: j.ID(), Title: j.Label(), About: sentence(j.Workload.About),
		Size:   sentence(fmt.Sprintf("%s: %d; bytes each: %d", j.Workload.NMeans, j.N, j.Elem)),
		Method: j.Workload.Method, Unit: j.Units(r.Recorder),
		Baseline: j.Family.Baseline, Notes: r.Recorder.Notes(j),
		workload: j.Workload.Name, family: j.Family, key: j.Workload.Key,
	}
	metrics := r.metrics(j)
	if len(metrics) == 0 {
		return s, false
	}
	s.Reps = repsText(r.repsOf(j))
	for _, im := range ims {
		row := implRow{Name: im.Name}
		for _, m := range metrics {
			row.Cells = append(row.Cells, makeCell(get(im.Name, m)))
		}
		s.Impls = append(s.Impls, row)
	}
	for _, name := range j.Family.Subjects {
		if judged(j.Family, name, ims, get, metrics) {
			s.Subjects = append(s.Subjects, name)
		}
	}
	for _, m := range metrics {
		row := metricRow{Metric: m}
		for _, name := range s.Subjects {
			row.Verdicts = append(row.Verdicts, judgeMetric(j.Family, name, ims, get, m))
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
func (r *Report) metrics(j measure.Job) (metrics []string) {
	for _, f := range r.Recorder.All() {
		if j.Has(f) && !slices.Contains(metrics, f.Metric) {
			metrics = append(metrics, f.Metric)
		}
	}
	return metrics
}

// repsOf returns how many repetitions the figures of a job have. What has no bands where others
// have was taken once.
func (r *Report) repsOf(j measure.Job) map[int]bool {
	reps := map[int]bool{}
	for _, f := range r.Recorder.All() {
		if j.Has(f) && (!j.Workload.Drawn.Bands || f.Bands != nil) {
			reps[f.Reps] = true
		}
	}
	return reps
}

func makeCell(f *measure.Figure) tableCell {
	if f == nil {
		return tableCell{Value: "-"}
	}
	c := tableCell{Value: Number(f.Value), Wide: f.Wide(), Wrong: !f.ChecksumOK}
	if f.Ratio != nil {
		c.Ratio = RatioText(f.Ratio.Value)
		if f.Ratio.High > 0 && f.Ratio.To != f.Impl {
			c.Range = strings.TrimSuffix(
				RatioText(f.Ratio.Low),
				"x",
			) + "–" + RatioText(
				f.Ratio.High,
			)
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

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	reportFile  = "report.html"
	resultsFile = "results.json"
)

//go:embed report.tmpl
var reportText string

//go:embed report.css
var reportStyle string

var reportTemplate = template.Must(template.New(reportFile).Parse(reportText))

// report is a run, ready to be written.
type report struct {
	rec     *recorder
	impls   []impl
	jobs    []job
	started time.Time
	took    time.Duration
	command string
	machine machine
	partial bool
}

// write writes both files into dir. Each is whole or as it was before.
func (r *report) write(dir string) error {
	results, err := json.MarshalIndent(r.rec.results(), "", " ")
	if err != nil {
		return fmt.Errorf("cannot encode results: %w", err)
	}
	if err := writeFile(filepath.Join(dir, resultsFile), append(results, '\n')); err != nil {
		return err
	}
	page, err := r.html()
	if err != nil {
		return fmt.Errorf("cannot make the report: %w", err)
	}
	return writeFile(filepath.Join(dir, reportFile), page)
}

// writeFile writes beside path and renames, so that no reader ever sees half a file.
func writeFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".lab-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	_, err = f.Write(data)
	// A temporary file is for its owner alone; a report is for whoever may read the folder.
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// page is what the template shows.
type page struct {
	Partial             bool
	CSS                 template.CSS
	Machine             machine
	Date, Took, Command string
	Wrong, Wide         []string
	Figures             int
	Sections            []section
	Families            []familyText
}

// familyText is a family: how its subjects did in all sections together, and what each of it is.
type familyText struct {
	ID, Title, Stale string
	Subjects         []subjectText
	Safe             string // the names of the safe ones that are not ours
	Below            bool   // how they did stands here, and not at the top of the page
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

// score counts verdicts.
type score struct{ Figures, Wins, Even, Losses int }

// section is one job.
type section struct {
	ID, Title, About, Size, Method, Reps, Unit string
	Columns                                    []string
	Subjects                                   []string // those that have verdicts
	Rows                                       []tableRow
	Big, Small                                 []chart
	Baseline                                   string
	Notes                                      []string
}

type tableRow struct {
	Metric   string
	Cells    []tableCell
	Verdicts []verdicts // one for each of the section's subjects
}

type tableCell struct {
	Value, Ratio string
	Wide, Wrong  bool
}

type chart struct {
	Title, Note string
	SVG         template.HTML
}

// lookup finds a job's figure, or nil.
type lookup func(impl, metric string) *figure

// verdict is how a subject did against others.
type verdict struct{ Class, Text string }

// verdicts is how a subject did in a metric, against all that are not ours and against the safe
// ones. Each may be nil, for want of a figure.
type verdicts struct{ All, Safe *verdict }

func (r *report) html() ([]byte, error) {
	p := page{
		Partial: r.partial, CSS: template.CSS(reportStyle), Machine: r.machine,
		Date:    r.started.Format("2 January 2006 15:04 MST"),
		Took:    fmt.Sprintf("took %.0f s", r.took.Seconds()),
		Command: r.command,
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
	texts := map[*family]*familyText{}
	var described []impl
	for _, f := range families {
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
			texts[j.w.family].count(s)
		}
	}
	for _, f := range families {
		if len(texts[f].Impls) > 0 || len(texts[f].Before) > 0 {
			p.Families = append(p.Families, *texts[f])
		}
	}
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// familyText describes the chosen ones of a family, but for those that have been described.
func (r *report) familyText(f *family, described []impl) *familyText {
	t := &familyText{
		ID: f.id, Title: f.title, Stale: f.stale, Rivals: "rivals in, outside this library",
		Below: f.below,
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

// add counts v, if there is one.
func (s *score) add(v *verdict) {
	if v == nil {
		return
	}
	s.Figures++
	switch v.Class {
	case "wins":
		s.Wins++
	case "even":
		s.Even++
	default:
		s.Losses++
	}
}

// section makes the part of one job, if anything of it was measured.
func (r *report) section(j job) (section, bool) {
	at := index(r.rec)
	get := func(impl, metric string) *figure { return at[j.at(impl, metric)] }
	ims := j.w.of(r.impls)
	s := section{
		ID: j.id(), Title: j.label(), About: sentence(j.w.about),
		Size:   sentence(fmt.Sprintf("%s: %d; bytes each: %d", j.w.nMeans, j.n, j.elem)),
		Method: j.w.method, Unit: j.units(r.rec),
		Baseline: j.w.family.baseline, Notes: r.rec.notes(j),
	}
	var metrics []string
	reps := map[int]bool{}
	for _, f := range r.rec.all() {
		if !j.has(f) {
			continue
		}
		if !j.w.bands || f.Bands != nil { // what has none of them was taken once
			reps[f.Reps] = true
		}
		if !slices.Contains(metrics, f.Metric) {
			metrics = append(metrics, f.Metric)
		}
	}
	if len(metrics) == 0 {
		return s, false
	}
	s.Reps = repsText(reps)
	for _, im := range ims {
		s.Columns = append(s.Columns, im.name)
	}
	for _, name := range j.w.family.subjects {
		if judged(j.w.family, name, ims, get, metrics) {
			s.Subjects = append(s.Subjects, name)
		}
	}
	for _, m := range metrics {
		row := tableRow{Metric: m}
		base := get(j.w.family.baseline, baseMetric(m))
		for _, im := range ims {
			row.Cells = append(row.Cells, makeCell(get(im.name, m), base))
		}
		for _, name := range s.Subjects {
			row.Verdicts = append(row.Verdicts, judgeMetric(j.w.family, name, ims, get, m))
		}
		s.Rows = append(s.Rows, row)
	}
	s.Big, s.Small = r.charts(j, metrics, get)
	return s, true
}

// judgeMetric compares a subject's figure of a metric with those of its rivals.
func judgeMetric(
	fam *family, subject string, ims []impl, get lookup, metric string,
) (v verdicts) {
	if f := get(subject, metric); f != nil && subject != fam.against {
		v.All = judge(f, rivals(fam, ims, get, baseMetric(metric), false))
		v.Safe = judge(f, rivals(fam, ims, get, baseMetric(metric), true))
	}
	return v
}

// judged reports whether a subject has a rival in one of the metrics.
func judged(
	fam *family, subject string, ims []impl, get lookup, metrics []string,
) bool {
	return slices.ContainsFunc(metrics, func(m string) bool {
		return judgeMetric(fam, subject, ims, get, m).All != nil
	})
}

// rivals returns the metric's figures of all that are not ours, or of those with safe handles
// alone; or if the family says who is the rival, that one's.
func rivals(fam *family, ims []impl, get lookup, metric string, safe bool) []*figure {
	var out []*figure
	for _, im := range ims {
		rival := !im.ours && (im.safe || !safe)
		if fam.against != "" {
			rival = im.name == fam.against && !safe
		}
		if f := get(im.name, metric); f != nil && rival {
			out = append(out, f)
		}
	}
	return out
}

// judge compares a figure with the best of the others. Within 5 % nobody wins.
func judge(ours *figure, rivals []*figure) *verdict {
	if len(rivals) == 0 {
		return nil
	}
	best := slices.MinFunc(rivals, func(a, b *figure) int {
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	switch {
	case ours.Value > 1.05*best.Value:
		return &verdict{"loses", "loses " + quotient(ours, best) + " to " + best.Impl}
	case best.Value > 1.05*ours.Value:
		return &verdict{"wins", "wins " + quotient(best, ours) + " over " + best.Impl}
	}
	return &verdict{"even", "even with " + best.Impl}
}

// quotient is the ratio of a to b, which may be next to nothing where bytes are counted.
func quotient(a, b *figure) string { return ratio(a.Value / max(b.Value, 1e-9)) }

// baseMetric returns the metric that a collection's other loop is to be compared with.
func baseMetric(m string) string {
	for _, suffix := range []string{"_values", "_spans", "_pairs", "_twokey"} {
		m = strings.TrimSuffix(m, suffix)
	}
	return m
}

func makeCell(f, base *figure) tableCell {
	if f == nil {
		return tableCell{Value: "-"}
	}
	c := tableCell{Value: number(f.Value), Wide: f.wide(), Wrong: !f.ChecksumOK}
	if base != nil && base.Value > 0 {
		c.Ratio = "(" + ratio(f.Value/base.Value) + ")"
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

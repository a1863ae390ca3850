package report

import (
	"cmp"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// glance is what the report begins with: who wins and who loses, and where most.
type glance struct {
	Subjects []string // those of the first family
	Jobs     []glanceRow
	Rest     []glanceRow // a row for each other family's subject, all its jobs together
	Ends     []glanceEnds
}

// glanceEnds says where the first family' subjects win most, of the metrics that say most and at
// most once in each section, and where they lose most.
type glanceEnds struct {
	Of            string // against whom
	Ahead, Behind []glanceEntry
}

// glanceRow counts verdicts.
type glanceRow struct {
	ID, Title string // of what it links to
	Subject   string
	Scores    []*scores // of each subject; nil where it took no part
}

// scores counts verdicts against all rivals, and against the safe ones.
type scores struct{ All, Safe score }

// glanceEntry is one verdict.
type glanceEntry struct {
	ID, Title, Metric, Subject string
	Verdict                    verdict
}

// glanceMost is how long the lists of wins and of losses are.
const glanceMost = 5

// glanceOf counts the verdicts of all sections. Loops that only a subject has are no figures that
// it has rivals in.
func glanceOf(first *measure.Family, sections []section) (g glance) {
	g.Subjects = first.Subjects
	var all, safe []glanceEntry
	for _, s := range sections {
		row := glanceRow{ID: s.ID, Title: s.Title, Scores: make([]*scores, len(g.Subjects))}
		for k, name := range s.Subjects {
			sum := &scores{}
			if s.family == first {
				row.Scores[slices.Index(g.Subjects, name)] = sum
			} else {
				sum = g.rest(s, name)
			}
			for _, metric := range s.Rows {
				if measure.BaseMetric(metric.Metric) != metric.Metric {
					continue
				}
				v := metric.Verdicts[k]
				sum.All.add(v.All)
				sum.Safe.add(v.Safe)
				if s.family == first && slices.Contains(s.key, metric.Metric) {
					e := glanceEntry{ID: s.ID, Title: s.Title, Metric: metric.Metric, Subject: name}
					all, safe = e.with(v.All, all), e.with(v.Safe, safe)
				}
			}
		}
		if s.family == first && len(s.Subjects) > 0 {
			g.Jobs = append(g.Jobs, row)
		}
	}
	g.Ends = []glanceEnds{
		{"those with safe handles", farthest(safe, "wins"), farthest(safe, "loses")},
		{"all, []T included", farthest(all, "wins"), farthest(all, "loses")},
	}
	return g
}

// with appends e with a verdict, if there is one.
func (e glanceEntry) with(v *verdict, to []glanceEntry) []glanceEntry {
	if v == nil {
		return to
	}
	e.Verdict = *v
	return append(to, e)
}

// rest returns the scores of a section's workload and a subject.
func (g *glance) rest(s section, subject string) *scores {
	for _, r := range g.Rest {
		if r.Subject == subject && r.Title == s.workload {
			return r.Scores[0]
		}
	}
	sum := &scores{}
	g.Rest = append(g.Rest, glanceRow{s.ID, s.workload, subject, []*scores{sum}})
	return sum
}

// farthest returns the verdicts of a class that are farthest from even, one for each section.
func farthest(all []glanceEntry, class string) (out []glanceEntry) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b glanceEntry) int {
		return cmp.Compare(b.Verdict.times, a.Verdict.times)
	})
	for _, e := range sorted {
		taken := slices.ContainsFunc(out, func(o glanceEntry) bool { return o.ID == e.ID })
		if e.Verdict.Class == class && !taken && len(out) < glanceMost {
			out = append(out, e)
		}
	}
	return out
}

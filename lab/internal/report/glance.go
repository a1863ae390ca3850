package report

import (
	"slices"

	"github.com/seed505807e1/berth/lab/internal/draw"
)

// glanceImpls are the collections in the picture that the report begins with.
var glanceImpls = []string{"map[uint64]*T", "genpool", "ark", "berth.Pool", "berth.Dense"}

// glanceVerbs are the operations in it.
var glanceVerbs = []struct{ workload, metric, words string }{
	{"basic", "insert_reserved", "insert"},
	{"basic", "iter_sum", "loop, per value"},
	{"basic", "get_random", "find by handle"},
	{"basic", "remove_random", "remove"},
	{"ephemeral", "post_mean", "a step long after a burst"},
}

// glance draws the operations of the first family, each as a group of bars on an axis of its own.
// It returns nil if the run has none of them.
func (r *Report) glance() *chart {
	fam := r.Catalogue[0]
	var groups []draw.Group
	for _, verb := range glanceVerbs {
		j, ok := r.firstOf(fam, verb.workload)
		if !ok {
			continue
		}
		g := draw.Group{Name: verb.words}
		usual := r.figure(j, fam.Usual, verb.metric)
		for _, im := range fam.Of(r.Impls) {
			f := r.figure(j, im.Name, verb.metric)
			if f == nil || !slices.Contains(glanceImpls, im.Name) {
				continue
			}
			b := draw.Bar{Name: im.Name, Value: f.Value, Tone: tone(im, fam)}
			if usual != nil {
				if ratio := f.RatioTo(usual); ratio != nil && f != usual {
					b.Note = "(" + RatioText(ratio.Value) + ")"
				}
			}
			g.Bars = append(g.Bars, b)
		}
		slices.SortFunc(g.Bars, func(a, b draw.Bar) int {
			return slices.Index(glanceImpls, a.Name) - slices.Index(glanceImpls, b.Name)
		})
		if len(g.Bars) > 0 {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return nil
	}
	frame := draw.Frame{Title: "Time of five operations", Unit: "ns", Each: true}
	note := "ns, 10 000 values; shorter is better; in brackets the ratio to " + fam.Usual
	c := newChart("glance", "Time of five operations", note, true, frame,
		func(f draw.Frame) draw.Picture { return draw.Groups(f, groups) })
	return &c
}

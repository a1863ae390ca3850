package report

import (
	"cmp"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// lookup finds a job's figure, or nil.
type lookup func(impl, metric string) *measure.Figure

// verdict is how a subject did against others.
type verdict struct {
	Class string // wins, even or loses
	Text  string
	// times is how many times the other's figure ours is, or the other way round: 1 or more, and 1
	// where that cannot be said.
	times float64
	rival string
}

// Mark is a sign for the verdict, for those who do not tell colours apart.
func (v verdict) Mark() string {
	return map[string]string{"wins": "▲", "even": "=", "loses": "▼"}[v.Class]
}

// verdicts is how a subject did in a metric, against all that are not ours and against the safe
// ones. Each may be nil, for want of a figure.
type verdicts struct{ All, Safe *verdict }

// score counts verdicts.
type score struct{ Figures, Wins, Even, Losses int }

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

// judgeMetric compares a subject's figure of a metric with those of its rivals. One with a wrong
// checksum does not count.
func judgeMetric(
	fam *measure.Family, subject string, ims []measure.Impl, get lookup, metric string,
) (v verdicts) {
	if f := get(subject, metric); f != nil && f.ChecksumOK && subject != fam.Against {
		v.All = judge(f, rivals(fam, ims, get, measure.BaseMetric(metric), false))
		v.Safe = judge(f, rivals(fam, ims, get, measure.BaseMetric(metric), true))
	}
	return v
}

// judged reports whether a subject has a rival in one of the metrics.
func judged(
	fam *measure.Family, subject string, ims []measure.Impl, get lookup, metrics []string,
) bool {
	return slices.ContainsFunc(metrics, func(m string) bool {
		return judgeMetric(fam, subject, ims, get, m).All != nil
	})
}

// rivals returns the metric's figures of all that are not ours, or of those with safe handles
// alone; or if the family says who is the rival, that one's.
func rivals(
	fam *measure.Family,
	ims []measure.Impl,
	get lookup,
	metric string,
	safe bool,
) []*measure.Figure {
	var out []*measure.Figure
	for _, im := range ims {
		rival := !im.Ours && (im.Safe || !safe)
		if fam.Against != "" {
			rival = im.Name == fam.Against && !safe
		}
		if f := get(im.Name, metric); f != nil && f.ChecksumOK && rival {
			out = append(out, f)
		}
	}
	return out
}

// judge compares a figure with the best of the others. Within 5 % nobody wins.
func judge(ours *measure.Figure, rivals []*measure.Figure) *verdict {
	if len(rivals) == 0 {
		return nil
	}
	best := slices.MinFunc(
		rivals,
		func(a, b *measure.Figure) int { return cmp.Compare(a.Value, b.Value) },
	)
	switch {
	case ours.Value > 1.05*best.Value:
		return newVerdict("loses", "to", ours, best, best.Impl)
	case best.Value > 1.05*ours.Value:
		return newVerdict("wins", "over", best, ours, best.Impl)
	}
	return &verdict{"even", "even with " + best.Impl, 1, best.Impl}
}

// newVerdict says by how much more is more than less, which may be next to nothing where bytes or
// frames are counted.
func newVerdict(class, word string, more, less *measure.Figure, rival string) *verdict {
	times := more.Value / max(less.Value, 1e-9)
	by := RatioText(times)
	if times > 1e6 {
		by, times = Number(more.Value)+" beside "+Number(less.Value), 1
	}
	return &verdict{class, class + " " + by + " " + word + " " + rival, times, rival}
}

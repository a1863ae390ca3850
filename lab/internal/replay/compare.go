package replay

// aspect is a figure by which two containers are compared in a sentence.
type aspect struct {
	it, is           string // the difference stands between the two
	less, more, same string // names of the difference; same follows "3 times"
	of               func(f *Figures) float64
	// over reports whether the figure of f is clearly larger. Unlike the rule, it also counts a
	// tenth of a short frame or of little memory.
	over func(t terms, f, g *Figures) bool
}

// aspects are in the order of the sentence.
var aspects = []aspect{
	{"its p99 frame is", "", "shorter", "longer", "as long", p99Frame.of, p99Frame.longer},
	{"its worst frame is", "", "shorter", "longer", "as long", worstFrame.of, worstFrame.longer},
	{"one garbage collection takes", "", "less time", "more time", "as much time", collection.of,
		collection.clearly},
	{"it holds", " at the peak", "less", "more", "as much", peakHeld, larger(peakHeld)},
	{"it holds", " at the end", "less", "more", "as much", endHeld, larger(endHeld)},
	{"it allocates", "", "less often", "more often", "as often", allocations.of,
		allocations.clearly},
}

func (m reason) longer(t terms, f, g *Figures) bool  { return t.longer(m, f, g) }
func (m reason) clearly(t terms, f, g *Figures) bool { return m.worse(f, g, t) }

func peakHeld(f *Figures) float64 { return float64(f.Peak) }
func endHeld(f *Figures) float64  { return float64(f.End) }

// larger reports whether a number of bytes is larger by a tenth and by a kilobyte.
func larger(of func(*Figures) float64) func(terms, *Figures, *Figures) bool {
	return func(_ terms, f, g *Figures) bool {
		return of(f) > of(g)*(1+clearly) && of(f)-of(g) > 1000
	}
}

// differences lists the figures by which f is clearly better than g, and those by which it is
// worse.
func differences(f, g *Figures, t terms) (better, worse []string) {
	var it [2]string
	for _, a := range aspects {
		x, y := a.of(f), a.of(g)
		list, last, by := &worse, &it[0], ""
		switch {
		case a.over(t, g, f):
			list, last, by = &better, &it[1], percent(1-x/y)+" "+a.less
		case a.over(t, f, g) && x >= 2*y:
			by = digits(x/max(1, y)) + " times " + a.same
		case a.over(t, f, g):
			by = percent(x/y-1) + " " + a.more
		default:
			continue
		}
		if a.it != *last {
			by = a.it + " " + by
		}
		*list, *last = append(*list, by+a.is), a.it
	}
	return better, worse
}

package replay

import "fmt"

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

// nextBest names the next best container and its differences from the recommended one. It adds a
// third container if that is faster or smaller than both.
func (a *adviser) nextBest() string {
	if a.nothing || a.next == nil {
		return ""
	}
	s := "The next best is " + a.next.Name
	switch better, worse := differences(a.next, a.take, a.t); {
	case len(better)+len(worse) == 0:
		s += ", and no figure distinguishes it from " + a.take.Name
	case len(worse) == 0 && a.t.why(a.take, a.next) == none:
		s += ": " + sequence(better) + ", which is too little to decide here"
	case len(worse) == 0: // it has lost to a third one, which has lost to the one to take
		s += ": " + sequence(better) + ", but the order of the measures puts " + a.take.Name +
			" first"
	case len(better) == 0:
		s += ": " + sequence(worse)
	default:
		s += ": " + sequence(worse) + ", but " + sequence(better) + "; consider it if that " +
			"matters more"
	}
	return s + "." + a.others()
}

// others names a container with shorter frames than the two best, or else with less memory.
func (a *adviser) others() string {
	fast, small := a.take, a.take
	if a.next.P99 < fast.P99 {
		fast = a.next
	}
	if memoryHeld.of(a.next) < memoryHeld.of(small) {
		small = a.next
	}
	fastest, smallest := fast, small
	for _, f := range a.set {
		if p99Frame.longer(a.t, fast, f) && f.P99 < fastest.P99 &&
			!worstFrame.longer(a.t, f, fast) {
			fastest = f
		}
		if larger(memoryHeld.of)(a.t, small, f) && memoryHeld.of(f) < memoryHeld.of(smallest) {
			smallest = f
		}
	}
	if fastest != fast {
		return fmt.Sprintf(" %s has the shortest frames: its p99 is %s shorter than "+
			"that of %s.", fastest.Name, percent(1-float64(fastest.P99)/float64(a.take.P99)),
			a.take.Name)
	}
	if smallest != small {
		return fmt.Sprintf(" %s holds the least memory, %s less than %s.",
			smallest.Name, percent(1-memoryHeld.of(smallest)/memoryHeld.of(a.take)), a.take.Name)
	}
	return ""
}

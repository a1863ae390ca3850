package replay

import (
	"fmt"
	"slices"
	"strings"
)

// adviser holds what the sentences are made from.
type adviser struct {
	r       *Result
	t       terms
	set     []*Figures // the candidates
	c       choice
	take    *Figures
	rival   *Figures // the container that the reason refers to
	reason  reason
	next    *Figures // the runner-up
	far     bool     // all candidates are far below the frame budget
	noisy   bool
	nothing bool // no value ever lived
}

// advise applies the rule to r and formats the result.
func advise(r *Result, o Options) Advice {
	t := rules(r, o)
	a := adviser{r: r, t: t, set: candidates(r.Containers, t), c: choose(r.Containers, t)}
	a.take = a.c.take
	if a.take == nil {
		return Advice{Reason: none.String(), RunnerUpReason: none.String(), Sentences: [3]string{
			"No container can be recommended: none that was measured meets the conditions.",
			"The conditions are that stale handles find nothing, and those of the options.",
			"Relax the options.",
		}}
	}
	a.next = choose(without(a.set, []*Figures{a.take}), t).take
	a.rival = a.beaten()
	if a.take.Name != Default {
		for _, f := range a.set {
			if f.Name == Default {
				a.rival = f
			}
		}
	}
	a.reason = a.c.dropped[a.rival]
	limit := float64(t.frame) / tenth
	a.far = !slices.ContainsFunc(a.set, func(f *Figures) bool { return float64(f.Worst) > limit })
	a.noisy = t.noise.P99 > tooNoisy && !a.far && !a.reason.isTime()
	a.nothing = r.Counts.Inserts == 0
	adv := Advice{
		Take: a.take.Name, Reason: a.reason.String(), Equal: []string{},
		Matters: len(a.c.dropped) > 0, Noisy: a.noisy, RunnerUpReason: none.String(),
		Sentences: [3]string{a.first(), a.second(), a.third()},
	}
	if a.next != nil {
		adv.RunnerUp, adv.RunnerUpReason = a.next.Name, t.why(a.next, a.take).String()
	}
	for _, f := range a.c.equal {
		adv.Equal = append(adv.Equal, f.Name)
	}
	return adv
}

// beaten returns the best of the containers that the recommended one clearly beats, by the measure
// that eliminated them.
func (a *adviser) beaten() *Figures {
	var worse []*Figures
	for _, f := range a.set {
		if m, out := a.c.dropped[f]; out && m.worse(f, a.take, a.t) {
			worse = append(worse, f)
		}
	}
	best := choose(worse, a.t).take
	for _, f := range worse {
		if m := a.c.dropped[best]; a.c.dropped[f] == m && m.of(f) < m.of(best) {
			best = f // choose would take one that is as good but preferred
		}
	}
	return best
}

// first names the container and the measure that chose it.
func (a *adviser) first() string {
	take := a.take.Name
	if !a.take.Ours {
		switch {
		case a.take.Naive:
			take += ", plain Go without this library"
		case take == genpoolKind.name:
			take += ", fifty lines of your own without this library"
		default:
			take += ", which is not of this library"
		}
	}
	switch {
	case a.nothing:
		return fmt.Sprintf("Take %s, the default: this stream inserts no values, so no "+
			"figure can decide.", take)
	case a.noisy:
		why := "no other figure separates the containers"
		if a.reason != none {
			why = a.because()
		}
		return fmt.Sprintf("Take %s for now, and measure again on a quieter machine: in half of "+
			"the containers the p99 frame is at least %s above its least, so it decides "+
			"nothing, and %s.", take, percent(a.t.noise.P99), why)
	case len(a.c.dropped) == 0 && a.far:
		return fmt.Sprintf("Take %s; the choice hardly matters: of the containers whose stale "+
			"handles find nothing, even the slowest has a worst frame of %s, below a tenth of "+
			"the %s that a frame has, and none has clearly shorter garbage collections "+
			"or holds clearly less memory.", take, span(a.slowest().Worst), span(a.t.frame))
	case len(a.c.dropped) == 0:
		return fmt.Sprintf("Take %s; the choice does not matter: of the containers whose stale "+
			"handles find nothing, none is clearly better or worse than another in time or "+
			"memory.", take)
	}
	also := ""
	if len(a.c.equal) > 0 {
		also = "; " + namesOf(a.c.equal) + " would do as well"
	}
	if a.reason == none {
		return fmt.Sprintf("Take %s, the default: nothing is clearly better%s.", take, also)
	}
	return fmt.Sprintf("Take %s: %s%s.", take, a.because(), also)
}

// because compares the recommended container with its rival.
func (a *adviser) because() string {
	f, g := a.take, a.rival
	whose := g.Name
	if f.Name == Default && len(a.c.dropped) > 1 {
		whose += ", the best of the rest"
	}
	switch a.reason {
	case missedFrame:
		return fmt.Sprintf("its worst frame takes %s of the %s that a frame has, "+
			"which is exceeded by %s in %s", span(f.Worst), span(a.t.frame),
			span(g.Worst-a.t.frame), whose)
	case p99Frame:
		return fmt.Sprintf("its p99 frame of %s is clearly shorter than the %s of %s",
			span(f.P99), span(g.P99), whose)
	case worstFrame:
		return fmt.Sprintf("its worst frame of %s is clearly shorter than the %s of %s",
			span(f.Worst), span(g.Worst), whose)
	case collection:
		return fmt.Sprintf("one garbage collection takes %s with it, and %s with the %s of %s "+
			"(%s with an empty heap)", span(f.GC), span(g.GC),
			plural(int(g.Objects), "object"), whose, span(a.r.EmptyGC))
	case memoryHeld:
		but := ""
		if a.far {
			but = "all are fast enough here, and "
		}
		return fmt.Sprintf("%sit holds clearly less memory: %s at its peak and %s at the end, "+
			"against %s and %s in %s", but, size(f.Peak), size(f.End), size(g.Peak), size(g.End),
			whose)
	default:
		return fmt.Sprintf("it allocates %s times per frame, against %s times in %s",
			digits(f.FrameAllocs), digits(g.FrameAllocs), whose)
	}
}

// second gives the figures of this stream.
func (a *adviser) second() string {
	var b strings.Builder
	if s := a.r.Spent; s != nil && !a.nothing {
		fmt.Fprintf(&b, "Your frames spend %s of their time in loops over all values, %s in "+
			"lookups and %s on inserts and removals; the", percent(s.Passes), percent(s.Lookups),
			percent(s.Changes))
	} else {
		b.WriteString("The")
	}
	fmt.Fprintf(&b, " p99 frame takes %s (%s of a frame's %s), and memory peaks at %s (%s at "+
		"the end)", span(a.take.P99), percent(float64(a.take.P99)/float64(a.t.frame)),
		span(a.t.frame), size(a.take.Peak), size(a.take.End))
	var naive []string
	for _, f := range a.naive() {
		naive = append(naive, fmt.Sprintf("%s takes %s and holds %s (%s)", f.Name, span(f.P99),
			size(f.Peak), size(f.End)))
	}
	if len(naive) > 0 {
		b.WriteString("; " + strings.Join(naive, ", "))
	}
	return b.String() + "."
}

// naive returns the best slice and the best map other than the recommended container.
func (a *adviser) naive() (list []*Figures) {
	for _, safe := range []bool{false, true} {
		var best *Figures
		for _, f := range a.r.Containers {
			if f.Naive && f.Safe == safe && f != a.take && (best == nil || f.P99 < best.P99) {
				best = f
			}
		}
		if best != nil {
			list = append(list, best)
		}
	}
	return list
}

// third gives the caveats and the alternatives.
func (a *adviser) third() string {
	var parts []string
	if c := known(a.take.Name); c != nil {
		parts = append(parts, "Note that "+c.mind+".")
	}
	if s := a.nextBest(); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(append(parts, a.stale()), " ")
}

// stale describes what stale handles find in the containers that do not reject them, and whether
// one of these would otherwise be better.
func (a *adviser) stale() string {
	t := a.t
	t.unsafe = true
	s := ""
	if best := choose(a.r.Containers, t).take; !best.Safe && t.why(a.take, best) != none {
		better, _ := differences(best, a.take, t)
		s = fmt.Sprintf("%s is better still if you never use a stale handle: %s. ",
			best.Name, sequence(better))
	}
	misses := a.r.Counts.Misses
	if misses == 0 {
		return s + "No lookup in this stream uses a stale handle, so " +
			"the handling of stale handles was not tested."
	}
	var finds []string
	for _, f := range a.r.Containers {
		if f.StaleFound > 0 {
			finds = append(finds, fmt.Sprintf("%s %s times in %s", foundBy(f.Name),
				thousands(f.StaleFound), f.Name))
		}
	}
	find := "find"
	if misses == 1 {
		find = "finds"
	}
	s += fmt.Sprintf("The %s %s nothing in %s", plural(misses, "stale lookup"), find, a.take.Name)
	if len(finds) == 0 {
		return s + "."
	}
	slices.Sort(finds)
	return s + ", but " + sequence(finds) + "."
}

// slowest returns the candidate with the worst frame.
func (a *adviser) slowest() *Figures {
	return slices.MaxFunc(a.set, func(f, g *Figures) int { return int(f.Worst - g.Worst) })
}

// without returns set without the elements of some.
func without(set, some []*Figures) []*Figures {
	return slices.DeleteFunc(slices.Clone(set), func(f *Figures) bool {
		return slices.Contains(some, f)
	})
}

func namesOf(figures []*Figures) string {
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return sequence(names)
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

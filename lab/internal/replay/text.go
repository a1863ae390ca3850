package replay

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	width      = 100
	tracksTold = 8
)

// WriteText writes the result as text. No line is longer than 100 characters, unless a name is. It
// returns the error of w.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	r.stream(&b)
	r.table(&b)
	for _, n := range r.Notes {
		b.WriteString(wrap(n, width))
	}
	b.WriteString("\n")
	for _, s := range r.Advice.Sentences {
		b.WriteString(wrap(s, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) stream(b *strings.Builder) {
	c := r.Counts
	b.WriteString(wrap(fmt.Sprintf("%s, %s: %s, %s, %s, %s, %s over %s.",
		plural(r.Frames, "frame"), plural(r.Ops, "op"), plural(c.Inserts, "insert"),
		plural(c.Removes, "removal"), plural(c.Gets, "lookup"), plural(c.Misses, "stale lookup"),
		plural(c.Passes, "loop"), plural(c.Visits, "value")), width))
	for i, t := range r.Tracks {
		if i == tracksTold {
			fmt.Fprintf(b, "  and %s\n", plural(len(r.Tracks)-i, "track"))
			break
		}
		as := ""
		if t.Class != t.Bytes {
			as = fmt.Sprintf(" (replayed as %d)", t.Class)
		}
		fmt.Fprintf(b, "  %s: values of %d bytes%s, %s at most, %s at the end\n",
			printable(t.Name), t.Bytes, as, thousands(t.Peak), thousands(t.End))
	}
	fmt.Fprintf(b, "The time of a frame is its median over %s.\n\n", plural(r.Rounds, "round"))
}

const row = "%1s %-22s %7s %7s %7s %7s %7s %7s %7s %7s %8s"

func (r *Result) table(b *strings.Builder) {
	line := func(cells ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(row, cells...), " ") + "\n")
	}
	line("", "", "frame", "frame", "worst", "", "one GC", "memory", "memory", "allocs", "stale")
	line("", "", "p50", "p99", "frame", "total", "at peak", "at peak", "at end", "a frame", "found")
	for _, f := range r.Containers {
		mark := " "
		if f.Name == r.Advice.Take {
			mark = ">"
		}
		found := "nothing"
		if !f.Safe {
			found = thousands(f.StaleFound)
		}
		line(mark, f.Name, span(f.P50), span(f.P99), span(f.Worst), span(f.Total),
			span(f.GC), size(f.Peak), size(f.End), digits(f.FrameAllocs), found)
	}
	t := r.Itself
	line("", "of which replay", span(t.P50), span(t.P99), span(t.Worst), span(t.Total),
		span(r.EmptyGC), "", "", "", "")
	b.WriteString("\n")
	b.WriteString(wrap(fmt.Sprintf("One GC is a forced garbage collection at the peak of live "+
		"values. It takes %s with an empty heap. Values hold no pointers here.",
		span(r.EmptyGC)), width))
	for _, f := range r.Containers {
		if !f.Safe && r.Counts.Misses > 0 {
			fmt.Fprintf(b, "%s: %s of %s stale lookups found %s.\n", f.Name,
				thousands(f.StaleFound), thousands(r.Counts.Misses), foundBy(f.Name))
		}
	}
	if r.Frames > 1 {
		b.WriteString(wrap(r.firsts(), width))
	}
	if n := r.Noise; r.Rounds > 1 && (n.P99 > clearly || n.Worst > clearly) {
		b.WriteString(wrap(fmt.Sprintf("The machine was busy: in the median "+
			"container, the p99 frame is %s above its least, and the worst %s. Only "+
			"larger differences count.",
			percent(n.P99), percent(n.Worst)), width))
	}
	if r.Rounds == 1 {
		b.WriteString(wrap("With one round, the noise is unknown: the worst frame decides "+
			"nothing.", width))
	} else if u := r.unsteady(); len(u) > 0 {
		b.WriteString(wrap(fmt.Sprintf("That is too much for the %s frame to decide anything.",
			sequence(u)), width))
	}
}

// unsteady lists the figures whose noise is too large.
func (r *Result) unsteady() (list []string) {
	if r.Noise.P99 > tooNoisy {
		list = append(list, "p99")
	}
	if r.Noise.Worst > tooNoisy {
		list = append(list, "worst")
	}
	return list
}

// firsts describes the first frame, which the columns leave out.
func (r *Result) firsts() string {
	first := func(a, b *Figures) int { return cmp.Compare(a.First, b.First) }
	least, most := slices.MinFunc(r.Containers, first), slices.MaxFunc(r.Containers, first)
	return fmt.Sprintf("Only the total includes the first frame: from %s (%s) to %s (%s).",
		span(least.First), least.Name, span(most.First), most.Name)
}

func foundBy(name string) string {
	if c := known(name); c != nil && c.found != "" {
		return c.found
	}
	return "something"
}

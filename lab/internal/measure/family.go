package measure

import (
	"slices"
	"strings"
)

// Impl is one way to keep a collection, or a free list, or to do what else a family does.
type Impl struct {
	Name  string
	About string // what it is, and what is its handle
	Stale string // what a handle to a removed value does, or freeing what is free
	Safe  bool   // a stale handle finds nothing, for as long as a program is likely to run
	Loops string // what its loops are, where that is not obvious
	Ours  bool   // it is this library's, and so no rival of a subject

	// Kit is what the workloads of its family ask of it, of a type that they know.
	Kit any
	// Remote runs it, if it is in another process; then it needs no kit.
	Remote remote

	Most int // the most values or entries that it takes; 0 if any number
	Slow int // more values than that are for a full run; 0 if any number is for all

	Variant bool // it is measured if it is asked for by name, or all are
}

// remote runs the workloads of an implementation in another process.
type remote interface {
	// Runs reports whether it has what a workload asks for.
	Runs(workload string) bool
	// Start sets up a series of repetitions.
	Start(t *Trial) func() error
}

// Label is the name of im.
func (im Impl) Label() string { return im.Name }

// can reports whether im, which the workload runs, takes part in j: there may be too many values or
// entries for it, or for anybody's patience.
func (im Impl) can(j Job) bool {
	n := j.N + j.Workload.Beside
	return (im.Most == 0 || n <= im.Most) && (im.Slow == 0 || n <= im.Slow || j.full)
}

// Among reports whether one of ims has the name of im.
func (im Impl) Among(ims []Impl) bool {
	return slices.ContainsFunc(ims, func(k Impl) bool { return k.Name == im.Name })
}

// Family is what is held against each other: implementations that do the same work.
type Family struct {
	ID        string // of its part of the report
	Title     string
	Stale     string // what an impl's stale tells of
	Workloads []*Workload
	Impls     []Impl   // in the order in which they are shown
	Baseline  string   // the implementation that all ratios refer to
	Subjects  []string // the rows of the report's table of ratios
	Usual     string   // a second base of the report's ratios: what most programs use; or empty
}

// Of returns those of chosen that belong to the family, in its order.
func (f *Family) Of(chosen []Impl) []Impl {
	var out []Impl
	for _, im := range f.Impls {
		if im.Among(chosen) {
			out = append(out, im)
		}
	}
	return out
}

// Runners returns those of chosen that belong to the family and have what one of its workloads asks
// for, if only at another size.
func (f *Family) Runners(w *Workload, chosen []Impl) []Impl {
	return slices.DeleteFunc(f.Of(chosen), func(im Impl) bool { return !w.takes(im) })
}

// Catalogue lists the families, in the order in which they are shown. The first one is what the
// report begins with.
type Catalogue []*Family

// Work is a workload of a family.
type Work struct {
	*Workload

	Family *Family
}

// Works returns all workloads in the order in which they run: those of the first family first, and
// at the end those that are to come last.
func (c Catalogue) Works() (all []Work) {
	for _, last := range []bool{false, true} {
		for _, f := range c {
			for _, w := range f.Workloads {
				if w.Last == last {
					all = append(all, Work{w, f})
				}
			}
		}
	}
	return all
}

// Impls returns the implementations of all families. One that is in two of them comes once.
func (c Catalogue) Impls() []Impl {
	var all []Impl
	for _, f := range c {
		for _, im := range f.Impls {
			if !im.Among(all) {
				all = append(all, im)
			}
		}
	}
	return all
}

// With returns a catalogue in which implementations of another process stand behind those of each
// family of which they run a workload.
func (c Catalogue) With(ims []Impl) Catalogue {
	out := slices.Clone(c)
	for i, f := range out {
		more := slices.DeleteFunc(slices.Clone(ims), func(im Impl) bool {
			return !slices.ContainsFunc(f.Workloads, func(w *Workload) bool {
				return im.Remote != nil && im.Remote.Runs(w.Name)
			})
		})
		if len(more) > 0 {
			both := *f
			both.Impls = slices.Concat(f.Impls, more)
			out[i] = &both
		}
	}
	return out
}

// NameList returns the names of implementations, separated by commas.
func NameList(ims []Impl) string {
	names := make([]string, len(ims))
	for i, im := range ims {
		names[i] = im.Name
	}
	return strings.Join(names, ", ")
}

package measure

import (
	"slices"
	"strings"
)

// Impl is one implementation of the work of a family: a collection, a free list, or another.
type Impl struct {
	Name  string
	About string // what it is, and what its handle is
	Stale string // what a stale handle or a double free does
	Safe  bool   // a stale handle finds nothing for as long as a program is likely to run
	Loops string // its loops, if they are not obvious
	Ours  bool   // it belongs to this library, and is no rival of a subject

	// Kit holds its constructors, of a type that the family's workloads know.
	Kit any
	// Remote runs it in another process, if not nil. Kit is unused then.
	Remote remote

	Most int // the maximum number of values or entries; 0 for no limit

	Variant bool // it is measured only by name or in a full run
}

// remote runs the workloads of an implementation in another process.
type remote interface {
	// Runs reports whether it runs a workload.
	Runs(workload string) bool
	// Start sets up a series of repetitions.
	Start(t *Trial) func() error
}

// KitOf returns the kit of an implementation, or the zero K if it is of another type.
func KitOf[K any](im Impl) K {
	k, _ := im.Kit.(K)
	return k
}

// Label returns the name of im.
func (im Impl) Label() string { return im.Name }

// can reports whether im takes part in j. A job may have too many values for an implementation.
func (im Impl) can(j Job) bool {
	return im.Most == 0 || j.N+j.Workload.Beside <= im.Most
}

// Among reports whether ims contains the name of im.
func (im Impl) Among(ims []Impl) bool {
	return slices.ContainsFunc(ims, func(k Impl) bool { return k.Name == im.Name })
}

// Family is a group of implementations that do the same work and are compared with each other.
type Family struct {
	ID        string // of its section in the report
	Title     string
	Stale     string // the noun for the case that an Impl's Stale describes
	Workloads []*Workload
	Impls     []Impl   // in display order
	Baseline  string   // the implementation that ratios refer to
	Subjects  []string // the rows of the report's table of ratios
	Usual     string   // a second base of the report's ratios, a usual choice; or empty
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

// Runners returns those of chosen that belong to the family and run one of its workloads, at any
// size.
func (f *Family) Runners(w *Workload, chosen []Impl) []Impl {
	return slices.DeleteFunc(f.Of(chosen), func(im Impl) bool { return !w.takes(im) })
}

// Catalogue lists the families in display order. The report begins with the first one.
type Catalogue []*Family

// Work is a workload of a family.
type Work struct {
	*Workload

	Family *Family
}

// Works returns all workloads in running order: by family, except that workloads marked Last come
// at the end.
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

// Impls returns the implementations of all families, each once.
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

// With returns a catalogue in which ims, from another process, follow the implementations of each
// family whose workloads they run.
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

package main

import (
	"slices"
	"strings"
)

// impl is one way to keep a collection, or a free list, or to do what else a family does.
type impl struct {
	name  string
	about string // what it is, and what is its handle
	stale string // what a handle to a removed value does, or freeing what is free
	safe  bool   // a stale handle finds nothing, for as long as a program is likely to run
	loops string // what its loops are, where that is not obvious
	ours  bool   // it is this library's, and so no rival of a subject

	// kit is what the workloads of its family ask of it, of a type that they know.
	kit any
	// remote runs it, if it is in another process; then it needs no kit.
	remote remote

	most int // the most values or entries that it takes; 0 if any number
	slow int // more values than that are for a full run; 0 if any number is for all

	variant bool // it is measured if it is asked for by name, or all are
}

// remote runs the workloads of an implementation in another process.
type remote interface {
	// Runs reports whether it has what a workload asks for.
	Runs(workload string) bool
	// Start sets up a series of repetitions.
	Start(t *trial) func() error
}

// label is the name of im.
func (im impl) label() string { return im.name }

// can reports whether im, which the workload runs, takes part in j: there may be too many values or
// entries for it, or for anybody's patience.
func (im impl) can(j job) bool {
	n := j.n + j.w.beside
	return (im.most == 0 || n <= im.most) && (im.slow == 0 || n <= im.slow || j.full)
}

// among reports whether one of ims has the name of im.
func (im impl) among(ims []impl) bool {
	return slices.ContainsFunc(ims, func(k impl) bool { return k.name == im.name })
}

// family is what is held against each other: implementations that do the same work.
type family struct {
	id        string // of its part of the report
	title     string
	stale     string // what an impl's stale tells of
	workloads []*workload
	impls     []impl   // in the order in which they are shown
	baseline  string   // the implementation that all ratios refer to
	subjects  []string // whose wins and losses the report spells out
	against   string   // the one rival of the subjects, of this library too; else all that are not
}

// of returns those of chosen that belong to the family, in its order.
func (f *family) of(chosen []impl) []impl {
	var out []impl
	for _, im := range f.impls {
		if im.among(chosen) {
			out = append(out, im)
		}
	}
	return out
}

// runners returns those of chosen that belong to the family and have what one of its workloads asks
// for, if only at another size.
func (f *family) runners(w *workload, chosen []impl) []impl {
	return slices.DeleteFunc(f.of(chosen), func(im impl) bool { return !w.takes(im) })
}

// catalogue lists the families, in the order in which they are shown. The first one is what the
// report begins with.
type catalogue []*family

// work is a workload of a family.
type work struct {
	*workload

	family *family
}

// works returns all workloads in the order in which they run: those of the first family first, and
// at the end those that are to come last.
func (c catalogue) works() (all []work) {
	for _, last := range []bool{false, true} {
		for _, f := range c {
			for _, w := range f.workloads {
				if w.last == last {
					all = append(all, work{w, f})
				}
			}
		}
	}
	return all
}

// impls returns the implementations of all families. One that is in two of them comes once.
func (c catalogue) impls() []impl {
	var all []impl
	for _, f := range c {
		for _, im := range f.impls {
			if !im.among(all) {
				all = append(all, im)
			}
		}
	}
	return all
}

// with returns a catalogue in which implementations of another process stand behind those of each
// family of which they run a workload.
func (c catalogue) with(ims []impl) catalogue {
	out := slices.Clone(c)
	for i, f := range out {
		more := slices.DeleteFunc(slices.Clone(ims), func(im impl) bool {
			return !slices.ContainsFunc(f.workloads, func(w *workload) bool {
				return im.remote != nil && im.remote.Runs(w.name)
			})
		})
		if len(more) > 0 {
			both := *f
			both.impls = slices.Concat(f.impls, more)
			out[i] = &both
		}
	}
	return out
}

// nameList returns the names of implementations, separated by commas.
func nameList(ims []impl) string {
	names := make([]string, len(ims))
	for i, im := range ims {
		names[i] = im.name
	}
	return strings.Join(names, ", ")
}

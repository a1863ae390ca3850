package pooltest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// Options is what the suite asks of a new container.
type Options struct {
	Capacity int    // slots to make up front
	Limit    int    // most live values; 0 is no limit
	Seed     uint32 // same Seed and same calls: same handles; 0 is one that no other container has
}

// Pointers says when a pointer to a value ends.
type Pointers uint8

const (
	// UntilRemove pointers end when their value is removed: values never move.
	UntilRemove Pointers = iota
	// UntilGrowth pointers end also when the container takes more memory or gives some back.
	UntilGrowth
	// UntilChange pointers end with the next insert or removal.
	UntilChange
)

// String returns the name of the constant: "UntilRemove", "UntilGrowth" or "UntilChange".
func (p Pointers) String() string {
	if p > UntilChange {
		return fmt.Sprintf("Pointers(%d)", uint8(p))
	}
	return [...]string{"UntilRemove", "UntilGrowth", "UntilChange"}[p]
}

// Suite is the laws for one kind of container. New is required. The other functions give access to
// what the container offers under types of its own; what is nil is not tested. A Suite is not
// changed by its methods, and may be used again.
type Suite[H comparable, V Item] struct {
	// New makes an empty container.
	New func(Options) Container[H, V]

	// Pointers is what the container promises of its pointers.
	Pointers Pointers
	// KeepsMemory says that memory comes back only by Clip. Else it follows the live values.
	KeepsMemory bool
	// TidiesInLoops says that memory comes back when the next loop begins, not at once.
	TidiesInLoops bool
	// SpansEnd says that Clip and Clear inside a loop end the span that was handed out: it lies in
	// memory that they have given back. Without, a value that is gone reads as zero there.
	SpansEnd bool
	// Most is how many values and vacant slots the container has room for; 0 is as many as you
	// like.
	Most int
	// Except names subtests that the container is not meant to pass, as Run does
	// ("Law4Foreign/sameSeed"), each with the reason, which Run shows. Play does nothing either
	// that those would forbid.
	Except map[string]string

	// Clone returns an independent copy, in which the same handles name copies of the values.
	Clone func(Container[H, V]) Container[H, V]
	// Traverse iterates over all values, each with a view of the others.
	Traverse func(Container[H, V]) iter.Seq2[Pivot[H, V], View[H, V]]
	// Apply calls f with one value and a view of the others, and reports false if h is not live.
	Apply func(c Container[H, V], h H, f func(*V, View[H, V])) bool
	// FromBits makes a handle from any 64 bits, and Bits the bits from a handle.
	FromBits func(uint64) H
	Bits     func(H) uint64

	// Check panics if the container is not whole. It is called after each step.
	Check func(Container[H, V])
	// Bytes returns the memory that the container holds. Law 10 looks at the heap in any case.
	Bytes func(Container[H, V]) int
	// Age makes c, which is new, one whose slots can be reused only so many times: law 2 must hold
	// also when generations run out.
	Age func(c Container[H, V], lives int)
	// Retired returns how many slots are used up.
	Retired func(Container[H, V]) int
}

// failer is the part of testing.TB that the checks use, small enough for a test to stand in for it.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// check is one subtest: a law, or a rule of it.
type check[H comparable, V Item] struct {
	law, name string
	needs     []string // what the container must offer
	run       func(r *run[H, V])
}

// run is what a check works with.
type run[H comparable, V Item] struct {
	*Suite[H, V]
	f   failer
	ids uint64 // the last ID handed out
	rng *rand.Rand
}

// Run runs the suite: a subtest for each law and rule, named like
// Law2StaleNeverResolves/afterClear, and the model test on inputs of its own, Model/0 and so on.
// What the container does not offer is skipped. It fails t where the container breaks a law, and
// goes on with the next one.
func (s Suite[H, V]) Run(t *testing.T) {
	t.Helper()
	cs := s.checks()
	for len(cs) > 0 {
		n := 1
		for n < len(cs) && cs[n].law == cs[0].law {
			n++
		}
		t.Run(cs[0].law, func(t *testing.T) {
			for _, c := range cs[:n] {
				t.Run(c.name, func(t *testing.T) {
					if why := s.skips(c); why != "" {
						t.Skip(why)
					}
					s.one(t, c)
				})
			}
		})
		cs = cs[n:]
	}
}

// Play is the body of a fuzz target, and of Run's model test: it makes calls of data, on a
// container and on a plain map, and compares the two after each call. The first bytes choose the
// container's Options. It fails t where they differ, where a handle that is gone finds anything,
// where a loop does not end, and where Check panics.
// Cost: some 100 microseconds for 100 bytes; at most 4096 bytes of data are read.
func (s Suite[H, V]) Play(t testing.TB, data []byte) {
	t.Helper()
	s.one(t, check[H, V]{run: func(r *run[H, V]) { play(r, data) }})
}

// one runs a check. A panic is a failure of that check alone.
func (s *Suite[H, V]) one(f failer, c check[H, V]) {
	f.Helper()
	defer func() {
		if e := recover(); e != nil {
			f.Errorf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	c.run(&run[H, V]{Suite: s, f: f, rng: rand.New(rand.NewPCG(1, 2))})
}

// skips returns why c cannot be run; "" if it can.
func (s *Suite[H, V]) skips(c check[H, V]) string {
	if why, ok := s.Except[c.law+"/"+c.name]; ok {
		return "excepted: " + why
	}
	box := s.New(Options{})
	for _, name := range c.needs {
		if !s.offers(box, name) {
			return "no " + name
		}
	}
	return ""
}

// allows reports whether the subtest of that name is not excepted.
func (s *Suite[H, V]) allows(name string) bool {
	_, not := s.Except[name]
	return !not
}

// checks returns all checks, those of one law side by side.
func (s *Suite[H, V]) checks() []check[H, V] {
	var cs []check[H, V]
	law := func(name string, of ...check[H, V]) {
		for _, c := range of {
			c.law = name
			cs = append(cs, c)
		}
	}
	law("Law1LiveResolves", law1[H, V]()...)
	law("Law2StaleNeverResolves", law2[H, V]()...)
	law("Law3ZeroHandle", law3[H, V]()...)
	law("Law4Foreign", law4[H, V]()...)
	law("Law5RemovingTwice", law5[H, V]()...)
	law("Law6NothingKept", law6[H, V]()...)
	law("Law7Iteration", law7[H, V]()...)
	law("Law7CrossIteration", law7cross[H, V]()...)
	law("Law8Pointers", law8[H, V]()...)
	law("Law9SteadyState", append(law9[H, V](), law9reads[H, V]()...)...)
	law("Law10CostFollows", law10[H, V]()...)
	law("Law11Panics", law11[H, V]()...)
	law("Law12BadInput", law12[H, V]()...)
	law("Model", models[H, V]()...)
	return cs
}

// world makes a container by o, and its model.
func (r *run[H, V]) world(o Options) *world[H, V] {
	if !r.allows(limitTest) {
		o.Limit = 0
	}
	return &world[H, V]{
		run: r, c: r.New(o), limit: o.Limit,
		live: map[H]*entry[V]{}, byID: map[uint64]H{}, issued: map[H]struct{}{},
	}
}

// filled is world with n values.
func (r *run[H, V]) filled(o Options, n int) *world[H, V] {
	w := r.world(o)
	w.insertN(n)
	return w
}

// count returns n, or less where the race detector or a narrow container asks for it.
func (r *run[H, V]) count(n int) int { return r.room(max(n/scale, min(n, 100))) }

// room returns n, or less where a narrow container asks for it.
func (r *run[H, V]) room(n int) int {
	if r.Most > 0 {
		n = min(n, r.Most)
	}
	return n
}

func (r *run[H, V]) newID() uint64 { r.ids++; return r.ids }

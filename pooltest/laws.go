package pooltest

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// Run runs the suite: a subtest for each law and rule, with a name like
// Law2StaleNeverResolves/afterClear, and the model test on inputs of its own, Model/0 and so on. It
// skips the subtests of features that the container does not have. If the container breaks a law,
// Run fails t and continues with the next subtest.
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

// Play is the body of a fuzz target, and of Run's model test. It makes the calls that data encodes,
// on a container and on a plain map, and compares the two after each call. The first bytes select
// the container's Options. Play fails t if the two differ, if a stale handle finds anything, if a
// loop does not end, or if Check panics.
// Cost: some 100 microseconds for 100 bytes; at most 4096 bytes of data are read.
func (s Suite[H, V]) Play(t testing.TB, data []byte) {
	t.Helper()
	s.one(t, check[H, V]{run: func(r *run[H, V]) { play(r, data) }})
}

// one runs a check. A panic fails only that check.
func (s *Suite[H, V]) one(f failer, c check[H, V]) {
	f.Helper()
	defer func() {
		if e := recover(); e != nil {
			f.Errorf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	c.run(&run[H, V]{Suite: s, f: f, rng: rand.New(rand.NewPCG(1, 2))})
}

// skips returns the reason why c cannot be run, or "" if it can.
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

// checks returns all checks, grouped by law.
func (s *Suite[H, V]) checks() []check[H, V] {
	var cs []check[H, V]
	law := func(name string, of ...check[H, V]) {
		for _, c := range of {
			c.law = name
			cs = append(cs, c)
		}
	}
	law("Law1LiveResolves", law1[H, V]()...)
	law("Law2StaleNeverResolves", append(law2[H, V](), law2saves[H, V]()...)...)
	law("Law3ZeroHandle", law3[H, V]()...)
	law("Law4Foreign", append(law4[H, V](), law4saves[H, V]()...)...)
	law("Law5RemovingTwice", law5[H, V]()...)
	law("Law6NothingKept", append(law6[H, V](), law6saves[H, V]()...)...)
	law("Law7Iteration", law7[H, V]()...)
	law("Law7CrossIteration", law7cross[H, V]()...)
	law("Law8Pointers", law8[H, V]()...)
	law("Law9SteadyState", append(law9[H, V](), law9reads[H, V]()...)...)
	law("Law10CostFollows", law10[H, V]()...)
	law("Law11Panics", law11[H, V]()...)
	law("Law12BadInput", append(law12[H, V](), law12saves[H, V]()...)...)
	law("Model", models[H, V]()...)
	return cs
}

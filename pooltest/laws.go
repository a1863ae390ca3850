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
	traitsOf(&s).test(t)
}

// test runs the suite.
func (s *traits) test(t *testing.T) {
	t.Helper()
	cs := checks()
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
//
// Cost: some 100 microseconds for 100 bytes; at most 4096 bytes of data are read.
func (s Suite[H, V]) Play(t testing.TB, data []byte) {
	t.Helper()
	traitsOf(&s).one(t, check{run: func(r *run) { play(r, data) }})
}

// one runs a check. A panic fails only that check.
func (s *traits) one(f failer, c check) {
	f.Helper()
	defer func() {
		if e := recover(); e != nil {
			f.Errorf("panic: %v\n%s", e, debug.Stack())
		}
	}()
	c.run(&run{traits: s, open: s.open(), f: f, rng: rand.New(rand.NewPCG(1, 2))})
}

// skips returns the reason why c cannot be run, or "" if it can.
func (s *traits) skips(c check) string {
	if why, ok := s.except[c.law+"/"+c.name]; ok {
		return "excepted: " + why
	}
	box := s.open()(Options{})
	for _, name := range c.needs {
		if !box.offers(name) {
			return "no " + name
		}
	}
	return ""
}

// checks returns all checks, grouped by law.
func checks() []check {
	var cs []check
	law := func(name string, of ...check) {
		for _, c := range of {
			c.law = name
			cs = append(cs, c)
		}
	}
	law("Law1LiveResolves", law1()...)
	law("Law2StaleNeverResolves", append(law2(), law2saves()...)...)
	law("Law3ZeroHandle", law3()...)
	law("Law4Foreign", append(law4(), law4saves()...)...)
	law("Law5RemovingTwice", law5()...)
	law("Law6NothingKept", append(law6(), law6saves()...)...)
	law("Law7Iteration", law7()...)
	law("Law7CrossIteration", law7cross()...)
	law("Law8Pointers", law8()...)
	law("Law9SteadyState", append(law9(), law9reads()...)...)
	law("Law10CostFollows", law10()...)
	law("Law11Panics", law11()...)
	law("Law12BadInput", append(law12(), law12saves()...)...)
	law("Model", models()...)
	return cs
}

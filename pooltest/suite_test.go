package pooltest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// refSuite returns the suite for references with the given defect, or none for "".
func refSuite[V Item](bug string) Suite[tag, V] {
	type container = Container[tag, V]
	ref := func(c container) *reference[V] { return c.(*reference[V]) }
	return Suite[tag, V]{
		New:       func(o Options) container { return newReference[V](bug, o) },
		Clone:     func(c container) container { return ref(c).Clone() },
		InsertSeq: func(c container, seq iter.Seq[V]) int { return ref(c).InsertSeq(seq) },
		Drain:     func(c container) iter.Seq2[tag, V] { return ref(c).Drain() },
		Backward:  func(c container) iter.Seq2[tag, *V] { return ref(c).Backward() },
		Traverse: func(c container) iter.Seq2[Pivot[tag, V], View[tag, V]] {
			return ref(c).Traverse()
		},
		Apply:    func(c container, h tag, f func(*V, View[tag, V])) bool { return ref(c).Apply(h, f) },
		Save:     func(c container) ([]byte, error) { return ref(c).Save() },
		Load:     func(c container, data []byte) error { return ref(c).Load(data) },
		Bits:     func(h tag) uint64 { return uint64(h) },
		FromBits: func(u uint64) tag { return tag(u) },
		Check:    func(c container) { ref(c).Check() },
		Bytes:    func(c container) int { return ref(c).Bytes() },
		Age:      func(c container, lives int) { ref(c).Age(lives) },
		Retired:  func(c container) int { return ref(c).Retired() },
	}
}

// A container that keeps the laws passes, so the suite requires nothing that only a Pool has.
func TestReferencePasses(t *testing.T) {
	t.Run("V=Value", refSuite[Value]("").Run)
	t.Run("V=Plain", refSuite[Plain]("").Run)
}

// A container with weaker pointers is tested differently for spans, and the same defects are
// detected.
func TestMovingContainers(t *testing.T) {
	s := refSuite[Value]("")
	s.Pointers = UntilChange
	s.TidiesInLoops = true
	t.Run("reference", s.Run)
	for bug, name := range map[string]string{
		"a span includes a vacant slot":                "Model",
		"a span has room":                              "Model",
		"a panic in Apply leaves the container locked": "Law11Panics/apply",
	} {
		s := refSuite[Value](bug)
		s.Pointers = UntilChange
		if len(failures(&s, name)) == 0 {
			t.Errorf("%s: %s passes, want it to fail", bug, name)
		}
	}
}

// defects are defects of pools, and the subtests that must fail for each, separated by blanks.
var defects = []struct{ bug, fails string }{
	{"a slot reads its neighbour", "Law1LiveResolves/insertAndFind Model"},
	{"live handles are refused after 3 reuses", "Law1LiveResolves/underChurn Model"},
	{"live handles are refused after 4096 reuses", "Law2StaleNeverResolves/afterReuse"},
	{"Ptr points to a copy", "Law1LiveResolves/writesStay Law8Pointers/sameUntilChange Model"},
	{"the last value beside a hole stays", "Law1LiveResolves/lastBesideHole Model"},

	{"Remove leaves the slot readable", "Law2StaleNeverResolves/afterRemove Model"},
	{"lookups ignore the generation", "Law2StaleNeverResolves/afterReuseOfMany Law3ZeroHandle/anyBits Model"},
	{"generations have 8 bits", "Law2StaleNeverResolves/afterReuse Law2StaleNeverResolves/afterReuseOfMany"},
	{"generations have 16 bits", "Law2StaleNeverResolves/afterReuse"},
	{"Clear resets the generations", "Law2StaleNeverResolves/afterClear Model"},
	{"truncation forgets the generations", "Law2StaleNeverResolves/afterTruncation Model"},
	{"Clip forgets the generations", "Law2StaleNeverResolves/afterClip Model"},
	{"Clone shares the values", "Law2StaleNeverResolves/afterClone Model"},
	{"Drain resets the generations", "Law2StaleNeverResolves/afterDrain Model"},
	{"RemoveFunc keeps the generation", "Law2StaleNeverResolves/afterRemoveFunc Model"},
	{"a panic in InsertFunc keeps the generation", "Law2StaleNeverResolves/afterFailedInsertFunc Model"},
	{"used-up slots are reused", "Law2StaleNeverResolves/afterRetirement Model"},
	{"a save has no generations of vacant slots", "Law2StaleNeverResolves/afterLoad Model"},
	{"a save has no generations of released slots", "Law2StaleNeverResolves/afterLoad Model"},
	{"a save forgets used-up slots", "Law2StaleNeverResolves/afterLoad"},
	{"a load keeps blocks of its own", "Law2StaleNeverResolves/afterLoad Model"},
	{"a load uses the data later", "Law2StaleNeverResolves/afterLoad Model"},

	{"the zero handle names the first value", "Law3ZeroHandle/zeroHandle"},
	{"lookups trust the index", "Law3ZeroHandle/anyBits Model"},

	{"containers start alike", "Law4Foreign/automaticSeeds"},
	{"Seed is ignored", "Law4Foreign/chosenSeeds"},
	{"slots are chosen at random", "Law4Foreign/sameSeed"},
	{"a load continues at the end", "Law4Foreign/sameAfterLoad"},
	{"a load turns the order round", "Law4Foreign/sameAfterLoad"},
	{"the order is a map's", "Law4Foreign/sameSeed Law7Iteration/rule6Order"},

	{"a second Remove counts", "Law5RemovingTwice/secondIsFalse Model"},
	{"a second Remove frees the slot again", "Law5RemovingTwice/slotsStayApart Model"},
	{"a second Remove removes the new owner", "Law5RemovingTwice/newOwnerStays Model"},

	{"Remove keeps the value",
		"Law6NothingKept/afterRemove Law6NothingKept/afterRemoveInLoop " +
			"Law6NothingKept/afterReplacement Law6NothingKept/afterFailedInsertFunc " +
			"Law6NothingKept/vacantIsZero"},
	{"Clear keeps the values", "Law6NothingKept/afterClear Law6NothingKept/vacantIsZero"},
	{"Drain keeps the values", "Law6NothingKept/afterDrain"},
	{"RemoveFunc keeps the values", "Law6NothingKept/afterRemoveFunc"},
	{"a panic in InsertFunc keeps the value", "Law6NothingKept/failedInsertFuncIsFreed"},
	{"a load keeps the old values", "Law6NothingKept/afterLoad"},

	{"an empty loop panics", "Law7Iteration/empty Model"},
	{"Backward misses the last", "Law7Iteration/rule1EachOnce Model"},
	{"growth starts the loop again", "Law7Iteration/rule1EachOnceWhileGrowing"},
	{"removing the current value skips the next",
		"Law7Iteration/rule2RemoveCurrent Law7Iteration/rule2RemoveSome Law7Iteration/drain Model"},
	{"removing any value skips the next", "Law7Iteration/rule2RemoveEarlier Law7Iteration/rule2RemoveEnd Model"},
	{"loops run over a copy",
		"Law7Iteration/rule2RemoveLater Law7Iteration/rule2RemoveOthers " +
			"Law7Iteration/rule2Clear Law7Iteration/drainChange Model"},
	{"an insert in a loop visits twice", "Law7Iteration/rule3Insert Law7Iteration/rule3Ends Model"},
	{"inserts make the loop start again",
		"Law7Iteration/rule3Replace Law7Iteration/rule3ReplaceEarlier Law7Iteration/rule3ClearAndRefill Model"},
	{"a loop follows what it inserts", "Law7Iteration/rule3Ends"},
	{"nested loops share a cursor", "Law7Iteration/rule4Nested Model"},
	{"break leaves the container locked", "Law7Iteration/rule5Break Model"},
	{"a panic leaves the container locked", "Law7Iteration/rule5Panic Law7Iteration/rule5Goexit Model"},
	{"Backward goes on after a break", "Law7Iteration/rule5Break"},
	{"Values shows copies", "Law7Iteration/rule1EachOnce"},
	{"Spans leaves a block out", "Law7Iteration/rule1EachOnce Law7Iteration/rule7Spans"},
	{"Drain goes on after a break", "Law7Iteration/drainBreak"},
	{"Backward goes forward", "Law7Iteration/rule6Order"},
	{"a span includes a vacant slot", "Law7Iteration/rule7Spans Model"},
	{"a span hands out what has been removed", "Law7Iteration/rule2RemoveOthers Law7Iteration/rule2Clear Model"},
	{"a span has room", "Law7Iteration/rule7Spans"},
	{"At finds what is gone", "Law7Iteration/slots"},
	{"IndexOf of a stale handle", "Law3ZeroHandle/anyBits Model"},
	{"Span starts before its slot", "Law7Iteration/slots"},
	{"Span returns its first slot", "Law7Iteration/slots"},
	{"breaking off Drain loses the rest", "Law7Iteration/drainBreak Model"},
	{"Drain hands out before it removes", "Law7Iteration/drain Model"},
	{"RemoveFunc miscounts", "Law7Iteration/removeFunc Model"},
	{"RemoveFunc removes by slot", "Law7Iteration/removeFuncReplaced Model"},

	{"Others shows the pivot", "Law7CrossIteration/others Model"},
	{"Others counts a pivot that is gone", "Law7CrossIteration/othersRemovePivot Model"},
	{"Others runs over a copy", "Law7CrossIteration/othersChange Model"},
	{"Apply takes stale handles", "Law7CrossIteration/apply Model"},
	{"Pairs visits both ways round", "Law7CrossIteration/pairs Model"},
	{"Pairs ends only its inner loop", "Law7CrossIteration/pairsBreak"},
	{"Pairs keeps a pivot that is gone", "Law7CrossIteration/pairsChange Model"},

	{"growth moves the values", "Law8Pointers/throughGrowth Model"},
	{"every 16th insert moves a block", "Law8Pointers/throughReserved Model"},

	{"Insert allocates", "Law9SteadyState/insertRemove Law9SteadyState/churn"},
	{"Clear gives the memory back", "Law9SteadyState/clearRefill"},
	{"Get allocates", "Law9SteadyState/lookups"},
	{"a loop allocates for each value", "Law9SteadyState/loops"},
	{"Grow does nothing", "Law9SteadyState/reserved Law12BadInput/grow Model"},

	{"blocks are far too large", "Law10CostFollows/sizedByNeed"},
	{"memory never comes back", "Law10CostFollows/firstSurvive"},
	{"memory comes back from the end only", "Law10CostFollows/lastSurvive Law10CostFollows/scatteredSurvive"},
	{"memory never comes back, nor does Clip bring it",
		"Law10CostFollows/clipFirstSurvive Law10CostFollows/clipLastSurvive Law10CostFollows/clipScatteredSurvive"},
	{"Bytes forgets the values", "Law10CostFollows/bytes"},
	{"Grow leaks what is reserved already", "Law10CostFollows/reservedTwice"},

	{"a panic in InsertFunc leaks the slot", "Law11Panics/insertFunc Model"},
	{"Clear takes slots under construction",
		"Law11Panics/insertFuncChanges Law11Panics/insertFuncChangesAndPanics Model"},
	{"Limit overlooks values under construction", "Law11Panics/insertFuncAtLimit"},
	{"RemoveFunc removes after the loop", "Law11Panics/removeFunc"},
	{"a panic in Apply leaves the container locked", "Law11Panics/apply"},

	{"Limit is off by one", "Law12BadInput/limit Model"},
	{"Clone forgets the Limit", "Law12BadInput/limitOfTheClone"},
	{"TryInsert has no error", "Law12BadInput/tryInsert Model"},
	{"a load ends where its data end", "Law12BadInput/damagedLoad"},
	{"a load trusts its data", "Law12BadInput/damagedLoad"},
	{"a load that fails leaves half", "Law12BadInput/damagedLoad Law12BadInput/loadAboveLimit"},
	{"a load overlooks the Limit", "Law12BadInput/loadAboveLimit"},
	{"a load hides that it is full", "Law12BadInput/loadAboveLimit"},
	{"a load takes over the Limit", "Law12BadInput/loadAboveLimit"},
	{"New returns a copy", "Law1LiveResolves/insertAndFind Model"},
	{"New is dirty", "Law1LiveResolves/insertAndFind Model"},
	{"Delete is always right", "Law5RemovingTwice/secondIsFalse Model"},
	{"Delete keeps the value", "Law6NothingKept/afterRemove"},
	{"InsertSeq asks for one more", "Law12BadInput/insertSeq"},
	{"InsertSeq miscounts", "Law12BadInput/insertSeq"},
	{"Grow accepts a negative count", "Law12BadInput/negativeGrow"},
	{"Grow mixes up the units", "Law12BadInput/grow Model"},
}

// Each defect fails the subtests that test for it. A suite that cannot fail proves nothing.
func TestBrokenFails(t *testing.T) {
	for _, d := range defects {
		t.Run(strings.ReplaceAll(d.bug, " ", "_"), func(t *testing.T) {
			s := refSuite[Value](d.bug)
			for _, name := range strings.Fields(d.fails) {
				msgs := failures(&s, name)
				if len(msgs) == 0 {
					t.Errorf("%s passes, want it to fail", name)
					continue
				}
				t.Logf("%s: %s", name, strings.SplitN(msgs[0], "\n", 2)[0])
			}
		})
	}
}

// Every subtest fails for some defect.
func TestEveryCheckCanFail(t *testing.T) {
	var failed []string
	for _, d := range defects {
		failed = append(failed, strings.Fields(d.fails)...)
	}
	for _, c := range checks() {
		name := c.law + "/" + c.name
		if c.law == "Model" {
			name = c.law
		}
		if !slices.Contains(failed, name) {
			t.Errorf("no defect fails %s", name)
		}
	}
}

// failures runs the subtest of the given name, or all of a law, and returns its failures.
func failures[V Item](s *Suite[tag, V], name string) (msgs []string) {
	for _, c := range checks() {
		if c.law == name || c.law+"/"+c.name == name {
			if msgs = append(msgs, record(traitsOf(s), c)...); len(msgs) > 0 {
				break
			}
		}
	}
	return msgs
}

// record runs c in a goroutine of its own, since Fatalf ends the goroutine, as in package testing.
func record(s *traits, c check) []string {
	r := new(recorder)
	done := make(chan bool)
	go func() {
		defer close(done)
		s.one(r, c)
	}()
	<-done
	return r.msgs
}

// recorder replaces testing.TB.
type recorder struct{ msgs []string }

func (*recorder) Helper()                     {}
func (r *recorder) Errorf(f string, a ...any) { r.msgs = append(r.msgs, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...); runtime.Goexit() }

// FuzzReference is an example of the fuzz target that users write for a container of their own.
func FuzzReference(f *testing.F) {
	rng := rand.New(rand.NewPCG(8, 9))
	for range 8 {
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { refSuite[Value]("").Play(t, data) })
}

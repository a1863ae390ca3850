package collections

import (
	"strings"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// kindNames are the suffixes of the metrics of elements, by Kind.
var kindNames = []string{OfWords: "words", OfArray: "array", OfPointers: "pointers"}

// elementVerbs are the prefixes of the metrics of elements.
var elementVerbs = []string{
	"insert_reserved", "insert_refill", "remove_random", "get_random", "iter_sum",
}

var elements = &measure.Workload{
	Name:  "elements",
	About: "the verbs of basic for values of 32 bytes of different make-up",
	Method: "As in basic. The values are a struct of four words (_words), a struct of an array " +
		"of three words and another word (_array), and a struct of a pointer, a string and a " +
		"word (_pointers). Go keeps structs of up to four words in registers, and arrays of two " +
		"or more elements in memory: it writes such an array in steps of 8 bytes and copies it " +
		"in steps of 16, which wait for the writes. So inserting an array takes longer than " +
		"inserting the same bytes as a struct, in every collection. Pointers are written with a " +
		"barrier while the collector marks, and a removal must zero them.",
	N: 10_000, QuickN: 2_000, MaxN: MaxValues, NMeans: "values",
	Elems: []int{32}, Own: true,
	Reps: 50, QuickReps: 2, Warm: true,
	Budget: 5 * time.Second, ImplBudget: time.Second,
	Key:     elementMetrics("insert_reserved", "insert_refill", "remove_random"),
	Metrics: measure.Everyone(elementMetrics(elementVerbs...)...),
	Runs:    hasKinds,
	Drawn: measure.Charts{TableOnly: func(metric string) bool {
		return strings.HasPrefix(metric, "get_") || strings.HasPrefix(metric, "iter_")
	}},
	Want:  func(j measure.Job) any { return WantBasic(j.N) },
	Start: startElements,
}

func elementMetrics(verbs ...string) (metrics []string) {
	for _, verb := range verbs {
		for _, kind := range kindNames {
			metrics = append(metrics, verb+"_"+kind)
		}
	}
	return metrics
}

func startElements(t *measure.Trial) func() error {
	r := &measure.RNG{S: measure.Seed ^ 1 ^ uint64(t.N)}
	return func() error {
		for kind, name := range kindNames {
			if err := elementsOnce(t, r, KitOf(t.Impl).Kinds(Kind(kind)), name); err != nil {
				return err
			}
		}
		return nil
	}
}

// elementsOnce measures the verbs for values of one kind.
func elementsOnce(t *measure.Trial, r *measure.RNG, v Values, kind string) error {
	n, want := t.N, t.Want.(BasicSums).Fresh
	each := func(verb string, ns float64, got uint64) {
		t.Add(verb+"_"+kind, "ns", ns/float64(n), got, want)
	}
	v.Keep(n)
	measure.Tread(4 * n * t.Elem)
	v.New(n)
	if err := t.Pause(); err != nil {
		return err
	}
	ns := measure.Time(func() { v.Insert(0, n) })
	each("insert_reserved", ns, v.Sum())
	v.New(0) // as in basic, where a collection may release its memory when it is empty
	v.Insert(0, n)
	ns, sum := measure.TimeSum(v.Sum)
	each("iter_sum", ns, sum)
	v.Shuffle(r)
	ns, sum = measure.TimeSum(v.Get)
	each("get_random", ns, sum)
	v.Plan(r)
	ns, sum = measure.TimeSum(func() uint64 { return v.Drain(0, n) })
	each("remove_random", ns, sum)
	if err := t.Pause(); err != nil {
		return err
	}
	ns = measure.Time(func() { v.Insert(0, n) })
	each("insert_refill", ns, v.Sum())
	return nil
}

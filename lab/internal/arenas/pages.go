package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

var pagesWork = &measure.Workload{
	Name:  "arena-pages",
	About: "allocate memory page by page, free all, and allocate it again",
	Method: "Time per page of 4 KiB, of which one word is written; the page is zeroed. " +
		"first_touch is the first time, when the system provides the memory. again is to free " +
		"all and allocate it again in the same memory: mostly the zeroing. give_back is the same " +
		"if freeing releases the memory to the system, which must provide it again. reset_chunk " +
		"is freeing alone, divided by the chunks, if there are several: the median of 5.",
	N: 16_384, QuickN: 1024, MaxN: 1 << 17, NMeans: "pages of 4 KiB",
	Elems: []int{8 * pageWords}, Own: true,
	Reps: 7, QuickReps: 2, Warm: true,
	Budget: 2500 * time.Millisecond, ImplBudget: 800 * time.Millisecond,
	Key:     []string{"first_touch", "again", "give_back", "reset_chunk"},
	Metrics: measure.Everyone("first_touch", "again", "give_back"),
	Runs:    func(im measure.Impl) bool { return measure.KitOf[Kit](im).Pages != nil },
	Want:    func(j measure.Job) any { return nil },
	Start:   func(t *measure.Trial) func() error { return func() error { return pagesOnce(t) } },
}

var PageFamily = &measure.Family{
	ID:        "pages",
	Workloads: []*measure.Workload{pagesWork},
	Title:     "The allocators",
	Stale:     "A pointer kept after all is freed",
	Impls: []measure.Impl{
		pagesVirtualImpl, pagesHugeImpl, pagesChunkedImpl, pagesSliceImpl, nukeImpl, moderncImpl,
	},
	Baseline: "[]byte",
	Subjects: []string{"Virtual", "Virtual huge", "Chunked"},
}

// wantPages is the sum of the words that Take writes to n pages.
func wantPages(n int, first uint64) uint64 {
	m := uint64(n)
	return m*first + m*(m-1)/2
}

func pagesOnce(t *measure.Trial) error {
	c := measure.KitOf[Kit](t.Impl).Pages()
	defer closing(c)
	c.New(t.N, true)
	t.Note(c.Note())
	first := uint64(1)
	take := func(metric string, back bool) error {
		if err := t.Pause(); err != nil {
			return err
		}
		first += uint64(t.N)
		ns := measure.Time(func() {
			if back {
				c.Back()
			}
			c.Take(first)
		})
		t.Add(metric, "ns", ns/float64(t.N), c.Sum(), wantPages(t.N, first))
		return nil
	}
	if err := take("first_touch", false); err != nil {
		return err
	}
	if err := take("again", true); err != nil {
		return err
	}
	if chunks := c.Chunks(); chunks > 1 {
		var times []float64
		for range 5 {
			times = append(times, measure.Time(c.Back))
			c.Take(first)
		}
		t.Add("reset_chunk", "ns", measure.Quantile(times, 0.5)/float64(chunks), c.Sum(),
			wantPages(t.N, first))
	}
	c.New(t.N, false)
	c.Take(first)
	return take("give_back", true)
}

package arenas

import (
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// pageWords is how many words a page of 4 KiB has.
const pageWords = 512

// Pages hands out pages of 4 KiB: what arena-pages asks for. It keeps what it has handed out.
type Pages interface {
	// New drops everything and makes an empty one for n pages, which keeps its memory when all is
	// taken back, or gives it to the system.
	New(n int, keeps bool)
	// Take hands out all pages, which are zero, and writes first to the first word of the first
	// page, first+1 to that of the second, and so on.
	Take(first uint64)
	// Back takes back all.
	Back()
	// Sum adds up all words of all pages.
	Sum() uint64
	// Chunks is how many pieces the memory consists of.
	Chunks() int
	// Note is what else there is to say of the memory, if anything.
	Note() string
	// Close gives back what the collector does not.
	Close()
}

var pagesWork = &measure.Workload{
	Name:  "arena-pages",
	About: "take memory page by page, and take it again when all has been given back",
	Method: "Time for each 4 KiB that are taken, of which one word is written; the page is all " +
		"zero. first_touch is the first time, at which the system makes the memory. again is " +
		"to take back all and take it again, the memory being kept: zeroing it is the most. " +
		"give_back is the same where taking back gives the memory to the system, which must " +
		"make it anew. reset_chunk is taking back alone, divided by the chunks, where there " +
		"are several: the median of 5.",
	N: 16_384, QuickN: 1024, MaxN: 1 << 17, NMeans: "pages of 4 KiB",
	Elems: []int{8 * pageWords}, Own: true,
	Reps: 7, QuickReps: 2, Warm: true,
	Budget: 2500 * time.Millisecond, ImplBudget: 800 * time.Millisecond,
	Key:     []string{"first_touch", "again", "give_back", "reset_chunk"},
	Metrics: measure.Everyone("first_touch", "again", "give_back"),
	Runs:    func(im measure.Impl) bool { return kitOf(im).Pages != nil },
	Want:    func(j measure.Job) any { return nil },
	Start:   func(t *measure.Trial) func() error { return func() error { return pagesOnce(t) } },
}

var PageFamily = &measure.Family{
	ID:        "pages",
	Workloads: []*measure.Workload{pagesWork},
	Title:     "What hands out memory",
	Stale:     "A pointer that is kept when all is taken back",
	Impls: []measure.Impl{
		pagesVirtualImpl, pagesHugeImpl, pagesChunkedImpl, pagesSliceImpl, nukeImpl, moderncImpl,
	},
	Baseline: "[]byte",
	Subjects: []string{"Virtual", "Virtual huge", "Chunked"},
}

// wantPages is the sum of what Take writes to n pages.
func wantPages(n int, first uint64) uint64 {
	m := uint64(n)
	return m*first + m*(m-1)/2
}

func pagesOnce(t *measure.Trial) error {
	c := kitOf(t.Impl).Pages()
	defer c.Close()
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

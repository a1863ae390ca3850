package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/seed505807e1/berth/arena"
)

// ErrChecksum is wrapped by the error for a container whose results differ from the stream's. It
// means a bug in this package or in the container, and invalidates all figures.
var ErrChecksum = errors.New("wrong checksum")

// meter measures the time and the memory of all containers.
type meter struct {
	ctx  context.Context
	s    *stream
	o    Options
	runs []*series // the last one is that of the empty container
	mem  *arena.Arena

	collect func() time.Duration // times one garbage collection
	emptyGC []time.Duration

	rounds      int // completed
	done, total int // passes
}

// series holds the measurements of one container.
type series struct {
	*container
	rounds      [][]float32 // by round and frame, in nanoseconds
	peak, end   int64
	gc          []time.Duration // collections at the peak of the stream
	objects     int64           // heap objects at that time
	found       uint64
	allocs, got uint64 // the minimum over all rounds: allocations, and their bytes
	took        time.Duration
	once        bool // only the first round, since it is far too slow for more
}

func newMeter(ctx context.Context, s *stream, o Options) *meter {
	m := &meter{ctx: ctx, s: s, o: o, collect: collect}
	m.total = len(all) + (len(all)+1)*o.Rounds + 1
	for _, c := range all {
		m.runs = append(m.runs, &series{container: c})
	}
	m.runs = append(m.runs, &series{container: &emptyKind})
	bytes := len(m.runs) * o.Rounds * (4*len(s.frames) + 64)
	if mem, err := arena.NewVirtual(bytes, arena.VirtualConfig{}); err == nil {
		m.mem = mem
	}
	return m
}

func (m *meter) release() {
	if m.mem != nil {
		_ = m.mem.Release() // nothing can be done about an error here
	}
}

func (m *meter) step(format string, args ...any) {
	m.o.Progress(m.done, m.total, fmt.Sprintf(format, args...))
	m.done++
}

// measure begins with the memory pass, which also warms up and checks the results. Then it runs the
// rounds, each of which begins with another container. After an error the completed rounds remain.
func (m *meter) measure() error {
	began := time.Now()
	runtime.GC()
	m.emptyGC = m.collections()
	for _, r := range m.runs[:len(all)] {
		m.step("memory: %s", r.name)
		if err := m.weigh(r); err != nil {
			return err
		}
	}
	for round := range m.o.Rounds {
		if round > 0 && !m.fits(m.o.Budget-time.Since(began)) {
			return nil
		}
		for i := range m.runs {
			r := m.runs[(i+round)%len(m.runs)]
			m.step("round %d of %d: %s", round+1, m.o.Rounds, r.name)
			if r.once {
				continue
			}
			if err := m.round(r); err != nil {
				return err
			}
		}
		m.rounds++
	}
	return nil
}

// slow is the multiple of the usual time beyond which a container gets only one round, if not all
// rounds fit.
const slow = 4

// fits reports whether one more round fits into left. If not all rounds fit after the first, the
// containers that take far longer than the others keep that one round.
func (m *meter) fits(left time.Duration) bool {
	var took []time.Duration
	var sum time.Duration
	for _, r := range m.runs {
		if !r.once {
			took = append(took, r.took)
			sum += r.took
		}
	}
	if m.rounds == 1 && sum*time.Duration(m.o.Rounds-1) > left {
		slices.Sort(took)
		most := slow * took[len(took)/2]
		for _, r := range m.runs {
			if r.took > most {
				r.once = true
				sum -= r.took
			}
		}
	}
	return sum <= left
}

// boxes allocates the handles of all tracks. It does not create the containers.
func boxes(s *stream, c *container) []box {
	list := make([]box, len(s.tracks))
	for i := range s.tracks {
		list[i] = s.tracks[i].size.boxes[c](s.tracks[i].names)
	}
	return list
}

// started also creates the containers.
func started(s *stream, c *container) []box {
	list := boxes(s, c)
	for _, b := range list {
		b.Start()
	}
	return list
}

// play replays s on boxes, and calls frame after each frame. It ends early with ctx.Err() if ctx
// ends.
func play(ctx context.Context, s *stream, boxes []box, frame func(f int)) (sum sums, err error) {
	from := make([]uint32, len(s.tracks))
	stop := ctx.Done()
	g := uint32(0)
	for f, end := range s.frames {
		for ; g < end; g++ {
			select {
			case <-stop:
				return sum, ctx.Err()
			default:
			}
			seg := s.segs[g]
			ops := s.tracks[seg.track].ops[from[seg.track]:seg.end]
			from[seg.track] = seg.end
			sum.add(boxes[seg.track].Run(ops))
		}
		frame(f)
	}
	return sum, ctx.Err()
}

// round replays the stream once and times each frame.
func (m *meter) round(r *series) error {
	began := time.Now()
	list := started(m.s, r.container)
	times := m.times()
	var before, after runtime.MemStats
	runtime.GC() // no container pays for the garbage of another
	runtime.ReadMemStats(&before)
	last := time.Now()
	sum, err := play(m.ctx, m.s, list, func(f int) {
		now := time.Now()
		times[f] = float32(now.Sub(last))
		last = now
	})
	runtime.ReadMemStats(&after)
	if err != nil {
		return err
	}
	if err := m.check(r, sum); err != nil {
		return err
	}
	allocs, got := after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	if len(r.rounds) == 0 || allocs < r.allocs {
		r.allocs, r.got = allocs, got
	}
	r.rounds = append(r.rounds, times)
	r.took = max(r.took, time.Since(began))
	r.found = sum.found
	return nil
}

// times allocates the times of the frames off Go's heap, for the same reason as the ops.
func (m *meter) times() []float32 {
	if m.mem != nil {
		if t := arena.MakeSlice[float32](m.mem, len(m.s.frames), len(m.s.frames)); t != nil {
			return t
		}
	}
	return make([]float32, len(m.s.frames))
}

// check returns an error if r did not find what it must find.
func (m *meter) check(r *series, got sums) error {
	want := m.s.want
	if r.container == &emptyKind { // it has no values to find
		want.passes = 0
	}
	if !r.safe {
		want.found = got.found
	}
	if got != want {
		return fmt.Errorf("replay: %s: %w: gets %d, passes %d, stale handles that found something "+
			"%d; want %d, %d, %d", r.name, ErrChecksum, got.gets, got.passes, got.found, want.gets,
			want.passes, want.found)
	}
	return nil
}

// samples is the maximum number of frames after which the heap is measured.
const samples = 64

// sampled chooses these frames: evenly spaced, the one with the most live bytes, and the last.
func sampled(s *stream) map[int]bool {
	at := map[int]bool{}
	n := len(s.frames)
	for i := range min(n, samples-2) {
		at[i*n/min(n, samples-2)] = true
	}
	if n > 0 {
		at[s.peak], at[n-1] = true, true
	}
	return at
}

// weigh replays the stream once and measures the container's memory after some frames: the
// reachable bytes of Go's heap, less those before. At the peak it also times garbage collections.
// The program's handles were allocated before. A container's brief excess during growth is not
// seen.
func (m *meter) weigh(r *series) error {
	list := boxes(m.s, r.container)
	runtime.GC() // twice, since objects with finalizers go in the second run
	base, before := heap()
	for _, b := range list {
		b.Start()
	}
	at := sampled(m.s)
	sum, err := play(m.ctx, m.s, list, func(f int) {
		if at[f] {
			bytes, objects := heap()
			r.end = max(0, bytes-base)
			r.peak = max(r.peak, r.end)
			if f == m.s.peak { // and there is no garbage now
				r.objects, r.gc = max(0, objects-before), m.collections()
			}
		}
	})
	if err != nil {
		return err
	}
	for i, b := range list {
		if got, want := b.Len(), m.s.tracks[i].End; got != want {
			return fmt.Errorf("replay: %s: %w: %d values live at the end, want %d", r.name,
				ErrChecksum, got, want)
		}
	}
	return m.check(r, sum)
}

// The number of timed collections: fewer if they take long, but at least three.
const (
	gcRounds = 7
	gcBudget = 100 * time.Millisecond
)

// collections times some garbage collections of a heap without garbage.
func (m *meter) collections() (list []time.Duration) {
	sum := time.Duration(0)
	for len(list) < 3 || len(list) < gcRounds && sum < gcBudget {
		took := m.collect()
		list = append(list, took)
		sum += took
	}
	return list
}

func collect() time.Duration {
	start := time.Now()
	runtime.GC()
	return time.Since(start)
}

func heap() (bytes, objects int64) {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc), int64(s.HeapObjects)
}

func (m *meter) notes() (list []string) {
	if m.rounds < m.o.Rounds && m.ctx.Err() == nil {
		list = append(list, fmt.Sprintf("%s of %d: more would have exceeded %v.",
			plural(m.rounds, "round"), m.o.Rounds, m.o.Budget))
	} else if m.rounds < m.o.Rounds {
		list = append(list, fmt.Sprintf("%s of %d: interrupted.",
			plural(m.rounds, "round"), m.o.Rounds))
	}
	if m.rounds == 1 {
		list = append(list, fmt.Sprintf("One round does not show how noisy its times are: "+
			"differences up to %s are ignored.", percent(unknownNoise)))
	}
	var slow []string
	for _, r := range m.runs {
		if r.once && m.rounds > 1 {
			slow = append(slow, r.name)
		}
	}
	if len(slow) > 0 {
		list = append(list, fmt.Sprintf("Only one round of the slowest containers: "+
			"%s.", sequence(slow)))
	}
	return list
}

func (m *meter) result() *Result {
	r := &Result{
		Frames: len(m.s.frames), Ops: m.s.counts.ops(), Counts: m.s.counts, Rounds: m.rounds,
		Frame: m.o.Frame,
	}
	r.EmptyGC, _ = shortest(m.emptyGC)
	for i := range m.s.tracks {
		r.Tracks = append(r.Tracks, m.s.tracks[i].Track)
	}
	var p99s, worsts, gcs []float64
	for _, x := range m.runs {
		times, noise := summary(x.rounds[:min(m.rounds, len(x.rounds))])
		if x.container == &emptyKind {
			r.Itself = times
			continue
		}
		if !x.once {
			p99s, worsts = append(p99s, noise.P99), append(worsts, noise.Worst)
		}
		f := x.figures(times, r.Frames)
		f.GC, noise.GC = shortest(x.gc)
		gcs = append(gcs, noise.GC)
		f.Noise = noise
		r.Containers = append(r.Containers, f)
	}
	slices.Sort(p99s)
	slices.Sort(worsts)
	slices.Sort(gcs)
	r.Noise = Noise{p99s[len(p99s)/2], worsts[len(worsts)/2], gcs[len(gcs)/2]}
	slices.SortStableFunc(r.Containers, func(a, b *Figures) int {
		return cmp.Or(cmp.Compare(a.P99, b.P99), cmp.Compare(a.Total, b.Total))
	})
	return r
}

func (x *series) figures(t Times, frames int) *Figures {
	n := float64(max(1, frames))
	return &Figures{
		Name: x.name, About: x.about, Stale: x.stale, Safe: x.safe, Forever: x.forever,
		Pinned: x.pinned, Naive: x.naive, Ours: x.ours,
		Times: t, Objects: x.objects, Peak: x.peak, End: x.end,
		Allocs: x.allocs, AllocBytes: x.got,
		FrameAllocs: float64(x.allocs) / n, FrameBytes: float64(x.got) / n,
		StaleFound: int(x.found),
	}
}

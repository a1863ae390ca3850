package replay

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
	mb = 1 << 20
)

// madeUp is a result in which all containers are equal: 5 ms at p99, 6 at worst, 10 MB.
func madeUp(change map[string]Figures) *Result {
	r := &Result{
		Frames: 1000, Frame: time.Second / 60, Rounds: 5, EmptyGC: ms / 2,
		Counts: Counts{Inserts: 1000, Removes: 500, Gets: 9000, Misses: 4000, Passes: 1000, Visits: 90000},
		Spent:  &Spent{Default, 0.71, 0.24, 0.05},
	}
	for _, c := range all {
		f := Figures{Times: Times{P50: 4 * ms, P99: 5 * ms, Worst: 6 * ms}, Peak: 10 * mb, End: 10 * mb, GC: ms}
		if x, ok := change[c.name]; ok {
			if x.P99 != 0 {
				f.Times = x.Times
			}
			if x.Peak != 0 {
				f.Peak, f.End = x.Peak, x.End
			}
			f.GC, f.Objects = max(f.GC, x.GC), x.Objects
			f.FrameAllocs = x.FrameAllocs
			f.StaleFound, f.Noise = x.StaleFound, x.Noise
		} else if x, ok := change["*"]; ok {
			f.Times, f.GC, f.Objects = x.Times, max(f.GC, x.GC), x.Objects
		}
		f.Name, f.Safe, f.Forever, f.Pinned, f.Naive, f.Ours = c.name, c.safe, c.forever, c.pinned, c.naive, c.ours
		r.Containers = append(r.Containers, &f)
	}
	return r
}

// took returns figures with these times.
func took(p99, worst time.Duration) Figures {
	return Figures{Times: Times{P50: p99 / 2, P99: p99, Worst: worst}}
}

// held sets their memory.
func (f Figures) held(peak, end int64) Figures {
	f.Peak, f.End = peak, end
	return f
}

// collects sets the time of one garbage collection.
func (f Figures) collects(d time.Duration) Figures {
	f.GC, f.Objects = d, int64(d/us)
	return f
}

func TestAdvice(t *testing.T) {
	slower := took(9*ms, 10*ms)
	for _, c := range []struct {
		name    string
		change  map[string]Figures
		result  func(*Result)
		options Options
		take    string
		reason  string
		first   string // parts of the sentences
		second  string
		third   string
	}{
		{name: "passes only: Dense", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"*": took(5*ms, 6*ms), "berth.Dense": took(3*ms, 4*ms), "berth.Pool": took(4*ms, 5*ms)},
			result: func(r *Result) { r.Spent = &Spent{"berth.Dense", 1, 0, 0}; r.Counts.Misses = 0 },
			first:  "Take berth.Dense: its p99 frame of 3.00 ms is clearly shorter than the 4.00 ms of berth.Pool.",
			second: "Your frames spend 100 % of their time in loops over all values, 0 % in lookups and 0 % on inserts and removals; the p99 frame takes 3.00 ms (18 % of a frame's 16.7 ms)",
			third:  "No lookup in this stream uses a stale handle"},
		{name: "random removal, little iteration: Pool", take: "berth.Pool", reason: "frame p99",
			change: map[string]Figures{"*": slower, "berth.Pool": took(5*ms, 6*ms), "berth.Dense": took(7*ms, 8*ms)},
			first:  "Take berth.Pool: its p99 frame of 5.00 ms is clearly shorter than the 7.00 ms of berth.Dense, the best of the rest.",
			second: "spend 71 % of their time in loops over all values, 24 % in lookups and 5.0 % on inserts and removals",
			third:  "Note that a pointer is valid until its value is removed"},
		{name: "the rest is named by its best figure, not by who is preferred of it", take: "berth.Pool", reason: "worst frame",
			change: map[string]Figures{"*": took(us, 20*ms), "berth.Pool": took(us, 2*ms), "stable FirstFree": took(us, 3200*us), "stable Quartered": took(us, 3*ms)},
			first:  "Take berth.Pool: its worst frame of 2.00 ms is clearly shorter than the 3.00 ms of stable Quartered, the best of the rest."},
		{name: "memory back after a spike: Pool", take: "berth.Pool", reason: "memory",
			change: map[string]Figures{"*": took(50*us, 60*us), "berth.Pool": took(50*us, 60*us).held(10*mb, mb), "berth.Dense": took(50*us, 60*us).held(13*mb, mb)},
			first:  "Take berth.Pool: all are fast enough here, and it holds clearly less memory: 10.5 MB at its peak and 1.05 MB at the end, against 13.6 MB and 1.05 MB in berth.Dense, the best of the rest."},
		{name: "memory back after a spike, and Dense gives as much: Pool", take: "berth.Pool", reason: "memory",
			change: map[string]Figures{"*": took(50*us, 60*us), "berth.Pool": took(50*us, 60*us).held(10*mb, mb), "berth.Dense": took(40*us, 60*us).held(10*mb, mb)},
			first:  "; berth.Dense would do as well.",
			third:  "The next best is berth.Dense: its p99 frame is 20 % shorter, which is too little to decide here. The 4 000"},
		{name: "pinned pointers: Pool, though Dense is faster", take: "berth.Pool", reason: "frame p99", options: Options{PinPointers: true},
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms), "arena.Handles": slower, "map[uint64]*T": slower},
			first:  "Take berth.Pool: its p99 frame of 5.00 ms is clearly shorter than the 9.00 ms of arena.Handles"},
		{name: "what is faster in some rounds alone is not", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": {Times: took(2*ms, 3*ms).Times, Noise: Noise{P99: 0.8, Worst: 0.8}}},
			first:  "Take berth.Pool"},
		{name: "the same without", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)}},
		{name: "a safe naive one is better", take: "map[uint64]T", reason: "frame p99",
			change: map[string]Figures{"map[uint64]T": took(3*ms, 4*ms)},
			first:  "Take map[uint64]T, plain Go without this library: its p99 frame of 3.00 ms is clearly shorter than the 5.00 ms of berth.Pool."},
		{name: "an unsafe naive one is better", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"[]T and an index table": {Times: Times{P50: ms, P99: 2 * ms, Worst: 2 * ms}, StaleFound: 3120}},
			second: "[]T and an index table takes 2.00 ms and holds 10.5 MB (10.5 MB), map[uint64]T takes 5.00 ms",
			third:  "[]T and an index table is better still if you never use a stale handle: its p99 frame is 60 % shorter and its worst frame is 67 % shorter. The 4 000 stale lookups find nothing in berth.Pool, but another value 3 120 times in []T and an index table."},
		{name: "the pool of fifty lines is better", take: "genpool", reason: "frame p99",
			change: map[string]Figures{"genpool": took(3*ms, 4*ms)},
			first:  "Take genpool, fifty lines of your own without this library: its p99",
			third:  "Note that pointers are invalid after the next insert, and slots are never released"},
		{name: "but not for ever", take: "berth.Pool", reason: "none", options: Options{Safe: true},
			change: map[string]Figures{"genpool": took(3*ms, 4*ms)}},
		{name: "another library is better", take: "ark", reason: "frame p99",
			change: map[string]Figures{"ark": took(3*ms, 4*ms)},
			first:  "Take ark, which is not of this library: its p99"},
		{name: "nearly equal: the default, and it does not matter", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": took(4600*us, 5500*us), "genpool": took(4700*us, 6*ms)},
			first:  "Take berth.Pool; the choice does not matter: of the containers whose stale handles find nothing, none is clearly better or worse than another in time or memory."},
		{name: "one more than nearly", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(4500*us, 5500*us)}},
		{name: "all far below the frame", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": took(100*us, 200*us), "berth.Dense": took(10*us, 20*us)},
			first:  "Take berth.Pool; the choice hardly matters: of the containers whose stale handles find nothing, even the slowest has a worst frame of 200 µs, below a tenth of the 16.7 ms that a frame has",
			third:  "The next best is berth.Dense: its p99 frame is 90 % shorter and its worst frame is 90 % shorter, which is too little to decide here."},
		{name: "a frame that is shorter", take: "berth.Dense", reason: "frame p99", options: Options{Frame: ms},
			change: map[string]Figures{"*": took(150*us, 200*us), "berth.Dense": took(90*us, 95*us)}},
		{name: "too noisy", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)},
			result: func(r *Result) { r.Noise = Noise{P99: 0.8, Worst: 0.8} },
			first:  "Take berth.Pool for now, and measure again on a quieter machine: in half of the containers the p99 frame is at least 80 % above its least, so it decides nothing, and no other figure separates the containers."},
		{name: "noisy, and far ahead all the same", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)},
			result: func(r *Result) { r.Noise = Noise{P99: 0.4, Worst: 0.9} }},
		{name: "noisy, and not far enough ahead", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": took(4*ms, 5*ms)},
			result: func(r *Result) { r.Noise = Noise{P99: 0.4, Worst: 0.9} }},
		{name: "a missed frame outweighs p99", take: "berth.Pool", reason: "missed frame",
			change: map[string]Figures{"*": took(4*ms, 25*ms), "berth.Pool": took(5*ms, 6*ms)},
			first:  "Take berth.Pool: its worst frame takes 6.00 ms of the 16.7 ms that a frame has, which is exceeded by 8.33 ms in berth.Dense, the best of the rest."},
		{name: "the worst frame decides where p99 is the same", take: "berth.Dense", reason: "worst frame",
			change: map[string]Figures{"berth.Dense": took(5*ms, 5*ms)},
			first:  "its worst frame of 5.00 ms is clearly shorter than the 6.00 ms of berth.Pool"},
		{name: "less than a megabyte is nothing", take: "berth.Pool", reason: "none",
			result: func(r *Result) {
				for _, f := range r.Containers {
					if f.Peak, f.End = mb, mb; f.Name == "berth.Dense" {
						f.Peak, f.End = mb/2, mb/2+1
					}
				}
			},
			third: "The next best is berth.Dense: it holds 50 % less at the peak and 50 % less at the end, which is too little to decide here."},
		{name: "a megabyte is something", take: "berth.Dense", reason: "memory",
			change: map[string]Figures{"berth.Dense": took(5*ms, 6*ms).held(9*mb, 9*mb-mb/2)}},
		{name: "allocations come last", take: "berth.Dense", reason: "allocations",
			change: map[string]Figures{"berth.Pool": {FrameAllocs: 500}},
			first:  "it allocates 0 times per frame, against 500 times in berth.Pool"},
		{name: "a collection that takes a tenth of a frame longer", take: "arena.Handles", reason: "collection",
			change: map[string]Figures{"*": took(5*ms, 6*ms).collects(3 * ms), "arena.Handles": took(5*ms, 6*ms)},
			first:  "Take arena.Handles: one garbage collection takes 1.00 ms with it, and 3.00 ms with the 3 000 objects of berth.Pool (500 µs with an empty heap)",
			third:  "The next best is berth.Pool: one garbage collection takes 3.00 times as much time."},
		{name: "one that takes less than that longer", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": took(5*ms, 6*ms).collects(2600 * us), "arena.Handles": took(5*ms, 6*ms)}},
		{name: "a collection that takes longer, but visits no more", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": {Times: took(5*ms, 6*ms).Times, GC: 9 * ms}, "arena.Handles": took(5*ms, 6*ms)}},
		{name: "one that visits just as many and a thousand more", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": {Times: took(5*ms, 6*ms).Times, GC: 9 * ms, Objects: 1000}, "arena.Handles": took(5*ms, 6*ms)}},
		{name: "one whose time is not steady", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": {Times: took(5*ms, 6*ms).Times, GC: 9 * ms, Objects: 9000}, "arena.Handles": took(5*ms, 6*ms)},
			result: func(r *Result) { r.Noise.GC = 0.6 }},
		{name: "collections outweigh memory", take: "berth.Pool", reason: "collection",
			change: map[string]Figures{"*": took(us, us).collects(50 * ms), "berth.Pool": took(us, us), "map[uint64]*T": took(us, us).held(mb, mb).collects(40 * ms)},
			first:  "Take berth.Pool: one garbage collection takes 1.00 ms with it, and 40.0 ms with the 40 000 objects of map[uint64]*T, the best of the rest"},
		{name: "frames outweigh collections", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(3*ms, 4*ms).collects(90 * ms)},
			third:  "The next best is berth.Pool: its p99 frame is 67 % longer and its worst frame is 50 % longer, but one garbage collection takes 99 % less time; consider it if that matters more."},
		{name: "worst frames outweigh collections", take: "berth.Dense", reason: "worst frame",
			change: map[string]Figures{"berth.Dense": took(5*ms, 4*ms).collects(90 * ms)}},
		{name: "too noisy, and memory has chosen", take: "berth.Dense", reason: "memory",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms).held(mb, mb)},
			result: func(r *Result) { r.Noise = Noise{P99: 0.8, Worst: 0.8} },
			first:  "so it decides nothing, and it holds clearly less memory: 1.05 MB at its peak and 1.05 MB at the end, against 10.5 MB and 10.5 MB in berth.Pool."},
		{name: "p99 is too noisy, and the worst frame has chosen", take: "berth.Dense", reason: "worst frame",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)},
			result: func(r *Result) { r.Noise = Noise{P99: 0.8, Worst: 0.1} },
			first:  "Take berth.Dense: its worst frame of 3.00 ms is clearly shorter than the 6.00 ms of berth.Pool"},
		{name: "what has beaten the default is itself beaten by memory", take: "berth.Pool", reason: "memory",
			change: map[string]Figures{"*": slower, "berth.Pool": took(5*ms, 6*ms), "berth.Dense": took(4500*us, 6*ms).held(20*mb, 20*mb), "genpool": took(4900*us, 6*ms)},
			first:  "Take berth.Pool: it holds clearly less memory: 10.5 MB at its peak and 10.5 MB at the end, against 21.0 MB and 21.0 MB in berth.Dense, the best of the rest; genpool would do as well."},
		{name: "nothing lives", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": {}},
			result: func(r *Result) { r.Counts, r.Spent = Counts{}, nil },
			first:  "this stream inserts no values",
			second: "The p99 frame takes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := madeUp(c.change)
			if c.options.Frame != 0 {
				r.Frame = c.options.Frame
			}
			if c.result != nil {
				c.result(r)
			}
			a := advise(r, c.options)
			if a.Take != c.take || a.Reason != c.reason {
				t.Errorf("take %s by %s, want %s by %s", a.Take, a.Reason, c.take, c.reason)
			}
			for i, want := range []string{c.first, c.second, c.third} {
				s := a.Sentences[i]
				if !strings.Contains(s, want) {
					t.Errorf("sentence %d lacks\n%s\nin\n%s", i+1, want, s)
				}
				if strings.Contains(s, "%!") || strings.Contains(s, "  ") || !strings.HasSuffix(s, ".") || strings.HasSuffix(s, "..") {
					t.Errorf("sentence %d: %s", i+1, s)
				}
			}
		})
	}
}

// TestNextBestFlips changes figures so that each statement about the next best container flips:
// which one it is, and by what it is worse and better.
func TestNextBestFlips(t *testing.T) {
	const quartered, firstFree = "stable Quartered", "stable FirstFree"
	rest := took(14*ms, 15*ms).held(50*mb, 50*mb)
	pool := took(3*ms, 3*ms)
	for _, c := range []struct {
		name   string
		change map[string]Figures
		next   string
		why    string
		third  string
		not    string
	}{
		{"bursts die down, and FirstFree gives memory back",
			map[string]Figures{quartered: took(5*ms, 6*ms).held(10*mb, 10*mb), firstFree: took(5*ms, 6*ms).held(10*mb, 2*mb)},
			firstFree, "frame p99", "The next best is stable FirstFree: its p99 frame is 67 % longer and its worst frame is 2.00 times as long, but it holds 80 % less at the end; consider it if that matters more. The 4 000", quartered},
		{"bursts die down, and Quartered gives memory back",
			map[string]Figures{quartered: took(5*ms, 6*ms).held(10*mb, 2*mb), firstFree: took(5*ms, 6*ms).held(10*mb, 10*mb)},
			quartered, "frame p99", "The next best is stable Quartered: its p99 frame is 67 % longer and its worst frame is 2.00 times as long, but it holds 80 % less at the end; consider it if that matters more. The 4 000", firstFree},
		{"neither gives memory back: the first by preference",
			map[string]Figures{quartered: took(5*ms, 6*ms), firstFree: took(5*ms, 6*ms)},
			firstFree, "frame p99", "The next best is stable FirstFree: its p99 frame is 67 % longer and its worst frame is 2.00 times as long. The 4 000", quartered},
		{"it holds more at the peak",
			map[string]Figures{quartered: took(5*ms, 6*ms).held(13*mb, 10*mb), firstFree: took(13*ms, 14*ms)},
			quartered, "frame p99", "and it holds 30 % more at the peak. The 4 000", "less"},
		{"it holds less at the peak, and more at the end",
			map[string]Figures{quartered: took(5*ms, 6*ms).held(7*mb, 25*mb)},
			quartered, "frame p99", "it holds 2.50 times as much at the end, but it holds 30 % less at the peak; consider", ""},
		{"only its worst frame is longer",
			map[string]Figures{quartered: took(3*ms, 4*ms)},
			quartered, "worst frame", "The next best is stable Quartered: its worst frame is 33 % longer. The 4 000", "p99"},
		{"it is no worse",
			map[string]Figures{quartered: took(3*ms, 3*ms)},
			quartered, "none", "The next best is stable Quartered, and no figure distinguishes it from berth.Pool. The 4 000", ":"},
		{"a collection takes longer",
			map[string]Figures{quartered: took(3*ms, 3*ms).collects(9 * ms)},
			quartered, "collection", "The next best is stable Quartered: one garbage collection takes 9.00 times as much time. The 4 000", ""},
		{"it allocates more",
			map[string]Figures{quartered: {Times: took(3*ms, 3*ms).Times, FrameAllocs: 300}},
			quartered, "allocations", "The next best is stable Quartered: it allocates 300 times as often. The 4 000", ""},
		{"another one holds less than both",
			map[string]Figures{quartered: took(3*ms, 3*ms), "genpool": took(14*ms, 15*ms).held(mb, mb)},
			quartered, "none", "from berth.Pool. genpool holds the least memory, 90 % less than berth.Pool. The 4 000", ""},
		{"another one is faster than both, and so at its worst",
			map[string]Figures{"berth.Pool": took(us, 3*ms), quartered: took(us, 4*ms), "genpool": took(us/2, 4*ms), "*": took(us, 15*ms)},
			quartered, "worst frame", "its worst frame is 33 % longer. The 4 000", "genpool"},
		{"another one is faster than both",
			map[string]Figures{"berth.Pool": took(us, us), quartered: took(us, us), "genpool": took(us/2, us/2).held(10*mb, 12*mb), "*": took(us, us)},
			"berth.Dense", "none", "from berth.Pool. genpool has the shortest frames: its p99 is 50 % shorter than that of berth.Pool. The 4 000", "memory is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range all {
				if _, ok := c.change[k.name]; !ok && k.name != Default {
					if _, given := c.change["*"]; !given {
						c.change[k.name] = rest
					}
				} else if !ok {
					c.change[Default] = pool
				}
			}
			a := advise(madeUp(c.change), Options{})
			if a.Take != Default || a.RunnerUp != c.next || a.RunnerUpReason != c.why {
				t.Errorf("take %s, next is %s by %s; want %s by %s", a.Take, a.RunnerUp, a.RunnerUpReason, c.next, c.why)
			}
			_, third, _ := strings.Cut(a.Sentences[2], "for longer. ")
			if !strings.Contains(third, c.third) || c.not != "" && strings.Contains(third, c.not) {
				t.Errorf("got\n%s\nwant %q, without %q", third, c.third, c.not)
			}
		})
	}
}

// TestUnsafeFlips changes whether a container whose stale handles find something is better.
func TestUnsafeFlips(t *testing.T) {
	const name = "[]T and an index table"
	for want, f := range map[string]Figures{
		"[]T and an index table is better still if you never use a stale handle: its p99 frame is 60 % shorter. ": took(2*ms, 6*ms),
		"[]T and an index table is better still if you never use a stale handle: it holds 50 % less at the end. ": took(5*ms, 6*ms).held(10*mb, 5*mb),
		"": took(4700*us, 6*ms).held(9*mb, 10*mb),
	} {
		a := advise(madeUp(map[string]Figures{name: f}), Options{})
		if got := a.Sentences[2]; !strings.Contains(got, want) || want == "" && strings.Contains(got, name) {
			t.Errorf("got %s\nwant %q", got, want)
		}
	}
	// A container that is no better than the recommended one is not named.
	a := advise(madeUp(map[string]Figures{
		"*": took(9*ms, 9*ms), "berth.Dense": took(5*ms, 5*ms),
		name: took(4400*us, 5*ms).held(50*mb, 50*mb), "[]*T": took(4800*us, 5*ms),
	}), Options{})
	if a.Take != "berth.Dense" || strings.Contains(a.Sentences[2], "better still") {
		t.Errorf("take %s: %s", a.Take, a.Sentences[2])
	}
	for misses, want := range map[int]string{0: "No lookup in this", 1: "The 1 stale lookup finds nothing in berth.Pool.", 9: "The 9 stale lookups find nothing in berth.Pool."} {
		r := madeUp(nil)
		r.Counts.Misses = misses
		if got := advise(r, Options{}).Sentences[2]; !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %q", got, want)
		}
	}
}

func TestAdviceFields(t *testing.T) {
	a := advise(madeUp(map[string]Figures{"berth.Dense": took(3*ms, 4*ms), "genpool": took(3*ms, 4*ms), "ark": took(4*ms, 5*ms)}), Options{})
	if a.Take != "berth.Dense" || a.RunnerUp != "genpool" || a.RunnerUpReason != "none" || len(a.Equal) != 1 || a.Equal[0] != "genpool" || !a.Matters || a.Noisy {
		t.Errorf("%+v", a)
	}
	a = advise(madeUp(nil), Options{})
	if a.Take != Default || len(a.Equal) != 8 || a.Matters {
		t.Errorf("all are the same: %+v", a)
	}
	if a := advise(&Result{Frame: ms}, Options{}); a.Take != "" || a.Sentences[0] == "" {
		t.Errorf("of nothing: %+v", a)
	}
}

// figures returns the figures of a container.
func figures(r *Result, name string) *Figures {
	for _, f := range r.Containers {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// For any figures, the recommended container is safe, and one that is no better than the default
// does not replace it.
func TestAdviceIsAlwaysSafe(t *testing.T) {
	state := uint64(7)
	draw := func(n int) int {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return int(state>>32) % n
	}
	first := 0
	for range 2000 {
		r := madeUp(nil)
		for _, f := range r.Containers {
			f.P99 = time.Duration(draw(20_000)) * us
			f.Worst = f.P99 + time.Duration(draw(10_000))*us
			f.Peak, f.End = int64(draw(20*mb)), int64(draw(20*mb))
			f.FrameAllocs = float64(draw(1000))
			f.GC, f.Objects = time.Duration(draw(9000))*us, int64(draw(9000))
		}
		o := Options{PinPointers: draw(2) == 0, Safe: draw(2) == 0}
		r.Noise.P99 = float64(draw(80)) / 100
		a := advise(r, o)
		c := known(a.Take)
		if c == nil || !c.safe || o.PinPointers && !c.pinned || o.Safe && !c.forever {
			t.Fatalf("with %+v: take %q", o, a.Take)
		}
		if a.Take != Default && a.Reason == "none" {
			t.Errorf("take %s, which is not better than %s", a.Take, Default)
		}
		// The statements about the next best container agree with the rule.
		take, next := figures(r, a.Take), figures(r, a.RunnerUp)
		if strings.Contains(a.Sentences[2], "too little to decide") && rules(r, o).why(take, next) != none {
			t.Errorf("%s is clearly better than %s: %s", next.Name, take.Name, a.Sentences[2])
		}
		if strings.Contains(a.Sentences[2], "the order of the measures") {
			first++
			if rules(r, o).why(take, next) == none {
				t.Errorf("%s is not clearly better than %s: %s", next.Name, take.Name, a.Sentences[2])
			}
		}
		for _, f := range r.Containers {
			if strings.Contains(a.Sentences[2], f.Name+" is better still") && (f.Safe || rules(r, o).why(take, f) == none) {
				t.Errorf("%s is not clearly better than %s: %s", f.Name, take.Name, a.Sentences[2])
			}
		}
		if says := strings.Contains(a.Sentences[2], "The next best is "+a.RunnerUp); !says || a.RunnerUp == a.Take {
			t.Errorf("the next best is %s: %s", a.RunnerUp, a.Sentences[2])
		}
		for _, s := range a.Sentences {
			if n := utf8.RuneCountInString(s); n < 20 || n > 800 {
				t.Errorf("a sentence of %d characters: %s", n, s)
			}
		}
	}
	if first == 0 {
		t.Error("no next best container is clearly better than the one to take")
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{thousands(0), "0"}, {thousands(999), "999"}, {thousands(1000), "1 000"}, {thousands(-1234567), "-1 234 567"},
		{plural(1, "op"), "1 op"}, {plural(0, "op"), "0 ops"}, {plural(2000, "op"), "2 000 ops"},
		{span(0), "0 ns"}, {span(999), "999 ns"}, {span(1000), "1.00 µs"}, {span(12345), "12.3 µs"}, {span(999_600), "1.00 ms"},
		{span(16_666_667), "16.7 ms"}, {span(123 * time.Second), "123 s"},
		{size(0), "0 B"}, {size(1500), "1.50 kB"}, {size(2_345_678_901), "2.35 GB"},
		{percent(0), "0 %"}, {percent(0.0004), "less than 0.1 %"}, {percent(0.051), "5.1 %"}, {percent(1), "100 %"},
		{sequence(nil), ""}, {sequence([]string{"a"}), "a"}, {sequence([]string{"a", "b"}), "a and b"}, {sequence([]string{"a", "b", "c"}), "a, b and c"},
		{wrap("one two three", 7), "one two\nthree\n"}, {wrap("µµµ µµµ µ", 7), "µµµ µµµ\nµ\n"}, {wrap("toolong x", 3), "toolong\nx\n"},
		{wrap("the 252 436 ones (1.20 ms), 5 of", 9), "the\n252 436\nones\n(1.20 ms),\n5 of\n"}, {wrap("", 9), "\n"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// The name of a track may contain anything, and is printed to a terminal.
func TestPrintable(t *testing.T) {
	if got := printable("\x1b[31mred\nenemies \u202eé"); got != "\ufffd[31mred\ufffdenemies \ufffdé" {
		t.Errorf("printable: %q", got)
	}
}

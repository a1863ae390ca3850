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

// madeUp is a result in which all containers take the same: 5 ms at p99, 6 at worst, 10 MB.
func madeUp(change map[string]Figures) *Result {
	r := &Result{
		Frames: 1000, Frame: time.Second / 60, Rounds: 5,
		Counts: Counts{Inserts: 1000, Removes: 500, Gets: 9000, Misses: 4000, Passes: 1000, Visits: 90000},
		Spent:  &Spent{Default, 0.71, 0.24, 0.05},
	}
	for _, c := range all {
		f := Figures{Times: Times{P50: 4 * ms, P99: 5 * ms, Worst: 6 * ms}, Peak: 10 * mb, End: 10 * mb}
		if x, ok := change[c.name]; ok {
			if x.P99 != 0 {
				f.Times = x.Times
			}
			if x.Peak != 0 {
				f.Peak, f.End = x.Peak, x.End
			}
			f.FrameAllocs = x.FrameAllocs
			f.StaleFound, f.Noise = x.StaleFound, x.Noise
		} else if x, ok := change["*"]; ok {
			f.Times = x.Times
		}
		f.Name, f.Safe, f.Forever, f.Pinned, f.Naive, f.Ours = c.name, c.safe, c.forever, c.pinned, c.naive, c.ours
		r.Containers = append(r.Containers, &f)
	}
	return r
}

// took is figures of these times.
func took(p99, worst time.Duration) Figures {
	return Figures{Times: Times{P50: p99 / 2, P99: p99, Worst: worst}}
}

// held adds memory to them.
func (f Figures) held(peak, end int64) Figures {
	f.Peak, f.End = peak, end
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
		first   string // what the sentences say
		second  string
		third   string
	}{
		{
			name: "passes only: Dense", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"*": took(5*ms, 6*ms), "berth.Dense": took(3*ms, 4*ms), "berth.Pool": took(4*ms, 5*ms)},
			result: func(r *Result) { r.Spent = &Spent{"berth.Dense", 1, 0, 0}; r.Counts.Misses = 0 },
			first:  "Take berth.Dense: its p99 frame of 3.00 ms is clearly shorter than the 4.00 ms of berth.Pool.",
			second: "Your frames spend 100 % of their time in loops over all values, 0 % in lookups and 0 % on inserts and removals; the p99 frame takes 3.00 ms (18 % of a frame's 16.7 ms)",
			third:  "no lookup in this stream is for a value that is gone",
		},
		{
			name: "random removal, little iteration: Pool", take: "berth.Pool", reason: "frame p99",
			change: map[string]Figures{"*": slower, "berth.Pool": took(5*ms, 6*ms), "berth.Dense": took(7*ms, 8*ms)},
			first:  "Take berth.Pool: its p99 frame of 5.00 ms is clearly shorter than the 7.00 ms of berth.Dense, the best of the rest.",
			second: "spend 71 % of their time in loops over all values, 24 % in lookups and 5.0 % on inserts and removals",
			third:  "Mind that a pointer is good until its value is removed",
		},
		{
			name: "the rest is named by its best figure, not by who is preferred of it", take: "berth.Pool", reason: "worst frame",
			change: map[string]Figures{"*": took(us, 20*ms), "berth.Pool": took(us, 2*ms), "stable Quartered": took(us, 3200*us), "stable.List": took(us, 3*ms)},
			first:  "Take berth.Pool: its worst frame of 2.00 ms is clearly shorter than the 3.00 ms of stable.List, the best of the rest.",
		},
		{
			name: "memory back after a spike: Pool", take: "berth.Pool", reason: "memory",
			change: map[string]Figures{"*": took(50*us, 60*us), "berth.Pool": took(50*us, 60*us).held(10*mb, mb), "berth.Dense": took(50*us, 60*us).held(13*mb, mb)},
			first:  "Take berth.Pool: all are fast enough here, and it holds clearly less memory, 10.5 MB at its peak and 1.05 MB at the end, than the 13.6 MB and 1.05 MB of berth.Dense, the best of the rest.",
		},
		{
			name: "memory back after a spike, and Dense gives as much: Pool", take: "berth.Pool", reason: "memory",
			change: map[string]Figures{"*": took(50*us, 60*us), "berth.Pool": took(50*us, 60*us).held(10*mb, mb), "berth.Dense": took(40*us, 60*us).held(10*mb, mb)},
			first:  "; berth.Dense would do as well.",
			third:  "should its frames ever grow to matter, look at berth.Dense, whose p99 frame is 20 % shorter",
		},
		{
			name: "pinned pointers: Pool, though Dense is faster", take: "berth.Pool", reason: "frame p99", options: Options{PinPointers: true},
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms), "arena.Handles": slower, "map[uint64]*T": slower},
			first:  "Take berth.Pool: its p99 frame of 5.00 ms is clearly shorter than the 9.00 ms of arena.Handles",
		},
		{
			name: "what is faster in some rounds alone is not", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": {Times: took(2*ms, 3*ms).Times, Noise: Noise{0.8, 0.8}}},
			first:  "Take berth.Pool",
		},
		{
			name: "the same without", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)},
		},
		{
			name: "a safe naive one is better", take: "map[uint64]T", reason: "frame p99",
			change: map[string]Figures{"map[uint64]T": took(3*ms, 4*ms)},
			first:  "Take map[uint64]T, plain Go without this library: its p99 frame of 3.00 ms is clearly shorter than the 5.00 ms of berth.Pool.",
		},
		{
			name: "an unsafe naive one is better", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"[]T and an index table": {Times: Times{P50: ms, P99: 2 * ms, Worst: 2 * ms}, StaleFound: 3120}},
			second: "[]T and an index table takes 2.00 ms and holds 10.5 MB (10.5 MB), map[uint64]T takes 5.00 ms",
			third:  "[]T and an index table is better still, with a p99 frame of 2.00 ms and 10.5 MB at the peak, but only for who never uses a handle when its value has gone: the 4 000 stale lookups find nothing here, but somebody else's value 3 120 times in []T and an index table.",
		},
		{
			name: "the pool of fifty lines is better", take: "genpool", reason: "frame p99",
			change: map[string]Figures{"genpool": took(3*ms, 4*ms)},
			first:  "Take genpool, fifty lines of your own without this library: its p99",
			third:  "Mind that pointers end at the next insert, and no slot goes back",
		},
		{
			name: "but not for ever", take: "berth.Pool", reason: "none", options: Options{Safe: true},
			change: map[string]Figures{"genpool": took(3*ms, 4*ms)},
		},
		{
			name: "another library is better", take: "ark", reason: "frame p99",
			change: map[string]Figures{"ark": took(3*ms, 4*ms)},
			first:  "Take ark, which is not of this library: its p99",
		},
		{
			name: "nearly equal: the default, and it does not matter", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": took(4600*us, 5500*us), "genpool": took(4700*us, 6*ms)},
			first:  "Take berth.Pool, though it does not matter: of all containers whose stale handles find nothing, none is clearly better or worse than another, by time or by memory.",
		},
		{
			name: "one more than nearly", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(4500*us, 5500*us)},
		},
		{
			name: "all far below the frame", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": took(100*us, 200*us), "berth.Dense": took(10*us, 20*us)},
			first:  "Take berth.Pool, and leave it at that: of all containers whose stale handles find nothing, even the slowest keeps its worst frame to 200 µs, below a tenth of the 16.7 ms that a frame has",
			third:  "should its frames ever grow to matter, look at berth.Dense, whose p99 frame is 90 % shorter",
		},
		{
			name: "a frame that is shorter", take: "berth.Dense", reason: "frame p99", options: Options{Frame: ms},
			change: map[string]Figures{"*": took(150*us, 200*us), "berth.Dense": took(90*us, 95*us)},
		},
		{
			name: "too noisy", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)},
			result: func(r *Result) { r.Noise = Noise{0.8, 0.8} },
			first:  "Take berth.Pool for now, and measure again where less else runs: the p99 frame of every other container is 80 % longer, or more, than it need be, so the times say nothing",
		},
		{
			name: "noisy, and far ahead all the same", take: "berth.Dense", reason: "frame p99",
			change: map[string]Figures{"berth.Dense": took(2*ms, 3*ms)},
			result: func(r *Result) { r.Noise = Noise{0.4, 0.9} },
		},
		{
			name: "noisy, and not far enough ahead", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"berth.Dense": took(4*ms, 5*ms)},
			result: func(r *Result) { r.Noise = Noise{0.4, 0.9} },
		},
		{
			name: "a missed frame outweighs p99", take: "berth.Pool", reason: "missed frame",
			change: map[string]Figures{"*": took(4*ms, 25*ms), "berth.Pool": took(5*ms, 6*ms)},
			first:  "Take berth.Pool: its worst frame takes 6.00 ms, where a frame has 16.7 ms, and misses that by 8.33 ms in berth.Dense, the best of the rest.",
		},
		{
			name: "the worst frame decides where p99 is the same", take: "berth.Dense", reason: "worst frame",
			change: map[string]Figures{"berth.Dense": took(5*ms, 5*ms)},
			first:  "its worst frame of 5.00 ms is clearly shorter than the 6.00 ms of berth.Pool",
		},
		{
			name: "less than a megabyte is nothing", take: "berth.Pool", reason: "none",
			result: func(r *Result) {
				for _, f := range r.Containers {
					if f.Peak, f.End = mb, mb; f.Name == "berth.Dense" {
						f.Peak, f.End = mb/2, mb/2+1
					}
				}
			},
			third: "should memory be scarce, look at berth.Dense, which holds 50 % less",
		},
		{
			name: "a megabyte is something", take: "berth.Dense", reason: "memory",
			change: map[string]Figures{"berth.Dense": took(5*ms, 6*ms).held(9*mb, 9*mb-mb/2)},
		},
		{
			name: "allocations come last", take: "berth.Dense", reason: "allocations",
			change: map[string]Figures{"berth.Pool": {FrameAllocs: 500}},
			first:  "it allocates 0 times per frame, where it is 500 times in berth.Pool",
		},
		{
			name: "what has beaten the default is itself beaten by memory", take: "berth.Pool", reason: "memory",
			change: map[string]Figures{"*": slower, "berth.Pool": took(5*ms, 6*ms), "berth.Dense": took(4500*us, 6*ms).held(20*mb, 20*mb), "genpool": took(4900*us, 6*ms)},
			first:  "Take berth.Pool: it holds clearly less memory, 10.5 MB at its peak and 10.5 MB at the end, than the 21.0 MB and 21.0 MB of berth.Dense, the best of the rest; genpool would do as well.",
		},
		{
			name: "nothing lives", take: "berth.Pool", reason: "none",
			change: map[string]Figures{"*": {}},
			result: func(r *Result) { r.Counts, r.Spent = Counts{}, nil },
			first:  "no value comes to life in this stream",
			second: "The p99 frame takes",
		},
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

func TestAdviceFields(t *testing.T) {
	a := advise(madeUp(map[string]Figures{"berth.Dense": took(3*ms, 4*ms), "genpool": took(3*ms, 4*ms), "ark": took(4*ms, 5*ms)}), Options{})
	if a.Take != "berth.Dense" || a.RunnerUp != "genpool" || len(a.Equal) != 1 || a.Equal[0] != "genpool" || !a.Matters || a.Noisy {
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

// Whatever the figures: what is taken is safe, and what is no better than the default does not
// replace it.
func TestAdviceIsAlwaysSafe(t *testing.T) {
	state := uint64(7)
	draw := func(n int) int {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return int(state>>32) % n
	}
	for range 2000 {
		r := madeUp(nil)
		for _, f := range r.Containers {
			f.P99 = time.Duration(draw(20_000)) * us
			f.Worst = f.P99 + time.Duration(draw(10_000))*us
			f.Peak, f.End = int64(draw(20*mb)), int64(draw(20*mb))
			f.FrameAllocs = float64(draw(1000))
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
		for _, s := range a.Sentences {
			if n := utf8.RuneCountInString(s); n < 20 || n > 700 {
				t.Errorf("a sentence of %d characters: %s", n, s)
			}
		}
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
		{wrap("one two three", "", 7), "one two\nthree\n"}, {wrap("µµµ µµµ µ", " ", 8), " µµµ µµµ\n µ\n"}, {wrap("toolong x", "", 3), "toolong\nx\n"},
		{wrap("the 252 436 ones (1.20 ms), 5 of", "", 9), "the\n252 436\nones\n(1.20 ms),\n5 of\n"}, {wrap("", "", 9), "\n"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// What a stream calls a track may be anything, and goes to somebody's terminal.
func TestPrintable(t *testing.T) {
	if got := printable("\x1b[31mred\nenemies \u202eé"); got != "\ufffd[31mred\ufffdenemies \ufffdé" {
		t.Errorf("printable: %q", got)
	}
}

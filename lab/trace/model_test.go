package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

func (m Model) stream(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatalf("%+v: %v", m, err)
	}
	return b.Bytes()
}

// lived returns the number of live values after each frame of a stream, and the lifetimes of
// removed values, in frames.
func lived(t *testing.T, data []byte) (live, lifetimes []int) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data))
	must(err)
	n, born := 0, map[uint32]int{}
	for {
		op, err := r.Next()
		if err == io.EOF {
			return live, lifetimes
		}
		must(err)
		switch op.Kind {
		case Insert:
			n++
			born[op.Value] = len(live)
		case Remove:
			n--
			lifetimes = append(lifetimes, len(live)-born[op.Value])
		case Frame:
			live = append(live, n)
		}
	}
}

func mean(v []int) float64 {
	sum := 0
	for _, x := range v {
		sum += x
	}
	return float64(sum) / float64(len(v))
}

// TestModelSteady checks that the number of live values stays near its target from the first frame
// to the last, and that lifetimes have the right mean.
func TestModelSteady(t *testing.T) {
	for _, c := range []struct {
		lifetime string
		frames   float64 // mean
		lo, hi   int     // of a lifetime; an initial value may live shorter
		seconds  int
	}{
		{"exp:2s", 120, 1, math.MaxInt, 60}, {"const:500ms", 30, 1, 30, 30},
		{"uniform:1s-3s", 120, 1, 180, 60}, {"exp:1ms", 1, 1, 1, 1},
		{"const:1ms", 1, 1, 1, 1}, {"exp:40ms", 2.4, 1, math.MaxInt, 5},
	} {
		l, err := ParseLifetime(c.lifetime)
		must(err)
		const want = 3000
		m := Model{Live: want, Bytes: 8, Lifetime: l, FPS: 60, For: time.Duration(c.seconds) * time.Second, Seed: 5}
		live, lifetimes := lived(t, m.stream(t))
		if len(live) != 60*c.seconds {
			t.Fatalf("%s: %d frames, want %d", l, len(live), 60*c.seconds)
		}
		for f, n := range live {
			if n < want*9/10 || n > want*11/10 {
				t.Errorf("%s: %d living values in frame %d, want about %d", l, n, f, want)
				break
			}
		}
		if got := mean(live); math.Abs(got-want) > want*0.04 {
			t.Errorf("%s: %.1f living values on average, want about %d", l, got, want)
		}
		rest := lifetimes[want:] // without most of the initial values
		if got := mean(rest); math.Abs(got-c.frames) > c.frames*0.04 {
			t.Errorf("%s: lifetimes of %.2f frames on average, want about %v", l, got, c.frames)
		}
		for _, k := range lifetimes {
			if k < c.lo || k > c.hi {
				t.Errorf("%s: a lifetime of %d frames, want %d to %d", l, k, c.lo, c.hi)
				break
			}
		}
	}
}

// TestModelRest checks the remaining lifetimes of the initial values: long lives are more likely,
// and on average half of each is over.
func TestModelRest(t *testing.T) {
	s := Uniform(time.Second/60, 3*time.Second).in(60)
	g := rng{1}
	const draws = 100_000
	sum, want, weight := 0., 0., 0.
	for range draws {
		sum += float64(s.rest(&g))
	}
	for k := 1.; k <= 180; k++ {
		want += k * (k + 1) / 2
		weight += k
	}
	if want /= weight; math.Abs(sum/draws-want) > want/100 {
		t.Errorf("the rest is %.2f frames on average, want %.2f", sum/draws, want)
	}
}

func TestModelBursts(t *testing.T) {
	m := Model{Live: 100, Burst: 1000, Every: 2 * time.Second, Lifetime: Const(time.Second), FPS: 50, For: 10 * time.Second}
	live, _ := lived(t, m.stream(t))
	for f, n := range live {
		want := 100
		if f >= 100 && f%100 < 50 {
			want = 1100
		}
		if n < want*9/10 || n > want*11/10 {
			t.Fatalf("%d living values in frame %d, want about %d", n, f, want)
		}
	}
	m.Lifetime = Forever()
	live, _ = lived(t, m.stream(t))
	if first, last := live[0], live[len(live)-1]; first != 100 || last != 4100 {
		t.Errorf("forever: %d living values at first, %d at last; want 100 and 4100", first, last)
	}
	m.Burst, m.Every, m.Lifetime = 1, 7*time.Millisecond, Const(time.Millisecond)
	m.Live = 0
	live, _ = lived(t, m.stream(t))
	if got := mean(live); math.Abs(got-20/7.) > 0.01 {
		t.Errorf("several bursts in a frame: %.3f values on average, want 20/7", got)
	}
}

// TestModelCounts checks passes, lookups and misses, with fractions.
func TestModelCounts(t *testing.T) {
	m := Model{Live: 200, Lifetime: Const(time.Second), Lookups: 0.25, Passes: 1.5, Misses: 0.1, FPS: 60, For: 20 * time.Second, Bytes: 3, Name: "x"}
	s, err := readModel(m, t)
	must(err)
	x := s.Tracks[0]
	if x.TrackInfo != (TrackInfo{"x", 3}) || s.Frames != 1200 || x.Passes != 1800 {
		t.Errorf("%+v of %d frames", x, s.Frames)
	}
	looks := x.Gets + x.Misses
	if math.Abs(float64(looks)-1200*200*0.25) > 1000 {
		t.Errorf("%d lookups, want about %d", looks, 1200*200/4)
	}
	if want := looks / 10; x.Misses > want || x.Misses < want-100 {
		t.Errorf("%d misses of %d lookups, want a tenth", x.Misses, looks)
	}
	m.Misses, m.Lifetime = 1, Forever() // nothing is removed, so nothing is missed
	if _, err := readModel(m, t); err != nil {
		t.Error(err)
	}
}

func readModel(m Model, t *testing.T) (Summary, error) {
	r, err := NewReader(bytes.NewReader(m.stream(t)))
	must(err)
	return Summarise(r)
}

// TestModelSame checks that a model makes the same stream each time, and another one with another
// seed.
func TestModelSame(t *testing.T) {
	m := Model{Live: 100, Lifetime: Exp(time.Second), Lookups: 1, FPS: 60, For: 5 * time.Second}
	a, b := m.stream(t), m.stream(t)
	m.Seed = 1
	c := m.stream(t)
	m.Seed = 2
	d := m.stream(t)
	if !bytes.Equal(a, b) || !bytes.Equal(a, c) {
		t.Error("the same model makes another stream")
	}
	if bytes.Equal(a, d) {
		t.Error("another seed makes the same stream")
	}
	// The draws are pinned, since they must be the same on all machines.
	_, lifetimes := lived(t, a)
	head := lifetimes[:8]
	s := Exp(time.Second).in(60)
	g := rng{1}
	var draws []uint64
	for range 8 {
		draws = append(draws, s.newborn(&g))
	}
	if want := "[1 2 3 3 3 6 7 8] [26 50 50 44 129 38 2 14]"; fmt.Sprint(head, draws) != want {
		t.Errorf("got %s, want %s", fmt.Sprint(head, draws), want)
	}
}

func TestModelValidate(t *testing.T) {
	good := Model{Live: 10, Bytes: 8, Lifetime: Const(time.Second), FPS: 60, For: time.Second}
	must(good.Validate())
	many := Model{Burst: 100_000, Every: time.Second, Lifetime: Const(100 * time.Millisecond), FPS: 1, For: 10 * time.Minute}
	if err := many.Validate(); err != nil {
		t.Errorf("many bursts, of which one lives at a time: %v", err)
	}
	for want, change := range map[string]func(*Model){
		"Live is -1":                        func(m *Model) { m.Live = -1 },
		"Live is 8388609, not 0 to 8388608": func(m *Model) { m.Live = mostLive + 1 },
		"Burst is -1":                       func(m *Model) { m.Burst = -1 },
		"Bytes is -1":                       func(m *Model) { m.Bytes = -1 },
		"Lookups is NaN":                    func(m *Model) { m.Lookups = math.NaN() },
		"Lookups is +Inf":                   func(m *Model) { m.Lookups = math.Inf(1) },
		"Passes is -0.5":                    func(m *Model) { m.Passes = -0.5 },
		"Misses is 1.5":                     func(m *Model) { m.Misses = 1.5 },
		"FPS is 0":                          func(m *Model) { m.FPS = 0 },
		"FPS is 1001":                       func(m *Model) { m.FPS = 1001 },
		"Name has 256 bytes":                func(m *Model) { m.Name = strings.Repeat("x", 256) },
		"Every is 0s":                       func(m *Model) { m.Burst = 1 },
		"For is 0s":                         func(m *Model) { m.For = 0 },
		"For is 1001h0m0s":                  func(m *Model) { m.For = 1001 * time.Hour },
		"Lifetime: 0s is not positive":      func(m *Model) { m.Lifetime = Const(0) },
		"Lifetime: 1s is less":              func(m *Model) { m.Lifetime = Uniform(2*time.Second, time.Second) },
		"frames":                            func(m *Model) { m.For = 100 * time.Hour },
		"live values":                       func(m *Model) { m.Live, m.Burst, m.Every = mostLive, 1, time.Millisecond },
		"inserts and removals":              func(m *Model) { m.Live, m.For = 1_000_000, 2*time.Minute },
		"ops":                               func(m *Model) { m.Live, m.Lookups, m.For = 1_000_000, 100, time.Minute },
	} {
		m := good
		change(&m)
		err := m.Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
			continue
		}
		var b bytes.Buffer
		if werr := m.Write(&b); werr == nil || werr.Error() != err.Error() || b.Len() != 0 {
			t.Errorf("Write: %v, want %v, and nothing written", werr, err)
		}
		if limit := !strings.Contains(want, " ") || strings.HasSuffix(want, "values") || strings.HasSuffix(want, "removals"); limit != errors.Is(err, ErrLimit) {
			t.Errorf("%v: ErrLimit is %v, want %v", err, !limit, limit)
		}
	}
}

func TestModelWriteFails(t *testing.T) {
	m := Model{Live: 1000, Lifetime: Exp(time.Second), FPS: 60, For: time.Hour}
	for _, n := range []int{0, headBytes, 70_000} {
		w := &narrow{n: n}
		if err := m.Write(w); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes: %v, want %v", n, err, errFull)
		}
		if w.calls > 5 {
			t.Errorf("after %d bytes: the writer was called %d times", n, w.calls)
		}
	}
}

func TestParseLifetime(t *testing.T) {
	for _, s := range []string{"exp:2s", "const:500ms", "uniform:1s-3s", "forever", "uniform:1ms-1000h0m0s"} {
		l, err := ParseLifetime(s)
		if err != nil || l.String() != s {
			t.Errorf("%q: %v, %v", s, l, err)
		}
	}
	if l, _ := ParseLifetime("uniform:1s-4s"); l.Mean() != 2500*time.Millisecond || Forever().Mean() != 0 {
		t.Errorf("means of %v and %v", l.Mean(), Forever().Mean())
	}
	for in, want := range map[string]string{
		"": "want exp:2s", "exp": "invalid duration", "exp:": "invalid duration", "exp:2": "missing unit",
		"exp:-1s": "not positive", "const:0s": "not positive", "uniform:1s": "two durations",
		"uniform:3s-1s": "less than", "uniform:-1s-1s": "invalid duration", "uniform:1s-x": "invalid duration",
		"forever:1s": "want exp:2s", "gauss:1s": "want exp:2s", "exp:1001h": "more than", "uniform:x-1s": "invalid duration",
	} {
		l, err := ParseLifetime(in)
		if err == nil || !strings.Contains(err.Error(), want) || l != (Lifetime{}) {
			t.Errorf("%q: %v, %v, want %q", in, l, err, want)
		}
	}
}

// TestModelOfManyLookups checks a frame with more lookups than fit in an int of 32 bits.
func TestModelOfManyLookups(t *testing.T) {
	m := Model{Live: 250_000, Lookups: 10_000, FPS: 1, For: time.Second}
	var b bytes.Buffer
	must(m.Write(&b))
	r, err := NewReader(&b)
	must(err)
	for {
		op, err := r.Next()
		if err != nil {
			t.Fatalf("before the first lookup: %v", err)
		}
		if op.Kind == Get {
			break
		}
	}
	if want := uint64(m.Live)*uint64(m.Lookups) - 1; r.left != want {
		t.Errorf("%d lookups follow the first, want %d", r.left, want)
	}
}

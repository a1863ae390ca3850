package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// Model describes a program by a few numbers. [Model.Write] writes the stream that such a program
// would record: the same bytes for the same numbers, on every machine.
//
// The first frame inserts Live values, as if the program had been running for long. Each frame
// removes the values whose lifetime is over, inserts as many as keep the number steady and the
// bursts that are due, and then records the passes and lookups. Fractions carry over to the next
// frame.
type Model struct {
	Name     string        // of the track; "values" if empty
	Live     int           // live values, without bursts
	Burst    int           // values inserted at once by a burst
	Every    time.Duration // time to the first burst, and between bursts
	Bytes    int           // size of a value
	Lifetime Lifetime      // of the values, rounded to at least 1 whole frame
	Lookups  float64       // per live value and frame, in steps of a millionth
	Passes   float64       // per frame, in steps of a millionth
	Misses   float64       // share of the lookups that use a stale handle; 0 to 1
	FPS      int           // frames per second
	For      time.Duration // length of the recording
	Seed     uint64        // of the random numbers; 0 means 1
}

// The limits of a model.
const (
	mostFPS     = 1000
	mostFrames  = 1 << 24
	mostLive    = 1 << 23 // on average, at the peak of a burst
	mostChanges = 1 << 27 // inserts and removals, which take bytes in the stream
	mostOps     = 1 << 32 // in total, half of a Reader's default limit
	mostRate    = 10_000  // of Lookups and Passes
	mostBurst   = 1000 * time.Hour
)

// Validate returns an error if a field of m is out of range, or if the stream would be longer than
// a Reader's default limits or a reasonable file. The latter error wraps ErrLimit.
func (m Model) Validate() error {
	for _, f := range []struct {
		name     string
		got      float64
		from, to float64
	}{
		{"Live", float64(m.Live), 0, mostLive},
		{"Burst", float64(m.Burst), 0, mostLive},
		{"Bytes", float64(m.Bytes), 0, maxBytes},
		{"Lookups", m.Lookups, 0, mostRate},
		{"Passes", m.Passes, 0, mostRate},
		{"Misses", m.Misses, 0, 1},
		{"FPS", float64(m.FPS), 1, mostFPS},
	} {
		if !(f.got >= f.from && f.got <= f.to) { // also rejects NaN
			return fmt.Errorf("trace: model: %s is %s, not %s to %s", f.name, plain(f.got),
				plain(f.from), plain(f.to))
		}
	}
	if len(m.Name) > maxName {
		return fmt.Errorf("trace: model: Name has %d bytes, more than %d", len(m.Name), maxName)
	}
	if m.Burst > 0 && (m.Every <= 0 || m.Every > mostBurst) {
		return fmt.Errorf("trace: model: Every is %v, not in (0, %v]", m.Every, mostBurst)
	}
	if m.For <= 0 || m.For > mostDuration {
		return fmt.Errorf("trace: model: For is %v, not in (0, %v]", m.For, mostDuration)
	}
	if err := m.Lifetime.validate(); err != nil {
		return fmt.Errorf("trace: model: Lifetime: %w", err)
	}
	return m.bounded()
}

// plain formats a number without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// bounded returns an error if the expected length of the stream is too much.
func (m Model) bounded() error {
	frames, s := float64(m.frames()), m.Lifetime.in(m.FPS)
	bursts, comes, stays := 0.0, 0.0, frames
	if m.Burst > 0 {
		bursts = math.Floor(m.For.Seconds() / m.Every.Seconds())
	}
	if s.num > 0 {
		stays = min(frames, float64(s.num)/float64(s.den))
		comes = float64(m.Live) * frames * float64(s.den) / float64(s.num)
	}
	burst := float64(m.Burst)
	crowd := min(bursts, 1+bursts*stays/frames) // bursts that are live at a time
	changes := 2 * (float64(m.Live) + comes + bursts*burst)
	lookups := m.Lookups * (float64(m.Live)*frames + burst*bursts*stays)
	for _, f := range []struct {
		what      string
		got, most float64
	}{
		{"frames", frames, mostFrames},
		{"live values", float64(m.Live) + burst*crowd, mostLive},
		{"inserts and removals", changes, mostChanges},
		{"ops", changes + lookups + frames*(1+m.Passes), mostOps},
	} {
		if f.got > f.most {
			return fmt.Errorf("trace: model: %w: about %.3g %s, more than %.3g",
				ErrLimit, f.got, f.what, f.most)
		}
	}
	return nil
}

// frames returns the number of whole frames, at least one.
func (m Model) frames() uint64 {
	return max(1, uint64(m.For)/uint64(time.Second)*uint64(m.FPS)+
		uint64(m.For)%uint64(time.Second)*uint64(m.FPS)/uint64(time.Second))
}

// bursts returns the number of bursts before frame f.
func (m Model) bursts(f uint64) uint64 {
	if m.Burst == 0 {
		return 0
	}
	return f * uint64(time.Second) / (uint64(m.Every) * uint64(m.FPS))
}

// Write writes the stream of m with its end mark to w. Before writing, it returns the error of
// [Model.Validate]; later errors are those of w.
//
// Cost: O(ops), not counting lookups; allocates four bytes per frame, and about 28 per live value.
func (m Model) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	r, err := NewRecorder(w)
	if err != nil {
		return err
	}
	seed := max(m.Seed, 1)
	r.Seed(seed)
	name := m.Name
	if name == "" {
		name = "values"
	}
	p := player{
		m: m, t: r.Track(name, m.Bytes), rng: rng{seed}, lives: m.Lifetime.in(m.FPS),
		due: make([]uint32, m.frames()),
	}
	for range m.Live {
		p.bear(p.lives.rest)
	}
	for ; p.frame < uint64(len(p.due)); p.frame++ {
		p.play()
		if err := r.Frame(); err != nil {
			return errors.Join(err, r.Close())
		}
	}
	return r.Close()
}

// player generates the ops of a model.
type player struct {
	m     Model
	t     *Track
	rng   rng
	lives lives
	frame uint64

	due    []uint32 // by frame: 1 + the name of the first value to remove then
	next   []uint32 // by name: the next value to remove in the same frame
	values []Value  // by name

	// Fractions carried from frame to frame.
	arrivals, passes, lookups, misses uint64
}

// play generates one frame.
func (p *player) play() {
	if p.frame > 0 {
		for x := p.due[p.frame]; x != 0; x = p.next[x-1] {
			p.t.Remove(p.values[x-1])
		}
		n := p.m.bursts(p.frame) - p.m.bursts(p.frame-1)
		n *= uint64(p.m.Burst)
		if p.lives.num > 0 {
			n += carry(&p.arrivals, uint64(p.m.Live)*p.lives.den, p.lives.num)
		}
		for range n {
			p.bear(p.lives.newborn)
		}
	}
	for range carry(&p.passes, millionths(p.m.Passes), million) {
		p.t.Pass()
	}
	looks := carry(&p.lookups, millionths(p.m.Lookups)*uint64(p.t.Len()), million)
	misses := carry(&p.misses, millionths(p.m.Misses)*looks, million)
	if !p.t.past {
		misses = 0 // nothing has been removed yet, so every lookup finds its value
	}
	// Not GetRandom and MissRandom, since an int may have 32 bits.
	p.t.draw(codeDraw, looks > misses, looks-misses)
	p.t.draw(codeDrawMiss, misses > 0, misses)
}

// bear inserts a value, and schedules its removal.
func (p *player) bear(draw func(*rng) uint64) {
	v := p.t.Insert()
	if v == (Value{}) {
		return // the recording has ended
	}
	if int(v.name) == len(p.values) {
		p.values, p.next = append(p.values, v), append(p.next, 0)
	}
	p.values[v.name] = v
	if p.lives.num == 0 {
		return
	}
	if at := p.frame + draw(&p.rng); at < uint64(len(p.due)) {
		p.next[v.name], p.due[at] = p.due[at], v.name+1
	}
}

const million = 1_000_000

func millionths(x float64) uint64 { return uint64(math.Round(x * million)) }

// carry adds n parts to the remainder in left, and returns how many wholes that makes.
func carry(left *uint64, n, parts uint64) uint64 {
	*left += n
	wholes := *left / parts
	*left %= parts
	return wholes
}

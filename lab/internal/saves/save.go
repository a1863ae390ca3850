// Package saves measures what it costs to save a collection, to load it, to copy it, and to take it
// back to an earlier frame.
package saves

import (
	"bytes"
	"io"
	"math"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// particle is the value of the workload: 32 bytes without padding.
type particle struct {
	X, Y, Z, DX, DY, DZ float32
	Life, Kind          uint32
}

// particleOf returns the particle of a number. No field is 0, since package gob omits such fields.
func particleOf(v int) particle {
	f := float32(v + 1)
	return particle{
		X: f * 0.37, Y: f * 1.1, Z: f / 3, DX: 1 / f, DY: -f / 7, DZ: f * f,
		Life: uint32(v) + 1, Kind: uint32(v)%7 + 1,
	}
}

// num adds up the bits of all fields.
func (p *particle) num() (sum uint64) {
	for _, f := range [...]float32{p.X, p.Y, p.Z, p.DX, p.DY, p.DZ} {
		sum += uint64(math.Float32bits(f))
	}
	return sum + uint64(p.Life) + uint64(p.Kind)
}

// weighted is the part of the value of handle i in the checksum.
func weighted(i int, num uint64) uint64 { return uint64(i+1) * num }

// replaced is the distance between the values that are replaced before the collection is saved. It
// gives a tenth of the slots a second generation, and a tenth of the handles a late slot.
const replaced = 10

// numberOf returns the number of the particle of handle i of n. The value of each tenth handle was
// replaced by a later one.
func numberOf(i, n int) int {
	if i%replaced == 0 {
		return n + i/replaced
	}
	return i
}

// particles returns the particles in the order of their handles.
func particles(n int) []particle {
	vals := make([]particle, n)
	for i := range vals {
		vals[i] = particleOf(numberOf(i, n))
	}
	return vals
}

// Saver is a collection that can be saved, and a second one into which it is loaded.
type Saver interface {
	// Fill makes both, with n values each. They are equal.
	Fill(n int)
	// Spoil changes each value of the second.
	Spoil()
	// Append appends the bytes of the first to b.
	Append(b []byte) ([]byte, error)
	// Write writes the same bytes to w.
	Write(w io.Writer) error
	// Load loads the second from bytes. It uses the memory that the second has.
	Load(b []byte) error
	// Read loads the second from a stream.
	Read(r io.Reader) error
	// Sum adds up the values of the second by their handles. The sum is wrong if a stale handle
	// finds a value, or if the next handle differs from that of the first.
	Sum() uint64
}

type copier interface {
	// Copy copies the first into the second.
	Copy()
	// Clone makes a clone of the first the second.
	Clone()
}

// Frames is a collection that can go back. A frame changes some values by [particle.age].
type Frames interface {
	// New makes it, with n values.
	New(n int)
	// Frame changes the values of the handles at these places of the list, and ends the frame.
	Frame(places []uint32)
	// FrameAll changes all values, and ends the frame.
	FrameAll()
	// Rewind goes back n frames, at most back.
	Rewind(n int)
	// Sum adds up the values by their handles.
	Sum() uint64
}

// age is a change that adds 1 to num.
func (p *particle) age() { p.Life++ }

// back is the number of frames that Frames go back.
const back = 8

// frameBatches is the number of times that a repetition goes back.
const frameBatches = 5

// shares lists the parts of the values that a frame changes, in percent.
var shares = []struct {
	percent       int
	frame, rewind string // metrics
}{{1, "frame_1", "rewind_1"}, {10, "frame_10", "rewind_10"}, {100, "frame_100", "rewind_100"}}

// The metrics of the parts of the workload.
var (
	saved  = []string{"append", "write", "load", "read", "bytes_per_value"}
	copied = []string{"copy_from", "clone"}
	framed = []string{"frame_1", "frame_10", "frame_100", "rewind_1", "rewind_10", "rewind_100"}
)

var save = &measure.Workload{
	Name:  "save",
	About: "save, load, copy and roll back a collection, beside a copy of the bare values",
	Method: "n values of 32 bytes, a tenth of which replaced others. append (AppendBinary) and " +
		"write (Encode, into a buffer) save them; load (UnmarshalBinary) and read (Decode) " +
		"load them into another collection; copy_from (CopyFrom) copies into that one, and " +
		"clone makes a new one: time per value. All but clone use memory that is there. " +
		"bytes_per_value is the size of the saved bytes. frame_1, frame_10 and frame_100 change " +
		"1, 10 or 100 % of the values and end the frame; rewind_1, rewind_10 and rewind_100 go " +
		"back 8 such frames: time of each. A History ends a frame with Mark; the others copy the " +
		"whole collection into the oldest of nine. The checksum is that of the loaded values, " +
		"found by the handles of the saved ones.",
	N: 20_000, QuickN: 500, MaxN: 1_000_000, NMeans: "values",
	Elems: []int{32}, Own: true,
	Reps: 25, QuickReps: 2, Warm: true,
	Budget: 6 * time.Second, ImplBudget: time.Second,
	Key: slices.Concat(saved, copied, framed),
	Metrics: func(im measure.Impl) (metrics []string) {
		k := measure.KitOf[Kit](im)
		if k.Saver != nil {
			metrics = append(metrics, saved...)
			if _, ok := k.Saver().(copier); ok {
				metrics = append(metrics, copied...)
			}
		}
		if k.Frames != nil {
			metrics = append(metrics, framed...)
		}
		return metrics
	},
	Runs: func(im measure.Impl) bool {
		k := measure.KitOf[Kit](im)
		return k.Saver != nil || k.Frames != nil
	},
	Want:  func(j measure.Job) any { return wantSave(j.N) },
	Start: startSave,
}

// saveWant has the checksums, and the places that the frames change.
type saveWant struct {
	sum    uint64
	shares []shareWant
}

// shareWant is a part of the values that a frame changes.
type shareWant struct {
	places [back][]uint32 // of frame k, k+back, …; nil for all
	edits  uint64         // what the changes of back frames add to the sum
}

func wantSave(n int) *saveWant {
	want := &saveWant{}
	for i := range n {
		p := particleOf(numberOf(i, n))
		want.sum += weighted(i, p.num())
	}
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	r := &measure.RNG{S: measure.Seed ^ 13}
	for _, s := range shares {
		w := shareWant{}
		for k := range w.places {
			measure.Shuffle(r, all)
			places := all[:max(1, n*s.percent/100)]
			for _, i := range places {
				w.edits += weighted(int(i), 1)
			}
			if s.percent < 100 {
				w.places[k] = slices.Clone(places)
			}
		}
		want.shares = append(want.shares, w)
	}
	return want
}

// startSave makes the collections, which all repetitions share.
func startSave(t *measure.Trial) func() error {
	k := measure.KitOf[Kit](t.Impl)
	var c Saver
	if k.Saver != nil {
		c = k.Saver()
		c.Fill(t.N)
	}
	var frames []*rollback
	if k.Frames != nil {
		for i := range shares {
			f := &rollback{Frames: k.Frames(), shareWant: t.Want.(*saveWant).shares[i]}
			f.New(t.N)
			frames = append(frames, f)
		}
	}
	return func() error {
		if c != nil {
			if err := saveOnce(t, c); err != nil {
				return err
			}
		}
		for i, f := range frames {
			if err := f.once(t, shares[i].frame, shares[i].rewind); err != nil {
				return err
			}
		}
		return nil
	}
}

// step is a metric of a Saver. reload loads what f has saved, or is nil if f loads.
type step struct {
	metric    string
	f, reload func() error
}

func saveOnce(t *measure.Trial, c Saver) error {
	var (
		b   []byte
		buf bytes.Buffer
		in  bytes.Reader
	)
	load := func() error { return c.Load(b) }
	steps := []step{
		{"append", func() (err error) { b, err = c.Append(b[:0]); return err }, load},
		{"write", func() error { buf.Reset(); return c.Write(&buf) },
			func() error { return c.Load(buf.Bytes()) }},
		{"load", load, nil},
		{"read", func() error { in.Reset(b); return c.Read(&in) }, nil},
	}
	if c, ok := c.(copier); ok {
		steps = append(steps,
			step{"copy_from", func() error { c.Copy(); return nil }, nil},
			step{"clone", func() error { c.Clone(); return nil }, nil})
	}
	want := t.Want.(*saveWant).sum
	for _, s := range steps {
		c.Spoil()
		if err := t.Pause(); err != nil {
			return err
		}
		var err error
		ns, _ := t.PerCall(func() {
			if err == nil {
				err = s.f()
			}
		})
		if s.reload != nil && err == nil {
			err = s.reload()
		}
		got := uint64(0)
		if err == nil {
			got = c.Sum()
		}
		t.Add(s.metric, "ns", ns/float64(t.N), got, want)
		if s.metric == "append" {
			t.Add("bytes_per_value", "bytes", float64(len(b))/float64(t.N), got, want)
		}
	}
	return nil
}

// rollback is a collection and the frames of one share.
type rollback struct {
	Frames
	shareWant
	kept uint64 // what the frames that Rewind has left have added to the sum
}

// once goes 16 frames ahead and 8 back, several times. Half of the frames make the collection
// forget one.
func (f *rollback) once(t *measure.Trial, frame, rewind string) error {
	if err := t.Pause(); err != nil {
		return err
	}
	want := t.Want.(*saveWant).sum
	ahead, gone := want, want
	var frames, rewinds []float64
	for range frameBatches {
		frames = append(frames, measure.Time(f.run)/(2*back))
		if sum := f.Sum() - f.kept - 2*f.edits; sum != want {
			ahead = sum
		}
		rewinds = append(rewinds, measure.Time(func() { f.Rewind(back) }))
		f.kept += f.edits
		if sum := f.Sum() - f.kept; sum != want {
			gone = sum
		}
	}
	t.Add(frame, "ns", measure.Quantile(frames, 0.5), ahead, want)
	t.Add(rewind, "ns", measure.Quantile(rewinds, 0.5), gone, want)
	return nil
}

// run goes through 16 frames.
func (f *rollback) run() {
	for range 2 {
		for _, places := range f.places {
			if places == nil {
				f.FrameAll()
			} else {
				f.Frame(places)
			}
		}
	}
}

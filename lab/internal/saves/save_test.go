package saves

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

func TestSaveSumsByHand(t *testing.T) {
	// Of two values, the first was replaced by the third.
	a, b := particleOf(2), particleOf(1)
	want := wantSave(2)
	if sum := a.num() + 2*b.num(); want.sum != sum {
		t.Errorf("the values come to %d, want %d", want.sum, sum)
	}
	// A frame of 1 or 10 % of them changes one, a frame of 100 % both, by 1 or 2 each.
	for k, w := range want.shares {
		edits := uint64(back * (1 + 2))
		if shares[k].percent < 100 {
			edits = 0
			for _, places := range w.places {
				if len(places) != 1 {
					t.Fatalf("a frame changes %v of two", places)
				}
				edits += uint64(places[0]) + 1
			}
		} else if w.places[0] != nil {
			t.Errorf("a frame of all changes %v", w.places[0])
		}
		if w.edits != edits {
			t.Errorf("%s adds %d, want %d", shares[k].frame, w.edits, edits)
		}
	}
	if size := len(wantSave(1000).shares[1].places[back-1]); size != 100 {
		t.Errorf("a frame of 10 %% changes %d of 1000", size)
	}
}

// Each field of a particle counts, and no field is 0.
func TestParticle(t *testing.T) {
	for _, v := range []int{0, 1, 19_999, 1_099_999} {
		p := particleOf(v)
		for i, f := range []*float32{&p.X, &p.Y, &p.Z, &p.DX, &p.DY, &p.DZ} {
			before := p.num()
			if *f == 0 {
				t.Errorf("field %d of %d is 0", i, v)
			}
			if *f *= 2; p.num() == before {
				t.Errorf("field %d of %d does not count", i, v)
			}
		}
		before := p.num()
		p.age()
		if p.Kind++; p.num() != before+2 || p.Kind == 1 || p.Life == 1 {
			t.Errorf("life or kind of %d: %+v", v, p)
		}
	}
}

func TestAllAgree(t *testing.T) {
	for _, n := range []int{1, 64, 2000} {
		jobs := measuretest.Plan(t, measuretest.Of(t, Family), measure.Sizing{N: n, Reps: 1, Quick: true, Hasty: true})
		rec := measuretest.Run(t, jobs, Family.Impls)
		measuretest.Check(t, rec, jobs, Family.Impls)
		if at := measure.Index(rec); n == 2000 {
			if f := at[jobs[0].At("copy", "bytes_per_value")]; f.Value != valueBytes {
				t.Errorf("a copy of a value has %g bytes", f.Value)
			}
			if f := at[jobs[0].At("berth.Pool", "bytes_per_value")]; f.Value < valueBytes || f.Value > 40 {
				t.Errorf("a saved value of a Pool has %g bytes", f.Value)
			}
		}
	}
}

// Each of these has one defect.
type (
	pool = store[*berth.Pool[particle], handle]

	emptySaver   struct{ pool } // appends an empty Pool
	idleWriter   struct{ pool } // writes an older state
	idleLoader   struct{ pool }
	idleReader   struct{ pool }
	idleCopier   struct{ pool }
	idleCloner   struct{ pool }
	failing      struct{ pool }
	valuesLoader struct{ pool } // loads the values without the handles
	orderLoader  struct{ pool } // loads them in another order
	lastLoader   struct{ pool } // loads all but the last
	staleLoader  struct{ pool } // stale handles find something
	nextLoader   struct{ pool } // issues other handles

	idleFrames   struct{ sliceFrames }
	fewFrames    struct{ sliceFrames } // changes all but the last value of a frame
	twiceFrames  struct{ sliceFrames } // changes one value twice
	idleRewind   struct{ sliceFrames }
	shortRewind  struct{ sliceFrames } // goes back a frame less
	farRewind    struct{ sliceFrames } // goes back a frame more
	brokenRewind struct{ sliceFrames } // restores half of the values
)

func (c *emptySaver) Append(b []byte) ([]byte, error) { return berth.AppendBinary(newPool(), b) }

func (c *idleWriter) Write(w io.Writer) error {
	old := c.first.Clone()
	old.Ptr(c.hs[0]).age()
	return berth.Encode(old, w, nil)
}

func (c *idleLoader) Load([]byte) error    { return nil }
func (c *idleReader) Read(io.Reader) error { return nil }
func (c *idleCopier) Copy()                {}
func (c *idleCloner) Clone()               {}
func (c *failing) Load([]byte) error       { return io.ErrUnexpectedEOF }

func (c *valuesLoader) Load([]byte) error {
	c.second = berth.NewPool[particle](berth.Config{Seed: 2})
	for v := range c.first.Values() {
		c.second.Insert(*v)
	}
	return nil
}

func (c *orderLoader) Load(b []byte) error {
	err := c.pool.Load(b)
	x, y := c.second.Ptr(c.hs[0]), c.second.Ptr(c.hs[1])
	*x, *y = *y, *x
	return err
}

func (c *lastLoader) Load(b []byte) error {
	err := c.pool.Load(b)
	c.second.Remove(c.hs[len(c.hs)-1])
	return err
}

func (c *staleLoader) Load(b []byte) error {
	c.stale[0] = c.hs[0]
	return c.pool.Load(b)
}

func (c *nextLoader) Load(b []byte) error {
	err := c.pool.Load(b)
	c.second.Remove(c.second.Insert(particle{}))
	return err
}

func (c *idleFrames) Frame([]uint32)       { c.sliceFrames.Frame(nil) }
func (c *fewFrames) Frame(places []uint32) { c.sliceFrames.Frame(places[1:]) }
func (c *idleRewind) Rewind(n int)         { c.rewind(n) }
func (c *shortRewind) Rewind(n int)        { c.sliceFrames.Rewind(n - 1) }
func (c *farRewind) Rewind(n int)          { c.sliceFrames.Rewind(n + 1) }
func (c *brokenRewind) Rewind(n int) {
	half := len(c.vals) / 2
	copy(c.vals[half:], c.rewind(n)[half:])
}
func (c *twiceFrames) Frame(places []uint32) {
	c.sliceFrames.Frame(append(slices.Clone(places), places[0]))
}

func TestWrongSaversAreFound(t *testing.T) {
	// right are the metrics that a defect leaves right.
	saver := func(name, right string, c func() Saver) measuretest.Defect {
		return measuretest.Defect{Name: name, Kit: Kit{Saver: c}, Right: right}
	}
	frames := func(name, right string, c func() Frames) measuretest.Defect {
		return measuretest.Defect{Name: name, Kit: Kit{Frames: c}, Right: right}
	}
	const other, all100 = "read copy_from clone", "frame_100 rewind_100"
	p := pool{saving: poolSaving}
	measuretest.CheckDefects(t, Family, []measure.Impl{copyImpl}, []measuretest.Defect{
		saver("empty", "write copy_from clone", func() Saver { return &emptySaver{p} }),
		saver("idle writer", "append bytes_per_value load read copy_from clone", func() Saver { return &idleWriter{p} }),
		saver("idle loader", other, func() Saver { return &idleLoader{p} }),
		saver("idle reader", "append bytes_per_value write load copy_from clone", func() Saver { return &idleReader{p} }),
		saver("idle copier", "append bytes_per_value write load read clone", func() Saver { return &idleCopier{p} }),
		saver("idle cloner", "append bytes_per_value write load read copy_from", func() Saver { return &idleCloner{p} }),
		saver("failing", other, func() Saver { return &failing{p} }),
		saver("values", other, func() Saver { return &valuesLoader{p} }),
		saver("order", other, func() Saver { return &orderLoader{p} }),
		saver("last", other, func() Saver { return &lastLoader{p} }),
		saver("stale", "", func() Saver { return &staleLoader{p} }),
		saver("next", other, func() Saver { return &nextLoader{p} }),
		frames("idle frames", all100, func() Frames { return new(idleFrames) }),
		frames("few", all100, func() Frames { return new(fewFrames) }),
		frames("twice", all100, func() Frames { return new(twiceFrames) }),
		frames("idle rewind", "", func() Frames { return new(idleRewind) }),
		frames("short rewind", "", func() Frames { return new(shortRewind) }),
		frames("far rewind", "", func() Frames { return new(farRewind) }),
		frames("broken rewind", "", func() Frames { return new(brokenRewind) }),
	}, measure.Sizing{N: 500, Reps: 1, Quick: true, Hasty: true})
}

// Append and load use memory that is there. They allocate a value or two at most: one that spans two
// chunks of the format.
func TestWarmMemory(t *testing.T) {
	for _, im := range Family.Impls[:2] {
		c := measure.KitOf[Kit](im).Saver()
		c.Fill(2000)
		b, err := c.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(10, func() { b, err = c.Append(b[:0]) }); got > 2 || err != nil {
			t.Errorf("%s: append allocates %g times: %v", im.Name, got, err)
		}
		if got := testing.AllocsPerRun(10, func() { err = c.Load(b) }); got > 2 || err != nil {
			t.Errorf("%s: load allocates %g times: %v", im.Name, got, err)
		}
		var buf bytes.Buffer
		if err := c.Write(&buf); err != nil || !bytes.Equal(buf.Bytes(), b) {
			t.Errorf("%s: append and write differ: %v", im.Name, err)
		}
	}
}

package live

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/seed505807e1/berth/lab/internal/world"
)

const (
	frameMagic  = 0x31485442 // "BTH1"
	headerBytes = 14 * 4
	figureBytes = 8 * 4 // for one container
	heatBytes   = 8 * 4 // for one container, before its cells
	flagPaused  = 1
	flagHeat    = 2
	heatEvery   = 3 // steps
	spareFrames = 8
)

// frame is an encoded picture of a world. Several viewers send the same frame, and each holder
// counts as a reference. When the last one drops it, its buffer is reused.
type frame struct {
	buf   []byte
	heat  bool
	refs  atomic.Int32
	spare chan<- *frame
}

func (f *frame) keep() { f.refs.Add(1) }

func (f *frame) drop() {
	switch n := f.refs.Add(-1); {
	case n < 0:
		panic("live: a frame was dropped too often")
	case n == 0:
		select {
		case f.spare <- f:
		default: // there are enough
		}
	}
}

// encoder makes frames. It belongs to one goroutine, but any goroutine may drop the frames.
type encoder struct {
	spare chan *frame

	put        func(*world.Thing) bool // a method, bound once
	x, y, look []byte                  // of the things in the current frame
	next       int                     // index of the next thing
}

func newEncoder() *encoder {
	e := &encoder{spare: make(chan *frame, spareFrames)}
	e.put = e.thing
	return e
}

// blank returns a frame with one reference and room for n bytes. A buffer that is far too large is
// left to the garbage collector, so that a peak does not last.
func (e *encoder) blank(n int) *frame {
	var f *frame
	select {
	case f = <-e.spare:
	default:
		f = &frame{spare: e.spare}
	}
	if c := cap(f.buf); c < n || c > 4*n+64<<10 {
		f.buf = make([]byte, 0, n+n/4)
	}
	f.buf = f.buf[:0]
	f.refs.Store(1)
	return f
}

// encode returns w as a frame, which the caller must drop. run lists the containers that run in w.
// The frame of every third step has heat, which is slow to compute, and others have it if heat is
// true.
//
// Cost: O(things), and with heat O(slots); allocates only if no buffer is large enough.
func (e *encoder) encode(w *world.World, run []world.Kind, paused, heat bool) *frame {
	heat = heat || w.StepNumber()%heatEvery == 0
	c := w.Counts()
	n := c.Ships + c.Enemies + c.Missiles + c.Particles
	size := headerBytes + 2*padded(2*n) + padded(n) +
		len(run)*(figureBytes+heatBytes+world.MaxCells)
	f := e.blank(size)
	f.heat = heat
	flags := int64(0)
	if paused {
		flags |= flagPaused
	}
	if heat {
		flags |= flagHeat
	}
	b := f.buf
	for _, v := range [...]int64{
		frameMagic, int64(w.StepNumber()), int64(n), int64(len(run)), flags,
		int64(c.Ships), int64(c.Enemies), int64(c.Missiles), int64(c.Particles),
	} {
		b = put32(b, v)
	}
	for _, v := range [...]uint64{c.Hits, c.Kills, c.Lost, c.Turned, 0} {
		b = binary.LittleEndian.AppendUint32(b, uint32(min(v, math.MaxUint32)))
	}
	b = e.things(b, w, n)
	for _, k := range run {
		b = figures(b, k, w.Figures(k))
	}
	if heat {
		for _, k := range run {
			b = heatOf(b, w, k)
		}
	}
	f.buf = b
	return f
}

// things appends the positions and looks of the n things of w.
func (e *encoder) things(b []byte, w *world.World, n int) []byte {
	start := len(b)
	b = b[:start+2*padded(2*n)+padded(n)]
	clear(b[start:]) // including the padding
	e.x, e.y = b[start:][:2*n], b[start+padded(2*n):][:2*n]
	e.look = b[start+2*padded(2*n):][:n]
	e.next = 0
	w.Things()(e.put)
	e.x, e.y, e.look = nil, nil, nil
	return b
}

func (e *encoder) thing(t *world.Thing) bool {
	i := e.next
	if i >= len(e.look) {
		return false
	}
	binary.LittleEndian.PutUint16(e.x[2*i:], fixed(t.X))
	binary.LittleEndian.PutUint16(e.y[2*i:], fixed(t.Y))
	e.look[i] = t.Look()
	e.next++
	return true
}

// fixed converts a fraction to steps of 1/65535. Values out of range and NaN become the nearest
// edge.
func fixed(v float32) uint16 {
	switch {
	case !(v > 0):
		return 0
	case v >= 1:
		return math.MaxUint16
	}
	return uint16(float64(v)*math.MaxUint16 + 0.5)
}

func figures(b []byte, k world.Kind, f world.Figures) []byte {
	for _, v := range [...]int64{
		int64(k), int64(f.Step), int64(f.Bytes), int64(f.Live), int64(f.Vacant), int64(f.Retired),
		int64(f.Slots), int64(f.Chunks),
	} {
		b = put32(b, v)
	}
	return b
}

// heatOf appends the slots of a container, and the sum of its things.
func heatOf(b []byte, w *world.World, k world.Kind) []byte {
	start := len(b)
	b, info := w.Heat(k, append(b, make([]byte, heatBytes)...))
	head := b[start:start]
	for _, v := range [...]int{
		int(k), info.Cells, info.SlotsPerCell, info.Borders[0], info.Borders[1], info.Borders[2],
	} {
		head = put32(head, int64(v))
	}
	binary.LittleEndian.AppendUint64(head, w.Sum(k))
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// put32 appends v, clamped to 32 bits.
func put32(b []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(min(max(v, 0), math.MaxUint32)))
}

func padded(n int) int { return (n + 3) &^ 3 }

package live

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/world"
)

var allKinds = []world.Kind{world.Pool, world.Dense, world.List, world.Map, world.Gen}

func testScene() world.Scene {
	return world.Scene{Seed: 7, Spawn: 50, Life: 60, Events: []world.Event{{Step: 20, Op: world.OpBurst}, {Step: 40, Op: world.OpKill}}}
}

// busyWorld returns a world with some of everything, and vacant slots.
func busyWorld(run []world.Kind, steps int) *world.World {
	w := world.New(testScene(), run)
	for range steps {
		w.Step()
	}
	return w
}

// decoded is a frame as a page reads it.
type decoded struct {
	header  [14]uint32
	x, y    []uint16
	look    []byte
	figures []decodedFigures
	heat    []decodedHeat
}

type decodedFigures struct {
	Kind, Step, Bytes, Live, Vacant, Retired, Slots, Chunks uint32
}

type decodedHeat struct {
	Kind, Cells, SlotsPerCell uint32
	Borders                   [3]uint32
	Sum                       uint64
	cells                     []byte
}

// decode reads a frame in the order of its fields, independently of the encoder.
func decode(b []byte) (d decoded, err error) {
	r := bytes.NewReader(b)
	read := func(v any) {
		if err == nil {
			err = binary.Read(r, binary.LittleEndian, v)
		}
	}
	pad := func() {
		for (len(b)-r.Len())%4 != 0 && err == nil {
			var zero byte
			if read(&zero); zero != 0 {
				err = fmt.Errorf("padding before byte %d is %d", len(b)-r.Len(), zero)
			}
		}
	}
	read(&d.header)
	n := d.header[2]
	d.x, d.y, d.look = make([]uint16, n), make([]uint16, n), make([]byte, n)
	read(d.x)
	pad()
	read(d.y)
	pad()
	read(d.look)
	pad()
	for range d.header[3] {
		var f decodedFigures
		read(&f)
		d.figures = append(d.figures, f)
	}
	if d.header[4]&2 != 0 {
		for range d.header[3] {
			var h decodedHeat
			read(&h.Kind)
			read(&h.Cells)
			read(&h.SlotsPerCell)
			read(&h.Borders)
			read(&h.Sum)
			h.cells = make([]byte, min(h.Cells, 1<<20))
			read(h.cells)
			pad()
			d.heat = append(d.heat, h)
		}
	}
	if err == nil && r.Len() != 0 {
		err = fmt.Errorf("%d bytes behind the end", r.Len())
	}
	return d, err
}

// sameFrame compares a decoded frame with its world.
func sameFrame(t *testing.T, d decoded, w *world.World, run []world.Kind, flags uint32) {
	t.Helper()
	c := w.Counts()
	n := c.Ships + c.Enemies + c.Missiles + c.Particles
	want := [14]uint32{0x31485442, w.StepNumber(), uint32(n), uint32(len(run)), flags, uint32(c.Ships), uint32(c.Enemies), uint32(c.Missiles), uint32(c.Particles), uint32(c.Hits), uint32(c.Kills), uint32(c.Lost), uint32(c.Turned)}
	if d.header != want {
		t.Fatalf("header is\n%d, want\n%d", d.header, want)
	}
	sameThings(t, d, w)
	for i, k := range run {
		f := w.Figures(k)
		want := decodedFigures{uint32(k), uint32(f.Step), uint32(f.Bytes), uint32(f.Live), uint32(f.Vacant), uint32(f.Retired), uint32(f.Slots), uint32(f.Chunks)}
		if d.figures[i] != want {
			t.Errorf("%s: figures are\n%+v, want\n%+v", k.Name(), d.figures[i], want)
		}
	}
	if flags&flagHeat == 0 {
		return
	}
	for i, k := range run {
		cells, info := w.Heat(k, nil)
		h := d.heat[i]
		if h.Sum != w.Sum(k) {
			t.Errorf("%s: the sum is %x, want %x", k.Name(), h.Sum, w.Sum(k))
		}
		if h.Kind != uint32(k) || int(h.Cells) != info.Cells || int(h.SlotsPerCell) != info.SlotsPerCell || !bytes.Equal(h.cells, cells) {
			t.Errorf("%s: heat is of kind %d, %d cells of %d slots, want %d of %d; the same cells: %v", k.Name(), h.Kind, h.Cells, h.SlotsPerCell, info.Cells, info.SlotsPerCell, bytes.Equal(h.cells, cells))
		}
		for j, b := range info.Borders {
			if int(h.Borders[j]) != b {
				t.Errorf("%s: border %d is %d, want %d", k.Name(), j, h.Borders[j], b)
			}
		}
	}
}

// sameThings compares the things of a frame with those of the world, in any order.
func sameThings(t *testing.T, d decoded, w *world.World) {
	t.Helper()
	type place struct {
		x, y uint16
		look byte
	}
	balance := map[place]int{}
	for i := range d.look {
		balance[place{d.x[i], d.y[i], d.look[i]}]++
	}
	for thing := range w.Things() {
		balance[place{uint16(math.Round(float64(thing.X) * 65535)), uint16(math.Round(float64(thing.Y) * 65535)), thing.Look()}]--
	}
	for p, n := range balance {
		if n != 0 {
			t.Fatalf("the frame has %d things more than the world at %+v", n, p)
		}
	}
}

// A frame agrees with the world for every amount of padding.
func TestFrame(t *testing.T) {
	e := newEncoder()
	seen := map[int]bool{}
	for steps := range 60 {
		run := allKinds[steps%5 : steps%5+1+steps%(5-steps%5)]
		w := busyWorld(run, steps)
		for _, paused := range []bool{false, true} {
			for _, heat := range []bool{false, true} {
				f := e.encode(w, run, paused, heat)
				d, err := decode(f.buf)
				if err != nil {
					t.Fatalf("step %d: %v", steps, err)
				}
				flags := uint32(0)
				if paused {
					flags |= 1
				}
				if heat || w.StepNumber()%3 == 0 {
					flags |= 2
				}
				if f.heat != (flags&2 != 0) || len(f.buf)%4 != 0 {
					t.Errorf("a frame of %d bytes with heat: %v", len(f.buf), f.heat)
				}
				sameFrame(t, d, w, run, flags)
				seen[int(d.header[2])%4] = true
				for i := range f.buf {
					f.buf[i] = 0xff // the next frame must not rely on zeros
				}
				f.drop()
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("numbers of things modulo 4: %v, want all", seen)
	}
}

func TestFixed(t *testing.T) {
	for _, tc := range []struct {
		v    float32
		want uint16
	}{{0, 0}, {1, 65535}, {0.5, 32768}, {-1, 0}, {2, 65535}, {float32(math.NaN()), 0}, {float32(math.Inf(1)), 65535}, {float32(math.Inf(-1)), 0}, {1.0 / 65535, 1}, {math.Nextafter32(1, 0), 65535}} {
		if got := fixed(tc.v); got != tc.want {
			t.Errorf("fixed(%v) is %d, want %d", tc.v, got, tc.want)
		}
	}
	for v, want := range map[int64]uint32{-1: 0, 0: 0, math.MaxInt32: math.MaxInt32, 1 << 40: math.MaxUint32} {
		if got := binary.LittleEndian.Uint32(put32(nil, v)); got != want {
			t.Errorf("put32(%d) is %d, want %d", v, got, want)
		}
	}
}

// In the steady state, neither frames nor their delivery make garbage, even if some viewers never
// take theirs.
func TestFramesMakeNoGarbage(t *testing.T) {
	for _, run := range [][]world.Kind{allKinds[:1], allKinds} {
		w := busyWorld(run, 100)
		e := newEncoder()
		var all []*viewer
		for range maxViewers {
			all = append(all, newViewer(nil, nil))
		}
		round := func() {
			f := e.encode(w, run, false, false)
			for i, v := range all {
				v.offer(f)
				if i%2 == 0 {
					continue // it never reads
				}
				if o := v.take(); o.frame != nil {
					o.frame.drop()
					v.grant()
				}
			}
			f.drop()
		}
		round()
		asking := testing.AllocsPerRun(100, func() { // that of the world, and a few bytes for each loop
			w.Things()(e.put)
			for _, k := range run {
				w.Figures(k)
			}
		})
		if n := testing.AllocsPerRun(100, round); n > asking {
			t.Errorf("%d containers: %v allocations a frame, want the %v of asking the world", len(run), n, asking)
		}
		if len(e.spare) > 1 {
			t.Errorf("%d spare frames, want at most one", len(e.spare))
		}
	}
}

// A frame has five bytes a thing, and never exceeds its documented size, however large the world
// is. After a burst, frames are as small as before.
func TestFrameBounds(t *testing.T) {
	const rest = headerBytes + 12 // including padding
	e := newEncoder()
	var before, after int
	measure := func(w *world.World, run []world.Kind, most int) int {
		t.Helper()
		f := e.encode(w, run, false, true)
		defer f.drop()
		things := w.Figures(run[0]).Live
		bound := 5*things + rest + len(run)*(figureBytes+heatBytes+world.MaxCells)
		if n := len(f.buf); n > bound || n > most || n < 5*things {
			t.Errorf("step %d: %d things in %d containers have a frame of %d bytes, want at most %d and %d",
				w.StepNumber(), things, len(run), n, bound, most)
		}
		return cap(f.buf)
	}
	w := world.New(world.Scene{Seed: 1, Spawn: 50, Life: world.MinLife}.Story(), allKinds)
	for range 190 {
		w.Step()
		switch n := w.StepNumber(); n {
		case 165:
			before = measure(w, allKinds, 100<<10)
		case 166:
			measure(w, allKinds, 530_000)
		case 190:
			after = measure(w, allKinds, 100<<10)
		}
	}
	if after > 4*before {
		t.Errorf("a buffer has %d bytes before the burst, and %d after it", before, after)
	}
	w = world.New(world.Scene{Seed: 1, Spawn: 1000, Life: 1000}, allKinds[:1])
	for range world.MaxThings/world.Burst + 1 {
		must(t, w.Do(world.OpBurst, 0))
	}
	if n := w.Figures(world.Pool).Live; n != world.MaxThings {
		t.Fatalf("%d things live, want %d", n, world.MaxThings)
	}
	measure(w, allKinds[:1], 1_100_000)
}

// A frame that is dropped too often would be overwritten while it is sent.
func TestDroppedTooOften(t *testing.T) {
	f := newEncoder().blank(1)
	f.keep()
	f.drop()
	f.drop()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f.drop()
}

package saves

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"io"
	"slices"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/measure"
	_ "github.com/seed505807e1/berth/save"
)

// Kit holds the constructors of an implementation, or nil where it has none.
type Kit struct {
	Saver  func() Saver
	Frames func() Frames
}

// Family compares the containers with what programs use to save a slice.
var Family = &measure.Family{
	ID:        "saves",
	Workloads: []*measure.Workload{save},
	Title:     "Saving and going back",
	Stale:     "A handle to a removed value, after loading",
	Impls: []measure.Impl{
		withKit(impls.Pool, Kit{
			Saver: func() Saver {
				return &store[*berth.Pool[particle], handle]{saving: poolSaving}
			},
			Frames: func() Frames { return new(poolFrames) },
		}),
		withKit(impls.Dense, Kit{Saver: func() Saver {
			return &store[*berth.Dense[particle], handle]{saving: denseSaving}
		}}),
		copyFromImpl, copyImpl, binaryImpl, gobImpl, jsonImpl,
	},
	Baseline: "copy",
	Subjects: []string{"berth.Pool", "berth.Dense"},
}

func withKit(im measure.Impl, k Kit) measure.Impl {
	im.Kit = k
	return im
}

var copyFromImpl = measure.Impl{
	Name: "Pool CopyFrom",
	About: "berth.Pool without a History: at the end of each frame CopyFrom copies it into the " +
		"oldest of nine.",
	Stale: "finds nothing, ever",
	Safe:  true, Ours: true,
	Kit: Kit{Frames: func() Frames { return new(copyFrames) }},
}

const noHandles = "does not exist: places do not change here"

var copyImpl = measure.Impl{
	Name:  "copy",
	About: "a copy of the bytes of a slice into another slice: the floor, with no handles",
	Stale: noHandles,
	Kit: Kit{
		Saver:  func() Saver { return new(bytesSaver) },
		Frames: func() Frames { return new(sliceFrames) },
	},
}

var binaryImpl = measure.Impl{
	Name:  "encoding/binary",
	About: "a slice by Append and Decode, or Write and Read, of package encoding/binary",
	Stale: noHandles,
	Kit:   Kit{Saver: func() Saver { return new(binarySaver) }},
}

var gobImpl = measure.Impl{
	Name:  "encoding/gob",
	About: "a slice by package encoding/gob, with a new Encoder or Decoder each time",
	Stale: noHandles,
	Kit:   Kit{Saver: func() Saver { return new(gobSaver) }},
}

var jsonImpl = measure.Impl{
	Name:  "encoding/json",
	About: "a slice by package encoding/json",
	Stale: noHandles,
	Kit:   Kit{Saver: func() Saver { return new(jsonSaver) }},
}

type handle = berth.Handle[particle]

// container is what a store needs of a container C with handles H.
type container[C, H any] interface {
	filler[H]
	finder[H]
	Clone() C
	UnmarshalBinary(b []byte) error
}

// saving is the functions of package berth that a store needs of a container C.
type saving[C any] struct {
	make   func() C
	copy   func(to, from C)
	append func(c C, b []byte) ([]byte, error)
	encode func(c C, w io.Writer, value func([]byte, *particle) ([]byte, error)) error
	decode func(c C, r io.Reader, value func([]byte, *particle) error) error
}

var (
	poolSaving = saving[*berth.Pool[particle]]{
		newPool, (*berth.Pool[particle]).CopyFrom, berth.AppendBinary[particle],
		berth.Encode[particle], berth.Decode[particle],
	}
	denseSaving = saving[*berth.Dense[particle]]{
		newDense, (*berth.Dense[particle]).CopyFrom, berth.DenseAppendBinary[particle],
		berth.DenseEncode[particle], berth.DenseDecode[particle],
	}
)

// store is the Saver of a container.
type store[C container[C, H], H comparable] struct {
	saving[C]
	first, second C
	hs, stale     []H
	next          H // the handle of the next insert
}

func newPool() *berth.Pool[particle] { return berth.NewPool[particle](berth.Config{Seed: 1}) }

func newDense() *berth.Dense[particle] {
	return berth.NewDense[particle](berth.DenseConfig{Seed: 1})
}

func (c *store[C, H]) Fill(n int) {
	c.first = c.make()
	c.hs, c.stale = fill[H](c.first, n)
	c.second = c.first.Clone()
	c.next = c.first.Clone().Insert(particle{})
}

// filler is what fill needs of a container with handles H.
type filler[H any] interface {
	Insert(v particle) H
	Remove(h H) (particle, bool)
}

// fill inserts n values, replaces a tenth of them, and returns their handles and those of the
// replaced values.
func fill[H any](c filler[H], n int) (hs, stale []H) {
	for i := range n {
		hs = append(hs, c.Insert(particleOf(i)))
	}
	for i := 0; i < n; i += replaced {
		c.Remove(hs[i])
		stale = append(stale, hs[i])
	}
	for i := 0; i < n; i += replaced {
		hs[i] = c.Insert(particleOf(numberOf(i, n)))
	}
	return hs, stale
}

func (c *store[C, H]) Spoil() {
	for _, h := range c.hs {
		if p := c.second.Ptr(h); p != nil {
			p.Life = 0
		}
	}
}

func (c *store[C, H]) Append(b []byte) ([]byte, error) { return c.append(c.first, b) }

func (c *store[C, H]) Write(w io.Writer) error { return c.encode(c.first, w, nil) }

func (c *store[C, H]) Load(b []byte) error { return c.second.UnmarshalBinary(b) }

func (c *store[C, H]) Read(r io.Reader) error { return c.decode(c.second, r, nil) }

func (c *store[C, H]) Copy()  { c.copy(c.second, c.first) }
func (c *store[C, H]) Clone() { c.second = c.first.Clone() }

func (c *store[C, H]) Sum() uint64 {
	if c.second.Clone().Insert(particle{}) != c.next {
		return 0
	}
	return sum(c.second, c.hs, c.stale)
}

// finder is what sum needs of a container with handles H.
type finder[H any] interface {
	Ptr(h H) *particle
	Contains(h H) bool
}

// sum adds up the values of hs, and 1 for each of stale that finds a value.
func sum[H any](c finder[H], hs, stale []H) (sum uint64) {
	for i, h := range hs {
		if p := c.Ptr(h); p != nil {
			sum += weighted(i, p.num())
		}
	}
	for _, h := range stale {
		if c.Contains(h) {
			sum++
		}
	}
	return sum
}

// poolFrames is a Pool with a History.
type poolFrames struct {
	p     *berth.Pool[particle]
	s     *berth.History[particle]
	hs    []handle
	stale []handle
	now   berth.Frame
}

func (c *poolFrames) New(n int) {
	c.p = newPool()
	c.hs, c.stale = fill(c.p, n)
	c.s = berth.NewHistory(c.p, berth.HistoryConfig{Frames: back + 1})
	c.now = 1
}

func (c *poolFrames) Frame(places []uint32) {
	s, hs := c.s, c.hs
	for _, i := range places {
		s.Edit(hs[i]).age()
	}
	c.now = s.Mark()
}

func (c *poolFrames) FrameAll() {
	for _, vals := range c.s.EditSpans() {
		for i := range vals {
			vals[i].age()
		}
	}
	c.now = c.s.Mark()
}

func (c *poolFrames) Rewind(n int) {
	c.now -= berth.Frame(n)
	if err := c.s.Rewind(c.now); err != nil {
		panic("lab: poolFrames.Rewind: " + err.Error())
	}
}

func (c *poolFrames) Sum() uint64 { return sum(c.p, c.hs, c.stale) }

// ring holds the collection at the beginning of the last frames. Frame f is at f % len.
type ring[C any] struct {
	kept [back + 1]C
	now  int
}

// next returns the place for the next frame.
func (r *ring[C]) next() *C {
	r.now++
	return &r.kept[r.now%len(r.kept)]
}

// rewind goes back n frames, and returns the collection at the beginning of that frame.
func (r *ring[C]) rewind(n int) C {
	r.now -= n
	return r.kept[r.now%len(r.kept)]
}

type copyFrames struct {
	poolFrames
	ring[*berth.Pool[particle]]
}

func (c *copyFrames) New(n int) {
	c.p = newPool()
	c.hs, c.stale = fill(c.p, n)
	for i := range c.kept {
		c.kept[i] = c.p.Clone()
	}
}

func (c *copyFrames) Frame(places []uint32) {
	p, hs := c.p, c.hs
	for _, i := range places {
		p.Ptr(hs[i]).age()
	}
	(*c.next()).CopyFrom(p)
}

func (c *copyFrames) FrameAll() {
	for _, vals := range c.p.Spans() {
		for i := range vals {
			vals[i].age()
		}
	}
	(*c.next()).CopyFrom(c.p)
}

func (c *copyFrames) Rewind(n int) { c.p.CopyFrom(c.rewind(n)) }

type sliceFrames struct {
	vals []particle
	ring[[]particle]
}

func (c *sliceFrames) New(n int) {
	c.vals = particles(n)
	for i := range c.kept {
		c.kept[i] = slices.Clone(c.vals)
	}
}

func (c *sliceFrames) Frame(places []uint32) {
	vals := c.vals
	for _, i := range places {
		vals[i].age()
	}
	copy(*c.next(), vals)
}

func (c *sliceFrames) FrameAll() {
	vals := c.vals
	for i := range vals {
		vals[i].age()
	}
	copy(*c.next(), vals)
}

func (c *sliceFrames) Rewind(n int) { copy(c.vals, c.rewind(n)) }

func (c *sliceFrames) Sum() uint64 { return sumSlice(c.vals) }

// sumSlice adds up vals. The place of a value is its handle.
func sumSlice(vals []particle) (sum uint64) {
	for i := range vals {
		sum += weighted(i, vals[i].num())
	}
	return sum
}

const valueBytes = 32

// bytesSaver holds the particles as bytes, so that saving them is a copy.
type bytesSaver struct{ first, second []byte }

func (c *bytesSaver) Fill(n int) {
	c.first, _ = binary.Append(nil, binary.LittleEndian, particles(n)) // never fails
	c.second = slices.Clone(c.first)
}

func (c *bytesSaver) Spoil() {
	for i := valueBytes - 1; i < len(c.second); i += valueBytes {
		c.second[i]++
	}
}

func (c *bytesSaver) Append(b []byte) ([]byte, error) { return append(b, c.first...), nil }

func (c *bytesSaver) Write(w io.Writer) error {
	_, err := w.Write(c.first)
	return err
}

func (c *bytesSaver) Load(b []byte) error {
	copy(c.second, b)
	return nil
}

func (c *bytesSaver) Read(r io.Reader) error {
	_, err := io.ReadFull(r, c.second)
	return err
}

func (c *bytesSaver) Copy()  { copy(c.second, c.first) }
func (c *bytesSaver) Clone() { c.second = slices.Clone(c.first) }

func (c *bytesSaver) Sum() uint64 {
	vals := make([]particle, len(c.second)/valueBytes)
	_, _ = binary.Decode(c.second, binary.LittleEndian, vals) // never fails
	return sumSlice(vals)
}

// sliceSaver is the part that the Savers of a slice share.
type sliceSaver struct{ first, second []particle }

func (c *sliceSaver) Fill(n int) {
	c.first = particles(n)
	c.second = slices.Clone(c.first)
}

func (c *sliceSaver) Spoil() {
	for i := range c.second {
		c.second[i].Life = 0
	}
}

func (c *sliceSaver) Sum() uint64 { return sumSlice(c.second) }

type binarySaver struct{ sliceSaver }

func (c *binarySaver) Append(b []byte) ([]byte, error) {
	return binary.Append(b, binary.LittleEndian, c.first)
}

func (c *binarySaver) Write(w io.Writer) error {
	return binary.Write(w, binary.LittleEndian, c.first)
}

func (c *binarySaver) Load(b []byte) error {
	_, err := binary.Decode(b, binary.LittleEndian, c.second)
	return err
}

func (c *binarySaver) Read(r io.Reader) error {
	return binary.Read(r, binary.LittleEndian, c.second)
}

type gobSaver struct{ sliceSaver }

func (c *gobSaver) Append(b []byte) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	err := c.Write(buf)
	return buf.Bytes(), err
}

func (c *gobSaver) Write(w io.Writer) error { return gob.NewEncoder(w).Encode(c.first) }
func (c *gobSaver) Load(b []byte) error     { return c.Read(bytes.NewReader(b)) }
func (c *gobSaver) Read(r io.Reader) error  { return gob.NewDecoder(r).Decode(&c.second) }

type jsonSaver struct{ sliceSaver }

func (c *jsonSaver) Append(b []byte) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	err := c.Write(buf)
	return buf.Bytes(), err
}

func (c *jsonSaver) Write(w io.Writer) error { return json.NewEncoder(w).Encode(c.first) }
func (c *jsonSaver) Load(b []byte) error     { return json.Unmarshal(b, &c.second) }
func (c *jsonSaver) Read(r io.Reader) error  { return json.NewDecoder(r).Decode(&c.second) }

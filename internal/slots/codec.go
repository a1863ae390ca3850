package slots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"weak"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/internal/wire"
)

// codec encodes and decodes the values of a container: as they lie in memory, or with functions of
// the caller.
type codec struct {
	op   string // the method that was called, for errors
	kind wire.Kind
	wire.Type
	size uintptr // of a value
	put  putter
	get  getter
}

type (
	putter = func(b []byte, h ID, v Ref) ([]byte, error) // appends the encoding of h's value
	getter = func(b []byte, h ID, v Ref) error           // sets h's value, which is zero
)

// CodecOf returns the codec for values as they lie in memory, for the method op.
func CodecOf(op string, kind wire.Kind, t reflect.Type) (codec, error) {
	c := codec{op: op, kind: kind, Type: wire.TypeOf(t), size: t.Size()}
	if c.Why != "" {
		return c, c.failed(errors.New(c.Why))
	}
	return c, nil
}

// name returns the name of the method with its type, or of the function.
func (c *codec) name() string {
	switch function := c.op == "Encode" || c.op == "Decode" || c.op == "AppendBinary"; {
	case function && c.kind == wire.Pool:
		return c.op
	case function && c.kind == wire.Dense:
		return "Dense" + c.op
	}
	return c.kind.String() + "." + c.op
}

// failed returns the error of the method for err. An error of the data is an ErrCorrupt.
func (c *codec) failed(err error) error {
	if bad := (*wire.Error)(nil); errors.As(err, &bad) {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, c.name(), err)
	}
	return fmt.Errorf("berth: %s: %w", c.name(), err)
}

// write writes n adjacent values, from value i of vals on. at returns the handle of a value.
func (c *codec) write(w *wire.Writer, vals Ref, i, n int, at func(i int) ID) {
	if c.put == nil {
		w.Values(c.Layout, bytesAt(valueAt(vals, i, c.size), n, c.size))
		return
	}
	for end := i + n; i < end && w.Err() == nil; i++ {
		h, v := at(i), valueAt(vals, i, c.size)
		err := w.Coded(func(b []byte) ([]byte, error) { return c.put(b, h, v) })
		if err != nil {
			w.Stop(fmt.Errorf("value of %s: %w", TextOf(h), err))
		}
	}
}

// writeBlock writes the live values of b. first is the index of its first slot.
func (c *codec) writeBlock(w *wire.Writer, b *Head, first uint32) {
	at := func(i int) ID { return ID{first + uint32(i), b.Gens[i&63]} }
	for occ := b.Occ; occ != 0; {
		i, n := bitset.Run(occ)
		occ &= bitset.Beyond(i + n)
		c.write(w, valsOf(b), i, n, at)
	}
}

// read reads what write has written.
func (c *codec) read(r *wire.Reader, vals Ref, i, n int, at func(i int) ID) {
	if c.get == nil {
		r.Values(c.Layout, bytesAt(valueAt(vals, i, c.size), n, c.size), n)
		return
	}
	for end := i + n; i < end && r.Err() == nil; i++ {
		b := r.Coded()
		if r.Err() != nil {
			return
		}
		if err := c.get(b, at(i), valueAt(vals, i, c.size)); err != nil {
			r.Stop(fmt.Errorf("value of %s: %w", TextOf(at(i)), err))
		}
	}
}

// readBlock reads what writeBlock has written, into the slots that are already live.
func (c *codec) readBlock(r *wire.Reader, b *Head, first uint32) {
	at := func(i int) ID { return ID{first + uint32(i), b.Gens[i&63]} }
	for occ := b.Occ; occ != 0; {
		i, n := bitset.Run(occ)
		occ &= bitset.Beyond(i + n)
		c.read(r, valsOf(b), i, n, at)
	}
}

// check reads n values without storing them. It is for values as they lie in memory.
func (c *codec) check(r *wire.Reader, n int) { r.Values(c.Layout, nil, n) }

// overwrites reports whether reading a value sets all of its memory.
func (c *codec) overwrites() bool { return c.get == nil && c.Flat() }

// allow fails if a load would take more memory, on the word of n bytes of data, than hostile data
// may have. Vacant slots take 24 bytes for each 64 of them in the data.
func allow(need uint64, n int64) error {
	if need > 256<<20+64*uint64(n) {
		return fmt.Errorf("%w: %d bytes of memory for %d bytes of data", ErrFull, need, n)
	}
	return nil
}

// twice reads data with check, which must change nothing, and then with load.
func (c *codec) twice(r *wire.Reader, data []byte, check, load func() error) error {
	r.Read(data, false)
	if err := check(); err != nil {
		return c.failed(err)
	}
	r.Read(data, true)
	if err := load(); err != nil {
		panic("berth: " + c.name() + ": data changed while it was read: " + err.Error())
	}
	return nil
}

// saver saves and loads a Pool or a Dense.
type saver struct {
	slots *Core  // the Pool, or the index of the Dense
	dense *Dense // nil for a Pool
}

// Saver returns a saver for a Dense.
//
//go:noinline
func (s *DenseState) Saver(block any) saver {
	d := DenseAt(s, block)
	return saver{d.Index.Core(), d}
}

// kinds returns the kinds of the container and of its values.
func (s saver) kinds() (wire.Kind, *kind) {
	if s.dense != nil {
		return wire.Dense, s.dense.Kind
	}
	return wire.Pool, s.slots.Kind
}

// codec returns the codec with put or get, or without either for values as they lie in memory. It
// fails if the values have none, or while a value is under construction.
func (s saver) codec(op string, put putter, get getter) (c codec, err error) {
	kind, vals := s.kinds()
	if put != nil || get != nil {
		c = codec{op: op, kind: kind, size: vals.Size, put: put, get: get}
	} else if c, err = CodecOf(op, kind, TypeOf(vals)); err != nil {
		return c, err
	}
	return c, s.slots.mayCode(&c)
}

// mayCode fails while a value is under construction. It makes a zero Pool ready, so that a Pool
// that loads it begins at the same handles.
func (p *Core) mayCode(c *codec) error {
	if len(p.Rare.Building()) > 0 {
		return c.failed(errBuilding)
	}
	if p.isZero() {
		p.init(Config{})
	}
	return nil
}

// errBuilding is returned by the methods that save and load while InsertFunc builds a value.
var errBuilding = errors.New("a value is under construction, by InsertFunc")

// AppendBinary is AppendBinary and MarshalBinary.
func (s saver) AppendBinary(op string, b []byte) ([]byte, error) {
	c, err := s.codec(op, nil, nil)
	if err != nil {
		return b, err
	}
	var w wire.Writer
	beginAppend(&w, b, &c, s.contents(c.Encoded))
	s.write(&w, &c)
	w.End()
	return w.Frame(), nil
}

// beginAppend makes w append a frame to b with at most n bytes of contents, in one allocation.
func beginAppend(w *wire.Writer, b []byte, c *codec, n int) {
	if n = wire.FrameBytes(c.Desc, n); cap(b)-len(b) < n {
		b = append(make([]byte, 0, len(b)+n), b...)
	}
	w.Append(b, c.kind, c.Desc)
}

// contents returns the most bytes that write writes for values that are encoded in size bytes, if
// every generation must be written.
func (s saver) contents(size int) int {
	p, n := s.slots, poolHeadBytes
	if d := s.dense; d != nil {
		n += 4 + 4 + 4*d.Holes + d.Vals.N*size
		size = 4 // of a place
	}
	return n + len(p.Floors)*5 + p.Chunks<<p.Shift*(24+4*BlockSlots) + p.N*size
}

// write writes the contents of the frame.
func (s saver) write(w *wire.Writer, c *codec) {
	if s.dense != nil {
		s.dense.write(w, c)
	} else {
		s.slots.Write(w, c)
	}
}

// Save is Encode.
func (s saver) Save(to io.Writer, put putter) error {
	c, err := s.codec("Encode", put, nil)
	if err != nil {
		return err
	}
	var w wire.Writer
	w.Stream(to, c.kind, c.Desc)
	s.write(&w, &c)
	w.End()
	if err = w.Err(); err != nil {
		err = fmt.Errorf("berth: %s: %w", c.name(), err)
	}
	return err
}

// UnmarshalBinary is UnmarshalBinary. The first pass over data only checks, and the second writes
// into the memory that the container has.
func (s saver) UnmarshalBinary(data []byte) error {
	c, err := s.codec("UnmarshalBinary", nil, nil)
	if err != nil {
		return err
	}
	var r wire.Reader
	f := s.frame(c, s.slots.Max+s.slots.Rare.Reserves())
	err = c.twice(&r, data,
		func() error { return f.check(&r, len(data)) },
		func() error { return f.load(&r) })
	if err == nil {
		s.loaded()
	}
	return err
}

// Load is Decode. Since it cannot read twice, it loads another container, and exchanges the memory
// of the two. Before that it calls done, of UnmarshalJSON, with the seed. s keeps a weak pointer to
// the other one, so that its memory is garbage, but a later Load may use it before the collector.
func (s saver) Load(from io.Reader, get getter, done func(uint32) error) error {
	op := "Decode"
	if done != nil {
		op = "UnmarshalJSON"
	}
	c, err := s.codec(op, nil, get)
	if err != nil {
		return err
	}
	to := s.fresh()
	var r wire.Reader
	r.From(from)
	f := to.frame(c, s.slots.Max+s.slots.Rare.Reserves())
	attempt(func() { err = f.load(&r) }, to.freeAll)
	switch {
	case err != nil:
		err = c.failed(err)
	case done != nil:
		err = done(f.seed)
	}
	if err == nil {
		err = s.slots.mayCode(&c) // the functions of the caller have run since
	}
	if err != nil {
		to.freeAll()
		return err
	}
	if s.dense != nil {
		s.dense.checkPlaces()
	}
	s.slots.become(to.slots)
	if s.dense != nil {
		s.dense.become(to.dense)
	}
	s.loaded()
	if get == nil {
		r.Recycle()
	}
	if len(s.slots.Dir) > 1 && s.slots.Supply == nil && !poison.On {
		s.slots.Rarely().before = weak.Make(to)
	}
	return nil
}

// fresh returns a container of the same values, with the same Memory, for Load. After another Load
// it has the memory that s had before that, unless the collector has taken it. Its blocks are empty
// for the loops that are in them.
func (s saver) fresh() *saver {
	if r := s.slots.Rare; r != nil {
		before, _ := r.before.(weak.Pointer[saver])
		r.before = nil // for a Load inside of this one
		if to := before.Value(); to != nil {
			return to
		}
	}
	to := &saver{slots: &Core{State: State{Kind: s.slots.Kind}}}
	if s.dense != nil {
		*to = (&Dense{DenseState: DenseState{Kind: s.dense.Kind, Keeping: 1}}).Saver(nil)
	}
	c := Config{Seed: 1}
	if s.slots.Supply != nil {
		c.Memory = s.slots.Supply.memory
	}
	to.slots.init(c)
	return to
}

// freeAll gives back the memory of a container that is not in use yet, and empties its blocks, as
// loops may be in them that began before an earlier Load.
func (s saver) freeAll() {
	for _, b := range s.slots.Dir {
		if b != nil {
			s.slots.Kind.Leave(b)
		}
	}
	if s.dense != nil {
		s.dense.freeAll()
		return
	}
	s.slots.Supply.freeAll()
}

// loaded is called when s has other contents.
func (s saver) loaded() {
	s.slots.loaded()
	if d := s.dense; d != nil {
		d.Grown, d.Released = 0, 0
		d.moved(0)
		d.loaded(d.Index.Reserve)
	}
}

// JSON has the functions of encoding/json that MarshalJSON and UnmarshalJSON call. Package save
// sets them.
var JSON struct {
	Marshal   func(v any) ([]byte, error)
	Unmarshal func(data []byte, v any) error
}

// noJSON is the error of the method fn if the program lacks package save.
func noJSON(k wire.Kind, fn string) error {
	return fmt.Errorf("berth: %v.%s needs encoding/json: import _ %q", k, fn,
		"github.com/seed505807e1/berth/save")
}

// rawJSON is json.RawMessage.
type rawJSON []byte

func (r *rawJSON) UnmarshalJSON(data []byte) error {
	*r = bytes.Clone(data)
	return nil
}

// MarshalJSON is MarshalJSON. The frame has no bytes for a value.
func (s saver) MarshalJSON() ([]byte, error) {
	kind, vals := s.kinds()
	if JSON.Marshal == nil {
		return nil, noJSON(kind, "MarshalJSON")
	}
	var values []byte
	c, err := s.codec("MarshalJSON", func(b []byte, h ID, v Ref) ([]byte, error) {
		if len(values) > 0 {
			values = append(values, ',')
		}
		values = append(values, '"')
		values = append(AppendHandle(values, h), '"', ':')
		value, err := JSON.Marshal(reflect.NewAt(TypeOf(vals), v).Interface())
		values = append(values, value...)
		return b, err
	}, nil)
	if err != nil {
		return nil, err
	}
	var w wire.Writer
	w.Append(nil, c.kind, "")
	s.write(&w, &c)
	w.End()
	if err := w.Err(); err != nil {
		return nil, fmt.Errorf("berth: %s: %w", c.name(), err)
	}
	slots, _ := JSON.Marshal(w.Frame()) // never fails
	return fmt.Appendf(nil, `{"seed":%d,"slots":%s,"values":{%s}}`,
		s.slots.Seed(), slots, values), nil
}

// UnmarshalJSON is UnmarshalJSON.
func (s saver) UnmarshalJSON(data []byte) error {
	kind, vals := s.kinds()
	fn := kind.String() + ".UnmarshalJSON"
	if string(data) == "null" {
		return nil
	}
	if JSON.Unmarshal == nil {
		return noJSON(kind, "UnmarshalJSON")
	}
	var saved struct {
		Seed   *uint32            `json:"seed"`
		Slots  []byte             `json:"slots"`
		Values map[string]rawJSON `json:"values"`
	}
	if err := JSON.Unmarshal(data, &saved); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, fn, err)
	}
	if saved.Seed == nil || saved.Slots == nil || saved.Values == nil {
		return fmt.Errorf("%w: %s: the object lacks seed, slots or values", ErrCorrupt, fn)
	}
	get := func(_ []byte, h ID, v Ref) error {
		value, ok := saved.Values[TextOf(h)]
		if !ok {
			return errors.New("is missing")
		}
		delete(saved.Values, TextOf(h)) // the values that no slot has are left
		return JSON.Unmarshal(value, reflect.NewAt(TypeOf(vals), v).Interface())
	}
	return s.Load(bytes.NewReader(saved.Slots), get, func(seed uint32) error {
		switch {
		case *saved.Seed != seed:
			return fmt.Errorf("%w: %s: seed %d, but the slots have seed %d",
				ErrCorrupt, fn, *saved.Seed, seed)
		case len(saved.Values) > 0:
			return fmt.Errorf("%w: %s: %d values without a slot",
				ErrCorrupt, fn, len(saved.Values))
		}
		return nil
	})
}

// Each method of a Pool and a Dense calls one of these, since its code is compiled for each type of
// values. And a program with a Pool would otherwise compile parts of a Dense.

// SaveBinary is MarshalBinary of a Pool.
//
//go:noinline
func (s *State) SaveBinary(block any) ([]byte, error) {
	return saver{slots: CoreAt(s, block)}.AppendBinary("MarshalBinary", nil)
}

// AppendBinary is that of a Pool.
//
//go:noinline
func (p *Core) AppendBinary(b []byte) ([]byte, error) {
	return saver{slots: p}.AppendBinary("AppendBinary", b)
}

// Save is Encode of a Pool.
//
//go:noinline
func (p *Core) Save(w io.Writer, put putter) error { return saver{slots: p}.Save(w, put) }

// LoadBinary is UnmarshalBinary of a Pool.
//
//go:noinline
func (s *State) LoadBinary(block any, data []byte) error {
	return saver{slots: CoreAt(s, block)}.UnmarshalBinary(data)
}

// Load is Decode of a Pool.
//
//go:noinline
func (p *Core) Load(r io.Reader, get getter) error { return saver{slots: p}.Load(r, get, nil) }

// SaveJSON is MarshalJSON of a Pool.
//
//go:noinline
func (s *State) SaveJSON(block any) ([]byte, error) {
	return saver{slots: CoreAt(s, block)}.MarshalJSON()
}

// LoadJSON is UnmarshalJSON of a Pool.
//
//go:noinline
func (s *State) LoadJSON(block any, data []byte) error {
	return saver{slots: CoreAt(s, block)}.UnmarshalJSON(data)
}

// SaveBinary is MarshalBinary of a Dense.
//
//go:noinline
func (s *DenseState) SaveBinary(block any) ([]byte, error) {
	return s.Saver(block).AppendBinary("MarshalBinary", nil)
}

// LoadBinary is UnmarshalBinary of a Dense.
//
//go:noinline
func (s *DenseState) LoadBinary(block any, data []byte) error {
	return s.Saver(block).UnmarshalBinary(data)
}

// SaveJSON is MarshalJSON of a Dense.
//
//go:noinline
func (s *DenseState) SaveJSON(block any) ([]byte, error) { return s.Saver(block).MarshalJSON() }

// LoadJSON is UnmarshalJSON of a Dense.
//
//go:noinline
func (s *DenseState) LoadJSON(block any, data []byte) error {
	return s.Saver(block).UnmarshalJSON(data)
}

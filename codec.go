package berth

import (
	"io"

	"github.com/seed505807e1/berth/internal/slots"
)

// The methods and functions below save and load a Pool and a Dense. docs/format.md describes the
// bytes.

// MarshalBinary implements [encoding.BinaryMarshaler], which package encoding/gob uses. It returns
// the whole state of p: the values, the generation of each slot, and the slots that are vacant. So
// a Pool that loads it finds the same values by the same handles, and issues the same handles from
// then on. Stale handles stay stale. Limit, Memory and hooks are not saved.
//
// MarshalBinary fails if T has Go pointers ([Encode] saves those) or while InsertFunc runs. For a T
// without int, uint and uintptr, the bytes are the same on every machine. They depend on the Seed:
// set one if equal Pools must have equal bytes.
//
// Cost: O(Cap); allocates the bytes. With package save in the program, all ways to save and load
// take a fifth of the time.
func (p *Pool[T]) MarshalBinary() ([]byte, error) {
	return p.state.SaveBinary((*slots.Block[T])(nil))
}

// AppendBinary appends the bytes of [Pool.MarshalBinary] to b. If it fails, it returns b.
//
// Cost: O(Cap); allocates if b has no room.
func AppendBinary[T any](p *Pool[T], b []byte) ([]byte, error) {
	return coreOf(p).AppendBinary(b)
}

// Encode writes p into w, at most 64 KiB at a time, for [Decode] to read. If value is nil, it
// writes the bytes of [Pool.MarshalBinary], and fails as that does. Otherwise T may be any type:
// value appends the encoding of *v to b and returns the result. value must not use p. If it fails,
// or w does, Encode stops and returns an error that wraps that error.
//
// Cost: O(Cap), and value for each live value; allocates a buffer of 64 KiB.
func Encode[T any](
	p *Pool[T], w io.Writer, value func(b []byte, v *T) ([]byte, error),
) error {
	return coreOf(p).Save(w, putter(value))
}

// putter returns value for code that does not know T.
func putter[T any](
	value func([]byte, *T) ([]byte, error),
) func([]byte, slots.ID, slots.Ref) ([]byte, error) {
	if value == nil {
		return nil
	}
	return func(b []byte, _ slots.ID, v slots.Ref) ([]byte, error) { return value(b, (*T)(v)) }
}

// MarshalJSON implements [encoding/json.Marshaler]. It returns an object with the seed, the state
// of the slots in base64, and the values by handle, each as package encoding/json encodes it:
//
//	{"seed":1,"slots":"jkJUSA...","values":{"2654435769:1779033703":{"x":1}}}
//
// It fails unless the program imports package save, if encoding/json fails for a value, or while
// InsertFunc runs. The MarshalJSON of a value must not change p. A struct that holds a Pool must be
// marshalled through a pointer to it. Otherwise encoding/json does not find this method, and writes
// {} for the Pool.
//
// Cost: O(Cap), and json.Marshal for each value; allocates.
func (p *Pool[T]) MarshalJSON() ([]byte, error) {
	return p.state.SaveJSON((*slots.Block[T])(nil))
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the state of p by the one
// that data holds. The handles that were live when it was saved find the same values in p. Stale
// handles find nothing, and the next inserts issue the same handles as in the Pool that was saved.
// A handle that either Pool has issued since may find another value later; see [Pool.Clone].
// Truncate and Seed come from data. Limit, Memory and hooks stay those of p. No hook is called.
//
// If it fails, p is unchanged. The error wraps [ErrCorrupt] if data is damaged, or holds another
// container or another type of values, and also [io.ErrUnexpectedEOF] if data is cut. It wraps
// [ErrFull] if data holds more values than Limit allows, if Memory refuses, or if p would need more
// than 256 MiB and 64 times len(data): call Grow first, or Decode from a source that you trust.
// Types with the same fields are the same type, whatever their name.
//
// Cost: O(Cap), for both Pools; allocates the chunks that p lacks, and nothing if it lacks none.
//
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) UnmarshalBinary(data []byte) error {
	return p.state.LoadBinary((*slots.Block[T])(nil), data)
}

// Decode loads what [Encode] has written into r, as [Pool.UnmarshalBinary] does, and reads no byte
// beyond it. value must be nil if it was for Encode. Otherwise it sets *v, a zero T, from the bytes
// that Encode's function has appended. It must not keep b or v, or use p. If it fails, or r does,
// Decode stops, returns an error that wraps that error, and leaves p unchanged. The end of r before
// that of the data is an [ErrCorrupt] and an [io.ErrUnexpectedEOF].
//
// Cost: O(Cap), for both Pools, and value for each live value; allocates the memory of the new
// state, which p takes over, and a buffer of 64 KiB. The memory of the old state is garbage, which
// the next Decode uses again unless the collector has run.
//
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied of p
//berth:clones of p
func Decode[T any](p *Pool[T], r io.Reader, value func(b []byte, v *T) error) error {
	return coreOf(p).Load(r, getter(value))
}

// getter returns value for code that does not know T.
func getter[T any](value func([]byte, *T) error) func([]byte, slots.ID, slots.Ref) error {
	if value == nil {
		return nil
	}
	return func(b []byte, _ slots.ID, v slots.Ref) error { return value(b, (*T)(v)) }
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It loads what [Pool.MarshalJSON] has
// returned, as [Pool.UnmarshalBinary] does, and needs package save too. The error of a value wraps
// that of package encoding/json. The JSON null leaves p unchanged.
//
// Cost: O(Cap), for both Pools, and json.Unmarshal for each value; allocates.
//
// Ends: all handles and pointers; with a Memory, also spans.
//
//berth:ends emptied
//berth:clones
func (p *Pool[T]) UnmarshalJSON(data []byte) error {
	return p.state.LoadJSON((*slots.Block[T])(nil), data)
}

// MarshalBinary implements [encoding.BinaryMarshaler], which package encoding/gob uses. It returns
// the whole state of d: the values in the order of the slice, the holes, the generation of each
// slot, and the slots that are vacant. So a Dense that loads it finds the same values by the same
// handles and at the same places, and issues the same handles from then on. Stale handles stay
// stale. The settings of [DenseConfig] are not saved, except for Seed.
//
// It fails as [Pool.MarshalBinary] does, and its bytes are the same on every machine for the same
// types. [DenseEncode] saves a T with Go pointers.
//
// Cost: O(Cap); allocates the bytes.
func (d *Dense[T]) MarshalBinary() ([]byte, error) {
	return d.state.SaveBinary((*slots.Block[T])(nil))
}

// DenseAppendBinary appends the bytes of [Dense.MarshalBinary] to b. If it fails, it returns b.
//
// Cost: O(Cap); allocates if b has no room.
func DenseAppendBinary[T any](d *Dense[T], b []byte) ([]byte, error) {
	return d.state.Saver((*slots.Block[T])(nil)).AppendBinary("AppendBinary", b)
}

// DenseEncode is [Encode] for a [Dense]. It writes d into w for [DenseDecode] to read.
//
// Cost: O(Cap), and value for each live value; allocates a buffer of 64 KiB.
func DenseEncode[T any](
	d *Dense[T], w io.Writer, value func(b []byte, v *T) ([]byte, error),
) error {
	return d.state.Saver((*slots.Block[T])(nil)).Save(w, putter(value))
}

// MarshalJSON implements [encoding/json.Marshaler]. It returns an object like that of
// [Pool.MarshalJSON], with the values in the order of the slice, and needs package save too. A
// struct that holds a Dense must be marshalled through a pointer to it. Otherwise encoding/json
// does not find this method, and writes {} for the Dense.
//
// Cost: O(Cap), and json.Marshal for each value; allocates.
func (d *Dense[T]) MarshalJSON() ([]byte, error) {
	return d.state.SaveJSON((*slots.Block[T])(nil))
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the state of d by the one
// that data holds. The handles that were live when it was saved find the same values in d, in the
// same order of the slice. Stale handles find nothing, and the next inserts issue the same handles
// as in the Dense that was saved. A handle that either Dense has issued since may find another
// value later; see [Pool.Clone]. Seed comes from data. The other settings, Memory and hooks stay
// those of d. No hook is called.
//
// It fails as [Pool.UnmarshalBinary] does, and then leaves d unchanged.
//
// Cost: O(Cap), for both Denses; allocates the memory that d lacks, and nothing if it lacks none.
// The first time, it allocates a byte for each place.
//
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) UnmarshalBinary(data []byte) error {
	return d.state.LoadBinary((*slots.Block[T])(nil), data)
}

// DenseDecode is [Decode] for a [Dense]. It loads what [DenseEncode] has written into r.
//
// Cost: O(Cap), for both Denses, and value for each live value; allocates as Decode does.
//
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied of d
//berth:clones of d
func DenseDecode[T any](d *Dense[T], r io.Reader, value func(b []byte, v *T) error) error {
	return d.state.Saver((*slots.Block[T])(nil)).Load(r, getter(value), nil)
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It loads what [Dense.MarshalJSON] has
// returned, as [Dense.UnmarshalBinary] does, and needs package save too. The error of a value wraps
// that of package encoding/json. The JSON null leaves d unchanged.
//
// Cost: O(Cap), for both Denses, and json.Unmarshal for each value; allocates.
//
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) UnmarshalJSON(data []byte) error {
	return d.state.LoadJSON((*slots.Block[T])(nil), data)
}

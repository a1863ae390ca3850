package berth

import "io"

// AppendBinary implements [encoding.BinaryAppender]. It appends the whole state of d to b: the
// values in the order of the slice, the holes, the generation of each slot, and the slots that are
// vacant. So a Dense that loads it finds the same values by the same handles and at the same
// places, and issues the same handles from then on. Stale handles stay stale. The settings of
// [DenseConfig] are not saved, except for Seed.
//
// It fails as [Pool.AppendBinary] does. [Dense.Encode] saves a T with Go pointers. As with a Pool,
// the bytes are the same on every machine for a T without int, uint and uintptr, and depend on the
// Seed.
// Cost: O(Cap); allocates if b has no room.
func (d *Dense[T]) AppendBinary(b []byte) ([]byte, error) {
	return denseOf(d).saver().appendBinary("AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [Dense.AppendBinary]. Package encoding/gob uses it.
// Cost: as AppendBinary; allocates the bytes.
func (d *Dense[T]) MarshalBinary() ([]byte, error) {
	return denseOf(d).saver().appendBinary("MarshalBinary", nil)
}

// WriteTo implements [io.WriterTo]. It writes the bytes of [Dense.AppendBinary] into w, at most 64
// KiB at a time. It fails as AppendBinary does, and with the error of w.
// Cost: O(Cap); allocates a buffer of 64 KiB.
func (d *Dense[T]) WriteTo(w io.Writer) (int64, error) {
	return denseOf(d).saver().writeTo(w, nil)
}

// Encode writes d into w, as [Dense.WriteTo] does, for values of any type: value appends the
// encoding of *v to b and returns the result, for [Dense.Decode] to read. value must not use d. If
// it fails, Encode stops and returns an error that wraps value's.
// Cost: O(Cap), and value for each live value; allocates a buffer of 64 KiB.
func (d *Dense[T]) Encode(w io.Writer, value func(b []byte, v *T) ([]byte, error)) error {
	_, err := denseOf(d).saver().writeTo(w, func(b []byte, _ id, v ref) ([]byte, error) {
		return value(b, (*T)(v))
	})
	return err
}

// MarshalJSON implements [json.Marshaler]. It returns an object like that of [Pool.MarshalJSON],
// with the values in the order of the slice. A struct that holds a Dense must be marshalled through
// a pointer to it. Otherwise encoding/json does not find this method, and writes {} for the Dense.
// Cost: O(Cap), and json.Marshal for each value; allocates.
func (d *Dense[T]) MarshalJSON() ([]byte, error) {
	return denseOf(d).saver().marshalJSON()
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the state of d by the one
// that data holds. The handles that were live when it was saved find the same values in d, in the
// same order of the slice. Stale handles find nothing, and the next inserts issue the same handles
// as in the Dense that was saved. A handle that either Dense has issued since may find another
// value later; see [Pool.Clone]. Seed comes from data. The other settings, Memory and hooks stay
// those of d. No hook is called.
//
// It fails as [Pool.UnmarshalBinary] does, and then leaves d unchanged.
// Cost: O(Cap), for both Denses; allocates the memory that d lacks, and nothing if it lacks none.
// The first time, it allocates a bit for each place.
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) UnmarshalBinary(data []byte) error {
	return denseOf(d).saver().unmarshalBinary(data)
}

// ReadFrom implements [io.ReaderFrom]. It loads what [Dense.WriteTo] has written, as
// [Dense.UnmarshalBinary] does, and reads no byte beyond it. It returns the number of bytes read.
// An error of r is wrapped. The end of r before that of the data is an [ErrCorrupt] and an
// [io.ErrUnexpectedEOF].
// Cost: O(Cap), for both Denses; allocates the memory of the new state, which d takes over, and a
// buffer of 64 KiB.
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) ReadFrom(r io.Reader) (int64, error) {
	return denseOf(d).saver().readFrom(r, nil, nil)
}

// Decode loads what [Dense.Encode] has written into r, as [Dense.ReadFrom] does. value sets *v, a
// zero T, from the bytes that Encode's function has appended. It must not keep b or v, or use d. If
// it fails, Decode stops, returns an error that wraps value's, and leaves d unchanged.
// Cost: as ReadFrom, and value for each live value; allocates.
// Ends: as ReadFrom.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) Decode(r io.Reader, value func(b []byte, v *T) error) error {
	_, err := denseOf(d).saver().readFrom(r, func(b []byte, _ id, v ref) error {
		return value(b, (*T)(v))
	}, nil)
	return err
}

// UnmarshalJSON implements [json.Unmarshaler]. It loads what [Dense.MarshalJSON] has returned, as
// [Dense.UnmarshalBinary] does. The error of a value wraps that of package encoding/json. The JSON
// null leaves d unchanged.
// Cost: O(Cap), for both Denses, and json.Unmarshal for each value; allocates.
// Ends: all handles and pointers, and every running loop.
//
//berth:ends emptied
//berth:clones
func (d *Dense[T]) UnmarshalJSON(data []byte) error {
	return denseOf(d).saver().unmarshalJSON(data)
}

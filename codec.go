package berth

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/seed505807e1/berth/internal/bitset"
	"github.com/seed505807e1/berth/internal/wire"
)

// codec encodes and decodes the values of a container: as they lie in memory, or with functions of
// the caller.
type codec struct {
	fn string // the method that was called, for errors
	wire.Type
	size uintptr // of a value
	put  func(b []byte, v ref) ([]byte, error)
	get  func(b []byte, h id, v ref) error
}

// codecOf returns the codec for values as they lie in memory, for the method fn.
func codecOf(fn string, t reflect.Type) (codec, error) {
	c := codec{fn: fn, Type: wire.TypeOf(t), size: t.Size()}
	if c.Why != "" {
		return c, errors.New("berth: " + fn + ": " + c.Why)
	}
	return c, nil
}

// write writes the values that have a bit in occ.
func (c *codec) write(w *wire.Writer, vals ref, occ uint64) error {
	for occ != 0 {
		i, n := bitset.Run(occ)
		occ &= bitset.Beyond(i + n)
		if c.put == nil {
			w.Values(c.Layout, bytesAt(valueAt(vals, i, c.size), n, c.size))
			continue
		}
		for k := i; k < i+n; k++ {
			v := valueAt(vals, k, c.size)
			err := w.Coded(func(b []byte) ([]byte, error) { return c.put(b, v) })
			if err != nil {
				return fmt.Errorf("berth: %s: %w", c.fn, err)
			}
		}
	}
	return nil
}

// check reads n values without storing them. It is for values as they lie in memory.
func (c *codec) check(r *wire.Reader, n int) bool { return r.Values(c.Layout, nil, n) }

// read reads the values that have a bit in occ into vals. first is the handle of vals[0], apart
// from the generations gens.
func (c *codec) read(
	r *wire.Reader, vals ref, occ uint64, first uint32, gens *[blockSlots]uint32,
) error {
	for occ != 0 {
		i, n := bitset.Run(occ)
		occ &= bitset.Beyond(i + n)
		if c.get == nil {
			r.Values(c.Layout, bytesAt(valueAt(vals, i, c.size), n, c.size), n)
			continue
		}
		for k := i; k < i+n; k++ {
			b := r.Coded()
			if r.Err() != nil {
				return r.Err()
			}
			h := id{first + uint32(k), gens[k]}
			if err := c.get(b, h, valueAt(vals, k, c.size)); err != nil {
				return fmt.Errorf("value of %s: %w", textOf(h), err)
			}
		}
	}
	return r.Err()
}

// corrupt returns the error of fn for err. An error of the data is an ErrCorrupt.
func corrupt(fn string, err error) error {
	if bad := (*wire.Error)(nil); errors.As(err, &bad) {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, fn, err)
	}
	return fmt.Errorf("berth: %s: %w", fn, err)
}

// bound limits the memory that a load takes on the word of n bytes of data, so that hostile data
// cannot take all. Vacant slots take 24 bytes for each 64 of them in the data.
func bound(n int64) uint64 { return 256<<20 + 64*uint64(n) }

// saved is the form of a container in JSON.
type saved struct {
	Seed   *uint32                    `json:"seed"`
	Slots  []byte                     `json:"slots"`
	Values map[string]json.RawMessage `json:"values"`
}

// appendSaved appends the form in JSON: the seed, the frame of all slots without their values, and
// the values by handle.
func appendSaved(
	seed uint32, frame []byte, elem reflect.Type, all func(yield func(id, ref) bool),
) ([]byte, error) {
	slots, _ := json.Marshal(frame) // never fails
	b := fmt.Appendf(nil, `{"seed":%d,"slots":%s,"values":{`, seed, slots)
	var err error
	comma := false
	all(func(h id, v ref) bool {
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(b, '"')
		b = appendHandle(b, h)
		b = append(b, '"', ':')
		var value []byte
		if value, err = json.Marshal(reflect.NewAt(elem, v).Interface()); err != nil {
			err = fmt.Errorf("value of %s: %w", textOf(h), err)
		}
		b = append(b, value...)
		return err == nil
	})
	return append(b, '}', '}'), err
}

// readSaved reads the form in JSON. It returns nil and no error for null.
func readSaved(fn string, data []byte) (*saved, error) {
	if string(data) == "null" {
		return nil, nil
	}
	s := new(saved)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, fn, err)
	}
	if s.Seed == nil || s.Slots == nil || s.Values == nil {
		return nil, fmt.Errorf("%w: %s: the object lacks seed, slots or values", ErrCorrupt, fn)
	}
	return s, nil
}

// take returns the value of the handle with the given text, which must not be taken again.
func (s *saved) take(text string, v any) error {
	raw, ok := s.Values[text]
	if !ok {
		return errors.New("is missing")
	}
	delete(s.Values, text)
	return json.Unmarshal(raw, v)
}

// done fails unless every value was taken and the seed is right.
func (s *saved) done(fn string, seed uint32) error {
	switch {
	case *s.Seed != seed:
		return fmt.Errorf("%w: %s: seed %d, but the slots have seed %d",
			ErrCorrupt, fn, *s.Seed, seed)
	case len(s.Values) > 0:
		return fmt.Errorf("%w: %s: %d values without a slot", ErrCorrupt, fn, len(s.Values))
	}
	return nil
}

// getter returns a function for codec that takes values of type elem, a reflect.Type, from s. The
// parameter is an any for the reason at typeOf.
func (s *saved) getter(elem any) func(b []byte, h id, v ref) error {
	return func(_ []byte, h id, v ref) error {
		return s.take(textOf(h), reflect.NewAt(elem.(reflect.Type), v).Interface())
	}
}

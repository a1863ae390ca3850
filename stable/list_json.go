package stable

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth/internal/wire"
)

var (
	_ json.Marshaler   = (*List[int])(nil)
	_ json.Unmarshaler = (*List[int])(nil)
)

// MarshalJSON implements [json.Marshaler]. It returns an object with the state of the slots in
// base64, and the values by key, each as package encoding/json encodes it:
//
//	{"slots":"jkJUSA...","values":{"0:2654435770":{"x":1}}}
//
// It fails if encoding/json fails for a value, or if [Key.AppendText] or [Key.AppendBinary] cannot
// write the identifiers. A struct that holds a list must be marshalled through a pointer to it.
// Otherwise encoding/json does not find this method, and writes {} for the list.
// Cost: O(Touched), and json.Marshal for each value; allocates.
func (l *ListOf[T, I, D]) MarshalJSON() ([]byte, error) {
	const fn = "ListOf.MarshalJSON"
	c, err := codecOf[T, I, D](fn)
	if err != nil {
		return nil, err
	}
	c.put = func(b []byte, _ *T) ([]byte, error) { return b, nil }
	listBegin(l)
	var w wire.Writer
	w.Append(nil, wire.List, "")
	if err := listWrite(l, &w, &c); err != nil {
		return nil, err
	}
	w.End()
	b := beginSaved(w.Frame())
	for i, d := range l.ids {
		if k := (Key[T, I, D]{index: I(i), id: d}); !k.IsZero() {
			if b, err = appendEntry(b, k, &l.vals[i]); err != nil {
				return nil, fmt.Errorf("stable: %s: value of %v: %w", fn, k, err)
			}
		}
	}
	return append(b, '}', '}'), nil
}

// beginSaved returns a list in JSON up to its values.
func beginSaved(slots []byte) []byte {
	text, _ := json.Marshal(slots) // never fails
	return append(append([]byte(`{"slots":`), text...), `,"values":{`...)
}

// appendEntry appends the text of key k, and v, as a member of an object in JSON.
func appendEntry(b []byte, k encoding.TextMarshaler, v any) ([]byte, error) {
	text, err := k.MarshalText()
	if err != nil {
		return nil, err
	}
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	name, _ := json.Marshal(string(text)) // never fails
	value, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b = append(append(b, name...), ':')
	return append(b, value...), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It loads what [ListOf.MarshalJSON] has returned, as
// [ListOf.UnmarshalBinary] does. The error of a value wraps that of package encoding/json. The JSON
// null leaves l unchanged.
// Cost: O(Cap), for both lists, and json.Unmarshal for each value; allocates.
// Ends: all keys and pointers.
//
//berth:ends emptied
//berth:clones
func (l *ListOf[T, I, D]) UnmarshalJSON(data []byte) error {
	const fn = "ListOf.UnmarshalJSON"
	c, err := codecOf[T, I, D](fn)
	if err != nil || string(data) == "null" {
		return err
	}
	s, err := readSaved(fn, data)
	if err != nil {
		return err
	}
	c.get = func(_ []byte, k Key[T, I, D], v *T) error { return s.take(k, v) }
	c.done = s.done
	return listReadAll(l, s.Slots, &c)
}

// saved is a list in JSON. Its values have no type yet.
type saved struct {
	Slots  []byte                     `json:"slots"`
	Values map[string]json.RawMessage `json:"values"`
}

func readSaved(fn string, data []byte) (*saved, error) {
	s := new(saved)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, fn, err)
	}
	if s.Slots == nil || s.Values == nil {
		return nil, fmt.Errorf("%w: %s: the object lacks slots or values", ErrCorrupt, fn)
	}
	return s, nil
}

// take sets v to the value of key k, and removes it from s.
func (s *saved) take(k encoding.TextMarshaler, v any) error {
	text, err := k.MarshalText()
	if err != nil {
		return err
	}
	raw, ok := s.Values[string(text)]
	if !ok {
		return errors.New("is missing")
	}
	delete(s.Values, string(text))
	return json.Unmarshal(raw, v)
}

// done fails if values are left.
func (s *saved) done() error {
	if len(s.Values) > 0 {
		return badData(fmt.Sprintf("%d values without a slot", len(s.Values)))
	}
	return nil
}

package pooltest

import (
	"weak"

	"github.com/seed505807e1/berth/internal/poison"
)

// Plain is a value without pointers, for containers that refuse pointers. Its second word is
// computed from the first, so that torn, mixed and overwritten values are detected.
type Plain struct {
	ID  uint64 // starts at 1 and is never reused
	Sum uint64 // computed from ID
}

// Value is the value type to use by default. It points to an object that nothing else refers to, so
// that a container that keeps a removed value alive is detected.
type Value struct {
	Plain
	Object *Object
}

// Wide is a Value of several hundred bytes, for containers that treat large values differently.
type Wide struct {
	Value
	Pad [40]uint64 // each word is computed from ID
}

// Object is the object that a Value points to. It is large enough to be collected on its own.
type Object struct {
	ID uint64
	_  [3]uint64
}

// Item is the constraint of the types that the suite inserts. It never inserts their zero values.
type Item interface {
	comparable
	Plain | Value | Wide

	// ident returns the ID, and whether the rest of the value is consistent with it.
	ident() (id uint64, sound bool)
	// object returns a weak pointer to the object, if there is one.
	object() (w weak.Pointer[Object], ok bool)
}

func (v Plain) ident() (uint64, bool) { return v.ID, v.ID != 0 && v.Sum == mix(v.ID) }

func (v Value) ident() (uint64, bool) {
	id, sound := v.Plain.ident()
	return id, sound && v.Object != nil && v.Object.ID == id
}

func (v Wide) ident() (uint64, bool) {
	id, sound := v.Value.ident()
	for i, w := range v.Pad {
		sound = sound && w == id+uint64(i)
	}
	return id, sound
}

func (v Plain) object() (w weak.Pointer[Object], ok bool) { return w, false }
func (v Value) object() (weak.Pointer[Object], bool)      { return weak.Make(v.Object), true }

// item is a pointer to a Plain, Value or Wide. Two items are equal if they point to the same place.
type item interface {
	ident() (id uint64, sound bool)
	object() (w weak.Pointer[Object], ok bool)
	// fill writes the value with the given ID.
	fill(id uint64)
	isZero() bool
	// isVacant reports whether it is what a vacant slot holds.
	isVacant() bool
}

func (v *Plain) fill(id uint64) { *v = makeItem[Plain](id) }
func (v *Value) fill(id uint64) { *v = makeItem[Value](id) }
func (v *Wide) fill(id uint64)  { *v = makeItem[Wide](id) }

func (v *Plain) isZero() bool { return *v == Plain{} }
func (v *Value) isZero() bool { return *v == Value{} }
func (v *Wide) isZero() bool  { return *v == Wide{} }

func (v *Plain) isVacant() bool { return v.isZero() || poison.On && poison.Intact(v) }
func (v *Value) isVacant() bool { return v.isZero() || poison.On && poison.Intact(v) }
func (v *Wide) isVacant() bool  { return v.isZero() || poison.On && poison.Intact(v) }

// itemOf returns v as an item, or nil.
func itemOf[V Item](v *V) item {
	if v == nil {
		return nil
	}
	return any(v).(item)
}

// contents is what the suite compares of a value that a call returned.
type contents struct {
	id          uint64
	sound, zero bool
}

func contentsOf[V Item](v V) contents {
	var zero V
	id, sound := v.ident()
	return contents{id, sound, v == zero}
}

// makeItem returns the value with the given ID. No two calls return the same object.
func makeItem[V Item](id uint64) (v V) {
	switch v := any(&v).(type) {
	case *Plain:
		*v = makePlain(id)
	case *Value:
		*v = makeValue(id)
	case *Wide:
		v.Value = makeValue(id)
		for i := range v.Pad {
			v.Pad[i] = id + uint64(i)
		}
	}
	return v
}

func makePlain(id uint64) Plain { return Plain{ID: id, Sum: mix(id)} }

func makeValue(id uint64) Value {
	return Value{Plain: makePlain(id), Object: &Object{ID: id}}
}

// mix scatters id over 64 bits.
//
// Source: the finaliser of SplitMix64; G. Steele et al., OOPSLA 2014.
func mix(id uint64) uint64 {
	id += 0x9E3779B97F4A7C15
	id = (id ^ id>>30) * 0xBF58476D1CE4E5B9
	id = (id ^ id>>27) * 0x94D049BB133111EB
	return id ^ id>>31
}

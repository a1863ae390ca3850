package pooltest

import (
	"weak"

	"github.com/seed505807e1/berth/internal/poison"
)

// Plain is the plainest value that the suite fills a container with: no pointers, for containers
// that refuse those. The second word belongs to the first, so a value that is torn, mixed or
// overwritten gives itself away.
type Plain struct {
	ID  uint64 // from 1, and never used twice
	Sum uint64 // made from ID
}

// Value is the value to use if nothing speaks against it. It points to an object that nothing else
// holds, so a container that keeps a removed value alive gives itself away.
type Value struct {
	Plain
	Object *Object
}

// Wide is a Value of several hundred bytes, for containers that treat large values in another way.
type Wide struct {
	Value
	Pad [40]uint64 // each word made from ID
}

// Object is what a Value points to. It is large enough to be collected by itself.
type Object struct {
	ID uint64
	_  [3]uint64
}

// Item is the types that the suite fills containers with. Their zero values are never inserted.
type Item interface {
	comparable
	Plain | Value | Wide

	// ident returns the ID, and whether the rest of the value belongs to it.
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

// makeItem returns the value with that ID. No two calls return the same object.
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
// Source: the finaliser of SplitMix64; G. Steele et al., OOPSLA 2014.
func mix(id uint64) uint64 {
	id += 0x9E3779B97F4A7C15
	id = (id ^ id>>30) * 0xBF58476D1CE4E5B9
	id = (id ^ id>>27) * 0x94D049BB133111EB
	return id ^ id>>31
}

// isVacant reports whether *v is what a container leaves in a vacant slot.
func isVacant[V Item](v *V) bool {
	var zero V
	return *v == zero || poison.On && poison.Intact(v)
}

package layout

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type (
	small  uint8
	padded struct {
		A bool
		B uint64
		C uint16
		_ uint32
		D [2]struct {
			X small
			Y uint32
			Z bool
		}
		E [3]bool
		F complex64
	}
	tail struct {
		A uint32
		B uint8
	}
	tight struct {
		A uint32
		B [2]uint16
		C float64
	}
	outer struct {
		tail
		Pad  uint8
		Grid [2][3]padded
		None [0]string
		Void struct{}
		One  [1]tail
	}
	blank struct {
		A uint8
		_ uint8
		B uint8
		_ bool
	}
	onlyBlank struct{ _ uint64 }
	chain     struct {
		Next [0]*chain
		V    int16
	}
)

var types = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[uint8](), reflect.TypeFor[int](),
	reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[complex128](),
	reflect.TypeFor[[5]bool](), reflect.TypeFor[struct{}](), reflect.TypeFor[[0]string](),
	reflect.TypeFor[[7]struct{}](), reflect.TypeFor[padded](), reflect.TypeFor[tail](),
	reflect.TypeFor[[3]tail](), reflect.TypeFor[tight](), reflect.TypeFor[[4]tight](),
	reflect.TypeFor[outer](), reflect.TypeFor[[2]outer](), reflect.TypeFor[blank](),
	reflect.TypeFor[[4]blank](), reflect.TypeFor[onlyBlank](), reflect.TypeFor[chain](),
	reflect.TypeFor[[1000]struct{ A, B bool }](), reflect.TypeFor[[2]struct {
		A bool
		B uint8
		C bool
	}](),
}

// leaf is a number of a value.
type leaf struct {
	off, width int
	bool       bool
}

// leaves returns each number of a t at off by itself. parts and runs must agree with them.
func leaves(t reflect.Type, off int) []leaf {
	var all []leaf
	switch t.Kind() {
	case reflect.Bool:
		return []leaf{{off, 1, true}}
	case reflect.Complex64, reflect.Complex128:
		n := int(t.Size()) / 2
		return []leaf{{off, n, false}, {off + n, n, false}}
	case reflect.Array:
		for i := range t.Len() {
			all = append(all, leaves(t.Elem(), off+i*int(t.Elem().Size()))...)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				all = append(all, leaves(f.Type, off+int(f.Offset))...)
			}
		}
	default:
		return []leaf{{off, int(t.Size()), false}}
	}
	return all
}

// TestLayout compares the encoding of random values with their leaves, for both byte orders.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, typ := range types {
		for _, big := range []bool{false, true} {
			l := Of(typ)
			l.big = big
			all := leaves(typ, 0)
			const count = 3
			mem := make([]byte, count*l.Size)
			for i := range mem {
				mem[i] = byte(r.Uint32())
			}
			var want []byte
			used := make([]bool, len(mem))
			for k := range count {
				for _, f := range all {
					at := k*l.Size + f.off
					b := slices.Clone(mem[at : at+f.width])
					if big {
						slices.Reverse(b)
					}
					want = append(want, b...)
					for i := range f.width {
						used[at+i] = true
					}
				}
			}
			if len(want) != count*l.Encoded {
				t.Errorf("%v: Encoded = %d, want %d", typ, l.Encoded, len(want)/count)
			}
			got := l.Append([]byte("before"), mem)
			if !bytes.Equal(got, append([]byte("before"), want...)) {
				t.Errorf("%v, big %t: Append = %x, want %x", typ, big, got[6:], want)
			}
			back := bytes.Repeat([]byte{0xAA}, len(mem))
			rest := l.Decode(back, append(slices.Clone(want), "behind"...))
			for i := range back {
				if used[i] && back[i] != mem[i] || !used[i] && back[i] != 0xAA {
					t.Errorf("%v, big %t: Decode, byte %d = %x", typ, big, i, back[i])
					break
				}
			}
			if string(rest) != "behind" {
				t.Errorf("%v: Decode leaves %q", typ, rest)
			}
			if l.Flat() != !slices.Contains(used, false) {
				t.Errorf("%v: Flat = %t", typ, l.Flat())
			}
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, typ := range types {
		l := Of(typ)
		data := make([]byte, 2*l.Encoded)
		var bools []bool
		for range 2 {
			for _, f := range leaves(typ, 0) {
				for range f.width {
					bools = append(bools, f.bool)
				}
			}
		}
		if l.HasBools() != slices.Contains(bools, true) {
			t.Errorf("%v: HasBools = %t", typ, l.HasBools())
		}
		for i := range data {
			for _, c := range []byte{1, 2, 255} {
				want := -1
				if bools[i] && c > 1 {
					want = i
				}
				data[i] = c
				if got := l.Invalid(data); got != want {
					t.Fatalf("%v: byte %d is %d: Invalid = %d, want %d", typ, i, c, got, want)
				}
				data[i] = 0
			}
		}
	}
}

// TestRuns pins the number of copies that a value takes, and the size of a layout.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		typ         reflect.Type
		parts, runs int
	}{
		{reflect.TypeFor[tight](), 3, 1},
		{reflect.TypeFor[[100]tight](), 1, 1},
		{reflect.TypeFor[tail](), 2, 1},
		{reflect.TypeFor[[100]tail](), 1, 1},
		{reflect.TypeFor[[9]bool](), 1, 1},
		{reflect.TypeFor[blank](), 2, 2},
		{reflect.TypeFor[[1 << 20]blank](), 1, 1},
		{reflect.TypeFor[struct{}](), 0, 0},
	} {
		if l := Of(c.typ); len(l.parts) != c.parts || len(l.runs) != c.runs {
			t.Errorf("%v: %d parts, %d runs, want %d, %d",
				c.typ, len(l.parts), len(l.runs), c.parts, c.runs)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[bool](), "b"},
		{reflect.TypeFor[int8](), "i1"},
		{reflect.TypeFor[small](), "u1"},
		{reflect.TypeFor[int64](), "i8"},
		{reflect.TypeFor[float32](), "f4"},
		{reflect.TypeFor[complex64](), "[2]f4"},
		{reflect.TypeFor[complex128](), "[2]f8"},
		{reflect.TypeFor[[0]string](), "[0]"},
		{reflect.TypeFor[struct{}](), "{}"},
		{reflect.TypeFor[blank](), "{A:u1;B:u1;}"},
		{reflect.TypeFor[chain](), "{Next:[0];V:i2;}"},
		{reflect.TypeFor[[2]tail](), "[2]{A:u4;B:u1;}"},
		{reflect.TypeFor[struct {
			tail
			Z [2][3]bool
		}](), "{tail:{A:u4;B:u1;};Z:[2][3]b;}"},
	} {
		if got := Describe(c.typ); got != c.want {
			t.Errorf("Describe(%v) = %q, want %q", c.typ, got, c.want)
		}
	}
	ints := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[uint](), reflect.TypeFor[uintptr]()}
	for i, typ := range ints {
		want := []string{"i", "u", "u"}[i] + map[uintptr]string{4: "4", 8: "8"}[typ.Size()]
		if got := Describe(typ); got != want {
			t.Errorf("Describe(%v) = %q, want %q", typ, got, want)
		}
	}
}

// TestFingerprint pins that the fingerprint is FNV-1a of the description, and differs when that
// does.
func TestFingerprint(t *testing.T) {
	if got := Of(reflect.TypeFor[bool]()).Fingerprint; got != 0xaf63df4c8601f1a5 { // of "b"
		t.Errorf("fingerprint of a bool = %#x", got)
	}
	seen := map[uint64]string{}
	for _, typ := range types {
		print, text := Of(typ).Fingerprint, Describe(typ)
		if old, ok := seen[print]; ok && old != text {
			t.Errorf("%q and %q have the same fingerprint", old, text)
		}
		seen[print] = text
	}
	type renamed tight
	if Of(reflect.TypeFor[tight]()).Fingerprint != Of(reflect.TypeFor[renamed]()).Fingerprint {
		t.Error("the name of a type is in the fingerprint")
	}
}

func TestFind(t *testing.T) {
	isSmall := func(t reflect.Type) bool { return t == reflect.TypeFor[small]() }
	for _, c := range []struct {
		typ  reflect.Type
		path string
		ok   bool
	}{
		{reflect.TypeFor[small](), "", true},
		{reflect.TypeFor[padded](), ".D[0].X", true},
		{reflect.TypeFor[[2]outer](), "[0].Grid[0][0].D[0].X", true},
		{reflect.TypeFor[[0]padded](), "", false},
		{reflect.TypeFor[tight](), "", false},
		{reflect.TypeFor[chain](), "", false},
	} {
		path, found := Find(c.typ, isSmall)
		if path != c.path || (found != nil) != c.ok {
			t.Errorf("Find(%v) = %q, %v, want %q, %t", c.typ, path, found, c.path, c.ok)
		}
	}
}

// TestPointers: a type with pointers has no layout.
func TestPointers(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[[2]*int](), reflect.TypeFor[struct{ A any }](),
	} {
		for name, f := range map[string]func(){
			"Of": func() { Of(typ) }, "Describe": func() { Describe(typ) },
		} {
			func() {
				defer func() {
					if s, ok := recover().(string); !ok || !strings.Contains(s, "holds a pointer") {
						t.Errorf("%s(%v) panics with %q", name, typ, s)
					}
				}()
				f()
			}()
		}
	}
}

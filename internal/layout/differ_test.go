package layout

import (
	"reflect"
	"testing"
)

func TestDiffer(t *testing.T) {
	type vec struct{ X, Y float32 }
	base := reflect.TypeFor[struct {
		Pos vec
		HP  [3]int16
		On  bool
	}]()
	for _, c := range []struct {
		got  any
		want string
	}{
		{struct{ Pos struct{ X, Y float64 } }{}, "field .Pos.X is f8, not f4"},
		{struct{ Pos struct{ X float32 } }{}, "field .Pos.Y is missing"},
		{struct{ Pos struct{ X, Z float32 } }{}, "field .Pos.Z is in place of .Pos.Y"},
		{struct{ Pos struct{ X, Y, Z float32 } }{}, "field .Pos.Z is not expected"},
		{struct {
			Pos vec
			HP  [4]int16
		}{}, "field .HP is [4], not [3]"},
		{struct {
			Pos vec
			HP  [3]uint16
		}{}, "field .HP[0] is u2, not i2"},
		{struct {
			Pos vec
			HP  [3]int16
			On  uint8
		}{}, "field .On is u1, not b"},
		{struct {
			Pos vec
			HP  [3]int16
		}{}, "field .On is missing"},
		{uint32(0), "the type is u4, not a struct"},
		{[2]vec{}, "the type is [2], not a struct"},
	} {
		if got := Differ(Describe(reflect.TypeOf(c.got)), Describe(base)); got != c.want {
			t.Errorf("%T: %q, want %q", c.got, got, c.want)
		}
	}
	for _, got := range []string{"", "{", "{Pos", "{Pos:", "{Pos:{", "[", "]", "}", "[999999999999]b",
		Describe(base) + "}", Describe(base)[:20]} {
		if text := Differ(got, Describe(base)); text == "" || len(text) > 200 {
			t.Errorf("%q: %q", got, text)
		}
	}
}

// Every text has a difference to every other, and none crashes.
func FuzzDiffer(f *testing.F) {
	f.Add("{X:f4;}", "{X:f8;}")
	f.Add("[2][3]b", "[2][3]u1")
	f.Fuzz(func(t *testing.T, got, want string) {
		if len(want) > 1000 { // it is that of a type
			return
		}
		defer func() {
			if e := recover(); e != nil {
				t.Errorf("Differ(%q, %q): %v", got, want, e)
			}
		}()
		_ = Differ(got, "{A:"+Describe(reflect.TypeFor[struct{ X [3]int8 }]())+";B:b;}")
	})
}

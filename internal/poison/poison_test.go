package poison_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/seed505807e1/berth/internal/poison"
)

type mixed struct {
	small  uint8 // padding follows
	large  int64
	name   string
	live   bool
	next   *mixed
	list   []int
	any    any
	places [3]struct {
		x float32
		p *int
	}
	fn func()
}

func TestFill(t *testing.T) {
	x := 1
	v := mixed{1, 2, "name", false, &mixed{}, []int{1}, 3, [3]struct {
		x float32
		p *int
	}{{1, &x}}, func() {}}
	poison.Fill(&v)
	bits := math.Float32bits(v.places[2].x)
	if v.small != 0xDB || uint64(v.large) != 0xDBDBDBDBDBDBDBDB || !v.live || bits != 0xDBDBDBDB {
		t.Errorf("plain memory of %+v is not poisoned", v)
	}
	if v.name != "" || v.next != nil || v.list != nil || v.any != nil || v.places[0].p != nil ||
		v.fn != nil {
		t.Errorf("memory with pointers of %+v is not zero", v)
	}
	_ = fmt.Sprintf("%+v", v) // printing it must not crash
	if !poison.Intact(&v) {
		t.Error("not intact after Fill")
	}
}

// A write to any one field is detected.
func TestIntact(t *testing.T) {
	x := 1
	for name, write := range map[string]func(v *mixed){
		"first byte":         func(v *mixed) { v.small = 0 },
		"number":             func(v *mixed) { v.large++ },
		"string":             func(v *mixed) { v.name = "x" },
		"bool":               func(v *mixed) { v.live = false },
		"pointer":            func(v *mixed) { v.next = v },
		"slice":              func(v *mixed) { v.list = []int{1} },
		"interface":          func(v *mixed) { v.any = 1 },
		"number in an array": func(v *mixed) { v.places[2].x = 0 },
		"pointer in one":     func(v *mixed) { v.places[2].p = &x },
		"function":           func(v *mixed) { v.fn = func() {} },
		"all":                func(v *mixed) { *v = mixed{} },
	} {
		var v mixed
		poison.Fill(&v)
		if write(&v); poison.Intact(&v) {
			t.Errorf("%s: intact after a write", name)
		}
	}
}

func TestFillAll(t *testing.T) {
	s := make([]int32, 3)
	poison.FillAll(s[1:])
	if s[0] != 0 || !poison.Intact(&s[1]) || !poison.Intact(&s[2]) || poison.Written(s[1:]) != -1 {
		t.Errorf("FillAll of the last two of three: %x", s)
	}
	if s[2] = 0; poison.Written(s[1:]) != 1 || poison.Written(s) != 0 {
		t.Errorf("Written does not find the first: %x", s)
	}
	var none struct{}
	if poison.Fill(&none); !poison.Intact(&none) {
		t.Error("a value of no bytes is not intact")
	}
}

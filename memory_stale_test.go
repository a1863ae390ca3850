//go:build berth_poison && !berth_invariants

package berth_test

import (
	"testing"

	"github.com/seed505807e1/berth"
)

// If there are no late writes, none is reported, whatever Memory contains.
func TestStaleWithMemory(t *testing.T) {
	l := newLedger()
	p := berth.NewPool[int](berth.Config{Memory: l})
	d := berth.NewDense[int](berth.DenseConfig{Memory: l})
	for range 3 {
		var hs []berth.Handle[int]
		for i := range 500 {
			hs = append(hs, p.Insert(i))
			d.Insert(i)
		}
		for _, h := range hs[100:] {
			p.Delete(h)
		}
		berth.RemoveFuncAny(d, func(_ berth.Handle[int], v *int) bool { return *v%3 != 0 })
		d.Clip()
		p.Clear()
		p.Clip()
	}
	h := p.Insert(1)
	v := p.Ptr(h)
	p.Clear()
	*v = 3
	want := "berth: write through a stale pointer to the value of " + h.String()
	defer func() {
		if got := recover(); got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}()
	p.Clip()
}

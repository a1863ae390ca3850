package main

import (
	"bytes"
	"slices"
	"testing"
)

// With one hit point each, the sums can be done by hand.
func TestDcmModelByHand(t *testing.T) {
	lives := []int{4, 11, 2, 4, 8}
	for k, want := range lives {
		if got := lifetime(uint32(k), 1); got != want {
			t.Errorf("lifetime(%d, 1) = %d, want %d", k, got, want)
		}
		visits := 0
		m := newMortal(uint32(k))
		for m.hp = 1; !m.dead(); visits++ {
			m.update()
		}
		if visits != want {
			t.Errorf("mortal %d is dead after %d visits, want %d", k, visits, want)
		}
	}
	for _, tc := range []struct {
		n, frames, passes int
		want              dcmSums
	}{
		{1, 1, 3, dcmSums{updates: 3, deaths: 0}},
		{1, 1, 4, dcmSums{updates: 4, deaths: 1}},
		{2, 2, 3, dcmSums{updates: 4 + 6 + 2 + 3, deaths: 2}},
		{1, 3, 4, dcmSums{updates: 4 + 8 + 2, deaths: 2}},
	} {
		if got := modelDcm(tc.n, tc.frames, tc.passes, 1); got != tc.want {
			t.Errorf("modelDcm(%d, %d, %d): got %+v, want %+v", tc.n, tc.frames, tc.passes, got, tc.want)
		}
	}
}

// Each of these collections is wrong in its own way.
type (
	losingMortals   struct{ sliceMortals } // loses one that comes
	skippingMortals struct{ sliceMortals } // does not visit the first
	twiceMortals    struct{ sliceMortals } // visits the first twice, and the second never
	undeadMortals   struct{ sliceMortals } // keeps the dead
	hastyMortals    struct{ sliceMortals } // buries a living one with each that is dead
)

func (c *losingMortals) Insert(ms []mortal) {
	c.sliceMortals.Insert(ms)
	c.s = c.s[:len(c.s)-1]
}

func (c *skippingMortals) Update() uint64 { return updateAll(c.s[min(1, len(c.s)):]) }

func (c *twiceMortals) Update() uint64 {
	if len(c.s) < 2 {
		return updateAll(c.s)
	}
	return updateAll(c.s[:1]) + updateAll(c.s[:1]) + updateAll(c.s[2:])
}

func (c *undeadMortals) Bury() int { return 0 }

func (c *hastyMortals) Bury() int {
	deaths := c.sliceMortals.Bury()
	c.s = c.s[:max(0, len(c.s)-deaths)]
	return deaths
}

func TestWrongMortalsAreFound(t *testing.T) {
	bad := func(name string, c func() Mortals) impl { return impl{name: name, kit: collectionKit{Mortals: c}} }
	withImpls(t, collections, sliceImpl,
		bad("losing", func() Mortals { return new(losingMortals) }),
		bad("skipping", func() Mortals { return new(skippingMortals) }),
		bad("twice", func() Mortals { return new(twiceMortals) }),
		bad("undead", func() Mortals { return new(undeadMortals) }),
		bad("hasty", func() Mortals { return new(hastyMortals) }))
	for _, w := range []*workload{dcm, dcmPool} {
		dir := t.TempDir()
		var out bytes.Buffer
		args := []string{"-quick", "-n", "40", "-workload", w.name, "-out", dir}
		if code := run(t.Context(), args, &out, &out); code != exitFailed {
			t.Errorf("%s: exit code %d, want %d", w.name, code, exitFailed)
		}
		rows := readResults(t, dir)
		if want := 6 * len(published[w.name]); len(rows) != want {
			t.Errorf("%s: %d figures, want %d", w.name, len(rows), want)
		}
		for _, r := range rows {
			if r.ChecksumOK != (r.Impl == sliceImpl.name) {
				t.Errorf("%s, %s, %s: checksum_ok is %t", w.name, r.Impl, r.Metric, r.ChecksumOK)
			}
		}
	}
}

// The model of dcm-pool by one loop at a time, and the shape that dcm_pool publishes: some 72.4
// million updates in the first frame, 6950 things at its end and from then on.
func TestDcmPoolModel(t *testing.T) {
	const n = 60
	var want dcmSums
	var all []mortal
	for k := range uint32(loopFrames * n) {
		all = append(all, newLooped(k, n))
		want.updates += updateAll(all)
		before := len(all)
		all = slices.DeleteFunc(all, func(m mortal) bool { return m.dead() })
		want.deaths += uint64(before - len(all))
	}
	if got := modelDcmPool(n); got != want || want.deaths < n {
		t.Errorf("the model comes to %+v, the loops to %+v", got, want)
	}
	mean, last := 0.0, 0.0
	for k := range uint32(loopsFull) {
		visits := 4 * float64(hpOfNumber(k)) // one of four takes a point off
		left := float64(loopsFull - k)
		mean += min(visits, left)
		if visits > left {
			last++
		}
	}
	if mean < 71e6 || mean > 74e6 || last < 6700 || last > 7100 {
		t.Errorf("some %.3g updates in the first frame, and %.0f things at its end", mean, last)
	}
}

func hpOfNumber(k uint32) int32 {
	m := newLooped(k, loopsFull)
	return m.hp
}

func TestSparseset(t *testing.T) {
	var p sparseset[int]
	if p.ptr(genhandle{}) != nil {
		t.Error("the zero handle resolves in an empty container")
	}
	a, b, c := p.insert(1), p.insert(2), p.insert(3)
	if p.ptr(genhandle{}) != nil {
		t.Error("the zero handle resolves")
	}
	if v, ok := p.remove(a); v != 1 || !ok {
		t.Errorf("remove = %d, %t; want 1, true", v, ok)
	}
	if _, ok := p.remove(a); ok {
		t.Error("removing twice succeeds")
	}
	if !slices.Equal(p.vals, []int{3, 2}) || p.vals[:3][2] != 0 {
		t.Errorf("after the first has gone: %v, with %d behind", p.vals, p.vals[:3][2])
	}
	d := p.insert(4)
	if d.index != a.index || p.ptr(a) != nil || *p.ptr(b) != 2 || *p.ptr(c) != 3 || *p.ptr(d) != 4 {
		t.Errorf("after reuse: handles %v and %v", a, d)
	}
	for _, h := range []genhandle{d, c, b} { // the last one is in the last place, and alone
		if _, ok := p.remove(h); !ok {
			t.Errorf("remove(%v): not found", h)
		}
	}
	if e := p.insert(5); e.index != b.index || *p.ptr(e) != 5 || len(p.vals) != 1 {
		t.Errorf("after all have gone: handle %v, values %v", e, p.vals)
	}
}

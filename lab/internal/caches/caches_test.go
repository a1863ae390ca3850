package caches

import (
	"slices"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/measure/measuretest"
)

func TestSumsByHand(t *testing.T) {
	for _, n := range []int{3, 200_000} {
		w := wantCache(n)
		var get, stay uint64
		seen := make([]bool, n)
		left := n - n/2
		for _, i := range slices.Backward(slices.Concat(w.order, w.keys)) {
			if !seen[i] && left > 0 {
				seen[i] = true
				left--
				stay += uint64(i+1) * uint64(i+1)
			}
		}
		for _, i := range w.keys {
			get += uint64(i) + 1
		}
		if w.get != get || w.stay != stay {
			t.Errorf("n=%d: those found come to %d, want %d; %d stay, want %d",
				n, w.get, get, w.stay, stay)
		}
	}
	if got := wantCache(3).all; got != 1+4+9 {
		t.Errorf("the entries come to %d", got)
	}
	seen := make([]int, 1000)
	for _, i := range wantCache(len(seen)).keys {
		seen[i]++
	}
	slices.Sort(seen)
	if seen[500] == 0 || seen[999] < 50*seen[500] {
		t.Errorf("the most frequent key is found %d times, a rare one %d", seen[999], seen[500])
	}
}

func TestAllAgree(t *testing.T) {
	for _, n := range []int{1, 2, 64, 2000} {
		jobs := measuretest.Plan(t, measuretest.Of(t, Family),
			measure.Sizing{N: n, Reps: 2, Quick: true, Hasty: true})
		rec := measuretest.Run(t, jobs, Family.Impls)
		measuretest.Check(t, rec, jobs, Family.Impls)
	}
}

// Each of these has one defect.
type (
	idleAdd    struct{ *listed }
	largeAdd   struct{ *listed } // evicts nothing
	wrongEvict struct{ *listed } // evicts the entry that was used last
	keepValue  struct{ *listed } // does not change the value of a key that is there
	idleMove   struct{ *listed } // finds, and moves nothing
	idleGet    struct{ *listed }
	keepKey    struct { // keeps the key of an evicted entry
		*listed

		kept int
	}
)

func (c idleAdd) Add(uint64, uint64)    {}
func (c idleGet) Get(key uint64) uint64 { return 0 }

func (c largeAdd) Add(key, value uint64) {
	c.most++
	c.listed.Add(key, value)
}

func (c wrongEvict) Add(key, value uint64) {
	if c.used.Len() == c.most && c.index[key] == nil {
		c.used.MoveToBack(c.used.Front())
	}
	c.listed.Add(key, value)
}

func (c keepValue) Add(key, value uint64) {
	if c.Get(key) == 0 {
		c.listed.Add(key, value)
	}
}

func (c *keepKey) Add(key, value uint64) {
	before := c.listed.Len()
	c.listed.Add(key, value)
	if c.listed.Len() == before {
		c.kept++
	}
}

func (c *keepKey) Len() int { return c.listed.Len() + c.kept }

func (c idleMove) Get(key uint64) uint64 {
	if x := c.index[key]; x != nil {
		return x.Value.(*entry).value
	}
	return 0
}

func TestDefectsAreFound(t *testing.T) {
	kit := func(c func(*listed) Cache) Kit {
		return func(n int) Cache { return c(newListed(n).(*listed)) }
	}
	measuretest.CheckDefects(t, Family, []measure.Impl{sliceImpl}, []measuretest.Defect{
		{Name: "idle add", Kit: kit(func(c *listed) Cache { return idleAdd{c} }), Wrong: "add bytes_per_entry collect get"},
		{Name: "large add", Kit: kit(func(c *listed) Cache { return largeAdd{c} }), Wrong: "add get"},
		{Name: "wrong evict", Kit: kit(func(c *listed) Cache { return wrongEvict{c} }), Wrong: "add get"},
		{Name: "keep value", Kit: kit(func(c *listed) Cache { return keepValue{c} }), Wrong: "get"},
		{Name: "idle move", Kit: kit(func(c *listed) Cache { return idleMove{c} }), Wrong: "get"},
		{Name: "keep key", Kit: kit(func(c *listed) Cache { return &keepKey{c, 0} }), Wrong: "add"},
		{Name: "idle get", Kit: kit(func(c *listed) Cache { return idleGet{c} }), Wrong: "add bytes_per_entry collect get"},
	}, measure.Sizing{N: 500, Reps: 1, Quick: true, Hasty: true})
}

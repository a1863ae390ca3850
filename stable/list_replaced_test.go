package stable_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

type list = stable.List[int]

// A replacement gives a list the contents of another one, as calls on it that replace all contents
// do.
type replacement struct {
	name string
	of   func(t *testing.T, l, by *list) (work *list, replace func() error)
}

var replacements = []replacement{
	{"CopyFrom", func(_ *testing.T, l, by *list) (*list, func() error) {
		return l, func() error { l.CopyFrom(by); return nil }
	}},
	{"UnmarshalBinary", loading((*list).MarshalBinary, (*list).UnmarshalBinary)},
	{"Decode", loading((*list).MarshalBinary, func(l *list, b []byte) error {
		err := l.Decode(bytes.NewReader(b), nil)
		return err
	})},
}

// loading is the replacement by what save returns, which load loads.
func loading(
	save func(*list) ([]byte, error), load func(*list, []byte) error,
) func(*testing.T, *list, *list) (*list, func() error) {
	return func(t *testing.T, l, by *list) (*list, func() error) {
		b, err := save(by)
		if err != nil {
			t.Fatal(err)
		}
		return l, func() error { return load(l, b) }
	}
}

// replaceable returns a list and the one that is to replace it. They share the keys in stay.
func replaceable(
	t *testing.T, c, d stable.Config,
) (l, by *list, stay map[key]bool) {
	l, by, stay = stable.New[int](c), stable.New[int](d), map[key]bool{}
	ks := fill(t, l, 300)
	for i, k := range ks {
		if i%3 == 0 || i > 100 && i < 180 {
			l.Delete(k)
		} else if i%5 != 0 {
			mustInsertAt(t, by, k, 1)
			stay[k] = true
		}
	}
	for i := uint32(0); i < 400; i += 11 {
		k := stable.KeyForTest[int](i, ks[0].ID()+1000+stable.Counter32(i))
		if stable.KeyAt(by, i).IsZero() {
			mustInsertAt(t, by, k, 2)
		}
	}
	return l, by, stay
}

// keyLoops visit the keys of a list with the pointers that they get. A span is visited as it is.
var keyLoops = []func(l *list, visit func(key, *int)){
	func(l *list, visit func(key, *int)) {
		for k, v := range l.All() {
			visit(k, v)
		}
	},
	func(l *list, visit func(key, *int)) {
		for k, v := range stable.Backward(l) {
			visit(k, v)
		}
	},
	func(l *list, visit func(key, *int)) {
		l.RemoveFunc(func(k key, v *int) bool { visit(k, v); return false })
	},
	func(l *list, visit func(key, *int)) {
		for e, others := range stable.Traverse(l) {
			visit(e.Key, e.Value)
			for k, v := range others.All() {
				if l.Ptr(k) != v || k == e.Key {
					panic("another value is not where it was")
				}
			}
		}
	},
	func(l *list, visit func(key, *int)) {
		for k, s := range l.Spans() {
			for i := range s {
				if stable.KeyAt(l, k.Index()+uint32(i)).IsZero() {
					panic("a span has a vacant slot")
				}
			}
			for i := range s {
				if g := stable.KeyAt(l, k.Index()+uint32(i)); !g.IsZero() {
					visit(g, l.Ptr(g))
				}
			}
		}
	},
}

// A loop goes on when its body replaces the contents of the list. It hands out what is live then. A
// value that is live before and after is visited once.
func TestReplacedInLoops(t *testing.T) {
	eachConfig(func(c stable.Config) {
		for _, p := range placements {
			l, by, stay := replaceable(t, c, stable.Config{Placement: p, Truncate: c.Truncate, Seed: 1})
			for _, r := range replacements {
				for turn, loop := range keyLoops {
					what := fmt.Sprintf("%+v, %v, %s, loop %d", c, p, r.name, turn)
					work, replace := r.of(t, l.Clone(), by)
					at := []int{1, 70, 110}[turn%3]
					n, seen := 0, map[key]int{}
					loop(work, func(k key, v *int) {
						if seen[k]++; work.Ptr(k) != v {
							t.Fatalf("%s: %v is at %p, not %p", what, k, work.Ptr(k), v)
						}
						if n++; n == at {
							if err := replace(); err != nil {
								t.Fatal(err)
							}
						}
					})
					for k := range stay {
						if seen[k] != 1 {
							t.Fatalf("%s: %v was visited %d times", what, k, seen[k])
						}
					}
					for k, n := range seen {
						if n > 1 || !l.Contains(k) && !by.Contains(k) {
							t.Fatalf("%s: %v was visited %d times", what, k, n)
						}
					}
					if !slices.Equal(slices.Collect(berth.Handles(work)), slices.Collect(berth.Handles(by))) {
						t.Fatalf("%s: the list is not the other one", what)
					}
				}
			}
		}
	})
}

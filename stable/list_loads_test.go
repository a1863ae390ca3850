package stable_test

import (
	"bytes"
	"testing"

	"github.com/seed505807e1/berth/stable"
)

// A loop inside which another state is loaded or copied yields only what is live.
func TestLoopsOfOtherStates(t *testing.T) {
	type list = stable.List[int]
	for _, place := range []stable.Placement{stable.FirstFree, stable.FirstFreeHeap, stable.Quartered} {
		for _, size := range []int{3, 90, 700} {
			q := stable.New[int](stable.Config{Placement: place, Seed: 2})
			for i := range size {
				q.Insert(-i)
			}
			q.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v%7 == -3 })
			data, _ := q.MarshalBinary()
			for name, change := range map[string]func(l *list) error{
				"UnmarshalBinary": func(l *list) error {
					return l.UnmarshalBinary(data)
				},
				"Decode": func(l *list) error {
					err := l.Decode(bytes.NewReader(data), nil)
					return err
				},
				"CopyFrom": func(l *list) error {
					l.CopyFrom(q)
					return nil
				},
			} {
				for loop := range 5 {
					l := stable.New[int](stable.Config{Placement: place, Seed: 1})
					for i := range 260 {
						l.Insert(i + 1)
					}
					l.RemoveFunc(func(_ stable.ListKey[int], v *int) bool { return *v%5 == 0 })
					n := 0
					step := func(k stable.ListKey[int], v *int) {
						if l.Ptr(k) != v {
							t.Fatalf("%v, %s, loop %d: step %d yields %v with another value", place, name, loop, n, k)
						}
						if n++; n%40 == 2 {
							if err := change(l); err != nil {
								t.Fatal(err)
							}
						}
					}
					switch loop {
					case 0:
						for k, v := range l.All() {
							step(k, v)
						}
					case 1:
						for k, v := range stable.Backward(l) {
							step(k, v)
						}
					case 2:
						for k, span := range l.Spans() {
							step(k, &span[0])
						}
					case 3:
						l.RemoveFunc(func(k stable.ListKey[int], v *int) bool { step(k, v); return n%3 == 0 })
					case 4:
						for e, others := range stable.Traverse(l) {
							step(e.Key, e.Value)
							for k, v := range others.All() {
								step(k, v)
							}
						}
					}
					if n < 2 {
						t.Errorf("%v, %s, loop %d: %d steps", place, name, loop, n)
					}
				}
			}
		}
	}
}

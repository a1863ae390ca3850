package arena

import (
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

type (
	goldenPoint struct {
		X  int16
		On bool
		_  uint16
		Y  float32
		Z  [2]complex64
	}
	goldenKey struct {
		A uint8
		B uint32
	}
	goldenPair   struct{ A, B uint8 }
	goldenNested struct {
		goldenPair
		On [3]bool
		C  [2]struct {
			D uint8
			E [2][3]int32
			F struct{}
		}
		G float64
		H Handle32[int]
		I complex128
	}
)

// golden is a container whose encoding is committed. build always makes the same one.
type golden struct {
	name  string
	build func(a *Arena) coder
	other func(a *Arena) coder // an empty container of the same type
	of    subject
	// contents returns what the public methods show, without the help of the codec.
	contents func(c coder) string
}

// goldens are containers of every kind, with values of many types. Their encodings are committed and must stay readable
// forever, so do not change a case or a type: add new ones.
func goldens() []golden {
	size := strconv.Itoa(strconv.IntSize)
	return []golden{
		goldenVec("annotated-vec", goldenFirst, goldenPoint{X: 0x0102}),
		annotatedDeque(),
		annotatedPool(),
		annotatedHandles[Handle32[goldenPoint]]("annotated-handles32"),
		annotatedHandles[Handle64[goldenPoint]]("annotated-handles64"),
		annotatedMap(),
		goldenVec("vec-bytes", uint8(1), 2, 255),
		goldenVec("vec-empty", goldenPoints(0)...),
		goldenVec("vec-points", goldenPoints(5)...),
		goldenVec("vec-nested", goldenNest(1), goldenNest(2), goldenNested{}),
		goldenVec("vec-bools", true, false, false, true, true, false, true, true, false, true),
		goldenVec("vec-nothing", struct{}{}, struct{}{}, struct{}{}),
		goldenVec("vec-int"+size, math.MaxInt, -1, 0, math.MinInt),
		goldenVec("vec-arrays", [0]int{}, [0]int{}),
		goldenVec("vec-float64", math.Inf(-1), math.Copysign(0, -1), math.Pi),
		goldenDeque[uint16]("deque-uint16", 4, 7, func(i int) uint16 { return uint16(i * 257) }),
		goldenDeque("deque-points", 2, 5, goldenPointAt),
		goldenDeque("deque-nested", 8, 3, goldenNest),
		goldenDeque("deque-empty", 16, 0, goldenNest),
		goldenDeque("deque-nothing", 16, 40, func(int) struct{} { return struct{}{} }),
		goldenDeque("deque-uint"+size, 64, 9, func(i int) uint { return ^uint(i) }),
		goldenPool[uint32]("pool-uint32", 200, func(i int) uint32 { return uint32(i) }),
		goldenPool("pool-points", 66, goldenPointAt),
		goldenPool("pool-nested", 3, goldenNest),
		goldenPool("pool-nothing", 130, func(int) struct{} { return struct{}{} }),
		goldenPool("pool-empty", 0, goldenNest),
		goldenPool("pool-bools", 70, func(i int) bool { return i%4 == 0 }),
		goldenHandles[uint32, Handle32[uint32]]("handles32-uint32", 150,
			func(i int) uint32 { return uint32(i) }),
		goldenHandles[goldenPoint, Handle32[goldenPoint]]("handles32-points", 8, goldenPointAt),
		goldenHandles[struct{}, Handle32[struct{}]]("handles32-nothing", 70,
			func(int) struct{} { return struct{}{} }),
		goldenHandles[goldenNested, Handle32[goldenNested]]("handles32-empty", 0, goldenNest),
		goldenHandles[uint16, Handle64[uint16]]("handles64-uint16", 90,
			func(i int) uint16 { return uint16(i) }),
		goldenHandles[goldenNested, Handle64[goldenNested]]("handles64-nested", 4, goldenNest),
		goldenHandles[bool, Handle64[bool]]("handles64-bools", 8, func(i int) bool { return i > 5 }),
		goldenHandles[uint8, Handle64[uint8]]("handles64-empty", 0, func(int) uint8 { return 0 }),
		goldenMap("map-points", 9, func(i int) goldenKey {
			return goldenKey{A: uint8(i), B: 1 << (3 * i)}
		}, goldenPointAt),
		goldenMap("map-int8", 4, func(i int) goldenKey {
			return goldenKey{A: uint8(i), B: 1 << (8 * i)}
		}, func(i int) int8 { return -int8(i) }),
		goldenMap("map-nested", 5, goldenNest, func(i int) bool { return i%2 == 1 }),
		goldenMap("map-floats", 7, func(i int) float32 {
			return [...]float32{0, 1, float32(math.NaN()), 2, float32(math.NaN()), 3, -1}[i]
		}, func(i int) [2]uint8 { return [2]uint8{uint8(i), 9} }),
		goldenMap("map-nothing", 1, func(int) struct{} { return struct{}{} },
			func(int) uint16 { return 258 }),
		goldenMap("map-set", 40, func(i int) uint64 { return uint64(i) << 32 },
			func(int) struct{} { return struct{}{} }),
		goldenMap("map-empty", 0, goldenNest, goldenPointAt),
		goldenMap("map-int"+size, 6, func(i int) int { return -i },
			func(i int) [2]uintptr { return [2]uintptr{uintptr(i), 1} }),
	}
}

// goldenFirst is the value of the annotated encodings.
var goldenFirst = goldenPoint{
	X: -2, On: true, Y: 1.5, Z: [2]complex64{complex(1, 2), complex(-1, 0.5)},
}

func annotatedDeque() golden {
	g := goldenDeque[uint16]("annotated-deque", 0, 0, nil)
	g.build = func(a *Arena) coder {
		d := NewDeque[uint16](a, DequeConfig{Block: 4})
		for i := range uint16(6) {
			d.PushFront(i)
			d.PushBack(0x100 + i)
		}
		d.PopBack()
		return d
	}
	return g
}

func annotatedPool() golden {
	g := goldenPool[uint32]("annotated-pool", 0, nil)
	g.build = func(a *Arena) coder {
		p := NewPool[uint32](a)
		for i := range uint32(66) {
			p.Insert(i)
		}
		for i := range 64 {
			p.Remove(i + 1)
		}
		return p
	}
	return g
}

// annotatedHandles has one live slot, two vacant ones, and a retired one.
func annotatedHandles[H HandleOf[goldenPoint]](name string) golden {
	g := goldenHandles[goldenPoint, H](name, 0, nil)
	g.build = func(a *Arena) coder {
		r := NewHandles[goldenPoint, H](a, HandlesConfig{Seed: 1})
		var all []H
		for range 4 {
			h, _ := r.Insert(goldenFirst)
			all = append(all, h)
		}
		r.Delete(all[2])
		r.Delete(all[0])
		b := r.dir[0] // the last slot is in its last generation
		b.meta[3] = makeHandle[H](4, false, (r.base-1)&maxGeneration[H]())
		r.Delete(b.meta[3])
		return r
	}
	return g
}

func annotatedMap() golden {
	g := goldenMap[goldenKey, int8]("annotated-map", 0, nil, nil)
	g.build = func(a *Arena) coder {
		m := NewMap[goldenKey, int8](a)
		for i := range uint8(4) {
			m.Set(goldenKey{A: i, B: 1 << (8 * i)}, -int8(i))
		}
		m.Delete(goldenKey{A: 1, B: 1 << 8})
		return m
	}
	return g
}

func goldenPointAt(i int) goldenPoint {
	n := float32(i)
	return goldenPoint{
		X: int16(-1000 * i), On: i%3 == 0, Y: n / 4,
		Z: [2]complex64{complex(n, -n), complex(1, n/2)},
	}
}

func goldenPoints(n int) (all []goldenPoint) {
	for i := range n {
		all = append(all, goldenPointAt(i))
	}
	return all
}

func goldenNest(i int) goldenNested {
	v := goldenNested{G: float64(i) / 8, H: Handle32[int](i * 0x10203), I: complex(1, float64(-i))}
	v.A, v.B, v.On[i%3] = uint8(i), uint8(200+i), true
	for k := range v.C {
		v.C[k].D = uint8(16*k + i)
		v.C[k].E[i%2][(i+k)%3] = int32(-i - 1)
		v.C[k].E[1][2] = int32(i) << 24
	}
	return v
}

func goldenVec[T any](name string, values ...T) golden {
	return golden{
		name: name, of: vecSubject[T](""),
		build: func(a *Arena) coder {
			v := NewVec[T](a)
			v.Append(values...)
			return v
		},
		other:    func(a *Arena) coder { return NewVec[T](a) },
		contents: func(c coder) string { return visited(c.(*Vec[T]).All()) },
	}
}

// goldenDeque has n values, of which some were pushed at the front.
func goldenDeque[T any](name string, block, n int, at func(i int) T) golden {
	return golden{
		name: name, of: dequeSubject[T]("", 0),
		build: func(a *Arena) coder {
			d := NewDeque[T](a, DequeConfig{Block: block})
			for i := range n + 3 {
				if i%3 == 1 {
					d.PushFront(at(i))
				} else {
					d.PushBack(at(i))
				}
			}
			for range 3 {
				d.PopFront()
			}
			return d
		},
		other:    func(a *Arena) coder { return NewDeque[T](a, DequeConfig{Block: 8}) },
		contents: func(c coder) string { return visited(c.(*Deque[T]).All()) },
	}
}

// goldenPool has holes, an empty block if n is at least 192, and no values at its end.
func goldenPool[T any](name string, n int, at func(i int) T) golden {
	return golden{
		name: name, of: poolSubject[T](""),
		build: func(a *Arena) coder {
			p := NewPool[T](a)
			for i := range n + 64 {
				p.Insert(at(i))
			}
			for i := range n + 64 {
				if i%5 == 2 || i/64 == 1 && n >= 192 || i >= n {
					p.Remove(i)
				}
			}
			return p
		},
		other:    func(a *Arena) coder { return NewPool[T](a) },
		contents: func(c coder) string { return visited(c.(*Pool[T]).All()) },
	}
}

// goldenHandles has live and vacant slots, and if n is at least 4, a retired one.
func goldenHandles[T any, H HandleOf[T]](name string, n int, at func(i int) T) golden {
	return golden{
		name: name, of: handlesSubject[T, H](""),
		build: func(a *Arena) coder {
			r := NewHandles[T, H](a, HandlesConfig{Seed: 1})
			var all []H
			for i := range n {
				h, _ := r.Insert(at(i))
				all = append(all, h)
			}
			for i, h := range all {
				switch {
				case i == 3: // the last generation of this slot
					m := &r.dir[0].meta[3]
					*m = makeHandle[H](4, false, (r.base-1)&maxGeneration[H]())
					r.Delete(*m)
				case i%4 == 2:
					r.Delete(h)
				}
			}
			if n > 2 {
				_, _ = r.Insert(at(n))
			}
			return r
		},
		other: func(a *Arena) coder { return NewHandles[T, H](a, HandlesConfig{Seed: 7}) },
		contents: func(c coder) string {
			r := c.(*Handles[T, H])
			return visited(r.All()) + fmt.Sprint(r.Stats().Live, r.Stats().Retired)
		},
	}
}

// goldenMap had n keys, of which each third but the first was deleted.
func goldenMap[K comparable, V any](
	name string, n int, key func(i int) K, val func(i int) V,
) golden {
	return golden{
		name: name, of: mapSubject[K, V](""),
		build: func(a *Arena) coder {
			m := NewMap[K, V](a)
			for i := range n {
				m.Set(key(i), val(i))
			}
			for i := 3; i < n; i += 3 {
				m.Delete(key(i))
			}
			return m
		},
		other:    func(a *Arena) coder { return NewMap[K, V](a) },
		contents: func(c coder) string { return visited(c.(*Map[K, V]).All()) },
	}
}

// visited returns what a loop over a container visits.
func visited[K, V any](all iter.Seq2[K, *V]) string {
	var b strings.Builder
	for k, v := range all {
		fmt.Fprintf(&b, "%v: %+v\n", k, *v)
	}
	return b.String()
}

// goldenFile returns the bytes in a file of hexadecimal digits, or nil if there is none.
func goldenFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", dir, name+".hex"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}

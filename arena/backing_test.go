package arena_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
)

func newBacking(t testing.TB, reserve int) *arena.Backing {
	t.Helper()
	m, err := arena.NewBacking(reserve, arena.VirtualConfig{Keep: 1})
	if err != nil {
		t.Fatal("NewBacking:", err)
	}
	t.Cleanup(func() { _ = m.Release() })
	return m
}

// Pieces in use hold a number each, and are neither changed nor handed out twice.
func TestBackingModel(t *testing.T) {
	sizes := []int{1, 7, 64, 100, 4096, 5000, 256 << 10, 300 << 10}
	for seed := range uint64(3) {
		m := newBacking(t, 64<<20)
		r := rand.New(rand.NewPCG(seed, 1))
		var held [][]byte // each filled with its first byte
		inUse := 0
		free := func(i int) {
			b := held[i]
			if n := bytes.Count(b, b[:1]); n != len(b) || b[0] == 0 {
				t.Fatalf("%d bytes of %d are %d", n, len(b), b[0])
			}
			m.Free(b)
			held, inUse = slices.Delete(held, i, i+1), inUse-len(b)
		}
		for step := range 300 {
			if r.IntN(5) < 3 && inUse < 2<<20 {
				size, align := sizes[r.IntN(len(sizes))], 1<<r.IntN(9)
				b, err := m.Alloc(size, align)
				if err != nil || len(b) != size || !allZero(b) ||
					uintptr(unsafe.Pointer(&b[0]))%uintptr(align) != 0 {
					t.Fatalf("step %d: Alloc(%d, %d): %v, %d bytes at %p, zero: %t",
						step, size, align, err, len(b), b, allZero(b))
				}
				for i := range b {
					b[i] = byte(step%255 + 1)
				}
				held, inUse = append(held, b), inUse+size
			} else if len(held) > 0 {
				free(r.IntN(len(held)))
			}
			if got := m.Stats().Used; got != inUse {
				t.Fatalf("step %d: InUse = %d, want %d", step, got, inUse)
			}
		}
		for len(held) > 0 {
			free(0)
		}
		if used := m.Stats().Used; used != 0 {
			t.Errorf("in the end: Used = %d", used)
		}
	}
}

// A freed piece is reused for the next request of its size.
func TestBackingReuse(t *testing.T) {
	m := newBacking(t, 16<<20)
	for _, size := range []int{1, 100, 4096, 1 << 20} {
		a, _ := m.Alloc(size, 8)
		b, _ := m.Alloc(size, 64)
		used := m.Stats().Used
		p, q := &a[0], &b[0]
		for i := range a {
			a[i], b[i] = 1, 2
		}
		m.Free(a)
		m.Free(b)
		c, _ := m.Alloc(size, 32)
		d, err := m.Alloc(size, 1)
		if err != nil || &c[0] != q || &d[0] != p || !allZero(c) || !allZero(d) {
			t.Errorf("%d bytes: Alloc after Free is at %p, %p, want %p, %p", size, c, d, q, p)
		}
		if m.Stats().Used != used {
			t.Errorf("%d bytes: Used = %d, was %d", size, m.Stats().Used, used)
		}
		if e, err := m.Alloc(size, 1); err != nil || &e[0] == p || &e[0] == q {
			t.Errorf("%d bytes: a third one is at %p, %v", size, e, err)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		b, _ := m.Alloc(1000, 8)
		m.Free(b)
	}); n != 0 {
		t.Errorf("Alloc and Free: %v allocations, want 0", n)
	}
}

func TestBackingRefuses(t *testing.T) {
	m := newBacking(t, 1<<20)
	b, _ := m.Alloc(100, 8)
	const text = "arena: Backing.Free: not from Alloc, or freed before"
	wantPanic(t, text, func() { m.Free(b[1:]) })
	wantPanic(t, text, func() { m.Free(b[:99]) })
	wantPanic(t, text, func() { m.Free(make([]byte, 100)) })
	m.Free(nil)
	m.Free(b[:0])
	m.Free(b)
	wantPanic(t, text, func() { m.Free(b) }) //nolint:berthends // what is tested
	wantPanic(t, "negative size", func() { _, _ = m.Alloc(-1, 8) })
	wantPanic(t, "alignment is not a power of two", func() { _, _ = m.Alloc(8, 3) })
	wantPanic(t, "alignment is not a power of two", func() { _, _ = m.Alloc(8, -8) })
	if b, err := m.Alloc(2<<20, 8); b != nil || err != arena.ErrNoSpace || m.Stats().Used != 0 {
		t.Errorf("Alloc beyond the reserve = %d bytes, %v, want ErrNoSpace", len(b), err)
	}
	n := 0
	for {
		if _, err := m.Alloc(1000, 8); err != nil {
			break
		}
		n++
	}
	if want := (1<<20 - 128) / 1024; n < want-1 || n > want+1 {
		t.Errorf("the reserve has room for %d pieces, want %d", n, want)
	}
	var zero arena.Backing
	if b, err := zero.Alloc(1, 1); b != nil || err != arena.ErrNoSpace || zero.Stats().Used != 0 {
		t.Errorf("Alloc of the zero Backing = %v, %v", b, err)
	}
	if s := zero.Stats(); s != (arena.Stats{}) || zero.Release() != nil {
		t.Errorf("the zero Backing: %+v", s)
	}
	for range 2 {
		if err := m.Release(); err != nil {
			t.Error(err)
		}
	}
	m.Free(b)
	if b, err := m.Alloc(1, 1); b != nil || err != arena.ErrNoSpace || m.Stats() != (arena.Stats{}) {
		t.Errorf("Alloc after Release = %v, %v", b, err)
	}
	wantPanic(t, "arena: NewVirtual: reserve must be positive (got", func() {
		_, _ = arena.NewBacking(0, arena.VirtualConfig{})
	})
}

func TestBackingGoroutines(t *testing.T) {
	m := newBacking(t, 64<<20)
	var all sync.WaitGroup
	for g := range byte(4) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 300 {
				b, err := m.Alloc(1000+i%3*1000, 8)
				if err != nil || !allZero(b) {
					t.Errorf("Alloc: %v", err)
					return
				}
				for k := range b {
					b[k] = g + 1
				}
				if slices.ContainsFunc(b, func(c byte) bool { return c != g+1 }) {
					t.Error("a piece is handed out twice")
				}
				m.Free(b)
			}
		}()
	}
	all.Wait()
}

// container is implemented by berth.Pool and berth.Dense.
type container interface {
	Insert(v mixed) berth.Handle[mixed]
	Remove(h berth.Handle[mixed]) (mixed, bool)
	Get(h berth.Handle[mixed]) (mixed, bool)
	Len() int
	Clip()
	Clear()
}

// The containers of package berth work in a Backing.
func TestBackingHolds(t *testing.T) {
	for name, make := range map[string]func(m berth.Memory) container{
		"Pool":  func(m berth.Memory) container { return berth.NewPool[mixed](berth.Config{Memory: m}) },
		"Dense": func(m berth.Memory) container { return berth.NewDense[mixed](berth.DenseConfig{Memory: m}) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newBacking(t, 256<<20)
			testHolds(t, m, make(m))
		})
		t.Run(name+"/full", func(t *testing.T) {
			m := newBacking(t, 64<<10)
			c := make(m)
			n := 0
			for !c.Insert(mixed{}).IsZero() {
				n++
			}
			if n < 100 || n > 64<<10/8 || c.Len() != n {
				t.Errorf("64 KiB hold %d values", n)
			}
		})
	}
}

func testHolds(t *testing.T, m *arena.Backing, c container) {
	r := rand.New(rand.NewPCG(1, 2))
	want := map[berth.Handle[mixed]]mixed{}
	var hs []berth.Handle[mixed]
	for round := range 6 {
		for range 3000 {
			v := mixed{A: byte(round), B: r.Uint32()}
			h := c.Insert(v)
			if h.IsZero() {
				t.Fatal("no memory")
			}
			want[h] = v
			hs = append(hs, h)
		}
		if m.Stats().Used < 8*c.Len() {
			t.Fatalf("%d values, and InUse = %d", c.Len(), m.Stats().Used)
		}
		for range 2500 {
			i := r.IntN(len(hs))
			if v, ok := c.Remove(hs[i]); !ok || v != want[hs[i]] {
				t.Fatalf("Remove = %v, %t, want %v", v, ok, want[hs[i]])
			}
			delete(want, hs[i])
			hs[i] = hs[len(hs)-1]
			hs = hs[:len(hs)-1]
		}
		if round%2 == 1 {
			c.Clip()
		}
		for h, w := range want {
			if v, ok := c.Get(h); !ok || v != w {
				t.Fatalf("Get(%v) = %v, %t, want %v", h, v, ok, w)
			}
		}
	}
	c.Clear()
	if c.Clip(); c.Len() != 0 || m.Stats().Used != 0 {
		t.Errorf("after Clear and Clip: InUse = %d, want 0", m.Stats().Used)
	}
	if fmt.Sprint(m) == "" {
		t.Error("String is empty")
	}
}

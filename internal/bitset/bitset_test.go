package bitset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is the same set as a sorted slice and a length.
type model struct {
	in []int
	n  int
}

func (m *model) add(i int) {
	if k, ok := slices.BinarySearch(m.in, i); !ok {
		m.in = slices.Insert(m.in, k, i)
	}
}

func (m *model) remove(i int) {
	if k, ok := slices.BinarySearch(m.in, i); ok {
		m.in = slices.Delete(m.in, k, k+1)
	}
}

func (m *model) resize(n int) {
	k, _ := slices.BinarySearch(m.in, n)
	m.in, m.n = m.in[:k], n
}

func (m *model) next(i int) int {
	k, _ := slices.BinarySearch(m.in, i)
	if k == len(m.in) {
		return -1
	}
	return m.in[k]
}

func (m *model) prev(i int) int {
	k, _ := slices.BinarySearch(m.in, i+1)
	if k == 0 {
		return -1
	}
	return m.in[k-1]
}

// play reads operations from data and runs them on a Set and on the model: three bytes each.
func play(t *testing.T, data []byte) {
	t.Helper()
	var s Set
	var m model
	for ; len(data) >= 3; data = data[3:] {
		arg := int(data[1])<<8 | int(data[2])
		switch op := data[0] % 8; {
		case op == 0:
			n := arg * 5 // up to four levels
			s.Resize(n)
			m.resize(n)
		case op == 1:
			s.Clear()
			m.in = nil
		case op == 2:
			c := s.Clone()
			s.Resize(0)
			s = c
			s.Clip()
		case m.n > 0 && op <= 5:
			i := arg * 5 % m.n
			s.Add(i)
			m.add(i)
		case m.n > 0 && op == 7 && data[2]%2 == 0:
			want := m.next(arg * 5)
			if got := s.RemoveNext(arg * 5); got != want {
				t.Fatalf("RemoveNext(%d) = %d, want %d (members %v)", arg*5, got, want, m.in)
			}
			m.remove(want)
		case m.n > 0:
			i := m.next(arg * 5 % m.n)
			if i < 0 {
				i = arg % m.n
			}
			s.Remove(i)
			m.remove(i)
		}
		s.Check()
		if s.Len() != m.n {
			t.Fatalf("Len() = %d, want %d", s.Len(), m.n)
		}
		for _, i := range []int{0, arg, arg * 5, m.n - 1, m.n, m.n + 70, 63, 64, 4095, 4096} {
			if i < 0 {
				continue
			}
			if got, want := s.Next(i), m.next(i); got != want {
				t.Fatalf("Next(%d) = %d, want %d (members %v)", i, got, want, m.in)
			}
			if got, want := s.Prev(i), m.prev(i); got != want {
				t.Fatalf("Prev(%d) = %d, want %d (members %v)", i, got, want, m.in)
			}
			if got, want := s.Has(i), m.next(i) == i; got != want {
				t.Fatalf("Has(%d) = %v", i, got)
			}
		}
		if s.First() != m.next(0) || s.Last() != m.prev(m.n) {
			t.Fatalf("First, Last = %d, %d, want %d, %d", s.First(), s.Last(), m.next(0), m.prev(m.n))
		}
	}
}

func TestModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 300)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		play(t, data)
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte{0, 255, 255, 3, 1, 2, 3, 200, 0, 6, 0, 0, 0, 0, 1})
	f.Fuzz(play)
}

func TestGrowsByOne(t *testing.T) {
	var s Set
	for i := range 70000 {
		s.Resize(i + 1)
		if i%4096 == 0 {
			s.Add(i)
		}
	}
	s.Check()
	count := 0
	for i := s.First(); i >= 0; i = s.Next(i + 1) {
		if i != count*4096 {
			t.Fatalf("member %d is %d, want %d", count, i, count*4096)
		}
		count++
	}
	if count != 18 {
		t.Fatalf("%d members, want 18", count)
	}
}

func TestShrinkGivesMemoryBack(t *testing.T) {
	var s Set
	s.Resize(1 << 20)
	s.Add(3)
	s.Resize(100)
	s.Check()
	if b := s.Bytes(); b > 100 {
		t.Errorf("a set of 100 holds %d bytes", b)
	}
	if !s.Has(3) {
		t.Error("shrinking lost a member")
	}
}

func TestOutside(t *testing.T) {
	for _, f := range []func(*Set){
		func(s *Set) { s.Add(5) }, func(s *Set) { s.Add(-1) }, func(s *Set) { s.Remove(5) },
		func(s *Set) { s.Remove(64) }, func(s *Set) { s.Resize(-1) },
	} {
		var s Set
		s.Resize(5)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(&s)
		}()
		s.Check()
	}
	var s Set
	if s.Has(0) || s.Next(0) != -1 || s.Prev(9) != -1 || s.First() != -1 || s.Last() != -1 {
		t.Error("the empty Set has members")
	}
	for _, n := range []int{64, 65, 128, 4096} {
		s.Resize(n)
		for _, i := range []int{0, n - 1, n, n + 64} {
			if got := s.RemoveNext(i); got != -1 {
				t.Errorf("%d without members: RemoveNext(%d) = %d", n, i, got)
			}
		}
	}
}

func TestEmptyQueue(t *testing.T) {
	q := NewQueue()
	q.Resize(100)
	q.Pop() // nothing
	if q.Low != None || q.Has(None) || q.Two() {
		t.Errorf("an empty Queue has %d", q.Low)
	}
	q.Check()
	q.Add(70)
	q.Low = None
	defer func() {
		if recover() == nil {
			t.Error("Check does not detect that the least is lost")
		}
	}()
	q.rest.Add(3)
	q.Check()
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	var s Set
	s.Resize(100_000)
	if n := testing.AllocsPerRun(100, func() { s.Add(70_000); s.Next(0); s.Prev(99_999); s.Remove(70_000) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNext(b *testing.B) {
	for _, every := range []int{1, 64, 4096, 100_000} {
		b.Run(fmt.Sprintf("n=1000000/every=%d", every), func(b *testing.B) {
			var s Set
			s.Resize(1_000_000)
			members := 0
			for i := every / 2; i < 1_000_000; i += every {
				s.Add(i)
				members++
			}
			for b.Loop() {
				walk(&s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(members), "ns/member")
		})
	}
}

//go:noinline
func walk(s *Set) (n int) {
	for i := s.First(); i >= 0; i = s.Next(i + 1) {
		n++
	}
	return n
}

func TestQueue(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		q := NewQueue()
		q.Resize(700)
		m := model{n: 700}
		for range 500 {
			i := r.IntN(700)
			switch {
			case q.Has(i) != (m.next(i) == i):
				t.Fatalf("Has(%d) = %v", i, q.Has(i))
			case r.IntN(3) == 0 && len(m.in) > 0:
				if seed%3 == 0 && q.Two() {
					q.PopLow()
				} else {
					q.Pop()
				}
				m.remove(m.in[0])
			case q.Has(i):
				q.Remove(i)
				m.remove(i)
			case seed%2 == 0 || len(m.in) < 4:
				if seed%3 == 0 && i < q.Low && !q.Two() {
					q.AddLow(i)
				} else {
					q.Add(i)
				}
				m.add(i)
			case r.IntN(200) == 0:
				q.Clear()
				m.in = nil
			}
			q.Check()
			want := None
			if len(m.in) > 0 {
				want = m.in[0]
			}
			if q.Low != want {
				t.Fatalf("Low = %d, want %d", q.Low, want)
			}
			if r.IntN(50) == 0 {
				q = q.Clone()
				q.Clip()
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		q := NewQueue()
		q.Add(3)
		q.Add(2)
		q.Pop()
	}); n != 0 {
		t.Errorf("two members cost %v allocations", n)
	}
}

// Reset leaves no member of any earlier length, and keeps the memory.
func TestReset(t *testing.T) {
	var s Set
	var q Queue
	for _, n := range []int{0, 5000, 64, 65, 300_000, 1, 0, 4096, 4097, 300_000} {
		s.Reset(n)
		q.Reset(n)
		s.Check()
		q.Check()
		if s.First() >= 0 || q.Low != None || s.Len() != n {
			t.Fatalf("Reset(%d): first member %d and %d, length %d", n, s.First(), q.Low, s.Len())
		}
		for i := n - 1; i >= 0; i -= 1 + i/9 {
			s.Add(i)
			q.Add(i)
		}
		s.Check()
		q.Check()
	}
	if n := testing.AllocsPerRun(5, func() { s.Reset(300_000); s.Reset(9); q.Reset(9); q.Reset(300_000) }); n != 0 {
		t.Errorf("Reset in memory that fits: %v allocations", n)
	}
}

// A copy has the members of its original, whatever the receiver was before.
func TestCopyFrom(t *testing.T) {
	lengths := []int{0, 60, 100, 5000, 300_000}
	for _, from := range lengths {
		var o, c Set
		o.Resize(from)
		for i := from / 2; i < from; i += 1 + from/3 {
			o.Add(i)
		}
		for _, to := range lengths {
			c.Resize(to)
			for i := 0; i < to; i += 1 + to/5 {
				c.Add(i)
			}
			c.CopyFrom(&o)
			c.Check()
			i, k := o.First(), c.First()
			for i >= 0 && i == k {
				i, k = o.Next(i+1), c.Next(i+1)
			}
			if i != k || c.Len() != from {
				t.Errorf("%d into %d: length %d, member %d, want %d", from, to, c.Len(), k, i)
			}
		}
	}
}

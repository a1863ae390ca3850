package migrating

import (
	"testing"

	after "github.com/seed505807e1/berth/examples/migrating/frompointers/after"
	before "github.com/seed505807e1/berth/examples/migrating/frompointers/before"
)

// hub is what both hubs do. S is a pointer to a session.
type hub[S any] interface {
	Join(name string) S
	Leave(S) bool
	Broadcast(n int)
}

// inbox is what both sessions do.
type inbox interface{ Received() int }

// joined returns a hub with n sessions.
func joined[S any](h hub[S], n int) (hub[S], []S) {
	var ss []S
	for range n {
		ss = append(ss, h.Join("ada"))
	}
	return h, ss
}

// received returns the sum of what the sessions got.
func received[S inbox](ss []S) (sum int) {
	for _, s := range ss {
		sum += s.Received()
	}
	return sum
}

// play lets sessions come and go, and returns what each of them got.
func play[S inbox](t *testing.T, h hub[S], other hub[S]) (got []int) {
	t.Helper()
	_, ss := joined(h, 100)
	gone := ss[7]
	for i, s := range ss {
		h.Broadcast(i)
		if i%3 == 1 && !h.Leave(s) {
			t.Errorf("session %d is not there", i)
		}
	}
	if h.Leave(gone) {
		t.Error("a session left twice")
	}
	if other.Leave(ss[0]) {
		t.Error("a session left a hub that it had not joined")
	}
	h.Broadcast(1000)
	for _, s := range ss {
		got = append(got, s.Received())
	}
	return got
}

func TestFromPointers(t *testing.T) {
	want := play(t, before.NewHub(), before.NewHub())
	got := play(t, new(after.Hub), new(after.Hub))
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("session %d got %d, before: %d", i, got[i], want[i])
		}
	}
	if want[7] != 7*8/2 || want[8] != 99*100/2+1000 {
		t.Errorf("sessions 7 and 8 got %d and %d", want[7], want[8])
	}
}

func BenchmarkFromPointers(b *testing.B) {
	benchHub(b, "before", func() hub[*before.Session] { return before.NewHub() })
	benchHub(b, "after", func() hub[*after.Session] { return new(after.Hub) })
}

func benchHub[S inbox](b *testing.B, impl string, empty func() hub[S]) {
	b.Run("op=broadcast/impl="+impl, func(b *testing.B) {
		h, ss := joined(empty(), many)
		for b.Loop() {
			h.Broadcast(1)
		}
		if sum := received(ss); sum != b.N*many {
			b.Fatalf("checksum %d, want %d", sum, b.N*many)
		}
	})
	b.Run("op=rejoin/impl="+impl, func(b *testing.B) {
		h, ss := joined(empty(), many)
		rng, left := newRand(), 0
		b.ReportAllocs()
		for b.Loop() {
			s := &ss[rng.IntN(many)]
			if h.Leave(*s) {
				left++
			}
			*s = h.Join("ada")
		}
		if left != b.N {
			b.Fatalf("checksum %d, want %d", left, b.N)
		}
	})
	b.Run("op=few/impl="+impl, func(b *testing.B) {
		size := heap()
		h, ss := joined(empty(), burst)
		for _, s := range ss[few:] {
			h.Leave(s)
		}
		ss = append([]S(nil), ss[:few]...)
		for b.Loop() {
			h.Broadcast(1)
		}
		if sum := received(ss); sum != b.N*few {
			b.Fatalf("checksum %d, want %d", sum, b.N*few)
		}
		held(b, size, h)
	})
}

package migrating

import (
	"strconv"
	"sync"
	"testing"

	"github.com/seed505807e1/berth"
	after "github.com/seed505807e1/berth/examples/migrating/fromsync/after"
	before "github.com/seed505807e1/berth/examples/migrating/fromsync/before"
)

// session is a session of either server.
type session interface {
	~struct {
		User    string
		Expires int
	}
}

// server has the methods of both servers. K is an id or a handle.
type server[K any, S session] interface {
	Open(S) K
	User(K) (string, bool)
	Close(K) bool
	Expire(now int) int
}

// opened opens n sessions. Session i expires after i%100.
func opened[K any, S session](s server[K, S], n int) (keys []K) {
	for i := range n {
		keys = append(keys, s.Open(S{strconv.Itoa(i), i % 100}))
	}
	return keys
}

// checkServer has goroutines close and find the same sessions, and opens others in their place.
func checkServer[K any, S session](t *testing.T, s server[K, S]) {
	t.Helper()
	keys := opened(s, 1000)
	var group sync.WaitGroup
	var closed [4]int
	for g := range closed {
		group.Go(func() {
			for i, k := range keys {
				if user, ok := s.User(k); ok && user != strconv.Itoa(i) {
					t.Errorf("%T: session %d is that of %s", s, i, user)
				}
				if i%2 == 0 && s.Close(k) {
					closed[g]++
				}
			}
		})
	}
	group.Wait()
	if sum := closed[0] + closed[1] + closed[2] + closed[3]; sum != 500 {
		t.Errorf("%T: sessions were closed %d times, want 500", s, sum)
	}
	opened(s, 500)
	for i, k := range keys {
		if _, ok := s.User(k); ok != (i%2 == 1) {
			t.Errorf("%T: session %d is open: %t", s, i, ok)
		}
	}
	if n := s.Expire(51); n != 250+255 {
		t.Errorf("%T: %d sessions expired, want 505", s, n)
	}
	if n := s.Expire(51); n != 0 {
		t.Errorf("%T: %d sessions expired twice", s, n)
	}
}

func TestFromSync(t *testing.T) {
	checkServer[uint64, before.Session](t, new(before.Server))
	checkServer[berth.Handle[after.Session], after.Session](t, new(after.Server))
}

func BenchmarkFromSync(b *testing.B) {
	benchServer(b, "before",
		func() server[uint64, before.Session] { return new(before.Server) })
	benchServer(b, "after",
		func() server[berth.Handle[after.Session], after.Session] { return new(after.Server) })
}

func benchServer[K any, S session](b *testing.B, impl string, empty func() server[K, S]) {
	b.Run("op=user/impl="+impl, func(b *testing.B) {
		s := empty()
		keys := opened(s, many)
		newRand().Shuffle(many, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		i, found := 0, 0
		for b.Loop() {
			if _, ok := s.User(keys[i]); ok {
				found++
			}
			i = (i + 1) % many
		}
		if found != b.N {
			b.Fatalf("checksum %d, want %d", found, b.N)
		}
	})
	b.Run("op=reopen/impl="+impl, func(b *testing.B) {
		s := empty()
		keys, rng, closed := opened(s, many), newRand(), 0
		b.ReportAllocs()
		for b.Loop() {
			k := &keys[rng.IntN(many)]
			if s.Close(*k) {
				closed++
			}
			*k = s.Open(S{"ada", 1})
		}
		if closed != b.N {
			b.Fatalf("checksum %d, want %d", closed, b.N)
		}
	})
	b.Run("op=expire/impl="+impl, func(b *testing.B) {
		s := empty()
		opened(s, many)
		sum := 0
		for b.Loop() {
			sum += s.Expire(0)
		}
		if sum != 0 {
			b.Fatalf("checksum %d, want 0", sum)
		}
	})
	b.Run("op=collect/impl="+impl, func(b *testing.B) {
		size := heap()
		s := empty()
		opened(s, 1_000_000)
		collect(b, s)
		held(b, size, s)
	})
}

package concurrent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// benchMembers is the number of members in a room.
const benchMembers = 10_000

// sender is a member as a room sees it.
type sender interface{ send(n uint64) uint64 }

type track struct {
	id   uint64
	sent atomic.Uint64 // two loops may run at once
}

//go:noinline
func (t *track) send(n uint64) uint64 {
	t.sent.Add(n)
	return t.id
}

// room is what the benchmarks compare. join returns a key, and look the number of members that a
// loop would visit.
type room interface {
	join(s sender) uint64
	leave(k uint64, s sender) bool
	look() int
}

// membersRoom is a Members.
type membersRoom struct {
	m concurrent.Members[sender]
}

func (r *membersRoom) join(s sender) uint64 { return r.m.Insert(s).Uint64() }
func (r *membersRoom) look() int            { return r.m.Snapshot().Len() }
func (r *membersRoom) leave(k uint64, _ sender) bool {
	_, ok := r.m.Remove(berth.HandleFromUint64[sender](k))
	return ok
}

// sliceRoom is a slice that is copied at each change.
type sliceRoom struct {
	mu  sync.Mutex
	all atomic.Pointer[[]sender]
}

func (r *sliceRoom) members() []sender {
	if l := r.all.Load(); l != nil {
		return *l
	}
	return nil
}

func (r *sliceRoom) look() int { return len(r.members()) }

func (r *sliceRoom) join(s sender) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.members()
	l := append(make([]sender, 0, len(old)+1), old...)
	l = append(l, s)
	r.all.Store(&l)
	return 0
}

func (r *sliceRoom) leave(_ uint64, s sender) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.members()
	i := slices.Index(old, s)
	if i < 0 {
		return false
	}
	l := append(make([]sender, 0, len(old)-1), old[:i]...)
	l = append(l, old[i+1:]...)
	r.all.Store(&l)
	return true
}

// poolRoom is a Pool.
type poolRoom struct{ p concurrent.Pool[sender] }

func (r *poolRoom) join(s sender) uint64 { return r.p.Insert(s).Uint64() }
func (r *poolRoom) look() int            { return r.p.Len() }
func (r *poolRoom) leave(k uint64, _ sender) bool {
	return r.p.Delete(berth.HandleFromUint64[sender](k))
}

var rooms = []struct {
	name string
	make func() room
}{
	{"concurrent.Members", func() room { return &membersRoom{} }},
	{"slice copied on write", func() room { return &sliceRoom{} }},
	{"concurrent.Pool", func() room { return &poolRoom{} }},
}

// BenchmarkMembersChurn lets 10 000 join and then leave, with a look at the members after each
// step, or none.
func BenchmarkMembersChurn(b *testing.B) {
	tracks := make([]track, benchMembers)
	order := rand.New(rand.NewPCG(3, 4)).Perm(benchMembers)
	for _, looks := range []bool{true, false} {
		for _, x := range rooms {
			keys := make([]uint64, benchMembers)
			look := func(r room, want int) {
				if looks && r.look() != want {
					b.Fatalf("%d members, want %d", r.look(), want)
				}
			}
			joins := func(r room) {
				for i := range tracks {
					keys[i] = r.join(&tracks[i])
					look(r, i+1)
				}
			}
			leaves := func(r room) {
				for n, i := range order {
					if !r.leave(keys[i], &tracks[i]) {
						b.Fatalf("%d is not there", keys[i])
					}
					look(r, benchMembers-1-n)
				}
			}
			b.Run(fmt.Sprintf("op=join/looks=%v/impl=%s", looks, x.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					joins(x.make())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchMembers), "ns/join")
			})
			b.Run(fmt.Sprintf("op=leave/looks=%v/impl=%s", looks, x.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					r := x.make()
					joins(r)
					b.StartTimer()
					leaves(r)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchMembers), "ns/leave")
			})
		}
	}
}

//go:noinline
func sendSlice(l []sender) (sum uint64) {
	for _, s := range l {
		sum += s.send(1)
	}
	return sum
}

//go:noinline
func sendSpans(m *concurrent.Members[sender]) (sum uint64) {
	s := m.Snapshot()
	for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
		for _, s := range span {
			sum += s.send(1)
		}
	}
	return sum
}

//go:noinline
func sendAll(m *concurrent.Members[sender]) (sum uint64) {
	for _, s := range m.Snapshot().All() {
		sum += s.send(1)
	}
	return sum
}

//go:noinline
func sendPool(p *concurrent.Pool[sender]) (sum uint64) {
	for _, s := range p.All() {
		sum += (*s).send(1)
	}
	return sum
}

//go:noinline
func fieldSlice(l []*track) (sum uint64) {
	for _, t := range l {
		sum += t.id
	}
	return sum
}

//go:noinline
func fieldSpans(m *concurrent.Members[*track]) (sum uint64) {
	s := m.Snapshot()
	for span, at := s.Span(0); span != nil; span, at = s.Span(at) {
		for _, t := range span {
			sum += t.id
		}
	}
	return sum
}

//go:noinline
func fieldAll(m *concurrent.Members[*track]) (sum uint64) {
	for _, t := range m.Snapshot().All() {
		sum += t.id
	}
	return sum
}

//go:noinline
func fieldPool(p *concurrent.Pool[*track]) (sum uint64) {
	for _, t := range p.All() {
		sum += (*t).id
	}
	return sum
}

// BenchmarkMembersLoop loops over the members, with a call in the body or one field.
func BenchmarkMembersLoop(b *testing.B) {
	var m concurrent.Members[sender]
	var p concurrent.Pool[sender]
	var mt concurrent.Members[*track]
	var pt concurrent.Pool[*track]
	tracks := make([]track, benchMembers)
	list, listt := make([]sender, benchMembers), make([]*track, benchMembers)
	want := uint64(0)
	for i := range tracks {
		t := &tracks[i]
		t.id = uint64(i) * 7919
		want += t.id
		list[i], listt[i] = t, t
		m.Insert(t)
		mt.Insert(t)
		p.Insert(t)
		pt.Insert(t)
	}
	for _, x := range []struct {
		name string
		loop func() uint64
	}{
		{"call/slice", func() uint64 { return sendSlice(list) }},
		{"call/Snapshot.Span", func() uint64 { return sendSpans(&m) }},
		{"call/Snapshot.All", func() uint64 { return sendAll(&m) }},
		{"call/Pool.All", func() uint64 { return sendPool(&p) }},
		{"field/slice", func() uint64 { return fieldSlice(listt) }},
		{"field/Snapshot.Span", func() uint64 { return fieldSpans(&mt) }},
		{"field/Snapshot.All", func() uint64 { return fieldAll(&mt) }},
		{"field/Pool.All", func() uint64 { return fieldPool(&pt) }},
	} {
		b.Run("body="+x.name, func(b *testing.B) {
			for b.Loop() {
				if x.loop() != want {
					b.Fatal("wrong sum")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchMembers), "ns/member")
		})
	}
}

// BenchmarkMembersGet looks members up while nothing changes, and with a change before each 1 or 8.
func BenchmarkMembersGet(b *testing.B) {
	tracks := make([]track, benchMembers)
	for _, every := range []int{0, 8, 1} {
		var m concurrent.Members[sender]
		hs := make([]berth.Handle[sender], benchMembers)
		for i := range tracks {
			tracks[i].id = uint64(i)
			hs[i] = m.Insert(&tracks[i])
		}
		b.Run(fmt.Sprintf("lookups=%d", every), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i++; every > 0 && i%every == 0 {
					at := i * 31 % benchMembers
					_, _ = m.Remove(hs[at])
					hs[at] = m.Insert(&tracks[at])
				}
				at := i * 7919 % benchMembers
				if s, ok := m.Get(hs[at]); !ok || s.(*track).id != uint64(at) {
					b.Fatalf("Get(%v) = %v, %v", hs[at], s, ok)
				}
			}
		})
	}
}

package berth

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

type body32 struct{ pos, vel [2]float64 }

// BenchmarkHistory compares a frame of changes under a History with the same changes and a copy of
// all values, for 20 000 values of 32 bytes.
func BenchmarkHistory(b *testing.B) {
	const n, frames = 20_000, 9
	for _, percent := range []int{1, 10, 100} {
		hs := make([]Handle[body32], n)
		build := func() *Pool[body32] {
			p := NewPool[body32](Config{Seed: 1})
			for i := range hs {
				hs[i] = p.Insert(body32{pos: [2]float64{float64(i)}, vel: [2]float64{1, 1}})
			}
			return p
		}
		p := build()
		order := rand.New(rand.NewPCG(1, 2)).Perm(n)
		at := 0
		some := func() []int {
			if at += n * percent / 100; at+n*percent/100 > n {
				at = 0
			}
			return order[at : at+n*percent/100]
		}
		b.Run(fmt.Sprintf("copy/%d", percent), func(b *testing.B) {
			var ring [frames][]body32
			for i := range ring {
				ring[i] = make([]body32, n)
			}
			flat := make([]body32, n)
			for k := 0; b.Loop(); k++ {
				copy(ring[k%frames], flat)
				for _, i := range some() {
					p.Ptr(hs[i]).pos[0]++
				}
			}
		})
		s := NewHistory(p, HistoryConfig{Frames: frames})
		b.Run(fmt.Sprintf("Edit/%d", percent), func(b *testing.B) {
			for b.Loop() {
				for _, i := range some() {
					s.Edit(hs[i]).pos[0]++
				}
				s.Mark()
			}
		})
		b.Run(fmt.Sprintf("Rewind8/%d", percent), func(b *testing.B) {
			sum := sumOf(p)
			for b.Loop() {
				b.StopTimer()
				f := s.Mark()
				sum = sumOf(p)
				for range frames - 1 {
					for _, i := range some() {
						s.Edit(hs[i]).pos[0]++
					}
					s.Mark()
				}
				b.StartTimer()
				if err := s.Rewind(f); err != nil {
					b.Fatal(err)
				}
			}
			if got := sumOf(p); got != sum {
				b.Fatalf("sum %v, want %v", got, sum)
			}
		})
		if percent == 100 {
			b.Run("copySpans/100", func(b *testing.B) {
				var ring [frames][]body32
				for i := range ring {
					ring[i] = make([]body32, n)
				}
				flat := make([]body32, n)
				for k := 0; b.Loop(); k++ {
					copy(ring[k%frames], flat)
					for _, span := range p.Spans() {
						for i := range span {
							span[i].pos[0]++
						}
					}
				}
			})
			b.Run("EditSpans/100", func(b *testing.B) {
				for b.Loop() {
					for _, span := range s.EditSpans() {
						for i := range span {
							span[i].pos[0]++
						}
					}
					s.Mark()
				}
			})
			b.Run("EditAll/100", func(b *testing.B) {
				for b.Loop() {
					for _, v := range s.EditAll() {
						v.pos[0]++
					}
					s.Mark()
				}
			})
		}
		s.Close()
		c := NewHistory(p, HistoryConfig{Frames: frames, Compare: true})
		b.Run(fmt.Sprintf("Compare/%d", percent), func(b *testing.B) {
			for b.Loop() {
				for _, i := range some() {
					p.Ptr(hs[i]).pos[0]++
				}
				c.Mark()
			}
		})
		c.Close()
		b.Run(fmt.Sprintf("CopyFrom/%d", percent), func(b *testing.B) {
			q := p.Clone()
			for b.Loop() {
				for _, i := range some() {
					p.Ptr(hs[i]).pos[0]++
				}
				q.CopyFrom(p)
			}
		})
	}
}

// BenchmarkHistoryEdit compares Edit of a value that is logged with Ptr.
func BenchmarkHistoryEdit(b *testing.B) {
	const n = 4096
	p := NewPool[body32](Config{Seed: 1})
	hs := make([]Handle[body32], n)
	for i := range hs {
		hs[i] = p.Insert(body32{})
	}
	s := NewHistory(p, HistoryConfig{Frames: 2})
	b.Run("Ptr", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			p.Ptr(hs[i&(n-1)]).pos[0]++
		}
	})
	b.Run("Edit", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s.Edit(hs[i&(n-1)]).pos[0]++
		}
	})
}

func sumOf(p *Pool[body32]) (sum float64) {
	for v := range p.Values() {
		sum += v.pos[0]
	}
	return sum
}

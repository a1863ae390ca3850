package arena

import (
	"testing"
)

// benchCoders are containers of about a million values.
func benchCoders() map[string]func(a *Arena) (full, empty coder) {
	const n = 1 << 20
	return map[string]func(a *Arena) (full, empty coder){
		"impl=Vec/T=uint64": func(a *Arena) (full, empty coder) {
			v := NewVec[uint64](a)
			v.Resize(n)
			return v, NewVec[uint64](a)
		},
		"impl=Vec/T=bool": func(a *Arena) (full, empty coder) {
			v := NewVec[bool](a)
			v.Resize(n)
			return v, NewVec[bool](a)
		},
		"impl=Vec/T=padded": func(a *Arena) (full, empty coder) {
			v := NewVec[codecPadded](a)
			v.Resize(n)
			return v, NewVec[codecPadded](a)
		},
		"impl=Deque/T=uint64": func(a *Arena) (full, empty coder) {
			d := NewDeque[uint64](a, DequeConfig{})
			for i := range uint64(n) {
				d.PushBack(i)
			}
			return d, NewDeque[uint64](a, DequeConfig{})
		},
		"impl=Pool/T=uint64": func(a *Arena) (full, empty coder) {
			p := NewPool[uint64](a)
			for i := range uint64(n) {
				p.Insert(i)
			}
			return p, NewPool[uint64](a)
		},
		"impl=Handles/T=uint64": func(a *Arena) (full, empty coder) {
			r := NewHandles[uint64, Handle64[uint64]](a, HandlesConfig{Seed: 1})
			for i := range uint64(n) {
				_, _ = r.Insert(i)
			}
			return r, NewHandles[uint64, Handle64[uint64]](a, HandlesConfig{Seed: 1})
		},
		"impl=Map/T=uint64": func(a *Arena) (full, empty coder) {
			m := NewMap[uint64, uint64](a)
			m.Grow(n)
			for i := range uint64(n) {
				m.Set(i, i)
			}
			return m, NewMap[uint64, uint64](a)
		},
	}
}

func BenchmarkMarshal(b *testing.B) {
	for name, f := range benchCoders() {
		b.Run(name, func(b *testing.B) {
			c, _ := f(NewChunked(1 << 20))
			data := marshal(b, c)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				data, _ = c.AppendBinary(data[:0])
			}
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	for name, f := range benchCoders() {
		b.Run(name, func(b *testing.B) {
			from, to := f(NewChunked(1 << 20))
			data := marshal(b, from)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() { // the first turn takes new memory
				if err := to.UnmarshalBinary(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

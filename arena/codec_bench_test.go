package arena

import "testing"

// benchCoders returns containers of about a million values, and empty ones of the same types.
func benchCoders(a *Arena) map[string][2]coder {
	const n = 1 << 20
	v, bools, padded := NewVec[uint64](a), NewVec[bool](a), NewVec[codecPadded](a)
	v.Resize(n)
	bools.Resize(n)
	padded.Resize(n)
	d, p := NewDeque[uint64](a, DequeConfig{}), NewPool[uint64](a)
	r := NewHandles[uint64, Handle64[uint64]](a, HandlesConfig{Seed: 1})
	m := NewMap[uint64, uint64](a)
	m.Grow(n)
	for i := range uint64(n) {
		d.PushBack(i)
		p.Insert(i)
		_, _ = r.Insert(i)
		m.Set(i, i)
	}
	return map[string][2]coder{
		"impl=Vec/T=uint64":     {v, NewVec[uint64](a)},
		"impl=Vec/T=bool":       {bools, NewVec[bool](a)},
		"impl=Vec/T=padded":     {padded, NewVec[codecPadded](a)},
		"impl=Deque/T=uint64":   {d, NewDeque[uint64](a, DequeConfig{})},
		"impl=Pool/T=uint64":    {p, NewPool[uint64](a)},
		"impl=Handles/T=uint64": {r, NewHandles[uint64, Handle64[uint64]](a, HandlesConfig{Seed: 1})},
		"impl=Map/T=uint64":     {m, NewMap[uint64, uint64](a)},
	}
}

func BenchmarkMarshal(b *testing.B) {
	for name, c := range benchCoders(NewChunked(1 << 20)) {
		b.Run(name, func(b *testing.B) {
			data := marshal(b, c[0])
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				data, _ = c[0].AppendBinary(data[:0])
			}
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	for name, c := range benchCoders(NewChunked(1 << 20)) {
		b.Run(name, func(b *testing.B) {
			data := marshal(b, c[0])
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() { // the first turn takes new memory
				if err := c[1].UnmarshalBinary(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

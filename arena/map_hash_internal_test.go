package arena

import (
	"math/bits"
	"testing"

	"github.com/seed505807e1/berth"
)

// hashTest tests the hash of a K. If it is of words, each bit of the key changes about half of the
// bits of the hash, in either half of it. Otherwise only equal keys have equal hashes.
func hashTest[K comparable](t *testing.T, words bool) {
	t.Helper()
	m, other := NewMap[K, int](NewFixed(0)), NewMap[K, int](NewFixed(0))
	var zero K
	if (m.secret[0] != 0) != words {
		t.Fatalf("%T: hashed as words %t, want %t", zero, !words, words)
	}
	if !words {
		return
	}
	if m.hash(zero) == other.hash(zero) {
		t.Errorf("%T: two maps have the same hash", zero)
	}
	key := [1]K{}
	b := bytesOf(key[:])
	for i := range len(b) * 8 {
		low, high := 0, 0
		for range 64 {
			h := m.hash(key[0])
			b[i/8] ^= 1 << (i % 8)
			low += bits.OnesCount32(uint32(h ^ m.hash(key[0])))
			high += bits.OnesCount32(uint32((h ^ m.hash(key[0])) >> 32))
			for k := range b {
				b[k] += byte(2*k + 1)
			}
		}
		if min(low, high) < 64*12 || max(low, high) > 64*20 {
			t.Errorf("%T: bit %d changes %d and %d of 2048 bits", zero, i, low, high)
		}
	}
}

func TestMapHash(t *testing.T) {
	hashTest[int32](t, true)
	hashTest[uint64](t, true)
	hashTest[[3]int32](t, true)
	hashTest[[4]int32](t, true)
	hashTest[[2]int64](t, true)
	hashTest[berth.Handle[string]](t, true)
	hashTest[struct {
		A int64
		B [4]int16
		C int32
		D [4]bool
	}](t, false) // too large
	hashTest[struct {
		A int32
		B [4]int16
	}](t, true)
	hashTest[[5]uint32](t, false)
	hashTest[[4]uint16](t, false)
	hashTest[uint8](t, false)
	hashTest[struct{}](t, false)
	hashTest[float64](t, false)
	hashTest[struct{ A, _ uint32 }](t, false)
	hashTest[struct {
		A int32
		B int16
	}](t, false)
}

// Keys with patterns are spread over the index like random ones: few are far from their home slot.
func TestMapHashSpread(t *testing.T) {
	for _, step := range []uint64{1, 64, 1 << 16, 1 << 32, 1 << 47, 0x9E3779B97F4A7C15} {
		m := NewMap[uint64, int](NewChunked(1 << 20))
		for i := range 10_000 {
			m.Set(uint64(i)*step, i)
		}
		mask, far := uint(len(m.index)-1), 0
		for i, s := range m.index {
			if s != 0 {
				home := uint(m.hash(m.entries[s&m.low-1].key)) & mask
				far += int((uint(i) - home) & mask)
			}
		}
		if far > 5000 { // 2200 for random numbers
			t.Errorf("multiples of %#x: %d slots away from home in all", step, far)
		}
	}
}

package arena

import (
	"encoding/hex"
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
)

// TestGolden pins the format byte by byte, for 64-bit and 32-bit ints. A change of the format needs
// a new version, and these bytes must remain readable.
func TestGolden(t *testing.T) {
	point := goldenPoint{X: -2, On: true, Y: 1.5, Z: [2]complex64{complex(1, 2), complex(-1, 0.5)}}
	for _, c := range []struct {
		name  string
		c, to coder
		want  string
	}{
		{"Vec of bytes", func() coder {
			v := NewVec[uint8](NewFixed(1 << 10))
			v.Append(1, 2, 255)
			return v
		}(), NewVec[uint8](NewFixed(1 << 10)), `
			8e41524e 01 01 0000 01000000 00000000 f34767b5077bc408
			0300000000000000
			0102ff
			5d2995df`},
		{"Vec of points", func() coder {
			v := NewVec[goldenPoint](NewFixed(1 << 10))
			v.Append(point, goldenPoint{X: 0x0102})
			return v
		}(), NewVec[goldenPoint](NewFixed(1 << 10)), `
			8e41524e 01 01 0000 17000000 00000000 56679070dbcd4e8e
			0200000000000000
			feff 01 0000c03f 0000803f 00000040 000080bf 0000003f
			0201 00 00000000 00000000 00000000 00000000 00000000
			757c1e3e`},
		{"Deque", func() coder {
			d := NewDeque[uint16](NewFixed(1<<10), DequeConfig{Block: 4})
			for i := range uint16(6) {
				d.PushFront(i)
				d.PushBack(0x100 + i)
			}
			d.PopBack()
			return d
		}(), NewDeque[uint16](NewFixed(1<<10), DequeConfig{Block: 8}), `
			8e41524e 01 02 0000 02000000 00000000 a64967b5077cc408
			0200000000000000 0b00000000000000
			0500 0400 0300 0200 0100 0000 0001 0101 0201 0301 0401
			e8544d4c`},
		{"Pool", func() coder {
			p := NewPool[uint32](NewFixed(1 << 10))
			for i := range uint32(66) {
				p.Insert(i)
			}
			for i := range 64 {
				p.Remove(i + 1)
			}
			return p
		}(), NewPool[uint32](NewFixed(1 << 10)), `
			8e41524e 01 03 0000 04000000 00000000 0c4d67b5077ec408
			0200000000000000 0100000000000000 0200000000000000
			00000000 41000000
			ab20d5e4`},
		{"Handles of Handle32", goldenHandles[Handle32[goldenPoint]](point),
			NewHandles[goldenPoint, Handle32[goldenPoint]](NewFixed(1<<12), HandlesConfig{}), `
			8e41524e 01 04 0000 17000000 00000000 56679070dbcd4e8e
			04350000 04000000 01000000 01000000
			03000b6a 0200086a 00000b6a 00000000
			feff 01 0000c03f 0000803f 00000040 000080bf 0000003f
			3cf233d3`},
		{"Handles of Handle64", goldenHandles[Handle64[goldenPoint]](point),
			NewHandles[goldenPoint, Handle64[goldenPoint]](NewFixed(1<<12), HandlesConfig{}), `
			8e41524e 01 05 0000 17000000 00000000 56679070dbcd4e8e
			33f30435 04000000 01000000 01000000
			0300000069e6096a 0200000066e6096a 0000000069e6096a 0000000000000000
			feff 01 0000c03f 0000803f 00000040 000080bf 0000003f
			63315681`},
		{"Map", func() coder {
			m := NewMap[goldenKey, int8](NewFixed(1 << 10))
			for i := range uint8(4) {
				m.Set(goldenKey{A: i, B: 1 << (8 * i)}, -int8(i))
			}
			m.Delete(goldenKey{A: 1, B: 1 << 8})
			return m
		}(), NewMap[goldenKey, int8](NewFixed(1 << 10)), `
			8e41524e 01 06 0000 05000000 01000000 c8467ce317cee4f4
			0300000000000000
			00 01000000 00
			02 00000100 fe
			03 00000001 fd
			c4126bc1`},
	} {
		want := strings.Join(strings.Fields(c.want), "")
		got := hex.EncodeToString(marshal(t, c.c))
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, want)
			continue
		}
		data, err := hex.DecodeString(want)
		if err == nil {
			err = c.to.UnmarshalBinary(data)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// goldenHandles has one live slot, two vacant ones, and a retired one.
func goldenHandles[H HandleOf[goldenPoint]](v goldenPoint) coder {
	r := NewHandles[goldenPoint, H](NewFixed(1<<14), HandlesConfig{Seed: 1})
	var all []H
	for range 4 {
		h, _ := r.Create(v)
		all = append(all, h)
	}
	r.Destroy(all[2])
	r.Destroy(all[0])
	b := r.dir[0] // the last slot is in its last generation
	b.meta[3] = makeHandle[H](4, false, (r.base-1)&maxGeneration[H]())
	r.Destroy(b.meta[3])
	return r
}

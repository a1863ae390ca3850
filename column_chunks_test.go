package berth

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/slots"
)

// columnOfBlocks returns a Pool of full blocks, an empty Column, and the handles by block.
func columnOfBlocks(c Config, blocks int) (*Pool[int], *Column[int, int], [][]Handle[int]) {
	c.Seed = 1
	p := NewPool[int](c)
	hs := make([][]Handle[int], blocks)
	for k := range hs {
		for i := range slots.BlockSlots {
			hs[k] = append(hs[k], p.Insert(k*slots.BlockSlots+i))
		}
	}
	return p, NewColumn[int](p), hs
}

func TestChunkOf(t *testing.T) {
	first := 0
	for chunk, n := range []int{1, 1, 2, 4, 4, 4} {
		if blocksOfChunk(chunk) != n {
			t.Errorf("chunk %d has %d blocks, want %d", chunk, blocksOfChunk(chunk), n)
		}
		for i := range n {
			if c, at := chunkOf(first + i); c != chunk || at != i {
				t.Errorf("block %d is number %d of chunk %d, want %d of %d", first+i, at, c, i, chunk)
			}
			if got := chunksOf(first + i + 1); got != chunk+1 {
				t.Errorf("%d blocks are %d chunks, want %d", first+i+1, got, chunk+1)
			}
		}
		first += n
	}
	if chunksOf(0) != 0 {
		t.Errorf("no blocks are %d chunks", chunksOf(0))
	}
}

// The Vs of a chunk lie in the order of the slots, whatever the order in which they were set, and
// after a Clear those of other chunks lie where they were.
func TestColumnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p, c, hs := columnOfBlocks(Config{}, 23)
	size := unsafe.Sizeof(slots.Block[int]{})
	var first []*slots.Block[int]
	for round := range 3 {
		blocks := r.Perm(len(hs))
		if round == 2 {
			slices.Sort(blocks)
		}
		for _, k := range blocks {
			c.Set(hs[k][k], k)
		}
		for k := range hs {
			if chunk, i := chunkOf(k); i > 0 && uintptr(unsafe.Pointer(c.dir[k]))-
				uintptr(unsafe.Pointer(c.dir[k-1])) != size {
				t.Errorf("round %d: block %d is not beside the one before in chunk %d", round, k, chunk)
			}
		}
		c.checkInvariants()
		if round == 1 {
			first = slices.Clone(c.dir)
		}
		if round == 2 && !slices.Equal(first, c.dir) {
			t.Error("after Clear, the chunks are in another order")
		}
		c.Clear()
	}
	p.checkInvariants()
}

// A chunk is in memory exactly while one of its blocks has a V. It is then the spare of others.
func TestColumnChunks(t *testing.T) {
	orders := [][4]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}}
	for _, mode := range []Truncate{TruncateMemory, TruncateLength, TruncateNever} {
		_, c, hs := columnOfBlocks(Config{Truncate: mode}, 20)
		for _, in := range orders {
			for _, out := range orders {
				for _, k := range in {
					c.Set(hs[4+k][k], k)
					if c.checkInvariants(); c.memory != 4 || c.chunks[3] == nil {
						t.Fatalf("%v: %d blocks with one chunk", mode, c.memory)
					}
				}
				home := c.chunks[3]
				for i, k := range out {
					if v, _ := c.Get(hs[4+k][k]); v != k || !c.Delete(hs[4+k][k]) {
						t.Fatalf("block %d has %d", k, v)
					}
					c.checkInvariants()
					if in := c.chunks[3] != nil; in != (i < 3) || len(c.spares) != i/3 {
						t.Fatalf("%v: after %d, in memory %v, %d spares", mode, i, in, len(c.spares))
					}
				}
				for _, k := range []int{17, 8} { // other chunks take the memory
					c.Set(hs[k][9], k)
					if chunk, _ := chunkOf(k); &c.chunks[chunk][0] != &home[0] || c.memory != 4 {
						t.Fatalf("%v: block %d does not use the spare", mode, k)
					}
					c.Delete(hs[k][9])
				}
			}
		}
	}
}

// Clip keeps the chunks that have a V, and releases all others, the small ones too. So does Clear
// under TruncateMemory before it empties the others, and the cut of a Pool.
func TestColumnChunksClip(t *testing.T) {
	p, c, hs := columnOfBlocks(Config{Truncate: TruncateLength}, 24)
	for k := range hs {
		c.Set(hs[k][5], k)
	}
	if c.memory != 24 {
		t.Errorf("%d blocks in memory", c.memory)
	}
	for k := range hs {
		if k != 2 && k != 9 && k != 20 {
			c.Delete(hs[k][5])
		}
	}
	if s := c.Stats(); s.Chunks != 24 || s.Live != 3 || s.Vacant != 24*64-3 {
		t.Errorf("before Clip: %+v", s)
	}
	x := c.Ptr(hs[9][5])
	if p.Clip(); c.memory != 2+4+4 || len(c.spares) != 0 || c.Ptr(hs[9][5]) != x {
		t.Errorf("after Clip: %d blocks, %d spares", c.memory, len(c.spares))
	}
	c.checkInvariants()
	c.Delete(hs[2][5])
	c.Delete(hs[20][5])
	if p.Clip(); c.memory != 4 || len(c.dir) != 10 || len(c.chunks) != 5 {
		t.Errorf("%d blocks, %d and %d in the directories", c.memory, len(c.dir), len(c.chunks))
	}
	c.checkInvariants()
	for k := range hs {
		c.Set(hs[k][7], k)
	}
	for k := range hs {
		if v, ok := c.Get(hs[k][7]); v != k || !ok {
			t.Errorf("block %d: %d, %v", k, v, ok)
		}
	}
	c.Clear()
	if p.Clip(); c.memory != 0 || c.Stats().Bytes != int(unsafe.Sizeof(*c)) {
		t.Errorf("empty: %+v", c.Stats())
	}

	q, d, hs := columnOfBlocks(Config{}, 64)
	d.Set(hs[0][0], 1)
	d.Delete(hs[0][0])
	d.Set(hs[3][0], 1)
	for h := range q.All() { // the directory is cut within the small chunks
		if h != hs[0][1] {
			q.Delete(h)
		}
	}
	if d.checkInvariants(); d.memory > 4 || len(d.dir) > 3 && d.chunks[2] == nil {
		t.Errorf("after a cut to %d blocks: %d in memory", len(d.dir), d.memory)
	}
	d.Set(hs[0][1], 1)
	d.Clear()
	if d.Set(hs[0][1], 1); d.memory != 1 && len(d.dir) == 1 {
		t.Errorf("%d blocks in memory", d.memory)
	}
	d.checkInvariants()
}

// A Column over a Pool of up to 64 slots has one block, and one of up to 256 has four.
func TestColumnSmall(t *testing.T) {
	for _, x := range []struct{ n, blocks int }{
		{0, 0}, {1, 1}, {63, 1}, {64, 1}, {65, 2}, {128, 2}, {129, 4}, {256, 4}, {257, 8}, {512, 8}, {513, 12},
	} {
		var p Pool[int]
		c, d := NewColumn[string](&p), NewColumn[int](&p)
		for i := range x.n {
			c.Set(p.Insert(i), "v")
		}
		SetAll(d, 7)
		if c.Stats().Chunks != x.blocks || d.Stats().Chunks != x.blocks || d.Len() != x.n {
			t.Errorf("%d values: %d blocks and %d, want %d", x.n, c.memory, d.memory, x.blocks)
		}
		n := 0
		for v, cd := range Join3(d, c) {
			if *v != n || *cd.A != 7 || *cd.B != "v" {
				t.Errorf("%d of %d: %d, %d, %q", n, x.n, *v, *cd.A, *cd.B)
			}
			n++
		}
		if n != x.n {
			t.Errorf("Join3 visits %d of %d", n, x.n)
		}
		c.checkInvariants()
		d.checkInvariants()
	}
}

// Rewind brings Vs back to chunks that have gone since, and takes those away that are new.
func TestColumnChunksRewind(t *testing.T) {
	for _, compare := range []bool{false, true} {
		p, c, hs := columnOfBlocks(Config{}, 40)
		set := func(from, to, v int) {
			for _, block := range hs[from:to] {
				c.Set(block[1], v)
				c.Set(block[60], v+1)
			}
		}
		set(0, 12, 1)
		s := NewHistory(p, HistoryConfig{Frames: 4, Compare: compare})
		for k := range 12 {
			if k != 5 {
				c.Delete(hs[k][1])
				c.Delete(hs[k][60])
			}
		}
		set(16, 40, 3)
		f := s.Mark()
		c.Clear()
		SetAll(c, 9)
		s.Mark()
		p.Clear()
		p.Clip()
		if err := s.Rewind(f); err != nil {
			t.Fatal(err)
		}
		if c.checkInvariants(); c.Len() != 2+2*24 || *c.Ptr(hs[39][60]) != 4 || *c.Ptr(hs[5][1]) != 1 ||
			c.memory < 4+24 {
			t.Errorf("compare %v: %d Vs in %d blocks", compare, c.Len(), c.memory)
		}
		if err := s.Rewind(1); err != nil {
			t.Fatal(err)
		}
		if c.checkInvariants(); c.Len() != 24 || c.blocks != 12 || c.Contains(hs[16][1]) {
			t.Errorf("compare %v: %d Vs in %d blocks", compare, c.Len(), c.blocks)
		}
		for k := range 12 {
			if *c.Ptr(hs[k][1]) != 1 || *c.Ptr(hs[k][60]) != 2 {
				t.Errorf("compare %v: block %d has other Vs", compare, k)
			}
		}
	}
}

// Copies and loads have the Vs of the original, in chunks of their own.
func TestColumnChunksCopies(t *testing.T) {
	p, c, hs := columnOfBlocks(Config{}, 30)
	want := map[Handle[int]]int{}
	for _, k := range []int{0, 3, 4, 7, 13, 22, 23, 29} {
		for i := range slots.BlockSlots {
			if (i*i+k)%3 == 0 || k == 22 {
				c.Set(hs[k][i], k*100+i)
				want[hs[k][i]] = k*100 + i
			}
		}
	}
	bin, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	q := p.Clone()
	d, e := c.CloneTo(q), NewColumn[int](q)
	if err := e.UnmarshalBinary(bin); err != nil {
		t.Fatal(err)
	}
	f := NewColumn[int](q)
	SetAll(f, -1)
	f.CopyFrom(d)
	for _, x := range []*Column[int, int]{c, d, e, f} {
		n := 0
		for h, v := range x.All() {
			if n++; want[h] != *v {
				t.Errorf("%v: %d, want %d", h, *v, want[h])
			}
		}
		if x.checkInvariants(); n != len(want) || x.memory-len(x.spares)*4 > 20 {
			t.Errorf("%d of %d Vs, in %d blocks", n, len(want), x.memory)
		}
	}
}

// SetAll gives a V to each value without one, and changes no other.
func TestSetAll(t *testing.T) {
	type pool = Pool[int]
	p := NewPool[int](Config{Seed: 1, Truncate: TruncateNever})
	c := NewColumn[string](p)
	var hs []Handle[int]
	for i := range 1000 {
		hs = append(hs, p.Insert(i))
	}
	for i, h := range hs {
		switch {
		case i%7 == 0, i >= 512 && i < 576:
			p.Delete(h) // a block without values stays in memory
		case i%5 == 0 && i < 320:
			c.Set(h, "kept")
		}
	}
	s := NewHistory(p, HistoryConfig{Frames: 2})
	before := c.Len()
	var built Handle[int]
	f := s.Now()
	SetAll(c, "all")
	for i, h := range hs {
		v, ok := c.Get(h)
		want := "all"
		if i%5 == 0 && i < 320 {
			want = "kept"
		}
		if ok != p.Contains(h) || ok && v != want {
			t.Errorf("value %d: %q, %v", i, v, ok)
		}
	}
	c.checkInvariants()
	if err := s.Rewind(f); err != nil || c.Len() != before {
		t.Errorf("after Rewind: %d Vs, want %d; %v", c.Len(), before, err)
	}
	c.checkInvariants()
	s.Close()
	built = p.InsertFunc(func(h Handle[int], _ *int) {
		if SetAll(c, "all"); c.Contains(h) || c.Len() != p.Len() {
			t.Errorf("%d of %d values have a V", c.Len(), p.Len())
		}
	})
	if c.Contains(built) {
		t.Error("a value under construction has got a V")
	}
	SetAll(NewColumn[int](new(pool)), 1)
}

// In Join3, all that a value has may go, and other blocks take the memory of its block.
func TestJoin3Inside(t *testing.T) {
	for name, end := range map[string]func(p *Pool[int], a, b *Column[int, int], hs []Handle[int]){
		"Close a": func(_ *Pool[int], a, _ *Column[int, int], _ []Handle[int]) { a.Close() },
		"Close b": func(_ *Pool[int], _, b *Column[int, int], _ []Handle[int]) { b.Close() },
		"Clear b": func(_ *Pool[int], _, b *Column[int, int], _ []Handle[int]) { b.Clear() },
		"Clear":   func(p *Pool[int], _, _ *Column[int, int], _ []Handle[int]) { p.Clear(); p.Clip() },
		"other block": func(_ *Pool[int], a, b *Column[int, int], hs []Handle[int]) {
			for k := 256; k < 512; k++ {
				b.Delete(hs[k])
			}
			for k := 768; k < 1024; k++ {
				b.Set(hs[k], k)
			}
			if a.Len() != 1024 {
				t.Error(a.Len())
			}
		},
	} {
		p := NewPool[int](Config{Seed: 1})
		a, b := NewColumn[int](p), NewColumn[int](p)
		p.Grow(1024)
		var hs []Handle[int]
		for i := range 1024 {
			hs = append(hs, p.Insert(i))
			a.Set(hs[i], i)
			if i >= 256 && i < 512 {
				b.Set(hs[i], i)
			}
		}
		n := 0
		for v, x := range Join3(a, b) {
			if *v != *x.A || *v != *x.B {
				t.Errorf("%s: %d with %d and %d", name, *v, *x.A, *x.B)
			}
			if n++; n == 10 {
				end(p, a, b, hs)
			}
		}
		want := 10
		if name == "other block" {
			want += 256
		}
		if n != want {
			t.Errorf("%s: %d iterations, want %d", name, n, want)
		}
	}
}

// Join3 yields what is set, inserted and removed inside as the rules of loops say, and panics leave
// it whole.
func TestJoin3Changes(t *testing.T) {
	p := NewPool[int](Config{Seed: 1})
	a, b := NewColumn[int](p), NewColumn[int](p)
	var hs []Handle[int]
	for i := range 300 {
		hs = append(hs, p.Insert(i))
		a.Set(hs[i], i)
		if i%2 == 0 {
			b.Set(hs[i], i)
		}
	}
	p.Delete(hs[4])
	var seen []int
	for v, x := range Join3(a, b) {
		if *v != *x.A || *v != *x.B {
			t.Errorf("%d with %d and %d", *v, *x.A, *x.B)
		}
		switch seen = append(seen, *v); *v {
		case 0:
			a.Delete(hs[2])
			b.Delete(hs[6])
			p.Delete(hs[8])
			b.Set(hs[9], 9)
			h := p.Insert(10_000) // in the block that the loop is in
			a.Set(h, 10_000)
			b.Set(h, 10_000)
		case 100:
			b.Set(hs[99], 99) // behind
			b.Set(hs[201], 201)
		}
	}
	want := []int{0}
	for i := 10; i < 300; i++ {
		if i%2 == 0 || i == 201 {
			want = append(want, i)
		}
	}
	if !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
	func() {
		defer func() { _ = recover() }()
		for v := range Join3(b, a) {
			if p.Delete(hs[200]); *v == 150 {
				panic("no")
			}
		}
	}()
	a.checkInvariants()
	b.checkInvariants()
}

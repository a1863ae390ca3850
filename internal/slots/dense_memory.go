package slots

import (
	"math"
	"slices"

	"github.com/seed505807e1/berth/internal/limits"
)

// CloseForSlice closes the holes for Slice of a Dense. It panics under DefragManual.
//
//go:noinline
func (d *Dense) CloseForSlice() {
	if d.Defrag == DefragManual {
		panic("berth: Dense.Slice: under DefragManual, Defrag must close the holes first")
	}
	d.Defragment()
}

// Defragment is Defrag of a Dense.
//
//go:noinline
func (d *Dense) Defragment() (moved int) {
	if d.Holes == 0 {
		return 0
	}
	d.checkPlaces()
	n := d.Index.N // places that will be left; beyond them lie as many values as holes before
	last := d.Vals.N - 1
	for i := d.Hole; d.Holes > 0; d.Holes-- {
		next := d.Owner[i].Index
		if int(i) < n {
			for d.Owner[last].Gen&1 == 0 {
				last--
			}
			d.willMove(last, int(i))
			d.move(last, int(i))
			last--
			moved++
		}
		i = next
	}
	if moved > 0 {
		d.Loops = 0 // they cannot continue
	}
	d.cut(n)
	d.Changed()
	return moved
}

// makeRoom ensures that the next insert finds a slot and a place, if they come from a Memory. It
// reports false if it cannot. On Go's heap, both are allocated when needed.
func (d *Dense) makeRoom() bool {
	return d.Index.Supply == nil || d.Index.Core().makeRoom() && d.makePlace()
}

// makePlace is makeRoom for the place.
func (d *Dense) makePlace() bool {
	return d.Index.Supply == nil || d.Holes != 0 || d.Vals.N < d.Vals.Cap || d.grow()
}

// grow makes more places when there are none.
func (d *Dense) grow() bool {
	return d.SetCap(d.Vals.N + d.nextCap())
}

// nextCap returns the number of places that it makes.
func (d *Dense) nextCap() int { return max(d.Vals.N/2, min(d.Vals.N, 16<<10), d.firstCap()) }

// firstCap returns the number of places to begin with: 16, or fewer for large values.
func (d *Dense) firstCap() int { return max(1, min(16, 4096/max(1, int(d.Kind.Size)))) }

// shrink releases memory, except for n places and some more.
func (d *Dense) shrink(n int) {
	above := d.ShrinkAbove
	if above == 0 {
		above = DefaultShrinkAbove
	}
	if unused := d.Vals.Cap - n; unused <= above {
		return
	}
	// With twice the places in use, neither inserts nor removals move the values again soon.
	if keep := max(n+max(n, above/2), d.Reserve); keep < d.Vals.Cap {
		if d.Rare != nil {
			d.Rare.clearing = nil
		}
		d.SetCap(keep)
	}
}

// SetCap moves the values to memory for n places. It reports false, and changes nothing, if Memory
// refuses. supply.refused is then the reason.
func (d *Dense) SetCap(n int) bool {
	if d.Era == nil {
		d.Era = new(Era)
	}
	d.checkPlaces()
	s := d.Index.Supply
	was, owner := d.Vals, d.Owner
	vals, owners, piece, err := d.newPlaces(n)
	if s != nil {
		s.Refused = err
	}
	if err != nil {
		return false
	}
	vals.N = was.N
	if was.N > 0 {
		d.Kind.copy(vals.First, was.First, was.N)
	}
	d.Vals, d.Owner = vals, owners[:copy(owners, owner)]
	d.leaveArray(was, owner)
	d.fitColumns()
	d.moved(was.Cap)
	if s != nil {
		piece, d.Piece = d.Piece, piece
		s.Free(piece)
	}
	return true
}

// moved counts that the values have moved to other memory. They had memory for was places.
func (d *Dense) moved(was int) {
	if d.Vals.Cap > 0 {
		d.Grown++
	}
	if was > 0 {
		d.Released++
	}
}

// fitColumns tells the DenseColumns that the capacity has changed.
func (d *Dense) fitColumns() {
	for _, c := range d.Rare.Sides() {
		c.Fit()
	}
}

// newPlaces returns zeroed memory for n places. From a Memory it is one piece, so that there is one
// refusal, and one table of pages for both slices.
func (d *Dense) newPlaces(n int) (Array, []ID, []byte, error) {
	s, size := d.Index.Supply, int(d.Kind.Size)
	if s == nil || n == 0 {
		return Array{d.Kind.make(n), 0, n}, make([]ID, n), nil, nil
	}
	const align = 8 // the most that any type has
	if n > (limits.MaxBytes-align)/(size+8) {
		return Array{}, nil, nil, errTooLarge
	}
	owner := (n*size + align - 1) &^ (align - 1) // offset of the handles
	b, err := s.alloc(owner+n*8, align)
	if err != nil {
		return Array{}, nil, nil, err
	}
	vals := Array{FirstOf(b), 0, n}
	if size == 0 {
		vals.First = d.Kind.make(n) // takes no memory, and does not end with the piece
	}
	return vals, valuesIn[ID](b[owner:], n), b, nil
}

// freeAll gives back all memory of a Dense that is not in use yet.
func (d *Dense) freeAll() {
	if s := d.Index.Supply; s != nil {
		s.freeAll()
		s.Free(d.Piece)
	}
}

// Clip is that of a Dense.
//
//go:noinline
func (s *DenseState) Clip(block any) {
	d := DenseAt(s, block)
	d.Reserve = 0
	if d.Loops == 0 {
		d.Defragment()
	} else {
		d.endEra()
	}
	if d.Vals.Cap > d.Vals.N {
		d.SetCap(d.Vals.N)
	}
	d.Index.Core().Clip()
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.Clip()
	}
	for _, c := range d.Rare.Sides() {
		c.Clip()
	}
	if r := d.Rare; r != nil {
		r.Outside, r.clearing = nil, nil
	}
	d.Changed()
}

// endEra forgets the loops that are counted. Those that run continue by the handles that it leaves.
// The live values move, in order, to new memory, so that spans stay unchanged. If Memory refuses
// that, endEra changes nothing.
func (d *Dense) endEra() {
	d.checkPlaces()
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.ClosingUp()
	}
	vals, owner, piece := d.Vals, d.Owner, d.Piece
	d.Vals, d.Owner, d.Piece = Array{}, nil, nil
	if !d.SetCap(d.Index.N) {
		d.Vals, d.Owner, d.Piece = vals, owner, piece
		if l := d.Rare.PlaceRecorder(); l != nil {
			l.Stayed()
		}
		return
	}
	for i, h := range owner {
		if h.Gen&1 != 0 {
			n := d.Vals.N
			d.SetPlace(h, n)
			d.Vals.N, d.Owner = n+1, append(d.Owner, h)
			d.Kind.copy(d.val(n), d.Kind.at(vals.First, i), 1)
		}
	}
	for _, c := range d.Rare.Sides() {
		c.CloseUp(func(i int) bool { return owner[i].Gen&1 != 0 })
		c.Fit()
	}
	if vals.Cap > 0 {
		d.Released++ // setCap did not know of it
	}
	d.Era.owner, d.Era.moves = owner, d.Moves
	if s := d.Index.Supply; s != nil {
		d.Era.owner = slices.Clone(owner)
		s.Free(piece)
	}
	d.Era = new(Era)
	d.Holes, d.Loops = 0, 0
	d.Moves++
}

// Grow is that of a Dense.
//
//go:noinline
func (s *DenseState) Grow(block any, n int) {
	d := DenseAt(s, block)
	if n < 0 {
		PanicGot("Dense.Grow", "n must not be negative", n)
	}
	d.makePlaces("Dense.Grow", n)
	d.Changed()
}

func (d *Dense) makePlaces(fn string, n int) {
	got := n
	d.Index.Core().Ready(n)
	if n = min(n, d.Index.Max-d.Index.N); n <= 0 {
		return
	}
	used := d.Index.N + len(d.Index.Rare.Building())
	slot := d.Index.Kind.Block / BlockSlots
	CheckSlots(fn, uint64(used)+uint64(n), d.Kind.Size+8+slot, got)
	want := used + n
	if want > d.Vals.Cap && !d.SetCap(max(want, d.Vals.N)) { // first, since it may fail
		d.Index.Supply.fail(fn)
	}
	d.Index.Core().MakeSlots(fn, n, got)
	d.Reserve = max(d.Reserve, want)
}

// Clear is that of a Dense.
//
//go:noinline
func (s *DenseState) Clear(block any) {
	d := DenseAt(s, block)
	d.CheckLeft()
	if d.Rare.On().OnRemove != nil {
		d.clearHooked()
		return
	}
	d.Index.Core().Clear()
	d.Keeping++
	d.empty()
	d.Keeping--
	d.Changed()
}

// clearHooked removes each value that exists when it begins, and keeps their memory meanwhile.
func (d *Dense) clearHooked() {
	r := d.Rare
	hs := r.clearing[:0]
	r.clearing = nil // OnRemove may call Clear again
	for _, h := range d.Owner {
		if h.Gen&1 != 0 {
			hs = append(hs, h)
		}
	}
	d.Keeping++
	d.Index.Core().Ready(0)
	d.Index.Core().beginClear()
	defer func() {
		d.Index.Core().endClear()
		if d.Keeping--; d.Keeping == 0 {
			r.clearing = hs[:0]
		}
	}()
	for _, h := range hs {
		if d.Index.Place(h) != nil {
			d.Remove(h)
		}
	}
}

// Clone is that of a Dense.
//
//go:noinline
func (s *DenseState) Clone(block any) Ref {
	d, q := DenseAt(s, block), new(Dense)
	q.Kind = d.Kind
	q.Hole, q.Holes = d.Hole, d.Holes
	q.Defrag, q.ShrinkAbove, q.Reserve = d.Defrag, d.ShrinkAbove, d.Reserve
	if d.Index.Hooked {
		q.Rarely().hooks = d.Rare.hooks
	}
	if d.Era != nil {
		q.Era = new(Era)
	}
	d.Index.Core().CloneTo("Dense.Clone", q.Index.Core())
	attempt(func() { d.copyTo(q) }, q.freeAll)
	d.copyLate(q)
	q.Grown, q.Released = d.Grown, d.Released
	q.Changed()
	return Ref(q)
}

// copyTo copies the values to the clone q, which has no memory for them yet.
func (d *Dense) copyTo(q *Dense) {
	n := d.Vals.N
	if q.Reserve > 0 {
		n = d.Vals.Cap
	}
	vals, owner, piece, err := q.newPlaces(n)
	if err != nil {
		q.Index.Supply.Refused = err
		q.Index.Supply.fail("Dense.Clone")
	}
	vals.N = d.Vals.N
	if vals.N > 0 {
		d.Kind.copy(vals.First, d.Vals.First, vals.N)
	}
	q.Vals, q.Owner, q.Piece = vals, owner[:copy(owner, d.Owner)], piece
}

// Sort is SortPlaces, for the method fn.
//
//go:noinline
func (s *DenseState) Sort(block any, fn string, cmp func(i, k int) int) {
	d := DenseAt(s, block)
	d.Defragment()
	d.CheckLeft()
	order := make([]uint32, d.Vals.N) // order[i] is the place of the value that moves to place i
	for i := range order {
		order[i] = uint32(i)
	}
	moves := d.Moves
	check := func() {
		if d.Moves != moves || d.Vals.N != len(order) || d.Holes != 0 {
			panic("berth: Dense." + fn + ": cmp must not change the Dense")
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		check()
		if c := cmp(int(a), int(b)); c != 0 {
			return c
		}
		return int(int64(a) - int64(b))
	})
	check()
	d.arrange(order)
	if d.Moves != moves {
		d.Loops = 0 // they cannot continue
	}
	d.Changed()
}

// arrange moves the value at place order[i] to place i, for all i, cycle by cycle.
func (d *Dense) arrange(order []uint32) {
	const done = math.MaxUint32
	if l := d.Rare.PlaceRecorder(); l != nil {
		l.MovingAll(len(order), func(i int) int { return int(order[i]) })
	}
	var held Ref
	for i := range order {
		if order[i] == done || order[i] == uint32(i) {
			continue
		}
		if held == nil {
			held = d.Kind.make(1)
		}
		h := d.Owner[i]
		d.Kind.copy(held, d.val(i), 1)
		for _, c := range d.Rare.Sides() {
			c.Hold(i)
		}
		k := uint32(i)
		for from := order[k]; from != uint32(i); from = order[k] {
			d.move(int(from), int(k))
			order[k], k = done, from
		}
		order[k] = done
		d.Kind.copy(d.val(int(k)), held, 1)
		d.Owner[k] = h
		for _, c := range d.Rare.Sides() {
			c.Put(int(k))
		}
		d.SetPlace(h, int(k))
		d.Moves++
	}
}

// DefaultShrinkAbove is the number of unused places to keep if ShrinkAbove is 0.
const DefaultShrinkAbove = 1024

package sim

import (
	"encoding/binary"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/near"
)

// past is the record of the last frames, which lets the game go back. All histories have the same
// frames, one for each step. Without a record, they are nil and there is one grid.
type past struct {
	states    *berth.History[State]
	enemies   *berth.History[Enemy]
	bullets   *berth.History[Bullet]
	missiles  *berth.History[Missile]
	gems      *berth.History[Gem]
	particles *berth.History[Particle]

	// A step uses the grid of the step before, until it builds its own. So there is a grid for each
	// frame: grids[f%len(grids)] was built in frame f. It needs no History. Its handles find the
	// enemies that are live again after Rewind.
	grids []*near.Grid[Enemy]
	now   berth.Frame

	saved []byte // memory of Hash
}

// Record makes the game keep its last frames, for [World.Rewind]. It may be called once.
func (w *World) Record(frames int) {
	c := berth.HistoryConfig{Frames: frames + 1} // one for the frame to come
	p := &w.past
	p.states = berth.NewHistory(w.states, c)
	p.enemies = berth.NewHistory(w.Enemies, c)
	p.bullets = berth.NewHistory(w.Bullets, c)
	p.missiles = berth.NewHistory(w.Missiles, c)
	p.gems = berth.NewHistory(w.Gems, c)
	p.particles = berth.NewHistory(w.Particles, c)
	p.now = p.states.Oldest()
	last := w.grid
	p.grids = nil
	for range frames + 2 {
		p.grids = append(p.grids, newGrid())
	}
	p.grids[int(p.now-1)%len(p.grids)] = last
}

// mark ends a frame, if the game is recorded.
func (w *World) mark() {
	p := &w.past
	if p.states == nil {
		return
	}
	p.now = p.states.Mark()
	p.enemies.Mark()
	p.bullets.Mark()
	p.missiles.Mark()
	p.gems.Mark()
	p.particles.Mark()
}

// Rewind takes the last steps back. The game is then what it was before them, and the same inputs
// play them again, exactly. Rewind returns an error that wraps [berth.ErrForgotten], and changes
// nothing, if the game has not kept that many frames. The game must be recorded.
func (w *World) Rewind(steps int) error {
	p := &w.past
	f := p.now - berth.Frame(steps)
	if err := p.states.Rewind(f); err != nil {
		return err
	}
	// These have the same frames, so none fails.
	_ = p.enemies.Rewind(f)
	_ = p.bullets.Rewind(f)
	_ = p.missiles.Rewind(f)
	_ = p.gems.Rewind(f)
	_ = p.particles.Rewind(f)
	p.now = f
	w.grid = p.grids[int(f-1)%len(p.grids)]
	return nil
}

// regrid builds the grid of the frame.
func (w *World) regrid() {
	w.grid = w.past.grids[int(w.past.now)%len(w.past.grids)]
	w.grid.Rebuild(w.Enemies)
}

// edit returns a pointer to a value that the caller may change. s is the History of p, if any.
func edit[T any](p *berth.Pool[T], s *berth.History[T], h berth.Handle[T]) *T {
	if s == nil {
		return p.Ptr(h)
	}
	return s.Edit(h)
}

// changing is called before a loop that changes all values of a pool. It records them, if the game
// is recorded. The loop may then use any pointer to a value.
func changing[T any](s *berth.History[T]) {
	if s == nil {
		return
	}
	for range s.EditSpans() { // which records each span
	}
}

// Hash returns a hash of the whole state: all values with their handles, in their order, and the
// generations of vacant slots, on which the handles of the next inserts depend. Games whose hashes
// are equal go on alike. Unlike [World.Checksum], it differs after a restart.
func (w *World) Hash() uint64 {
	p := &w.past
	b := saved(w.states, p.saved[:0])
	b = saved(w.Enemies, b)
	b = saved(w.Bullets, b)
	b = saved(w.Missiles, b)
	b = saved(w.Gems, b)
	b = saved(w.Particles, b)
	p.saved = b
	return hash(b)
}

// saved appends the contents of a pool to b.
func saved[T any](p *berth.Pool[T], b []byte) []byte {
	b, err := berth.AppendBinary(p, b)
	if err != nil {
		panic(err) // only for values with pointers
	}
	return b
}

// hash is FNV-1a over words of eight bytes, in four lanes, which processors compute at once.
func hash(b []byte) uint64 {
	const prime = 1099511628211
	var lane [4]uint64
	for i := range lane {
		lane[i] = 14695981039346656037 + uint64(i)
	}
	n := uint64(len(b))
	for ; len(b) >= 32; b = b[32:] {
		lane[0] = (lane[0] ^ binary.LittleEndian.Uint64(b)) * prime
		lane[1] = (lane[1] ^ binary.LittleEndian.Uint64(b[8:])) * prime
		lane[2] = (lane[2] ^ binary.LittleEndian.Uint64(b[16:])) * prime
		lane[3] = (lane[3] ^ binary.LittleEndian.Uint64(b[24:])) * prime
	}
	for _, c := range b {
		n = (n ^ uint64(c)) * prime
	}
	for _, x := range lane {
		n = (n ^ x ^ x>>32) * prime
	}
	return n
}

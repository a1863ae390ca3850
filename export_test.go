package berth

// CheckInvariants panics with the number of the invariant that p breaks, if any.
func (p *Pool[T]) CheckInvariants() { p.checkInvariants() }

// Vacant returns what a vacant slot holds: the zero T, or poison.
func Vacant[T any]() (v T) {
	vacate(&v)
	return v
}

// AgeForTest makes p, in which nothing was ever inserted, a Pool of which so many slots, or as many as
// its Limit asks for, can be used only lives times. The slots behind them are young.
func (p *Pool[T]) AgeForTest(slots, lives int) {
	if p.n != 0 {
		panic("berth: AgeForTest: the pool is not empty")
	}
	p.makeSlots("AgeForTest", slots, slots)
	p.reserve = 0
	for _, b := range p.dir {
		for i := range b.gens {
			b.gens[i] = p.base - 2*uint32(lives)
		}
	}
	p.checkInvariants()
}

// CheckInvariants panics with the number of the invariant that d breaks, if any.
func (d *Dense[T]) CheckInvariants() { d.checkInvariants() }

// AgeForTest is [Pool.AgeForTest] for the slots of d.
func (d *Dense[T]) AgeForTest(slots, lives int) { d.index.AgeForTest(slots, lives) }

package freelist

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (s *Stack[V]) CheckInvariants() { s.checkInvariants() }

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (p *Packed) CheckInvariants() { p.checkInvariants() }

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (c *Checked[I]) CheckInvariants() { c.checkInvariants() }

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (c *CheckedPointers[T]) CheckInvariants() { c.checkInvariants() }

// CheckInvariants panics with the number of the invariant that is broken, if any.
func (l *Lowest) CheckInvariants() { l.checkInvariants() }

// Bytes returns the memory of the entries of p, without p itself.
func (p *Packed) Bytes() int { return 4 * cap(p.words) }

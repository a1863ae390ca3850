package stable

// CheckInvariants panics with the number of the invariant that l breaks, if any.
func (l *ListOf[T, I, D]) CheckInvariants() { l.checkInvariants() }

// AgeForTest leaves l, in which nothing was ever inserted, only so many identifiers to give. It is
// for identifiers that count.
func (l *ListOf[T, I, D]) AgeForTest(left int, last D) {
	l.begin()
	l.last = last
	for range left {
		last = last.Next()
	}
	l.start = last.Next()
}

package stable

// The placements that only the lab has a use for.
const (
	FirstFreeHeapWalk = firstFreeHeapWalk
	QuarteredStepwise = quarteredStepwise
)

// CheckInvariants panics with the number of the invariant that l breaks, if any.
func (l *ListOf[T, I, D]) CheckInvariants() { listCheckInvariants(look(l)) }

// AgeForTest sets the first and the last identifier that l has given.
func (l *ListOf[T, I, D]) AgeForTest(first, last D) {
	listBegin(coreOf(l))
	l.firstID, l.last = first, last
}

// CapsForTest returns the number of slots for which there is memory: of identifiers, of values and
// of links.
func (l *ListOf[T, I, D]) CapsForTest() (ids, vals, links int) {
	return cap(l.ids), cap(l.vals), cap(l.q.next) + cap(l.heap.ends)
}

// KeyForTest returns the Key of slot i with the identifier id.
func KeyForTest[T any, I Index, D Identifier[D]](i I, id D) Key[T, I, D] {
	return Key[T, I, D]{index: i, id: id}
}

// KeyAt returns the key of the value in slot i.
func KeyAt[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], i I) Key[T, I, D] {
	k, _ := l.At(i)
	return k
}

//go:build !berth_poison

package stable

// past does nothing unless the build tag berth_poison is set. See past_on.go.
type past[T any, I Index, D Identifier[D]] struct{}

// vacate empties slot i.
func (past[T, I, D]) vacate(_ int, _ D, v *T) {
	var none T
	*v = none
}

// vacateAll empties all slots.
func (past[T, I, D]) vacateAll(_ []D, vals []T) { clear(vals) }

func (past[T, I, D]) change()                { _ = 0 }
func (past[T, I, D]) check([]D, []T)         { _ = 0 }
func (past[T, I, D]) moved([]D, []T)         { _ = 0 }
func (past[T, I, D]) begin([]D, []T)         { _ = 0 }
func (past[T, I, D]) written(int, *T) string { return "" }

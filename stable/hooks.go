package stable

import "github.com/seed505807e1/berth/internal/poison"

// Hooks are functions that a list calls when values are inserted and removed. See
// [ListOf.SetHooks]. Each may be nil.
type Hooks[T any, I Index, D Identifier[D]] struct {
	// OnInsert is called when a value is in place, before the insert returns. It may use the list
	// in any way, and may even remove the value. If it panics, the value is removed without
	// OnRemove, since the insert has not returned its key.
	OnInsert func(k Key[T, I, D], v *T)
	// OnRemove is called for each value removed by Remove, Delete, RemoveFunc, Drain or Clear. The
	// key already finds nothing. v points to a copy, which is valid until OnRemove returns.
	// OnRemove may use the list in any way. If it panics, the value is still removed, and
	// RemoveFunc, Drain and Clear stop.
	OnRemove func(k Key[T, I, D], v *T)
}

// ListHooks is the Hooks of a [List].
type ListHooks[T any] = Hooks[T, uint32, Counter32]

// hooks is the state of a list with Hooks.
type hooks[T any, I Index, D Identifier[D]] struct {
	Hooks[T, I, D]
	spare []*T // values outside the list, for OnRemove: zero, or poisoned
	ids   []D  // memory for the identifiers of the values that Clear removes
}

// SetHooks replaces the hooks of the list. Hooks{} removes them. Inside a hook, the change applies
// from the next insert or removal on, also when Clear, RemoveFunc or Drain has called the hook.
//
// Cost: O(1); allocates a few words, which a list without hooks does not have. With OnRemove, a
// removal copies the value twice.
func (l *ListOf[T, I, D]) SetHooks(h Hooks[T, I, D]) {
	l.hooks, l.quick = nil, 0
	if h.OnInsert != nil || h.OnRemove != nil {
		l.hooks = &hooks[T, I, D]{Hooks: h}
	}
}

// listCallInserted calls OnInsert for the value that k refers to, and removes the value if that
// panics.
func listCallInserted[T any, I Index, D Identifier[D]](l *ListOf[T, I, D], k Key[T, I, D]) {
	if l.hooks.OnInsert == nil {
		return
	}
	done := false
	defer func() {
		if !done && l.Contains(k) {
			listRemove(l, int(k.index))
		}
	}()
	l.hooks.OnInsert(k, l.Ptr(k))
	done = true
}

// listRemoveHooked is Remove for a list with hooks.
func listRemoveHooked[T any, I Index, D Identifier[D]](
	l *ListOf[T, I, D], k Key[T, I, D],
) (v T, ok bool) {
	if v, ok = l.Get(k); !ok {
		return v, false
	}
	h := l.hooks
	listRemove(l, int(k.index))
	if h.OnRemove != nil {
		hooksRemoved(h, k, v)
	}
	return v, true
}

// hooksRemoved calls OnRemove for v, whose key was k.
func hooksRemoved[T any, I Index, D Identifier[D]](h *hooks[T, I, D], k Key[T, I, D], v T) {
	var p *T
	if last := len(h.spare) - 1; last >= 0 {
		p, h.spare = h.spare[last], h.spare[:last]
	} else {
		p = new(T)
	}
	defer func() {
		var none T
		if *p = none; poison.On {
			poison.Fill(p)
		}
		h.spare = append(h.spare, p)
	}()
	*p = v
	h.OnRemove(k, p)
}

// listClearHooked calls [ListOf.Remove] for each value that is live at the time of the call.
func listClearHooked[T any, I Index, D Identifier[D]](l *ListOf[T, I, D]) {
	h := l.hooks
	ids := append(h.ids[:0], l.ids...) //nolint:gocritic // h.ids comes back at the end
	h.ids = nil                        // OnRemove may call Clear again
	defer func() { h.ids = ids }()
	for i, id := range ids {
		l.Remove(Key[T, I, D]{index: I(i), id: id})
	}
}

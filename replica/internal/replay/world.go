package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed505807e1/berth"
)

// World applies the messages of a log to a Pool, in their order.
//
// Invariants (tests):
//  1. the Pool holds the frames up to number Frame whole, and nothing of a later one, unless Take
//     has failed half way; the world must then be loaded again
//  2. with the same snapshot and the same messages, every world of all cells has the same values
//     under the same handles, and skips the same messages
//  3. parts holds at most MaxBytes of messages, and order no more operations than parts
type World[T any] struct {
	Values Values[T]
	Pool   *berth.Pool[T]
	Cells  map[Cell]bool // those that the world has; empty: all
	All    string        // the subject of commits
	Lead   string        // the subject of takeovers

	Seq   uint64          // of the last message that Take got
	At    uint64          // of the last commit or takeover that was applied
	Time  int64           // in that message
	Frame uint64          // number of the last frame
	Bad   map[uint64]bool // sequences of frames that do not fit a snapshot before them

	names   map[string]Cell // Cells by their subjects
	sums    map[Cell]uint32 // of the parts of the next frame
	parts   [][]byte        // operations of the next frame
	next    uint32          // number of its next part
	bytes   int             // in parts
	ops     int             // in parts
	inOrder int             // inserts and removals in parts
	order   []Op            // memory for apply
}

// Restart makes w continue after a snapshot that its Pool has been loaded from.
func (w *World[T]) Restart(s Snapshot) {
	w.At, w.Time, w.Frame = s.Seq, s.Time, s.Frame
	for seq := range w.Bad {
		if seq <= s.Seq {
			delete(w.Bad, seq)
		}
	}
	w.Rewind()
}

// Rewind makes w continue after the last commit or takeover that it has applied.
func (w *World[T]) Rewind() {
	w.Seq = w.At
	w.abandon()
}

// Same reports whether data, which a log has at w.At, is the message that w has applied there. It
// is not if the log has lost its end, and another leader has written a new one. The time tells them
// apart: nobody writes in the past.
func (w *World[T]) Same(data []byte) bool {
	h, _, err := ReadHeader(data)
	return err == nil && h.Kind != MsgPart && h.Time == w.Time
}

// abandon drops the parts of a frame that has no commit.
func (w *World[T]) abandon() {
	clear(w.parts)
	clear(w.sums)
	w.parts, w.next, w.bytes, w.ops, w.inOrder = w.parts[:0], 0, 0, 0, 0
}

// Take handles the next message of the log. It returns the number of operations that it applied, or
// -1 if the message completes no frame. An error that wraps ErrCorrupt means that the message was
// skipped. After any other error the world must be loaded again.
func (w *World[T]) Take(subject string, seq uint64, data []byte) (ops int, err error) {
	full := len(w.Cells) == 0
	if full && seq != w.Seq+1 {
		return -1, fmt.Errorf("%w: the log has no message %d", ErrBehind, w.Seq+1)
	}
	w.Seq = seq
	h, body, n, inOrder, err := w.Values.read(data)
	switch {
	case err != nil:
		return -1, err
	case w.Bad[seq]:
		w.abandon()
		return -1, fmt.Errorf("%w: a frame that does not fit a snapshot before it", ErrCorrupt)
	case h.Kind == MsgCommit && subject != w.All, (h.Kind == MsgTakeover) != (subject == w.Lead):
		return -1, fmt.Errorf("%w: a message of kind %#x in subject %q", ErrCorrupt, h.Kind,
			subject)
	case h.Kind == MsgTakeover:
		w.abandon()
		if w.At, w.Time = seq, h.Time; w.Frame == 0 {
			return -1, ErrUnfounded
		}
		return -1, nil
	case h.Frame > w.Frame+1:
		return -1, fmt.Errorf("%w: the log has no commit of frame %d", ErrBehind, w.Frame+1)
	case h.Frame != w.Frame+1:
		return -1, fmt.Errorf("%w: a part of frame %d after frame %d", ErrCorrupt, h.Frame, w.Frame)
	case h.Part < w.next || full && h.Part > w.next:
		return -1, fmt.Errorf("%w: part %d of a frame in place of part %d", ErrCorrupt,
			h.Part, w.next)
	case len(data) > MaxBytes-w.bytes:
		return -1, fmt.Errorf("%w: a frame of more than %d bytes", ErrCorrupt, MaxBytes)
	}
	if h.Kind == MsgCommit && full && uint64(w.inOrder+inOrder) != uint64(h.Ordered) {
		return -1, fmt.Errorf("%w: %d inserts and removals in a frame that has %d", ErrCorrupt,
			w.inOrder+inOrder, h.Ordered)
	}
	if !full && h.Kind == MsgPart && subject != w.All {
		w.add(subject, data)
	}
	if len(body) > 0 {
		w.parts = append(w.parts, body)
	}
	w.next = h.Part + 1
	w.bytes += len(data)
	w.ops += n
	w.inOrder += inOrder
	if h.Kind == MsgPart {
		return -1, nil
	}
	if full {
		err = w.apply()
	} else if err = w.whole(h.Cells); err == nil {
		err = w.applyCells()
	}
	if err != nil {
		return -1, err
	}
	ops = w.ops
	w.At, w.Frame, w.Time = seq, h.Frame, h.Time
	w.abandon()
	return ops, nil
}

// add adds a part of a cell to its sum.
func (w *World[T]) add(subject string, data []byte) {
	if w.names == nil {
		w.names, w.sums = map[string]Cell{}, map[Cell]uint32{}
		for c := range w.Cells {
			w.names[c.Subject(strings.TrimSuffix(w.All, "all"))] = c
		}
	}
	if c, ok := w.names[subject]; ok {
		w.sums[c] = Sum(w.sums[c], data)
	}
}

// whole checks that the world has all parts of its cells, by the sums, of which there are n.
func (w *World[T]) whole(n uint32) error {
	bad := false
	own := 0
	err := w.each(func(o *Op) error {
		if o.Kind == OpSum {
			n--
			if w.Cells[o.To] {
				own++
				bad = bad || w.sums[o.To] != o.Sum
			}
		}
		return nil
	})
	if err == nil && (bad || n != 0 || own != len(w.sums)) {
		err = fmt.Errorf("%w: the log lacks parts of frame %d", ErrBehind, w.Frame+1)
	}
	return err
}

// each calls f for all operations of parts, which Take has checked, until f fails.
func (w *World[T]) each(f func(o *Op) error) error {
	for _, part := range w.parts {
		r := opReader{data: part, size: w.Values.Encoded}
		for len(r.data) > 0 {
			o, err := r.next()
			if err == nil {
				err = f(&o)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// diverged returns an ErrDiverged about the value of a handle.
func diverged(handle uint64, what string) error {
	return &Misfit{Handle: handle, What: what}
}

// handle returns the handle of an operation.
func handle[T any](o *Op) berth.Handle[T] { return berth.HandleFromUint64[T](o.Handle) }

// apply applies the frame in parts. Inserts and removals come first, in the order in which the
// leader made them, so that each insert gets the same handle. It checks all that it can before it
// changes anything: what is left is the handle of an insert.
func (w *World[T]) apply() error {
	w.order = slices.Grow(w.order[:0], w.inOrder)[:w.inOrder]
	clear(w.order)
	defer func() { clear(w.order) }() // they refer to the messages
	err := w.each(func(o *Op) error {
		switch {
		case o.Kind == OpInsert || o.Kind == OpIssue || o.Kind == OpRetire || o.Kind == OpSum:
		case !w.Pool.Contains(handle[T](o)):
			return diverged(o.Handle, "a change of a stale handle")
		}
		if Ordered(o.Kind) {
			if int(o.Order) >= len(w.order) || w.order[o.Order].Kind != 0 {
				return fmt.Errorf("%w: operation %d of %d is there twice", ErrCorrupt,
					o.Order, len(w.order))
			}
			w.order[o.Order] = *o
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range w.order {
		if err := w.replay(&w.order[i]); err != nil {
			return err
		}
	}
	return w.each(func(o *Op) error {
		if o.Kind == OpEdit || o.Kind == OpEnter {
			return w.edit(o)
		}
		return nil
	})
}

// replay repeats an insert or a removal of the leader.
func (w *World[T]) replay(o *Op) error {
	if o.Kind == OpRemove || o.Kind == OpRetire {
		if _, ok := w.Pool.Remove(handle[T](o)); !ok {
			return diverged(o.Handle, "a removal of a stale handle")
		}
		return nil
	}
	var v T
	if o.Kind == OpInsert {
		w.Values.Decode(&v, o.Value)
	}
	if got := w.Pool.Insert(v); got != handle[T](o) {
		return diverged(o.Handle, fmt.Sprintf("an insert got handle %v", got))
	}
	return nil
}

// edit changes a value.
func (w *World[T]) edit(o *Op) error {
	v := w.Pool.Ptr(handle[T](o))
	if v == nil {
		return diverged(o.Handle, "a change of a stale handle")
	}
	w.Values.Decode(v, o.Value)
	return nil
}

// applyCells is apply for a world of some cells, whose values have the leader's handles.
func (w *World[T]) applyCells() error {
	w.order = w.order[:0]
	defer func() { clear(w.order) }()
	err := w.each(func(o *Op) error {
		switch live := w.Pool.Contains(handle[T](o)); {
		case o.Kind == OpIssue || o.Kind == OpRetire || o.Kind == OpEnter || o.Kind == OpSum:
		case o.Kind == OpInsert && live:
			return diverged(o.Handle, "an insert of a live handle")
		case o.Kind != OpInsert && !live:
			return diverged(o.Handle, "a change of a stale handle")
		}
		if o.Kind == OpInsert || o.Kind == OpRemove {
			w.order = append(w.order, *o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(w.order, func(a, b Op) int { return int(a.Order) - int(b.Order) })
	for i := range w.order {
		if o := &w.order[i]; o.Kind == OpInsert {
			err = w.insertAt(o)
		} else if _, ok := w.Pool.Remove(handle[T](o)); !ok {
			err = diverged(o.Handle, "a removal of a stale handle")
		}
		if err != nil {
			return err
		}
	}
	return w.each(w.cross)
}

// cross applies an edit, or the way of a value from one cell to another.
func (w *World[T]) cross(o *Op) error {
	h := handle[T](o)
	switch {
	case o.Kind == OpEdit || o.Kind == OpEnter && w.Pool.Contains(h):
		return w.edit(o)
	case o.Kind == OpEnter:
		return w.insertAt(o)
	case o.Kind == OpLeave && !w.Cells[o.To]:
		w.Pool.Remove(h)
	}
	return nil
}

// insertAt inserts a value under the leader's handle.
func (w *World[T]) insertAt(o *Op) error {
	var v T
	w.Values.Decode(&v, o.Value)
	if err := berth.InsertAt(w.Pool, handle[T](o), v); err != nil {
		return diverged(o.Handle, err.Error())
	}
	return nil
}

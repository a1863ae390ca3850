package replay

import (
	"errors"
	"hash/crc64"
	"testing"
)

// A world of all cells takes each message of the log, in its order. One of some cells gets only
// some of the messages.
func TestTakeInOrder(t *testing.T) {
	v, _ := ValuesOf[body]()
	part := AppendHeader(nil, Header{Kind: MsgPart, Frame: 5})
	for _, seq := range []uint64{8, 9, 11, 12} {
		w := fuzzWorld(v)
		if _, err := w.Take("all", seq, part); !errors.Is(err, ErrBehind) || w.Seq != 9 {
			t.Errorf("message %d after 9: %v, and the world is at %d", seq, err, w.Seq)
		}
		if _, err := w.Take("all", 10, part); err != nil {
			t.Errorf("message 10 after %d was refused: %v", seq, err)
		}
	}
	w := fuzzWorld(v, Cell{})
	if _, err := w.Take("cell", 12, part); err != nil || w.Seq != 12 {
		t.Errorf("message 12 of a cell: %v, and the world is at %d", err, w.Seq)
	}
}

// The bound on the bytes of a frame counts all its parts, and no earlier frame.
func TestTakeCountsBytes(t *testing.T) {
	v, _ := ValuesOf[body]()
	parts := make([][]byte, 4)
	for i := range parts {
		parts[i] = AppendHeader(nil, Header{Kind: MsgPart, Frame: 5, Part: uint32(i)})
	}
	commit := AppendHeader(nil, Header{Kind: MsgCommit, Frame: 5, Part: 4})
	for _, room := range []int{0, 1} {
		w := fuzzWorld(v)
		w.bytes = MaxBytes - len(commit) - 4*len(parts[0]) + 1 - room
		for i, p := range parts {
			if _, err := w.Take("all", uint64(10+i), p); err != nil {
				t.Fatal(err)
			}
		}
		_, err := w.Take("all", 14, commit)
		if errors.Is(err, ErrCorrupt) != (room == 0) || err == nil && w.bytes != 0 {
			t.Errorf("a frame that is %d bytes too large: %v, %d bytes", 1-room, err, w.bytes)
		}
	}
}

// A frame that does not fit a snapshot before it is skipped whole, and the next leader repeats its
// number. A later snapshot forgets it.
func TestTakeSkipsBad(t *testing.T) {
	v, _ := ValuesOf[body]()
	w := fuzzWorld(v)
	live, _, _ := fuzzHandles()
	op := AppendOp(nil, &Op{Kind: OpRemove, Handle: live.Uint64()}, 0)
	part := append(AppendHeader(nil, Header{Kind: MsgPart, Frame: 5}), op...)
	if _, err := w.Take("all", 10, part); err != nil {
		t.Fatal(err)
	}
	w.Bad[11] = true
	commit := AppendHeader(nil, Header{Kind: MsgCommit, Frame: 5, Part: 1, Ordered: 1})
	if _, err := w.Take("all", 11, commit); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a frame that does not fit: %v", err)
	}
	again := AppendHeader(nil, Header{Kind: MsgCommit, Frame: 5})
	if n, err := w.Take("all", 12, again); n != 0 || err != nil || !w.Pool.Contains(live) {
		t.Errorf("the frame after it has %d operations: %v", n, err)
	}
	w.Bad[12], w.Bad[13] = true, true
	w.Restart(Snapshot{Seq: 12, Time: 2, Frame: 7})
	if len(w.Bad) != 1 || !w.Bad[13] || w.Seq != 12 || w.At != 12 || w.Time != 2 || w.Frame != 7 {
		t.Errorf("after Restart: %v, at %d, %d", w.Bad, w.Seq, w.Frame)
	}
}

// A world of some cells makes the inserts and removals of all parts in their order: the new value
// takes the slot of the one that was removed. A leave removes the value unless the world has its
// new cell.
func TestTakeCellsInOrder(t *testing.T) {
	v, _ := ValuesOf[body]()
	w := fuzzWorld(v, Cell{})
	live, _, _ := fuzzHandles()
	p := w.Pool.Clone()
	p.Remove(live)
	next := p.Insert(body{})
	insert := AppendHeader(nil, Header{Kind: MsgPart, Frame: 5})
	insert = AppendOp(insert, &Op{Kind: OpInsert, Handle: next.Uint64()}, 1)
	insert = v.Append(insert, &body{X: 7})
	remove := AppendHeader(nil, Header{Kind: MsgCommit, Frame: 5, Part: 1, Ordered: 2})
	remove = AppendOp(remove, &Op{Kind: OpRemove, Handle: live.Uint64()}, 0)
	if _, err := w.Take("cell", 10, insert); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Take("all", 11, remove); err != nil || w.Pool.Contains(live) {
		t.Errorf("the removal in the second part: %v", err)
	}
	if b, ok := w.Pool.Get(next); !ok || b.X != 7 {
		t.Errorf("the insert in the first part: %v, %v", b, ok)
	}
	for i, to := range []Cell{{}, {0, 1}} {
		h := AppendHeader(nil, Header{Kind: MsgCommit, Frame: uint64(6 + i)})
		leave := AppendOp(h, &Op{Kind: OpLeave, Handle: next.Uint64(), To: to}, 0)
		_, err := w.Take("all", uint64(12+i), leave)
		if err != nil || w.Pool.Contains(next) != (i == 0) {
			t.Errorf("a leave to %v: %v, %v", to, err, w.Pool)
		}
	}
}

// A world of some cells applies a frame only if it has the sums of all parts that it got. A sum
// does not count as an operation.
func TestTakeCellsNeedsSums(t *testing.T) {
	v, _ := ValuesOf[body]()
	live, _, _ := fuzzHandles()
	part := AppendHeader(nil, Header{Kind: MsgPart, Frame: 5})
	part = AppendOp(part, &Op{Kind: OpRemove, Handle: live.Uint64()}, 0)
	head := AppendHeader(nil, Header{Kind: MsgCommit, Frame: 5, Part: 1, Ordered: 1, Cells: 1})
	for _, of := range []Cell{{}, {0, 1}} {
		w := fuzzWorld(v, Cell{})
		if _, err := w.Take("c.0.0", 10, part); err != nil {
			t.Fatal(err)
		}
		n, err := w.Take("all", 11, AppendSum(head, Cell{}, of, Sum(0, part)))
		if own := of == (Cell{}); own && n != 1 || own != !errors.Is(err, ErrBehind) {
			t.Errorf("a part, and the sum of %v: %d operations, %v", of, n, err)
		}
	}
}

// A bool must be 0 or 1 wherever it lies in a value.
func TestBoolsAreChecked(t *testing.T) {
	v, err := ValuesOf[bool]()
	if err != nil {
		t.Fatal(err)
	}
	m := AppendHeader(nil, Header{Kind: MsgPart, Frame: 5})
	m = AppendOp(m, &Op{Kind: OpEdit, Handle: 1 << 32}, 0)
	for x := range byte(3) {
		if got := v.Valid(append(m, x)); got != (x < 2) {
			t.Errorf("an edit of a bool to %d is valid: %v", x, got)
		}
	}
}

// The sum is that of all handles and values, in their order.
func TestHasher(t *testing.T) {
	v, _ := ValuesOf[body]()
	w := fuzzWorld(v)
	var all []byte
	for h, x := range w.Pool.All() {
		b, _ := h.MarshalBinary()
		all = v.Append(append(all, b...), x)
	}
	if got, want := w.hash(), crc64.Checksum(all, ecma); got != want {
		t.Errorf("the sum is %x, want %x", got, want)
	}
}

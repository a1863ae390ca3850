package replay

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

// exchange is two messages for a fuzzWorld of all cells, and what the second is answered with.
type exchange struct {
	name          string
	first, second []byte
	want          string // in the error, or "" if it is applied
}

// Values that the exchanges are about: one of the world, the one that it inserts next, and one of
// another world.
func fuzzHandles() (live, next, foreign berth.Handle[body]) {
	p := fuzzWorld(Values[body]{}).Pool.Clone()
	for live = range p.All() {
		break
	}
	next = p.Insert(body{})
	for range 9 {
		foreign = p.Insert(body{})
	}
	return live, next, foreign
}

// exchanges returns every kind of message and of refusal.
func exchanges(v Values[body]) []exchange {
	live, next, foreign := fuzzHandles()
	value := v.Append(nil, &body{X: 1, Dead: true})
	op := func(kind byte, h berth.Handle[body], skip uint32) []byte {
		b := AppendOp(nil, &Op{Kind: kind, Handle: h.Uint64(), To: Cell{1, 0}}, skip)
		if Valued(kind) {
			b = append(b, value...)
		}
		return b
	}
	frame := func(h Header, ops ...[]byte) []byte {
		b := AppendHeader(nil, h)
		for _, o := range ops {
			b = append(b, o...)
		}
		return b
	}
	commit := func(ordered uint32, ops ...[]byte) []byte {
		return frame(Header{Kind: MsgCommit, Time: 3, Frame: 5, Ordered: ordered}, ops...)
	}
	part := func(n uint32, ops ...[]byte) []byte {
		return frame(Header{Kind: MsgPart, Time: 3, Frame: 5, Part: n}, ops...)
	}
	last := func(n, ordered uint32, ops ...[]byte) []byte {
		return frame(Header{Kind: MsgCommit, Time: 3, Frame: 5, Part: n, Ordered: ordered}, ops...)
	}
	after := func(f uint64, ops ...[]byte) []byte {
		return frame(Header{Kind: MsgCommit, Time: 3, Frame: f}, ops...)
	}
	takeover := frame(Header{Kind: MsgTakeover, Leader: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
	edit := op(OpEdit, live, 0)
	lie := append([]byte(nil), edit...)
	for i := range value { // the byte of Dead
		if v.Invalid(append(append(value[:i:i], 2), value[i+1:]...)) >= 0 {
			lie[OpBytes+i] = 2
		}
	}
	even := berth.HandleFromUint64[body](live.Uint64() + 1<<32)
	return []exchange{
		{"edit", nil, commit(0, edit), ""},
		{"leave", nil, commit(0, op(OpLeave, live, 0)), ""},
		{"enter", nil, commit(0, op(OpEnter, live, 0)), ""},
		{"insert", nil, commit(1, op(OpInsert, next, 0)), ""},
		{"remove", nil, commit(1, op(OpRemove, live, 0)), ""},
		{"issue", nil, commit(2, op(OpIssue, next, 0), op(OpRetire, next, 0)), ""},
		{"parts", part(0, op(OpRetire, next, 1)), last(1, 2, op(OpIssue, next, 0)), ""},
		{"two frames", commit(0, edit), after(6, edit), ""},
		{"abandoned", part(0, op(OpRemove, live, 0)), takeover, ""},

		{"nothing", nil, []byte{}, "a message of 0 bytes"},
		{"short", nil, commit(0)[:HeadBytes-1], "a message of 20 bytes"},
		{"short commit", nil, commit(0)[:HeadBytes+3], "a commit that ends early"},
		{"short name", nil, takeover[:len(takeover)-1], "a leader's name of 25 bytes"},
		{"long name", nil, append(takeover[:len(takeover):len(takeover)], 0),
			"a leader's name of 27 bytes"},
		{"kind", nil, frame(Header{Kind: 1}), "a message of kind 0x1"},
		{"no handle", nil, commit(0, edit[:OpBytes-1]), "ends early"},
		{"no value", nil, commit(0, edit[:len(edit)-1]), "ends early"},
		{"no cell", nil, commit(0, op(OpLeave, live, 0)[:OpBytes+7]), "ends early"},
		{"no number", nil, commit(1, op(OpRemove, live, 0)[:OpBytes]), "a wrong number"},
		{"number", nil, commit(1, op(OpRemove, live, maxOrder+1)), "a wrong number"},
		{"numbers", nil, commit(2, op(OpRemove, live, maxOrder), op(OpRemove, live, maxOrder)),
			"a wrong number"},
		{"op", nil, commit(0, op(OpSum+1, live, 0)), "an operation of kind 9"},
		{"op 0", nil, commit(0, op(0, live, 0)), "an operation of kind 0"},
		{"bool", nil, commit(0, lie), "a bool that is neither 0 nor 1"},
		{"even", nil, commit(0, op(OpEdit, even, 0)), "a handle that no container issues"},
		{"second op", nil, commit(0, edit, op(OpEdit, even, 0)), "operation 1 at byte"},

		{"early frame", nil, after(6, edit), "no commit of frame 5"},
		{"late frame", nil, after(4, edit), "a part of frame 4 after frame 4"},
		{"no part", nil, last(1, 0, edit), "part 1 of a frame in place of part 0"},
		{"same part", part(0), part(0), "part 0 of a frame in place of part 1"},
		{"lost part", part(0), last(2, 0), "part 2 of a frame in place of part 1"},
		{"many", nil, commit(2, op(OpInsert, next, 0)), "1 inserts and removals in a frame that has 2"},
		{"few", nil, commit(0, op(OpInsert, next, 0)), "1 inserts and removals in a frame that has 0"},
		{"twice", part(0, op(OpIssue, next, 0)), last(1, 2, op(OpRetire, next, 0)), "is there twice"},
		{"beyond", nil, commit(1, op(OpInsert, next, 1)), "is there twice"},

		{"stale edit", nil, commit(0, op(OpEdit, next, 0)), "a change of a stale handle"},
		{"stale leave", nil, commit(0, op(OpLeave, next, 0)), "a change of a stale handle"},
		{"stale removal", nil, commit(1, op(OpRemove, next, 0)), "a change of a stale handle"},
		{"removed twice", nil, commit(2, op(OpRemove, live, 0), op(OpRemove, live, 0)),
			"a removal of a stale handle"},
		{"wrong insert", nil, commit(1, op(OpInsert, foreign, 0)), "an insert got handle"},
		{"wrong order", nil, commit(2, op(OpRetire, next, 0), op(OpIssue, next, 0)),
			"a removal of a stale handle"},
		{"edit removed", nil, commit(1, op(OpRemove, live, 0), edit), "a change of a stale handle"},
	}
}

// Each message is applied, or refused for its reason.
func TestTake(t *testing.T) {
	v, err := ValuesOf[body]()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range exchanges(v) {
		w := fuzzWorld(v)
		if x.first != nil {
			if _, err := w.Take("all", 10, x.first); err != nil {
				t.Errorf("%s: the first message: %v", x.name, err)
			}
		}
		subject := w.All
		if len(x.second) > 0 && x.second[0] == MsgTakeover {
			subject = w.Lead
		}
		_, err := w.Take(subject, w.Seq+1, x.second)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %q", x.name, err, x.want)
		}
		if x.want == "" && (w.At != w.Seq || len(w.parts) > 0 || w.bytes+w.ops+w.inOrder > 0) {
			t.Errorf("%s: at %d, with %d parts", x.name, w.At, len(w.parts))
		}
	}
}

// Frames that no leader writes are refused: a commit or takeover in a cell, and parts without bound.
func TestTakeRefuses(t *testing.T) {
	v, _ := ValuesOf[body]()
	for _, kind := range []byte{MsgCommit, MsgTakeover} {
		w := fuzzWorld(v)
		at := w.At
		m := AppendHeader(nil, Header{Kind: kind, Frame: 5, Leader: strings.Repeat("A", 26)})
		if _, err := w.Take("cell", 10, m); !errors.Is(err, ErrCorrupt) || w.At != at {
			t.Errorf("kind %d in a cell: %v", kind, err)
		}
	}
	w := fuzzWorld(v)
	part := AppendHeader(nil, Header{Kind: MsgPart, Frame: 5})
	if _, err := w.Take("all", 10, part); err != nil {
		t.Fatal(err)
	}
	part = AppendHeader(nil, Header{Kind: MsgPart, Frame: 5, Part: 1})
	w.bytes = MaxBytes - len(part) + 1
	if _, err := w.Take("all", 11, part); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a frame of more than %d bytes: %v", MaxBytes, err)
	}
	w.bytes--
	if _, err := w.Take("all", 12, part); err != nil {
		t.Errorf("a frame of %d bytes: %v", MaxBytes, err)
	}
}

// A frame has the sequence and time of its commit. Another message at that sequence is found out.
func TestSame(t *testing.T) {
	v, _ := ValuesOf[body]()
	w := fuzzWorld(v)
	commit := AppendHeader(nil, Header{Kind: MsgCommit, Time: 7, Frame: 5, Part: 1})
	part := AppendHeader(nil, Header{Kind: MsgPart, Time: 7, Frame: 5})
	for i, m := range [][]byte{part, commit, part} {
		_, _ = w.Take("all", uint64(10+i), m)
	}
	if w.At != 11 || !w.Same(commit) {
		t.Errorf("at %d", w.At)
	}
	for _, other := range [][]byte{nil, part, []byte("a text"),
		AppendHeader(nil, Header{Kind: MsgCommit, Time: 8, Frame: 5, Part: 1})} {
		if w.Same(other) {
			t.Errorf("%q", other)
		}
	}
	next := AppendHeader(nil, Header{Kind: MsgCommit, Time: 9, Frame: 6})
	_, _ = w.Take("all", 13, AppendHeader(nil, Header{Kind: MsgPart, Time: 9, Frame: 6}))
	w.Rewind()
	if _, err := w.Take("all", 12, next); err != nil || w.Frame != 6 || w.Time != 9 {
		t.Errorf("frame %d after Rewind: %v", w.Frame, err)
	}
}

// A world of some cells gets some parts of a frame, and each commit.
func TestTakeCells(t *testing.T) {
	v, err := ValuesOf[body]()
	if err != nil {
		t.Fatal(err)
	}
	live, next, foreign := fuzzHandles()
	value := v.Append(nil, &body{X: 9})
	message := func(h Header, ops ...Op) []byte {
		b := AppendHeader(nil, h)
		for i := range ops {
			if b = AppendOp(b, &ops[i], ops[i].Order); Valued(ops[i].Kind) {
				b = append(b, value...)
			}
		}
		return b
	}
	for _, x := range []struct {
		name  string
		frame uint64
		part  uint32
		op    Op
		want  string
		has   []berth.Handle[body]
		lacks []berth.Handle[body]
	}{
		{"parts elsewhere", 5, 3, Op{Kind: OpEdit, Handle: live.Uint64()}, "", nil, nil},
		{"leave", 5, 0, Op{Kind: OpLeave, Handle: live.Uint64(), To: Cell{1, 0}}, "", nil,
			[]berth.Handle[body]{live}},
		{"stay", 5, 0, Op{Kind: OpLeave, Handle: live.Uint64()}, "", []berth.Handle[body]{live}, nil},
		{"enter", 5, 0, Op{Kind: OpEnter, Handle: foreign.Uint64()}, "",
			[]berth.Handle[body]{foreign, live}, nil},
		{"insert", 5, 0, Op{Kind: OpInsert, Handle: foreign.Uint64(), Order: 7}, "",
			[]berth.Handle[body]{foreign}, nil},
		{"remove", 5, 0, Op{Kind: OpRemove, Handle: live.Uint64(), Order: 7}, "", nil,
			[]berth.Handle[body]{live}},
		{"issue", 5, 0, Op{Kind: OpIssue, Handle: next.Uint64()}, "", nil,
			[]berth.Handle[body]{next}},
		{"lost frame", 6, 0, Op{Kind: OpEdit, Handle: live.Uint64()},
			"behind the log: the log has no commit of frame 5", nil, nil},
		{"late frame", 4, 0, Op{Kind: OpEdit, Handle: live.Uint64()}, "a part of frame 4", nil, nil},
		{"live insert", 5, 0, Op{Kind: OpInsert, Handle: live.Uint64()}, "an insert of a live", nil,
			nil},
		{"stale edit", 5, 0, Op{Kind: OpEdit, Handle: next.Uint64()}, "a stale handle", nil, nil},
	} {
		w := fuzzWorld(v, Cell{})
		h := Header{Kind: MsgCommit, Frame: x.frame, Part: x.part, Ordered: 9}
		_, err := w.Take("all", 13, message(h, x.op))
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %q", x.name, err, x.want)
		}
		for _, h := range x.has {
			if !w.Pool.Contains(h) {
				t.Errorf("%s: %v is not there", x.name, h)
			}
		}
		for _, h := range x.lacks {
			if w.Pool.Contains(h) {
				t.Errorf("%s: %v is there", x.name, h)
			}
		}
	}
}

package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// partRoom is the part of a message that the operations leave to headers, of which the server's
// limit includes its own.
const partRoom = 256

// Flush ends the frame and publishes it: what was changed since the Flush before. It then waits
// until at most [Config.MaxUnacked] frames are not acknowledged. It returns the sequence of the
// frame in the log, which [Follower.Seq] will have. If nothing was changed there is no frame, and
// Flush returns the sequence of the last one.
//
// If ctx ends before, the error wraps [ErrSlow] and ctx's. The frame is kept, and a Flush or Wait
// waits for it. While there are more than MaxUnacked of these, Flush ends no frame, and the changes
// stay for the next one. So nothing grows but the frame, which has a limit, see [ErrFull].
//
// An [ErrStorage] is the server's refusal, for example if the log is full. It is like ErrSlow, and
// is returned until the server takes the frame. [ErrFenced] is the end of the Leader: its changes
// since the last acknowledged frame never happened.
// Cost: O(changes), and a trip to the server unless MaxUnacked is set; in a steady state allocates
// about 650 bytes a message.
func (l *Leader[T]) Flush(ctx context.Context) (seq uint64, err error) {
	if err := l.usable(); err != nil {
		return l.send.last, err
	}
	full := l.full
	if err := l.await(ctx, l.send.MaxUnacked); err != nil {
		return l.send.last, err
	}
	if len(l.ops) > 0 {
		l.publish()
		point("flush: published")
	}
	l.full = false
	l.snapshotInTime()
	err = l.await(ctx, l.send.MaxUnacked)
	point("flush: acknowledged")
	l.snapshotInTime()
	if full && err == nil {
		err = fmt.Errorf("%w: changes were refused", ErrFull)
	}
	return l.send.last, err
}

// Wait waits until all frames are acknowledged. A later leader then has them. It fails as Flush
// does.
// Cost: a trip to the server, or none; as Flush.
func (l *Leader[T]) Wait(ctx context.Context) error {
	if err := l.usable(); err != nil {
		return err
	}
	return l.await(ctx, 0)
}

// usable reports why the Leader cannot be used.
func (l *Leader[T]) usable() error {
	if l.err == nil && l.open > 0 {
		l.err = errors.New("replica: Leader: a hook has panicked, or called Flush")
	}
	return l.err
}

// await is sender.wait, and ends the Leader if it is fenced.
func (l *Leader[T]) await(ctx context.Context, n int) error {
	err := l.send.wait(ctx, n)
	if errors.Is(err, ErrFenced) {
		l.err = err
		l.ops, l.slots = nil, nil
		close(l.fenced)
	}
	return err
}

// entry is an operation of the frame, and where it goes. Those that only followers of all cells
// need go into the commit, and so do all if there is only one cell.
type entry struct {
	commit bool
	cell   replay.Cell
	op     replay.Op
}

// publish encodes the frame and publishes it.
func (l *Leader[T]) publish() {
	inOrder := l.collect()
	if l.options.Cell != 0 {
		slices.SortStableFunc(l.entries, func(a, b entry) int {
			if a.commit != b.commit {
				return cmp.Compare(b2i(a.commit), b2i(b.commit))
			}
			return a.cell.Compare(b.cell)
		})
	}
	l.frame++
	f := l.send.take()
	l.encode(f, inOrder)
	l.send.publish(f)
	l.stats.Frames++
	l.stats.Ops += uint64(len(l.entries))
	l.stats.Messages += uint64(len(f.parts))
	l.stats.Bytes += uint64(len(f.buf))
	clear(l.ops)
	l.ops, l.entries, l.size = l.ops[:0], l.entries[:0], 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// collect makes the entries of ops, records where the followers have the values from now on, and
// returns the number of inserts and removals.
func (l *Leader[T]) collect() (inOrder int) {
	one := l.options.Cell == 0
	for i := range l.ops {
		c := &l.ops[i]
		op := replay.Op{Kind: c.kind, Handle: c.handle.Uint64()}
		e := entry{commit: one, cell: c.cell, op: op}
		v := l.pool.Ptr(c.handle)
		switch {
		case c.kind == 0 || c.kind == replay.OpEdit && v == nil:
			continue
		case c.kind == replay.OpInsert && v == nil:
			e.op.Kind, e.commit = replay.OpIssue, true
		case c.kind == replay.OpRetire:
			e.commit = true
		case c.kind == replay.OpInsert:
			e.cell = l.options.cell(v)
		case c.kind == replay.OpEdit:
			if to := l.options.cell(v); to != c.cell {
				e.op.Kind, e.op.To = replay.OpLeave, to
				l.entries = append(l.entries, e)
				e.op, e.cell = replay.Op{Kind: replay.OpEnter, Handle: e.op.Handle}, to
			}
		}
		if replay.Ordered(e.op.Kind) {
			e.op.Order = uint32(inOrder)
			inOrder++
		}
		if v != nil {
			s := l.slot(c.handle)
			s.cell, s.noted, s.fresh = e.cell, false, false
		}
		l.entries = append(l.entries, e)
	}
	return inOrder
}

// encode encodes the entries as the messages of f.
func (l *Leader[T]) encode(f *sent, inOrder int) {
	l.time = time.Now().UnixNano()
	h := replay.Header{Time: l.time, Frame: l.frame, Ordered: uint32(inOrder)}
	most := int(l.send.nc.MaxPayload()) - partRoom
	begin := func(kind byte, subject string) {
		h.Kind, h.Part = kind, uint32(len(f.parts))
		f.parts = append(f.parts, part{subject: subject, from: len(f.buf)})
		f.buf = replay.AppendHeader(f.buf, h)
	}
	next := uint32(0) // number of an insert or removal that follows the one before in its message
	for i := range l.entries {
		e := &l.entries[i]
		last := len(f.parts) - 1
		if last < 0 || l.otherMessage(i) ||
			len(f.buf)-f.parts[last].from+l.perOp() > most {
			subject := l.send.all
			if !e.commit {
				subject = l.subjects.of(e.cell)
			}
			begin(replay.MsgPart, subject)
			next = 0
		}
		f.buf = replay.AppendOp(f.buf, &e.op, e.op.Order-next)
		if replay.Ordered(e.op.Kind) {
			next = e.op.Order + 1
		}
		if replay.Valued(e.op.Kind) {
			f.buf = l.values.Append(f.buf, l.pool.Ptr(berth.HandleFromUint64[T](e.op.Handle)))
		}
	}
	l.commit(f, h, begin)
	for i := range f.parts {
		end := len(f.buf)
		if i+1 < len(f.parts) {
			end = f.parts[i+1].from
		}
		f.parts[i].data = f.buf[f.parts[i].from:end:end]
	}
}

// otherMessage reports whether entry i goes to another message than the one before it.
func (l *Leader[T]) otherMessage(i int) bool {
	if i == 0 {
		return true
	}
	a, b := &l.entries[i-1], &l.entries[i]
	return a.commit != b.commit || !b.commit && a.cell != b.cell
}

// commit makes the last message of f the commit, or appends one if the last is one of a cell.
func (l *Leader[T]) commit(f *sent, h replay.Header, begin func(kind byte, subject string)) {
	last := &f.parts[len(f.parts)-1]
	if !l.entries[len(l.entries)-1].commit {
		begin(replay.MsgCommit, l.send.all)
		return
	}
	// A commit has 4 bytes more. partRoom has room for them.
	f.buf = replay.MakeCommit(f.buf, last.from, h.Ordered)
}

// subjects are those of cells.
type subjects struct {
	prefix string
	known  map[replay.Cell]string
}

// of returns the subject of a cell.
func (s *subjects) of(c replay.Cell) string {
	const most = 1 << 16
	if name, ok := s.known[c]; ok {
		return name
	}
	if s.known == nil || len(s.known) >= most {
		s.known = map[replay.Cell]string{}
	}
	name := c.Subject(s.prefix)
	s.known[c] = name
	return name
}

package replica

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

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
//
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
//
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

// await is sender.wait, and ends the Leader if it is fenced. If a full log waits for a snapshot
// that is being written, await waits for it, too.
func (l *Leader[T]) await(ctx context.Context, n int) error {
	err := l.send.wait(ctx, n)
	if errors.Is(err, ErrStorage) && l.snaps.running && l.snaps.finish(ctx) == nil {
		err = l.send.wait(ctx, n)
	}
	return l.fence(err)
}

// fence returns err, and ends the Leader if that is an ErrFenced.
func (l *Leader[T]) fence(err error) error {
	if errors.Is(err, ErrFenced) && !errors.Is(l.err, ErrFenced) {
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
	if len(l.entries) == 0 {
		return
	}
	if l.options.Cell != 0 {
		slices.SortStableFunc(l.entries, func(a, b entry) int {
			switch {
			case a.commit == b.commit:
				return a.cell.Compare(b.cell)
			case a.commit:
				return 1
			}
			return -1
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
	e := encoder{f: f, most: int(l.send.nc.MaxPayload()) - partRoom, head: replay.Header{
		Kind: replay.MsgPart, Time: l.time, Frame: l.frame, Ordered: uint32(inOrder),
	}}
	summed := l.options.Cell == 0
	for i := range l.entries {
		x := &l.entries[i]
		subject := l.send.all
		if !x.commit {
			subject = l.subjects.of(x.cell)
		} else if !summed {
			e.sums(l.send.all)
			summed = true
		}
		e.room(subject, x.cell, l.perOp())
		f.buf = replay.AppendOp(f.buf, &x.op, x.op.Order-e.next)
		if replay.Ordered(x.op.Kind) {
			e.next = x.op.Order + 1
		}
		if replay.Valued(x.op.Kind) {
			f.buf = l.values.Append(f.buf, l.pool.Ptr(berth.HandleFromUint64[T](x.op.Handle)))
		}
	}
	if !summed {
		e.sums(l.send.all)
	}
	// A commit has 8 bytes more. partRoom has room for them.
	f.buf = replay.MakeCommit(f.buf, f.parts[len(f.parts)-1].from, e.head)
	for i := range f.parts {
		f.parts[i].data = e.part(i)
	}
}

// encoder makes the messages of a frame.
type encoder struct {
	f    *sent
	head replay.Header // of the next message
	most int           // bytes of a message
	next uint32        // number of an insert or removal that follows the one before in its message
	last replay.Cell   // of the sum before in its message
}

// room makes the next n bytes go to a subject. They begin another message if the last one is for
// another subject, or is full.
func (e *encoder) room(subject string, c replay.Cell, n int) {
	f := e.f
	if i := len(f.parts) - 1; i >= 0 && f.parts[i].subject == subject &&
		len(f.buf)-f.parts[i].from+n <= e.most {
		return
	}
	e.head.Part = uint32(len(f.parts))
	f.parts = append(f.parts, part{subject: subject, cell: c, from: len(f.buf)})
	f.buf = replay.AppendHeader(f.buf, e.head)
	e.next, e.last = 0, replay.Cell{}
}

// part returns the bytes of message i.
func (e *encoder) part(i int) []byte {
	end := len(e.f.buf)
	if i+1 < len(e.f.parts) {
		end = e.f.parts[i+1].from
	}
	return e.f.buf[e.f.parts[i].from:end:end]
}

// sums appends the sums of the messages so far, which are those of cells.
func (e *encoder) sums(all string) {
	n := len(e.f.parts)
	for i := 0; i < n; e.head.Cells++ {
		c, sum := e.f.parts[i].cell, uint32(0)
		for ; i < n && e.f.parts[i].cell == c; i++ {
			sum = replay.Sum(sum, e.part(i))
		}
		e.room(all, c, replay.SumBytes)
		e.f.buf = replay.AppendSum(e.f.buf, e.last, c, sum)
		e.last = c
	}
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

package replica

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// Leader changes a world. Its methods change the Pool at once, and record the change for the next
// frame. [Leader.Flush] ends the frame.
//
// There is one leader at a time. Lead takes the world over, and from then on the server refuses the
// frames of the leader before ([ErrFenced]).
//
// While a Pool is led, change it only by the Leader. Reads need no Leader: use the Pool's own
// methods. Hooks of the Pool may call the Leader, but not Flush.
//
// A Leader may be used by one goroutine at a time, except for Fenced.
type Leader[T any] struct {
	pool    *berth.Pool[T]
	values  replay.Values[T]
	options LeadOptions[T]
	send    *sender
	server  *Server // its own, or nil
	snaps   snapper

	// Invariants (tests):
	//  1. ops has the inserts and removals of the frame in the order of the calls, and an edit of
	//     each value that was edited and not inserted in the frame
	//  2. slots has, for each live value, its handle, and if it is not fresh, the cell in which the
	//     followers have it
	//  3. what ops needs when it is encoded is at most size bytes, and at most MaxFrameBytes

	ops      []change[T]
	slots    []slot // by Pool.IndexOf
	frame    uint64 // number of the last frame
	time     int64  // in the last message
	size     int    // bytes that the frame may need
	open     int    // calls of the Pool that have not returned, because of hooks
	full     bool   // a change was refused, since the frame is full
	err      error  // why the Leader is at its end
	fenced   chan struct{}
	entries  []entry  // memory for encode
	subjects subjects // of cells
	stats    LeaderStats
}

// change is a call that the frame has to tell.
type change[T any] struct {
	handle berth.Handle[T]
	cell   replay.Cell // where the followers have the value
	kind   byte        // of replay.Op: OpInsert, OpRemove, OpEdit, OpRetire, or 0: nothing
}

// slot is what a Leader knows of a value.
type slot struct {
	handle uint64
	cell   replay.Cell
	noted  bool // ops has its insert or edit
	fresh  bool // it was inserted in this frame
}

// LeaderStats counts what a leader has done.
type LeaderStats struct {
	Frames      uint64 // frames published
	Ops         uint64 // operations in them: inserts, edits, removals
	Messages    uint64 // messages published
	Bytes       uint64 // bytes of messages
	Resent      uint64 // messages sent by hand, after the log was read
	Unacked     int    // frames that are not acknowledged
	Snapshots   uint64 // snapshots written
	SnapshotErr error  // error of the last snapshot attempt, or nil; the next is written in time
	Lost        error  // what Lead went on without, see [LeadOptions.Accept], or nil
}

// Lead takes over the world of c, and makes it if it does not exist. If it exists, p gets its
// values and handles, and loses its own; otherwise p is its beginning. The Limit, Memory and hooks
// of p stay, and hooks are called for the frames after the last snapshot. Close the Leader when it
// is no longer needed.
//
// It fails if T has Go pointers, with the field; if a value is larger than the server's messages;
// with [ErrCorrupt] if the world has values of another type, with the field, or cells of another
// size; with [ErrBehind] if the world is damaged: acknowledged frames are missing, or the log does
// not reach back to a snapshot that is whole; with [ErrFenced] if another leader takes over
// meanwhile; with the errors of [Serve]; and with the error of ctx if that ends before the server
// answers. The world is then as it was, and p is unchanged, or has part of the world. Its handles
// and pointers from before are stale once it has been loaded. [LeadOptions.Accept] goes on with a
// damaged world.
//
// Cost: O(values), and the frames since the last snapshot.
func Lead[T any](ctx context.Context, c Config, o LeadOptions[T], p *berth.Pool[T]) (
	*Leader[T], error,
) {
	if p == nil {
		panic("replica: Lead: p must not be nil")
	}
	v, err := replay.ValuesOf[T]()
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if c, err = c.check(); err != nil {
		return nil, err
	}
	var own *Server
	if c.URL == "" {
		if own, err = Serve(ctx, c); err != nil {
			return nil, err
		}
	}
	k, err := connect(ctx, c, own, userLeader)
	if err == nil {
		var l *Leader[T]
		if l, err = lead(ctx, k, v, o, p); err == nil {
			l.server = own
			return l, nil
		}
		k.close()
	}
	if own != nil {
		own.Close()
	}
	return nil, err
}

// lead is Lead with a connection.
func lead[T any](ctx context.Context, k *conn, v replay.Values[T], o LeadOptions[T],
	p *berth.Pool[T],
) (*Leader[T], error) {
	if most := int(k.nc.MaxPayload()) - partRoom; v.Encoded+replay.OpBytes > most {
		return nil, fmt.Errorf("replica: Lead: a value takes %d bytes, and the server's messages"+
			" have room for %d", v.Encoded+replay.OpBytes, most)
	}
	_, err := k.open(ctx, v.Desc, v.Fingerprint, o.Cell, true)
	if err != nil {
		return nil, err
	}
	t, err := newTail(ctx, k, replay.World[T]{Values: v, Pool: p}, o.Cell)
	if err != nil {
		return nil, fmt.Errorf("replica: Lead: %w", err)
	}
	by, err := t.takeOver(ctx, o.Accept)
	if err != nil {
		return nil, fmt.Errorf("replica: Lead: %w", err)
	}
	l := &Leader[T]{pool: p, values: v, options: o, frame: t.world.Frame, time: by.time,
		fenced: make(chan struct{})}
	l.stats.Lost = t.lost
	if l.send, err = newSender(k, by); err != nil {
		return nil, fmt.Errorf("replica: Lead: %w", err)
	}
	l.send.values = v
	l.subjects.prefix = k.prefix
	l.snaps.begin(t.store)
	for h, x := range p.All() {
		*l.slot(h) = slot{handle: h.Uint64(), cell: o.cell(x)}
	}
	if t.lost != nil {
		// Followers may have frames that are void now. The gap makes them load the world again.
		l.frame += lostFrames
	}
	if l.frame == 0 || t.lost != nil || t.full { // followers wait for it, or the log
		if err := l.Snapshot(ctx); err != nil {
			return nil, err
		}
	}
	if t.lost != nil { // the records are of frames that are void
		err := k.retry(ctx, func(ctx context.Context) error {
			s, err := k.js.Stream(ctx, k.stream+"_acked")
			if err == nil {
				err = s.Purge(ctx)
			}
			return lasting(err)
		})
		if err != nil {
			return nil, fmt.Errorf("replica: Lead: %w", err)
		}
	}
	k.record(by.seq)
	k.Logger.Info("replica: leading", "world", k.Name, "seq", by.seq, "frame", l.frame)
	return l, nil
}

// lostFrames is more than the number of frames that a leader can have written which are void. Tests
// have fewer.
var lostFrames uint64 = 1 << 32

// slot returns the slot of a live value.
func (l *Leader[T]) slot(h berth.Handle[T]) *slot {
	i := l.pool.IndexOf(h)
	for i >= len(l.slots) {
		l.slots = append(l.slots, slot{})
		l.slots = l.slots[:cap(l.slots)]
	}
	return &l.slots[i]
}

// perOp returns the bytes that an operation may need in a frame.
func (l *Leader[T]) perOp() int {
	const number = 5 // of an insert or removal
	if l.options.Cell == 0 {
		return replay.OpBytes + number + l.values.Encoded
	}
	return 2*(replay.HeadBytes+replay.OpBytes+replay.SumBytes) + number + replay.CellBytes +
		l.values.Encoded
}

// may reports whether the frame has room for a change.
func (l *Leader[T]) may() bool {
	if l.err != nil {
		return false
	}
	if n := l.perOp(); l.size+n <= MaxFrameBytes-replay.CommitBytes-l.values.Encoded {
		l.size += n
		return true
	}
	l.full = true
	return false
}

// Insert puts v into the Pool, and returns its handle. It returns the zero Handle, and changes
// nothing, if the Pool is full, the frame is ([ErrFull]), or the Leader is fenced or closed.
//
// Cost: O(1), as [berth.Pool.Insert], and 24 bytes in the frame; allocates when these grow.
//
//berth:issues r0
func (l *Leader[T]) Insert(v T) berth.Handle[T] {
	if !l.may() {
		return berth.Handle[T]{}
	}
	i := len(l.ops)
	l.ops = append(l.ops, change[T]{}) // before those of hooks
	l.open++
	h := l.pool.Insert(v)
	l.open--
	if h.IsZero() { // no hook was called
		l.ops, l.size = l.ops[:i], l.size-l.perOp()
		return h
	}
	l.ops[i] = change[T]{handle: h, kind: replay.OpInsert}
	if l.pool.Contains(h) { // no hook has removed it
		*l.slot(h) = slot{handle: h.Uint64(), noted: true, fresh: true}
	}
	return h
}

// Edit returns a pointer to the value of h, for changes until the next Flush, or nil if h is stale,
// zero or foreign, the frame is full, or the Leader is fenced or closed. The frame tells the value
// that it has at Flush, once. A change through the pointer after Flush is not told: call Edit in
// each frame.
//
// Cost: O(1), and the first time in a frame, 24 bytes in it; allocates when these grow.
//
//berth:asks h
//berth:lends r0 by h
func (l *Leader[T]) Edit(h berth.Handle[T]) *T {
	v := l.pool.Ptr(h)
	if v == nil || l.err != nil {
		return nil
	}
	s := l.slot(h)
	if s.noted && s.handle == h.Uint64() {
		return v
	}
	if s.handle != h.Uint64() {
		return v // it is being inserted, and this is a hook
	}
	if !l.may() {
		return nil
	}
	s.noted = true
	l.ops = append(l.ops, change[T]{handle: h, cell: s.cell, kind: replay.OpEdit})
	return v
}

// Remove removes the value of h and returns it. It reports false, and changes nothing, if h is
// stale, zero or foreign, the frame is full, or the Leader is fenced or closed.
//
// Cost: O(1), as [berth.Pool.Remove], and 24 bytes in the frame; allocates when these grow.
//
// Ends: h and all pointers to its value.
//
//berth:ends by h
//berth:asks h
func (l *Leader[T]) Remove(h berth.Handle[T]) (v T, ok bool) {
	if !l.pool.Contains(h) || !l.may() {
		return v, false
	}
	s := l.slot(h)
	c := change[T]{handle: h, cell: s.cell, kind: replay.OpRemove}
	if s.fresh || s.handle != h.Uint64() {
		c.kind = replay.OpRetire // the followers have never had it
	}
	*s = slot{}
	l.ops = append(l.ops, c) // before those of hooks
	l.open++
	v, ok = l.pool.Remove(h)
	l.open--
	return v, ok
}

// RemoveFunc removes the values for which f returns true, and returns their number. f must not
// change the values. It stops when the frame is full.
//
// Cost: O(values); allocates as Remove.
//
// Ends: the handles of the removed values, and all pointers to them.
//
//berth:ends other
func (l *Leader[T]) RemoveFunc(f func(berth.Handle[T], *T) bool) int {
	n := 0
	for h, v := range l.pool.All() {
		if !f(h, v) || !l.pool.Contains(h) {
			continue
		}
		if _, ok := l.Remove(h); !ok {
			break
		}
		n++
	}
	return n
}

// Fenced returns a channel that is closed when the Leader has found out that it is fenced. It finds
// out in Flush, Wait and Snapshot. It may be used by any goroutine.
//
// Cost: O(1).
func (l *Leader[T]) Fenced() <-chan struct{} { return l.fenced }

// Seq returns the sequence, in the log, of the last frame. See [Follower.Seq].
//
// Cost: O(1).
func (l *Leader[T]) Seq() uint64 { return l.send.last }

// Acked returns the sequence of the last frame that is acknowledged. A later leader has it and all
// frames before it.
//
// Cost: O(1).
func (l *Leader[T]) Acked() uint64 { return l.send.acked }

// URL returns the address for [Config.URL] of followers. If the Leader has a server of its own, the
// address has the followers' user and password, with which they can read, and write nothing.
//
// Cost: allocates the string.
func (l *Leader[T]) URL() string {
	if l.server != nil {
		return l.server.url(userFollower)
	}
	return l.send.URL
}

// Stats returns what the Leader has done so far.
//
// Cost: O(1).
func (l *Leader[T]) Stats() LeaderStats {
	s := l.stats
	s.Unacked, s.Resent = len(l.send.pend), l.send.resent
	s.Snapshots, s.SnapshotErr = l.snaps.written, l.snaps.err
	return s
}

// Hash returns a hash of the values and their handles, of all or of those in the given cells. It is
// that of [Follower.Hash] at the same Seq, if nothing was changed since Flush.
//
// Cost: O(values); never allocates for all.
func (l *Leader[T]) Hash(cells ...Cell) uint64 {
	in := map[replay.Cell]bool{}
	for _, c := range cells {
		in[replay.Cell(c)] = true
	}
	h := replay.Hasher[T]{Values: l.values}
	for k, v := range l.pool.All() {
		if len(in) == 0 || in[l.slot(k).cell] {
			h.Add(k, v)
		}
	}
	return h.Sum
}

// Close ends the Leader, and its server if it has one. It does not wait for acknowledgements: call
// Wait before. The Pool stays as it is.
//
// Cost: milliseconds, if it has a server.
func (l *Leader[T]) Close() {
	if errors.Is(l.err, ErrClosed) {
		return
	}
	if l.err == nil {
		l.send.recordLast()
	}
	l.err = fmt.Errorf("%w: Leader", ErrClosed)
	l.snaps.close()
	l.send.close()
	if l.server != nil {
		l.server.Close()
	}
}

package replica

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// sent is a frame that was published.
type sent struct {
	parts []part
	buf   []byte // of all parts
	first uint64 // sequence of the first message, as far as the sender knows
}

// part is a message of a frame.
type part struct {
	subject string
	cell    replay.Cell
	from    int // in buf
	data    []byte
}

// commit returns the sequence of the commit.
func (f *sent) commit() uint64 { return f.first + uint64(len(f.parts)) - 1 }

// sender publishes frames in their order, each once.
//
// Every message has an identifier, and names that of the message before it. The server refuses it
// if another one ends the log. So messages are in the log in order, without a gap and without any
// of another leader between them, and the acknowledgement of a commit is one for all messages
// before it. (The sequence of the message before it would not do. If the message of another leader
// takes the place of the first of two, then the second finds the sequence that it expects.)
//
// If anything goes wrong (a refusal, a lost connection, silence), the sender reads the end of the
// log, compares, and sends what is missing, one message at a time. These name the sequence at which
// the log ended when it was read.
//
// Invariants (tests):
//  1. pend are the frames that are not acknowledged, in order; free has the others' memory
//  2. unless suspect is set, the log ends at last when it has all that was published, and that
//     message has the identifier id
//  3. a frame of pend is published again only after the log was read, and does not have it
type sender struct {
	*conn
	values  interface{ Valid(data []byte) bool }
	pend    []*sent
	free    []*sent
	last    uint64 // sequence of the last message of pend, or of the log
	acked   uint64 // sequence of the last acknowledged commit
	id      string // of the message at last, or "" if the log must be read before the next one
	lead    uint64 // sequence of the takeover,
	name    string // and the beginning of its identifier, and of all others
	count   uint64 // of identifiers
	suspect bool   // the log must be read
	urgent  bool   // the log was full: a snapshot must be written, so that it can be trimmed
	read    uint64 // the messages up to this one were compared with pend,
	same    int    // and the first of pend, so many, are there

	acks    chan *nats.Msg
	sub     *nats.Subscription
	inbox   string
	attempt uint64   // number of times that the log was read
	msg     nats.Msg // of message
	timer   *time.Timer
	resent  uint64 // messages
}

// newSender returns a sender for a log that ends with a takeover.
func newSender(k *conn, by taking) (*sender, error) {
	const short = 12 // 60 random bits
	s := &sender{conn: k, last: by.seq, acked: by.seq, id: by.id, lead: by.seq,
		name: by.id[:short], inbox: k.nc.NewInbox()}
	s.timer = time.NewTimer(0)
	s.timer.Stop()
	s.acks = make(chan *nats.Msg, 2*k.MaxUnacked+64)
	s.begin()
	var err error
	s.sub, err = k.nc.ChanSubscribe(s.inbox+".*", s.acks)
	return s, err
}

// begin invalidates replies to earlier messages.
func (s *sender) begin() {
	s.attempt++
	s.suspect = false
}

// take returns memory for a frame.
func (s *sender) take() *sent {
	n := len(s.free)
	if n == 0 {
		return new(sent)
	}
	f := s.free[n-1]
	s.free = s.free[:n-1]
	f.buf, f.parts = f.buf[:0], f.parts[:0]
	return f
}

// give takes the memory of an acknowledged frame back.
func (s *sender) give(f *sent) {
	const keep = 4 << 20
	if cap(f.buf) <= keep || len(s.free) == 0 {
		clear(f.parts)
		s.free = append(s.free, f)
	}
}

// publish sends a frame, and does not wait for it.
func (s *sender) publish(f *sent) {
	f.first = s.last + 1
	s.pend = append(s.pend, f)
	s.last += uint64(len(f.parts))
	// In a cluster each message is sent by itself, after the log was read. The cluster compares
	// identifiers only after it has accepted a message, and nats-server v2.15.2 sometimes takes a
	// mismatch after the loss of a server for a failed write, and then refuses all messages.
	s.suspect = s.suspect || s.id == "" || s.Replicas > 1
	for i := range f.parts {
		if s.suspect {
			return
		}
		m := s.message(&f.parts[i], jetstream.ExpectedLastMsgIDHeader, s.id)
		if i == len(f.parts)-1 {
			m.Reply = s.inbox + "." + strconv.FormatUint(s.attempt, 10)
		}
		s.suspect = s.nc.PublishMsg(m) != nil
	}
}

// message returns the message of a part, with a new identifier, for a log with the given end. It is
// valid until the next call.
func (s *sender) message(p *part, header, end string) *nats.Msg {
	s.count++
	s.id = s.name + "." + strconv.FormatUint(s.count, 10)
	s.msg = nats.Msg{Subject: p.subject, Data: p.data, Header: nats.Header{
		jetstream.MsgIDHeader: {s.id}, header: {end},
	}}
	return &s.msg
}

// recordLast records what is acknowledged, and waits until the server has it.
func (s *sender) recordLast() {
	if s.nc.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		data := binary.LittleEndian.AppendUint64(nil, s.acked)
		_, _ = s.nc.RequestWithContext(ctx, s.records, data)
	}
}

// settle records that the log has all up to seq.
func (s *sender) settle(seq uint64) {
	n := 0
	for n < len(s.pend) && s.pend[n].commit() <= seq {
		s.acked = s.pend[n].commit()
		s.give(s.pend[n])
		n++
	}
	if n > 0 {
		s.pend = slices.Delete(s.pend, 0, n)
		s.record(s.acked)
	}
}

// poll handles the replies that have come.
func (s *sender) poll() {
	for {
		select {
		case m := <-s.acks:
			s.reply(m)
		case <-s.up:
			s.suspect = len(s.pend) > 0
		default:
			return
		}
	}
}

// reply handles the reply to a commit.
func (s *sender) reply(m *nats.Msg) {
	n, err := strconv.ParseUint(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:], 10, 64)
	if err != nil || n != s.attempt || s.suspect {
		return
	}
	var ack pubAck
	err = json.Unmarshal(m.Data, &ack)
	if err != nil || ack.Error != nil || ack.Stream != s.stream {
		s.suspect = true
		return
	}
	s.settle(ack.Seq)
}

// pubAck is the reply to a message.
type pubAck struct {
	Stream string              `json:"stream"`
	Seq    uint64              `json:"seq"`
	Error  *jetstream.APIError `json:"error"`
}

// wait waits until at most n frames are not acknowledged.
func (s *sender) wait(ctx context.Context, n int) error {
	for s.poll(); len(s.pend) > n || s.suspect; {
		if s.suspect {
			if err := s.recover(ctx); err != nil {
				return err
			}
			continue
		}
		s.timer.Reset(patience)
		select {
		case m := <-s.acks:
			s.reply(m)
		case <-s.up:
			s.suspect = true
		case <-s.timer.C:
			s.suspect = true
		case <-ctx.Done():
			s.timer.Stop()
			return s.slow(context.Cause(ctx))
		}
		s.timer.Stop()
	}
	return nil
}

// slow returns an ErrSlow for a reason.
func (s *sender) slow(why error) error {
	return fmt.Errorf("%w: %d frames: %w", ErrSlow, len(s.pend), s.explain(why))
}

// recover reads the end of the log, and sends what it lacks of pend, one message at a time. It
// returns nil when the log has all of it, an ErrFenced if the log has a message of another leader,
// an ErrStorage, an ErrNoWorld if there is no log, or an ErrSlow if ctx ends before.
func (s *sender) recover(ctx context.Context) error {
	s.read, s.same, s.urgent = 0, 0, false
	err := s.retry(ctx, func(ctx context.Context) error {
		s.begin()
		err := s.makeRoom(ctx, s.reconcile(ctx))
		s.suspect = err != nil
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("%w: %w", ErrNoWorld, err)
	case err == nil || errors.Is(err, ErrFenced) || errors.Is(err, ErrStorage):
		return err
	}
	return s.slow(err)
}

// makeRoom returns err. But if it is the first ErrStorage, makeRoom removes the frames before the
// latest snapshot from the log, raises its limit for what waits, up to twice MaxBytes, and returns
// an error after which retry tries again. The next snapshot sets the limit back. A leader that
// takes over cannot write a snapshot before, so it has no bound.
func (s *sender) makeRoom(ctx context.Context, err error) error {
	if s.urgent || !errors.Is(err, ErrStorage) || s.MaxBytes == 0 ||
		s.purge(ctx, s.whole.Load()) != nil {
		return err
	}
	_, state, end := s.log(ctx)
	if end != nil || len(s.pend) > 0 && int64(state.Bytes) > 2*s.MaxBytes {
		return err
	}
	room := int64(64 << 10)
	for _, f := range s.pend {
		room += int64(len(f.buf) + len(f.parts)*2*partRoom)
	}
	if s.urgent = true; s.limit(ctx, max(int64(state.Bytes), s.MaxBytes)+room) != nil {
		return err
	}
	return errors.New("replica: the log was full")
}

// reconcile is an attempt of recover. It goes on reading where the attempt before it ended. If a
// message comes between reading and sending, it reads that one, too, at once.
func (s *sender) reconcile(ctx context.Context) (err error) {
	if len(s.pend) == 0 {
		return nil
	}
	if s.own != nil {
		if err := s.own.broken(s.stream); err != nil {
			return final(fmt.Errorf("%w: %w", ErrStorage, err))
		}
	}
	for again := true; again && ctx.Err() == nil; {
		err = s.compareAll(ctx)
		var api *jetstream.APIError
		again = errors.As(err, &api) && api.ErrorCode == wrongLast
	}
	return err
}

// compareAll compares what the log has got with pend, and sends what it lacks.
func (s *sender) compareAll(ctx context.Context) error {
	log, state, err := s.log(ctx)
	if err != nil {
		return err
	}
	if err := s.trimmed(state); err != nil {
		return err
	}
	if s.read == 0 {
		if err := s.intact(ctx, log, state); err != nil {
			return err
		}
		s.read = s.pend[0].first - 1
	}
	f, i := 0, s.same // the next message of pend
	for f < len(s.pend) && i >= len(s.pend[f].parts) {
		f, i = f+1, i-len(s.pend[f].parts)
	}
	for { // to the end that the log has by then
		seq := s.read + 1
		mine, err := s.compare(ctx, log, seq, f, i)
		if gone := errors.Is(err, jetstream.ErrMsgNotFound); gone && seq > state.LastSeq {
			break
		} else if gone {
			if log, state, err = s.log(ctx); err == nil {
				err = s.trimmed(state)
			}
		}
		if err != nil {
			return err
		}
		if s.read = seq; !mine {
			continue
		}
		s.same++
		if i++; i == len(s.pend[f].parts) {
			s.last = seq
			f, i = f+1, 0
		}
	}
	return s.resend(ctx, s.read, f, i)
}

// trimmed fails if the log was trimmed beyond what is acknowledged, which only another leader does.
func (s *sender) trimmed(state jetstream.StreamState) error {
	if state.FirstSeq > s.acked+1 {
		return final(fmt.Errorf("%w: %q begins at message %d", ErrFenced, s.Name, state.FirstSeq))
	}
	return nil
}

// intact fails if the log has lost acknowledged frames, in a power loss. Frames after them would
// fit nothing.
func (s *sender) intact(ctx context.Context, log jetstream.Stream,
	state jetstream.StreamState,
) error {
	lost := final(fmt.Errorf("%w: %q has lost message %d", ErrFenced, s.Name, s.acked))
	if state.LastSeq < s.acked {
		return lost
	}
	m, err := log.GetMsg(ctx, s.acked)
	if errors.Is(err, jetstream.ErrMsgNotFound) { // it was trimmed
		return nil
	}
	if err == nil && !strings.HasPrefix(m.Header.Get(jetstream.MsgIDHeader), s.name) {
		return lost
	}
	return err
}

// compare reports whether the message seq of the log is message i of frame f. It fails if it is
// another leader's. Messages that no leader has written are no reason to stop: followers skip them.
func (s *sender) compare(ctx context.Context, log jetstream.Stream, seq uint64, f, i int) (
	bool, error,
) {
	m, err := log.GetMsg(ctx, seq)
	if err != nil {
		return false, err
	}
	if f < len(s.pend) {
		p := &s.pend[f].parts[i]
		if m.Subject == p.subject && string(m.Data) == string(p.data) {
			return true, nil
		}
	}
	if s.values.Valid(m.Data) {
		return false, final(fmt.Errorf("%w: message %d of %q", ErrFenced, seq, s.Name))
	}
	return false, nil
}

// resend sends the messages of pend from number i of frame f on, which the log lacks. The log ends
// at end.
func (s *sender) resend(ctx context.Context, end uint64, f, i int) error {
	s.id = ""
	for ; f < len(s.pend); f, i = f+1, 0 {
		for ; i < len(s.pend[f].parts); i++ {
			m, err := s.nc.RequestMsgWithContext(ctx, s.message(&s.pend[f].parts[i],
				jetstream.ExpectedLastSeqHeader, strconv.FormatUint(end, 10)))
			if err == nil {
				end, err = acknowledged(s.stream, m)
			}
			if err != nil {
				s.id = ""
				return err
			}
			s.read = end
			s.same++
			s.resent++
		}
		s.last = end
	}
	// The log has all of them. Their places no longer matter.
	for _, f := range s.pend {
		s.give(f)
	}
	clear(s.pend)
	s.pend = s.pend[:0]
	s.acked = s.last
	s.record(s.acked)
	return nil
}

// partRoom is the part of a message that the operations leave to headers, of which the server's
// limit includes its own.
const partRoom = 256

// taking is the message by which a leader has taken over.
type taking struct {
	seq  uint64
	time int64
	id   string
}

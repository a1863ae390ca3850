package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	pullMessages = 256
	pullBytes    = 1 << 20 // which a slow link brings before the server loses its patience
	pullExpires  = 30 * time.Second
	heartbeat    = 500 * time.Millisecond
	silence      = 4 * heartbeat // after which the consumer counts as lost
	inactive     = 30 * time.Second
)

// reader reads the log from a sequence on. It makes an ephemeral consumer, and another one whenever
// that is lost. It runs no goroutine, and holds at most 2*pullMessages messages and a few
// times pullBytes or a message.
type reader struct {
	*conn
	filter []string // subjects
	last   uint64   // sequence of the last message that next has returned

	name   string // of the consumer, or "" if there is none
	inbox  *nats.Subscription
	ch     chan *nats.Msg
	asked  int       // messages that the server may still send
	count  uint64    // of messages from this consumer
	heard  time.Time // when the server last sent anything
	timer  *time.Timer
	resets uint64 // consumers made
	slow   int    // how often silence has doubled, since a consumer brought nothing in that time
}

// start makes next return the messages after sequence seq.
func (r *reader) start(seq uint64) {
	r.drop()
	r.last = seq
}

// drop gives up the consumer, without telling the server, which removes it by itself.
func (r *reader) drop() {
	if r.inbox != nil {
		_ = r.inbox.Unsubscribe()
	}
	r.name, r.inbox, r.ch = "", nil, nil
}

// close ends the consumer.
func (r *reader) close() {
	name := r.name
	r.drop()
	if name != "" && r.nc.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = r.js.DeleteConsumer(ctx, r.stream, name)
	}
}

// errLost reports that the reader has lost its consumer, and messages with it.
var errLost = errors.New("the consumer is lost")

// next returns the next message, and its sequence. If there is none, it returns nil at once, or if
// wait is set, when ctx ends, with its error. If there is no consumer, it returns errLost.
func (r *reader) next(ctx context.Context, wait bool) (*nats.Msg, uint64, error) {
	for {
		select {
		case <-r.up: // the pull requests are gone
			r.drop()
		default:
		}
		if r.name == "" {
			return nil, 0, errLost
		}
		if err := r.pull(); err != nil {
			r.drop()
			continue
		}
		m, err := r.receive(ctx, wait)
		if err != nil || m == nil {
			return nil, 0, err
		}
		if seq, ok := r.accept(m); ok {
			return m, seq, nil
		}
	}
}

// receive returns a message from the inbox. It returns nil if there is none and wait is not set.
func (r *reader) receive(ctx context.Context, wait bool) (*nats.Msg, error) {
	select {
	case m := <-r.ch:
		return m, nil
	default:
	}
	left := silence<<r.slow - time.Since(r.heard)
	if !wait && left > 0 {
		return nil, nil
	}
	if r.timer == nil {
		r.timer = time.NewTimer(left)
	} else {
		r.timer.Reset(left)
	}
	defer r.timer.Stop()
	select {
	case m := <-r.ch:
		return m, nil
	case <-r.up:
		r.reconnected() // next drops the consumer
		return new(nats.Msg), nil
	case <-r.timer.C:
		r.slow = min(r.slow+1, 5)
		r.drop()
		return new(nats.Msg), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// accept returns the sequence of a message. It reports false if m is not a message of the log that
// comes next.
func (r *reader) accept(m *nats.Msg) (seq uint64, ok bool) {
	if r.ch == nil || m.Sub == nil {
		return 0, false
	}
	r.heard = time.Now()
	if m.Reply == "" || m.Header.Get("Status") != "" {
		r.status(m)
		return 0, false
	}
	meta, err := m.Metadata()
	if err != nil || meta.Stream != r.stream || meta.Consumer != r.name {
		return 0, false
	}
	r.asked--
	switch r.count++; {
	case meta.Sequence.Consumer < r.count: // repeated
		r.count--
		return 0, false
	case meta.Sequence.Consumer > r.count: // a message was lost on its way
		r.drop()
		return 0, false
	}
	r.last = meta.Sequence.Stream
	return r.last, true
}

// status handles a message of the server itself.
func (r *reader) status(m *nats.Msg) {
	switch m.Header.Get("Status") {
	case "100": // a heartbeat, which tells of the last message that was sent before it
		sent, err := strconv.ParseUint(m.Header.Get("Nats-Last-Consumer"), 10, 64)
		if err != nil || sent <= r.count {
			return
		}
	case "408", "409":
		n, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages"))
		if err == nil && n >= 0 {
			r.asked = max(0, r.asked-n)
			return
		}
	}
	r.drop()
}

// pull requests more messages when half of them have come.
func (r *reader) pull() error {
	if r.asked > pullMessages/2 {
		return nil
	}
	request, err := json.Marshal(map[string]any{
		"batch": pullMessages, "max_bytes": max(pullBytes, r.nc.MaxPayload()+pullBytes/8),
		"expires": pullExpires, "idle_heartbeat": heartbeat,
	})
	if err != nil {
		return err
	}
	r.asked += pullMessages
	return r.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+r.stream+"."+r.name,
		r.inbox.Subject, request)
}

// subscribe makes a consumer that begins after r.last.
func (r *reader) subscribe(ctx context.Context) error {
	c := jetstream.ConsumerConfig{
		AckPolicy:         jetstream.AckNonePolicy,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       r.last + 1,
		FilterSubjects:    r.filter,
		InactiveThreshold: inactive,
		MemoryStorage:     true,
		Replicas:          1,
	}
	err := r.retry(ctx, func(ctx context.Context) error {
		made, err := r.js.CreateConsumer(ctx, r.stream, c)
		if err == nil {
			r.name = made.CachedInfo().Name
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return final(fmt.Errorf("%w: stream %q: %w", ErrNoWorld, r.stream, err))
		}
		return err // another error may be that of a server that starts
	})
	if err != nil {
		return fmt.Errorf("replica: reading %q: %w", r.Name, err)
	}
	r.resets++
	r.ch = make(chan *nats.Msg, 2*pullMessages+64)
	r.asked, r.count, r.heard = 0, 0, time.Now()
	if r.inbox, err = r.nc.ChanSubscribe(r.nc.NewInbox(), r.ch); err != nil {
		r.drop()
		return fmt.Errorf("replica: reading %q: %w", r.Name, err)
	}
	return nil
}

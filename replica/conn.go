package replica

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/internal/layout"
)

// patience is the time after which a request, or a frame without an acknowledgement, counts as
// lost. Another attempt has twice the time, so that a slow link is only slow. Tests shorten it.
var patience = 2 * time.Second

const (
	// pause is the time before the second attempt. It grows by a quarter with each, up to
	// pauseMost.
	pause     = 20 * time.Millisecond
	pauseMost = 2 * time.Second
)

// point is called at each step that another leader may come between. Tests replace it.
var point = func(name string) {}

// conn is a connection to the server, for one world.
type conn struct {
	Config
	nc  *nats.Conn
	js  jetstream.JetStream
	up  chan struct{} // has an element after the connection was made again
	own *Server       // in this process, or nil

	stream  string // name of the log
	prefix  string // of the log's subjects, with a dot
	all     string // subject of the commits
	lead    string // subject of the messages by which leaders take over
	saved   string // prefix of the subjects of snapshots
	records string // subject of the records of what is acknowledged

	denied atomic.Pointer[error] // why the server did not take a request
	whole  atomic.Uint64         // sequence of the latest snapshot that was read whole, or 0
}

// connect connects to c.URL, or to s if that is not nil, as a user of an own server. It tries until
// ctx ends.
func connect(ctx context.Context, c Config, s *Server, user string) (*conn, error) {
	k := &conn{
		Config:  c,
		own:     s,
		up:      make(chan struct{}, 1),
		stream:  "BERTH_" + c.Name,
		prefix:  "berth." + c.Name + ".",
		saved:   "berth_snapshots." + c.Name + ".",
		records: "berth_acked." + c.Name,
	}
	k.all, k.lead = k.prefix+"all", k.prefix+"lead"
	d := &dialer{ctx: ctx}
	options := []nats.Option{
		nats.Name("berth replica " + c.Name),
		nats.Timeout(patience),
		nats.SetCustomDialer(d),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(backoff),
		nats.IgnoreAuthErrorAbort(), // the server may come back with another directory
		nats.ReconnectBufSize(-1),   // nothing is kept while there is no connection
		nats.PingInterval(patience),
		nats.MaxPingsOutstanding(30), // progressConn finds out earlier, unless there is progress
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				k.denied.Store(&err) // the request gets no reply
			}
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			k.Logger.Warn("replica: the connection is lost", "world", c.Name, "error", err)
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			k.Logger.Info("replica: connected again", "world", c.Name)
			k.reconnected()
		}),
	}
	switch {
	case s != nil:
		options = append(options, nats.InProcessServer(s.nats),
			nats.UserInfo(user, s.password(user)))
	case c.Dir != "" && !strings.Contains(c.URL, "@"):
		options = append(options, nats.UserInfoHandler(func() (string, string) {
			return user, readPassword(c.Dir, user)
		}))
	}
	options = append(options, c.Options...)
	err := k.retry(ctx, func(context.Context) (err error) {
		k.nc, err = nats.Connect(c.URL, options...)
		if errors.Is(err, nats.ErrAuthorization) {
			err = final(err)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("replica: connecting: %w", err)
	}
	d.connected()
	if k.js, err = jetstream.New(k.nc); err != nil {
		k.close()
		return nil, fmt.Errorf("replica: %w", err)
	}
	return k, nil
}

// dialer lets the end of a context end the first connection, however far it is. It closes each
// connection before it makes the next one: nats.go v1.55.0 leaves those open that fail early.
type dialer struct {
	ctx  context.Context
	over atomic.Bool // the first one is made
	stop func() bool
	last net.Conn
}

// Dial implements nats.CustomDialer.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	if d.last != nil {
		_ = d.last.Close()
	}
	ctx := d.ctx
	if d.over.Load() {
		ctx = context.Background()
	}
	dial := net.Dialer{Timeout: patience}
	c, err := dial.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.last = c
	if !d.over.Load() {
		d.stop = context.AfterFunc(d.ctx, func() { _ = c.Close() })
	}
	return progressConn{c}, nil
}

// connected detaches the connection from the dial context.
func (d *dialer) connected() {
	d.over.Store(true)
	if d.stop != nil {
		d.stop()
	}
}

// progressConn is a connection that fails if it brings nothing for three times patience. The server
// answers pings more often. A connection that is slow has progress.
type progressConn struct{ net.Conn }

// Read implements net.Conn.
func (c progressConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(3 * patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// reconnected is called when the connection was made again.
func (k *conn) reconnected() {
	select {
	case k.up <- struct{}{}:
	default:
	}
}

// close ends the connection.
func (k *conn) close() { k.nc.Close() }

// backoff returns the pause after attempt n, with jitter, so that many followers do not come back
// at the same time.
func backoff(n int) time.Duration {
	d := min(float64(pause)*math.Pow(1.25, float64(n)), float64(pauseMost))
	return time.Duration(d * (.75 + rand.Float64()/2))
}

// retry calls f until it returns nil, or an error that wraps errFinal, or ctx ends. The context of
// f is for one request. It ends earlier than ctx, but later with each attempt that took too long.
func (k *conn) retry(ctx context.Context, f func(context.Context) error) error {
	slow := 0
	for n := 0; ; n++ {
		short, cancel := context.WithTimeout(ctx, patience<<slow)
		err := f(short)
		if short.Err() != nil && slow < 5 {
			slow++
		}
		cancel()
		if denied := k.denied.Load(); err != nil && denied != nil {
			return final(*denied)
		}
		if err == nil || errors.Is(err, errFinal) {
			return err
		}
		switch end := sleep(ctx, backoff(n)); {
		case end == nil:
		case errors.Is(err, end):
			return k.explain(err)
		default:
			return fmt.Errorf("%w: %w", end, k.explain(err))
		}
	}
}

// explain adds to an error that there is no connection, and where to.
func (k *conn) explain(err error) error {
	if k.URL == "" || k.nc != nil && k.nc.IsConnected() {
		return err
	}
	urls := strings.Split(k.URL, ",")
	for i, text := range urls {
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil {
			urls[i] = u.Redacted()
		}
	}
	return fmt.Errorf("no connection to %q: %w", strings.Join(urls, ","), err)
}

// errFinal marks an error that trying again does not change.
var errFinal = errors.New("final")

// final marks err, unless it is nil.
func final(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

// finalError is an error that trying again does not change. Its text is that of the error.
type finalError struct{ error }

func (e finalError) Unwrap() []error { return []error{e.error, errFinal} }

// sleep waits, and returns the error of ctx if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// The keys of the log's metadata.
const (
	metaLayout = "berth-layout"
	metaPrint  = "berth-fingerprint"
	metaCell   = "berth-cell"
	// longDesc is the length above which a description of a type is not in the metadata.
	longDesc = 4096
)

// open makes the streams that are missing if create is set, and checks that they are for such
// values and cells. It returns the size of the cells.
func (k *conn) open(ctx context.Context, desc string, print uint64, cell float64, create bool) (
	float64, error,
) {
	var have map[string]string
	err := k.retry(ctx, func(ctx context.Context) error {
		for _, c := range k.streams(desc, print, cell) {
			s, err := k.js.Stream(ctx, c.Name)
			switch {
			case errors.Is(err, jetstream.ErrStreamNotFound) && !create:
				return final(fmt.Errorf("%w: there is no stream %q", ErrNoWorld, c.Name))
			case errors.Is(err, jetstream.ErrStreamNotFound):
				s, err = k.js.CreateStream(ctx, c)
			case err == nil && create && c.Name == k.stream &&
				s.CachedInfo().Config.MaxBytes < c.MaxBytes:
				err = k.limit(ctx, c.MaxBytes)
			}
			if err != nil {
				return lasting(err)
			}
			if c.Name == k.stream {
				have = s.CachedInfo().Config.Metadata
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("replica: opening %q: %w", k.Name, err)
	}
	return k.checkMeta(have, desc, print, cell, create)
}

// streams returns the streams of a world: the log, the snapshots, and the records of what is
// acknowledged. The log is the first, so a world that is half made is one without a log.
func (k *conn) streams(desc string, print uint64, cell float64) []jetstream.StreamConfig {
	c := jetstream.StreamConfig{
		Name:        k.stream,
		Description: "frames of the berth world " + k.Name,
		Subjects:    []string{k.prefix + ">"},
		Storage:     jetstream.FileStorage,
		Replicas:    k.Replicas,
		MaxBytes:    k.maxBytes(),
		Discard:     jetstream.DiscardNew, // a full log refuses frames, and loses none
		// The server keeps identifiers for that long. Only the last one is of use.
		Duplicates: 100 * time.Millisecond,
		Metadata: map[string]string{
			metaPrint: strconv.FormatUint(print, 16),
			metaCell:  strconv.FormatFloat(cell, 'g', -1, 64),
		},
	}
	if k.InMemory {
		c.Storage = jetstream.MemoryStorage
	}
	if len(desc) <= longDesc {
		c.Metadata[metaLayout] = desc
	}
	snapshots, acks := c, c
	snapshots.Name, snapshots.Subjects = k.stream+"_snapshots", []string{k.saved + ">"}
	snapshots.Description, snapshots.MaxBytes = "snapshots of the berth world "+k.Name, -1
	snapshots.AllowDirect = k.Replicas == 1 // another server may not have the latest message
	acks.Name, acks.Subjects = k.stream+"_acked", []string{k.records}
	acks.Description, acks.MaxBytes = "acknowledged frames of the berth world "+k.Name, -1
	acks.MaxMsgs, acks.Discard = 16, jetstream.DiscardOld
	return []jetstream.StreamConfig{c, snapshots, acks}
}

// maxBytes returns the limit of the log for the server.
func (k *conn) maxBytes() int64 {
	if k.MaxBytes == 0 {
		return -1
	}
	return k.MaxBytes
}

// limit sets the limit of the log. The server removes nothing if the log is larger.
func (k *conn) limit(ctx context.Context, n int64) error {
	log, _, err := k.log(ctx)
	if err != nil || n <= 0 || log.CachedInfo().Config.MaxBytes == n {
		return err
	}
	c := log.CachedInfo().Config
	c.MaxBytes = n
	_, err = k.js.UpdateStream(ctx, c)
	return err
}

// log returns the log with its state.
func (k *conn) log(ctx context.Context) (jetstream.Stream, jetstream.StreamState, error) {
	s, err := k.js.Stream(ctx, k.stream)
	if err != nil {
		return nil, jetstream.StreamState{}, lasting(fmt.Errorf("stream %q: %w", k.stream, err))
	}
	return s, s.CachedInfo().State, nil
}

// purge removes the messages of the log up to a sequence, for which there must be a whole snapshot,
// and which is that of a commit or takeover. It does no harm if it comes late, after other leaders
// have trimmed the log: it removes what they do not need either. If the log ends before seq, it
// goes on after it from then on.
func (k *conn) purge(ctx context.Context, seq uint64) error {
	if seq == 0 {
		return nil
	}
	log, _, err := k.log(ctx)
	if err != nil {
		return err
	}
	return log.Purge(ctx, jetstream.WithPurgeSequence(seq+1))
}

// acked returns the sequence of the last message that a leader has recorded as acknowledged.
func (k *conn) acked(ctx context.Context) (seq uint64, err error) {
	s, err := k.js.Stream(ctx, k.stream+"_acked")
	if err != nil {
		return 0, lasting(err)
	}
	state := s.CachedInfo().State
	for i := max(state.FirstSeq, 1); i <= state.LastSeq; i++ {
		m, err := s.GetMsg(ctx, i)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound): // there are newer ones
		case err != nil:
			return 0, err
		case len(m.Data) == 8:
			seq = max(seq, binary.LittleEndian.Uint64(m.Data))
		}
	}
	return seq, nil
}

// record records that the log is acknowledged up to a sequence. It does not wait. A server that
// loses messages with its power, or by damage to its files, is then found out by the next leader.
func (k *conn) record(seq uint64) {
	_ = k.nc.Publish(k.records, binary.LittleEndian.AppendUint64(nil, seq))
}

// lasting marks errors of the server that do not end by themselves.
func lasting(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode != noPeers &&
		(api.Code < 500 || api.ErrorCode == noCluster) {
		return final(err)
	}
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) ||
		errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return final(err)
	}
	return err
}

// checkMeta checks the log's metadata, and returns the size of its cells.
func (k *conn) checkMeta(have map[string]string, desc string, print uint64, cell float64,
	lead bool,
) (float64, error) {
	if got := have[metaPrint]; got != strconv.FormatUint(print, 16) {
		what := "the fingerprint " + got
		if d, ok := have[metaLayout]; ok {
			what = layout.Differ(d, desc)
		}
		return 0, fmt.Errorf("%w: the log of %q has other values: %s", ErrCorrupt, k.Name, what)
	}
	size, err := strconv.ParseFloat(have[metaCell], 64)
	if err != nil {
		return 0, fmt.Errorf("%w: the log of %q has no size of cells", ErrCorrupt, k.Name)
	}
	if lead && size != cell {
		return 0, fmt.Errorf("%w: the log of %q has cells of size %v, not %v", ErrCorrupt, k.Name,
			size, cell)
	}
	return size, nil
}

// acknowledged returns the sequence of a message that was sent to a stream, from the reply.
func acknowledged(stream string, m *nats.Msg) (uint64, error) {
	var ack pubAck
	if err := json.Unmarshal(m.Data, &ack); err != nil {
		return 0, err
	}
	switch {
	case ack.Error == nil && ack.Stream == stream && ack.Seq > 0:
		return ack.Seq, nil
	case ack.Error == nil:
		return 0, fmt.Errorf("replica: the reply is of stream %q", ack.Stream)
	case ack.Error.ErrorCode == wrongLast || ack.Error.ErrorCode == wrongLastCluster ||
		ack.Error.ErrorCode == notLeader:
		return 0, ack.Error // read the log again
	}
	return 0, final(fmt.Errorf("%w: %w", ErrStorage, ack.Error))
}

// Codes of errors of the server that nats.go has no constants for.
const (
	wrongLast        jetstream.ErrorCode = 10071
	wrongLastCluster jetstream.ErrorCode = 10164
	notLeader        jetstream.ErrorCode = 10008 // the cluster has none at the moment
	noPeers          jetstream.ErrorCode = 10005 // it has too few servers at the moment
	noCluster        jetstream.ErrorCode = 10074 // Replicas needs one, and this is a server
)

package replica

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/internal/layout"
)

var (
	// patience is the time after which a request, or a frame without an acknowledgement, counts as
	// lost.
	patience = 2 * time.Second
	// pause is the time between two attempts.
	pause = 20 * time.Millisecond
)

// conn is a connection to the server, for one world.
type conn struct {
	Config
	nc  *nats.Conn
	js  jetstream.JetStream
	up  chan struct{} // has an element after the connection was made again
	own *Server       // in this process, or nil

	stream  string // name of the log
	bucket  string // name of the object store
	objects string // name of its stream
	prefix  string // of the log's subjects, with a dot
	all     string // subject of the commits
}

// connect connects to c.URL, or to s if that is not nil. It tries until ctx ends.
func connect(ctx context.Context, c Config, s *Server) (*conn, error) {
	k := &conn{
		Config:  c,
		own:     s,
		up:      make(chan struct{}, 1),
		stream:  "BERTH_" + c.Name,
		bucket:  "berth_" + c.Name,
		objects: "OBJ_berth_" + c.Name,
		prefix:  "berth." + c.Name + ".",
	}
	k.all = k.prefix + "all"
	d := &dialer{ctx: ctx}
	options := []nats.Option{
		nats.Name("berth replica " + c.Name),
		nats.Timeout(patience),
		nats.SetCustomDialer(d),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(pause),
		nats.ReconnectJitter(pause, pause),
		nats.ReconnectBufSize(-1), // nothing is kept while there is no connection
		nats.PingInterval(patience),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		nats.ReconnectHandler(func(*nats.Conn) { k.reconnected() }),
	}
	if s != nil {
		options = append(options, nats.InProcessServer(s.nats))
	}
	options = append(options, c.Options...)
	err := retry(ctx, func() (err error) {
		k.nc, err = nats.Connect(c.URL, options...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("replica: connecting to %q: %w", c.URL, err)
	}
	d.connected()
	if k.js, err = jetstream.New(k.nc); err != nil {
		k.close()
		return nil, fmt.Errorf("replica: %w", err)
	}
	return k, nil
}

// dialer lets the end of a context end the first connection, however far it is.
type dialer struct {
	ctx  context.Context
	over atomic.Bool // it is made
	stop atomic.Pointer[func() bool]
}

// Dial implements nats.CustomDialer.
func (d *dialer) Dial(network, address string) (net.Conn, error) {
	dial := net.Dialer{Timeout: patience}
	if d.over.Load() {
		return dial.Dial(network, address)
	}
	c, err := dial.DialContext(d.ctx, network, address)
	if err == nil {
		stop := context.AfterFunc(d.ctx, func() { _ = c.Close() })
		d.stop.Store(&stop)
	}
	return c, err
}

// connected makes the context count no more.
func (d *dialer) connected() {
	d.over.Store(true)
	if stop := d.stop.Load(); stop != nil {
		(*stop)()
	}
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

// retry calls f until it returns nil, or an error that wraps errFinal, or ctx ends.
func retry(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || errors.Is(err, errFinal) {
			return err
		}
		switch end := sleep(ctx, pause); {
		case end == nil:
		case errors.Is(err, end):
			return err
		default:
			return fmt.Errorf("%w: %w", end, err)
		}
	}
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

// brief returns a context for one request.
func brief(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, patience)
}

// The keys of the log's metadata.
const (
	metaLayout = "berth-layout"
	metaPrint  = "berth-fingerprint"
	metaCell   = "berth-cell"
	// longDesc is the length above which a description of a type is not in the metadata.
	longDesc = 4096
)

// open makes the log and the object store if they are not there and create is set, and checks that
// they are for such values and cells. It returns the size of the cells.
func (k *conn) open(ctx context.Context, desc string, print uint64, cell float64, create bool) (
	float64, error,
) {
	var have map[string]string
	err := retry(ctx, func() error {
		ctx, cancel := brief(ctx)
		defer cancel()
		s, err := k.js.Stream(ctx, k.stream)
		if err == nil {
			have = s.CachedInfo().Config.Metadata
			if _, err = k.js.ObjectStore(ctx, k.bucket); err == nil || !create {
				return err
			}
		}
		switch missing := errors.Is(err, jetstream.ErrStreamNotFound) ||
			errors.Is(err, jetstream.ErrBucketNotFound); {
		case !missing:
			return lasting(err)
		case !create:
			return final(fmt.Errorf("%w: %q", ErrNoWorld, k.Name))
		}
		if have, err = k.create(ctx, desc, print, cell); err != nil {
			return lasting(err)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("replica: opening %q: %w", k.Name, err)
	}
	return k.checkMeta(have, desc, print, cell, create)
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

// create makes what is missing of the log and the object store, and returns the log's metadata.
func (k *conn) create(ctx context.Context, desc string, print uint64, cell float64) (
	map[string]string, error,
) {
	storage := jetstream.FileStorage
	if k.Memory {
		storage = jetstream.MemoryStorage
	}
	_, err := k.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: k.bucket, Storage: storage, Replicas: k.Replicas,
		Description: "snapshots of the berth world " + k.Name,
	})
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return nil, err
	}
	meta := map[string]string{
		metaPrint: strconv.FormatUint(print, 16),
		metaCell:  strconv.FormatFloat(cell, 'g', -1, 64),
	}
	if len(desc) <= longDesc {
		meta[metaLayout] = desc
	}
	s, err := k.js.CreateStream(ctx, jetstream.StreamConfig{
		Name:        k.stream,
		Description: "frames of the berth world " + k.Name,
		Subjects:    []string{k.all, k.prefix + "c.*.*"},
		Storage:     storage,
		Replicas:    k.Replicas,
		MaxBytes:    k.MaxBytes,
		Discard:     jetstream.DiscardNew, // a full log refuses frames, and loses none
		Metadata:    meta,
		// The server keeps identifiers for that long. Only the last one is of use.
		Duplicates: 100 * time.Millisecond,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		s, err = k.js.Stream(ctx, k.stream)
	}
	if err != nil {
		return nil, err
	}
	return s.CachedInfo().Config.Metadata, nil
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

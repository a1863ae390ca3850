package replica

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Lead waits while a cluster forms or has no leader, and does not wait for what never comes.
func TestLasting(t *testing.T) {
	for _, x := range []struct {
		err   error
		final bool
	}{
		{&jetstream.APIError{Code: 400, ErrorCode: noPeers}, false},
		{&jetstream.APIError{Code: 503, ErrorCode: notLeader}, false},
		{&jetstream.APIError{Code: 500, ErrorCode: noCluster}, true},
		{&jetstream.APIError{Code: 400, ErrorCode: 10003}, true},
		{jetstream.ErrJetStreamNotEnabled, true},
		{jetstream.ErrJetStreamNotEnabledForAccount, true},
		{context.DeadlineExceeded, false},
	} {
		err := lasting(fmt.Errorf("wrapped: %w", x.err))
		if errors.Is(err, errFinal) != x.final || !errors.Is(err, x.err) {
			t.Errorf("%v is final: %v, want %v", x.err, !x.final, x.final)
		}
	}
}

// A connection that brings nothing for long fails. Its other end may be gone for ever.
func TestProgress(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = time.Millisecond
	client, server := net.Pipe()
	defer func() { _ = server.Close() }()
	if _, err := (progressConn{client}).Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a connection without progress:", err)
	}
}

// An error of retry tells why ctx ended, once, and what the last attempt said.
func TestRetry(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	refused, n := errors.New("refused"), 0
	k := new(conn)
	err := k.retry(ctx, func(context.Context) error {
		if n++; n == 3 {
			cancel()
		}
		return refused
	})
	if !errors.Is(err, refused) || !errors.Is(err, context.Canceled) || n != 3 {
		t.Errorf("%d attempts, error %v", n, err)
	}
	err = k.retry(ctx, func(context.Context) error { return fmt.Errorf("asking: %w", ctx.Err()) })
	if want := "asking: context canceled"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	n = 0
	err = k.retry(t.Context(), func(context.Context) error { n++; return final(refused) })
	if !errors.Is(err, refused) || n != 1 {
		t.Errorf("%d attempts, error %v", n, err)
	}
}

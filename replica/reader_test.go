package replica

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Repeated messages of a consumer are dropped, and if one is missing, the consumer is.
func TestAccept(t *testing.T) {
	sub := new(nats.Subscription)
	r := &reader{conn: &conn{stream: "S"}, name: "C", ch: make(chan *nats.Msg), asked: 9}
	message := func(stream, consumer string, seq, count int) *nats.Msg {
		return &nats.Msg{Sub: sub, Reply: fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.%d.0", stream, consumer,
			seq, count, time.Now().UnixNano())}
	}
	for i, x := range []struct {
		m    *nats.Msg
		want uint64 // 0: not accepted
		last uint64
	}{
		{message("S", "C", 7, 1), 7, 7},
		{message("S", "C", 7, 1), 0, 7},
		{message("S", "D", 8, 2), 0, 7},
		{message("T", "C", 8, 2), 0, 7},
		{&nats.Msg{Sub: sub, Reply: "somebody"}, 0, 7},
		{&nats.Msg{Sub: sub, Header: nats.Header{"Status": {"100"}}}, 0, 7},
		{message("S", "C", 12, 2), 12, 12},
		{message("S", "C", 7, 1), 0, 12},
		{message("S", "C", 14, 3), 14, 14},
	} {
		seq, ok := r.accept(x.m)
		if seq != x.want || ok != (x.want > 0) || r.last != x.last || r.name != "C" {
			t.Errorf("%d: message %d, %v, last %d, consumer %q", i, seq, ok, r.last, r.name)
		}
	}
	if r.asked != 9-3-2 { // two were sent again
		t.Errorf("%d messages are on their way", r.asked)
	}
	heartbeat := func(sent string) *nats.Msg {
		return &nats.Msg{Sub: sub,
			Header: nats.Header{"Status": {"100"}, "Nats-Last-Consumer": {sent}}}
	}
	for _, missing := range []*nats.Msg{message("S", "C", 20, 5), heartbeat("4")} {
		for _, sent := range []string{"0", "3", "", "x"} {
			if _, ok := r.accept(heartbeat(sent)); ok || r.name != "C" {
				t.Errorf("a heartbeat after message %q, and the consumer was given up", sent)
			}
		}
		if _, ok := r.accept(missing); ok || r.name != "" {
			t.Error("a message is missing, and the consumer was not given up")
		}
		r.name, r.ch, r.count = "C", make(chan *nats.Msg), 3
	}
}

// A reader that has heard nothing of its consumer for long gives it up, whether it waits or not.
func TestSilence(t *testing.T) {
	for _, wait := range []bool{false, true} {
		r := &reader{conn: &conn{up: make(chan struct{})}, name: "C", ch: make(chan *nats.Msg)}
		r.heard = time.Now().Add(-silence)
		if _, err := r.receive(ctxOf(t), wait); err != nil || r.name != "" {
			t.Errorf("wait %v: consumer %q, error %v", wait, r.name, err)
		}
		r.name, r.heard = "C", time.Now()
		if m, err := r.receive(ctxOf(t), false); m != nil || err != nil || r.name != "C" {
			t.Errorf("a consumer that was heard is given up: %v, %v", m, err)
		}
	}
}

// A reconnection ends a wait, and the reader gives up its consumer.
func TestReconnectedWaiting(t *testing.T) {
	r := &reader{conn: &conn{up: make(chan struct{}, 1)}, name: "C", ch: make(chan *nats.Msg),
		asked: pullMessages, heard: time.Now()}
	r.reconnected()
	if _, err := r.receive(ctxOf(t), true); err != nil || r.name == "" {
		t.Errorf("silence has ended the wait: consumer %q, error %v", r.name, err)
	}
	if _, _, err := r.next(ctxOf(t), false); !errors.Is(err, errLost) {
		t.Errorf("consumer %q, error %v", r.name, err)
	}
}

package live

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	maxCredit     = 2
	writePatience = 10 * time.Second // for a viewer to take one message, or answer a ping
	pingPause     = 30 * time.Second // between two pings
	byePatience   = 2 * time.Second  // for a viewer to answer a close frame
)

// viewer is a connected browser: its connection and its outgoing messages.
type viewer struct {
	conn *websocket.Conn
	net  net.Conn // under conn
	log  *slog.Logger

	mu      sync.Mutex
	wake    chan struct{} // signals a change of the outbox
	out     outbox
	credit  int  // frames that may be sent
	without int  // frames sent since one with heat
	gone    bool // nothing is added any more
	late    *time.Timer
}

// outbox holds a viewer's outgoing messages. A newer message replaces an older one of its kind.
type outbox struct {
	state, notice []byte
	refusals      [][]byte // at most maxRefusals, after which nothing more is read
	frame         *frame   // waits for credit; the outbox holds a reference
	bye           *farewell
}

type farewell struct {
	code websocket.StatusCode
	why  string
}

func newViewer(c net.Conn, log *slog.Logger) *viewer {
	return &viewer{
		net: c, log: log, wake: make(chan struct{}, 1), credit: maxCredit, without: heatEvery,
	}
}

// put changes the outbox, unless the viewer is gone.
func (v *viewer) put(change func()) {
	v.mu.Lock()
	if !v.gone {
		change()
	}
	v.mu.Unlock()
	select {
	case v.wake <- struct{}{}:
	default: // a wake-up is pending
	}
}

func (v *viewer) offerState(s []byte)  { v.put(func() { v.out.state = s }) }
func (v *viewer) offerNotice(s []byte) { v.put(func() { v.out.notice = s }) }
func (v *viewer) grant()               { v.put(func() { v.credit = min(v.credit+1, maxCredit) }) }

func (v *viewer) refuse(why error) {
	text := mustJSON(wireText{Type: "error", Text: why.Error()})
	v.put(func() { v.out.refusals = append(v.out.refusals, text) })
}

// offer makes f the frame that waits for credit.
func (v *viewer) offer(f *frame) {
	v.put(func() {
		if v.out.frame != nil {
			v.out.frame.drop()
		}
		f.keep()
		v.out.frame = f
	})
}

// sayGoodbye closes the connection after the waiting messages are sent, and cuts it off if that
// takes long.
func (v *viewer) sayGoodbye(code websocket.StatusCode, why string) {
	v.put(func() {
		if v.late == nil {
			v.out.bye = &farewell{code, why}
			v.late = time.AfterFunc(byePatience, v.hangUp)
		}
	})
}

// wantsHeat reports whether the next frame should have heat. The first one should, and a viewer
// that draws every third frame might get only those without.
func (v *viewer) wantsHeat() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.without >= heatEvery
}

// take empties the outbox, as far as there is credit. The caller must drop the frame.
func (v *viewer) take() outbox {
	v.mu.Lock()
	defer v.mu.Unlock()
	o := v.out
	v.out = outbox{}
	if o.frame != nil && o.bye == nil {
		if v.credit == 0 {
			v.out.frame, o.frame = o.frame, nil
			return o
		}
		v.credit--
		v.without++
		if o.frame.heat {
			v.without = 0
		}
	}
	return o
}

// end empties the outbox for good.
func (v *viewer) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = true
	if v.late != nil {
		v.late.Stop()
	}
	if v.out.frame != nil {
		v.out.frame.drop()
	}
	v.out = outbox{}
}

// write sends the messages of the outbox until goodbye is said, a write fails, or done is closed.
// Then it closes the connection, which ends the reader. It pings regularly, since a viewer that
// never reads has no credit, and no write to it would fail.
func (v *viewer) write(done <-chan struct{}) {
	asks := time.NewTicker(pingPause)
	defer asks.Stop()
	for {
		select {
		case <-v.wake:
		case <-asks.C:
			if v.ping() != nil {
				v.log.Warn("a viewer does not answer", "viewer", v.net.RemoteAddr().String())
				v.hangUp()
				return
			}
			continue
		case <-done:
			return
		}
		o := v.take()
		err := v.send(&o)
		if o.frame != nil {
			o.frame.drop()
		}
		switch {
		case err != nil:
			if errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
				v.log.Warn("a viewer does not read", "viewer", v.net.RemoteAddr().String())
			}
			v.hangUp()
			return
		case o.bye != nil:
			_ = v.conn.Close(o.bye.code, o.bye.why) // if it fails, the other side is gone already
			return
		}
	}
}

func (v *viewer) send(o *outbox) error {
	for _, text := range o.refusals {
		if err := v.sendOne(websocket.MessageText, text); err != nil {
			return err
		}
	}
	for _, text := range [...][]byte{o.state, o.notice} {
		if text == nil {
			continue
		}
		if err := v.sendOne(websocket.MessageText, text); err != nil {
			return err
		}
	}
	if o.frame == nil || o.bye != nil {
		return nil
	}
	return v.sendOne(websocket.MessageBinary, o.frame.buf)
}

// ping waits until the viewer has answered. A browser answers by itself, also for a hidden tab.
func (v *viewer) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), writePatience)
	defer cancel()
	return v.conn.Ping(ctx)
}

// sendOne sends a message. The deadline of the net.Conn limits its time; unlike a context's, it
// allocates nothing.
func (v *viewer) sendOne(t websocket.MessageType, data []byte) error {
	if err := v.net.SetWriteDeadline(time.Now().Add(writePatience)); err != nil {
		return err
	}
	if err := v.conn.Write(context.Background(), t, data); err != nil {
		return err
	}
	return v.net.SetWriteDeadline(time.Time{}) // pings have their own deadline
}

// hangUp closes the net.Conn. Pending reads and writes fail.
func (v *viewer) hangUp() { _ = v.net.Close() } // it may have been closed before

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

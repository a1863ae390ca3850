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

// viewer is a browser that looks: its connection, and what it is still to get.
type viewer struct {
	conn *websocket.Conn
	net  net.Conn // below conn
	log  *slog.Logger

	mu      sync.Mutex
	wake    chan struct{} // something was put in
	out     outbox
	credit  int  // frames that may be sent
	without int  // frames sent since one with heat
	gone    bool // nothing is put in any more
	late    *time.Timer
}

// outbox is what a viewer is still to get. What is newer takes the place of what is older.
type outbox struct {
	state, notice []byte
	refusals      [][]byte // at most maxRefusals, since after them nothing more is read
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
	default: // it will be woken anyway
	}
}

func (v *viewer) offerState(s []byte)  { v.put(func() { v.out.state = s }) }
func (v *viewer) offerNotice(s []byte) { v.put(func() { v.out.notice = s }) }
func (v *viewer) grant()               { v.put(func() { v.credit = min(v.credit+1, maxCredit) }) }

func (v *viewer) refuse(why error) {
	text := mustJSON(wireText{Type: "error", Text: why.Error()})
	v.put(func() { v.out.refusals = append(v.out.refusals, text) })
}

// offer has f wait for credit, in place of the frame that did.
func (v *viewer) offer(f *frame) {
	v.put(func() {
		if v.out.frame != nil {
			v.out.frame.drop()
		}
		f.keep()
		v.out.frame = f
	})
}

// sayGoodbye has the connection closed, when what waits has been sent, and cut if that takes long.
func (v *viewer) sayGoodbye(code websocket.StatusCode, why string) {
	v.put(func() {
		if v.late == nil {
			v.out.bye = &farewell{code, why}
			v.late = time.AfterFunc(byePatience, v.hangUp)
		}
	})
}

// wantsHeat reports whether the next frame should have heat: for the first one, and because who
// draws every third frame might get only those without.
func (v *viewer) wantsHeat() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.without >= heatEvery
}

// take empties the outbox, as far as there is credit. The frame is the caller's to drop.
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

// write sends what is put into the outbox, until goodbye is said, or a write fails, or done. Then
// it closes the connection, which ends the reader. Now and then it asks whether somebody is there:
// who never reads has no credit, and so nothing gets stuck on the way to him.
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
			_ = v.conn.Close(o.bye.code, o.bye.why) // if it fails, the other side has gone before
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

// ping waits until the viewer has answered. A browser does so by itself, also for a hidden tab.
func (v *viewer) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), writePatience)
	defer cancel()
	return v.conn.Ping(ctx)
}

// sendOne sends a message. Its time is limited by a deadline of the connection below, which, other
// than a context's, costs no garbage.
func (v *viewer) sendOne(t websocket.MessageType, data []byte) error {
	if err := v.net.SetWriteDeadline(time.Now().Add(writePatience)); err != nil {
		return err
	}
	if err := v.conn.Write(context.Background(), t, data); err != nil {
		return err
	}
	return v.net.SetWriteDeadline(time.Time{}) // for what answers pings, which has its own
}

// hangUp cuts the connection. Whoever reads or writes gets an error.
func (v *viewer) hangUp() { _ = v.net.Close() } // it may have been closed before

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

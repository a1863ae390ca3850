package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// client is the other end of a session.
type client struct {
	id   string
	conn *websocket.Conn
	n    int // messages sent
}

// dial connects to a hub and waits until its session has joined.
func dial(ctx context.Context, url string) (*client, error) {
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn}
	m, err := c.next(ctx)
	if err == nil && m.Kind != welcome {
		err = fmt.Errorf("the hub sent %+v, want a welcome", m)
	}
	if err != nil {
		_ = conn.CloseNow() // err has the reason
		return nil, err
	}
	c.id = m.To
	return c, nil
}

// send sends a message to an id, or to the room if to is empty.
func (c *client) send(ctx context.Context, to, text string) error {
	c.n++
	return wsjson.Write(ctx, c.conn, message{N: c.n, To: to, Text: text})
}

// next returns the next message from the hub.
func (c *client) next(ctx context.Context) (m message, err error) {
	err = wsjson.Read(ctx, c.conn, &m)
	return m, err
}

// leave closes the connection. A reader of it goes on until reading fails.
func (c *client) leave() { _ = c.conn.Close(websocket.StatusNormalClosure, "") }

// await waits until f returns true.
func await(ctx context.Context, f func() bool) error {
	for !f() {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// status returns the code and the reason with which a connection was closed.
func status(err error) (websocket.StatusCode, string) {
	var c websocket.CloseError
	if errors.As(err, &c) {
		return c.Code, c.Reason
	}
	return -1, ""
}

package main

import (
	"context"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth/lab/trace"
)

// session is the hub's side of one connection. It is used under a lease, by several goroutines at a
// time.
type session struct {
	out    chan parcel        // the queue of its writer; closed when the last lease has ended
	cut    context.CancelFunc // closes the connection at once
	bye    *farewell          // set before out is closed
	record trace.Value
}

// farewell says why a session has ended.
type farewell struct {
	code websocket.StatusCode
	why  string
}

// put puts p into the queue. It reports false if the queue is full. It never sends to a closed
// queue, because the caller has a lease.
func (s *session) put(p parcel) bool {
	select {
	case s.out <- p:
		return true
	default:
		return false
	}
}

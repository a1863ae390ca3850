package main

import (
	"sync"
	"time"
	"unsafe"

	"github.com/seed505807e1/berth/lab/trace"
)

// record records the sessions of a hub. A session is recorded as an insert before others can find
// it, and as a removal after its last lease. A nil record records nothing.
type record struct {
	mu       sync.Mutex // a Recorder is for one goroutine at a time
	track    *trace.Track
	ticks    *time.Ticker
	stopOnce sync.Once
	stopping chan struct{}
	stopped  chan struct{}
}

// newRecord returns a record, whose frames are ticks, or nil if r is nil.
func newRecord(r *trace.Recorder, tick time.Duration) *record {
	if r == nil {
		return nil
	}
	if tick == 0 {
		tick = 20 * time.Millisecond
	}
	c := &record{
		track:    r.Track("sessions", int(unsafe.Sizeof(session{}))),
		ticks:    time.NewTicker(tick),
		stopping: make(chan struct{}),
		stopped:  make(chan struct{}),
	}
	go c.run(r)
	return c
}

// run records the frames until stop.
func (c *record) run(r *trace.Recorder) {
	defer close(c.stopped)
	defer c.ticks.Stop()
	for {
		select {
		case <-c.ticks.C:
			c.mu.Lock()
			_ = r.Frame() // Close reports the error again
			c.mu.Unlock()
		case <-c.stopping:
			return
		}
	}
}

// stop ends the recording. The caller may then close the Recorder.
func (c *record) stop() {
	if c != nil {
		c.stopOnce.Do(func() { close(c.stopping) })
		<-c.stopped
	}
}

// joined records a new session.
func (c *record) joined() (v trace.Value) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		v = c.track.Insert()
	}
	return v
}

// left records the end of a session.
func (c *record) left(v trace.Value) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.track.Remove(v)
	}
}

// looked records a lookup that found s, or nothing if s is nil. Which of the former sessions was
// looked up is left to the reader.
func (c *record) looked(s *session) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s != nil {
		c.track.Get(s.record)
	} else {
		c.track.MissRandom(1)
	}
}

// pass records a loop over all sessions.
func (c *record) pass() {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.track.Pass()
	}
}

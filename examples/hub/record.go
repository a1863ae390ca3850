package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
)

// sessions has the methods of the pool that the hub uses, so that a recorded pool can take its
// place. A program that is never recorded uses *berth.Pool[session].
type sessions interface {
	Insert(session) id
	Remove(id) (session, bool)
	Ptr(id) *session
	All() iter.Seq2[id, *session]
	Drain() iter.Seq2[id, session]
	Len() int
}

var _ sessions = (*berth.Pool[session])(nil)

// record records all calls of the pool from now on. A frame is a tick. There is no frame while the
// hub handles a message, however long that takes.
func (h *Hub) record(
	pool *berth.Pool[session], r *trace.Recorder, tick time.Duration,
) (stop func()) {
	if tick == 0 {
		tick = 20 * time.Millisecond
	}
	h.sessions = trace.Wrap(r.Track("sessions", int(unsafe.Sizeof(session{}))), pool)
	t := time.NewTicker(tick)
	h.ticks = t.C
	h.tick = func() { _ = r.Frame() } // Close reports the error again
	return t.Stop
}

// recordFile is runLoad with a recording in a file.
func recordFile(ctx context.Context, name string, l load, out io.Writer) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	r, err := trace.NewRecorder(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = runLoad(ctx, Config{Recorder: r}, l, out)
	if err = errors.Join(err, r.Close(), f.Close()); err != nil {
		return err
	}
	return summarise(name, out)
}

// summarise prints a summary of a recording.
func summarise(name string, out io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	r, err := trace.NewReader(f)
	if err != nil {
		return err
	}
	s, err := trace.Summarise(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %v\n", name, s)
	return err
}

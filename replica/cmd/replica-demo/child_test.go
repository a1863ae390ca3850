package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
)

// writer is a function as an io.Writer.
type writer func(data []byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }

// TestTellsAcknowledged checks that a leader tells only hashes of frames that are acknowledged: the
// others may never have happened when the next leader comes.
func TestTellsAcknowledged(t *testing.T) {
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	world := berth.NewPool[thing](berth.Config{Seed: 1})
	l, err := replica.Lead(ctx, replica.Config{MaxUnacked: 100},
		replica.LeadOptions[thing]{Cell: cellSize, Pos: position}, world)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := &worker{config: config{Role: "leader", Missiles: 100}}
	told, sums, early := uint64(0), 0, 0 // early are the reports while a frame was not acknowledged
	w.out = json.NewEncoder(writer(func(data []byte) (int, error) {
		var r report
		if err := json.Unmarshal(data, &r); err != nil {
			return 0, err
		}
		for _, s := range r.Sums {
			if s.Seq < told || s.Seq > l.Acked() {
				t.Errorf("told of %d after %d, and %d is acknowledged", s.Seq, told, l.Acked())
			}
			told = s.Seq
			sums++
		}
		if l.Acked() < l.Seq() {
			early++
		}
		if early >= 5 && sums >= 3 || t.Failed() {
			cancel()
		}
		w.due = time.Time{} // of the next report: after each frame
		return len(data), nil
	}))
	if err := w.frames(ctx, l, world); err != nil {
		t.Fatal(err)
	}
	if told != l.Seq() || ctx.Err() != context.Canceled {
		t.Errorf("told of %d, the last frame is %d; %v", told, l.Seq(), ctx.Err())
	}
}

// TestSampled checks that hashes are taken of one in eight frames, for any distance between their
// sequences.
func TestSampled(t *testing.T) {
	for step := range uint64(40) {
		step++
		n := 0
		for i := range uint64(8000) {
			if sampled(i * step) {
				n++
			}
		}
		if n < 800 || n > 1200 {
			t.Errorf("every %d. sequence: %d of 8000", step, n)
		}
	}
}

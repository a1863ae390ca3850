package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
)

// The command starts itself for each of its processes, with the argument "child". A child reads its
// config from its standard input, and ends when that is closed, so no child survives its parent. It
// writes reports to its standard output.

const (
	reportEvery = 200 * time.Millisecond
	grace       = 5 * time.Second // for a child to end by itself
)

// config says what a child is.
type config struct {
	Role     string // server, leader or follower
	URL      string // of the server, for the others
	Dir      string // of the server
	Listen   string
	Sync     bool
	Missiles int
	HZ       int
	Seed     uint64
	Quarter  bool // the follower gets a quarter of the world
}

// report is what a child tells, five times a second.
type report struct {
	URL      string // of a server
	Frame    uint64 // number of the last frame, and its sequence in the log
	Seq      uint64
	Values   int
	P50, P99 time.Duration // lag, over the last second
	Ops      float64       // a second
	Bytes    float64
	Loads    uint64 // snapshots that a follower has loaded
	Sums     []sum  // hashes since the report before
	Picture  *picture
	Live     bool   // there was a frame since the report before
	Note     string // the last error
}

// sum is a hash of the world after a frame.
type sum struct{ Seq, Whole, Quarter uint64 }

// sampled reports whether to hash the world at seq: one in eight, the same in each process.
func sampled(seq uint64) bool { return seq*0x9e3779b97f4a7c15>>61 == 0 }

// child runs a child, and returns the exit status.
func child(in io.Reader, out, errs io.Writer) int {
	p := &part{out: json.NewEncoder(out)}
	if err := json.NewDecoder(in).Decode(&p.config); err != nil {
		fmt.Fprintln(errs, "no config:", err)
		return 2
	}
	run := map[string]func(context.Context) error{
		"server": p.serve, "leader": p.lead, "follower": p.follow,
	}[p.Role]
	if run == nil {
		fmt.Fprintf(errs, "no role is called %q\n", p.Role)
		return 2
	}
	signal.Ignore(os.Interrupt) // ^C reaches all processes of a terminal, and the parent ends them
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
		time.Sleep(grace)
		os.Exit(3)
	}()
	if err := run(ctx); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

// part is a child at work.
type part struct {
	config
	out   *json.Encoder
	next  report
	meter meter
	due   time.Time // of the next report
}

// tell sends the next report, with v, if it is time or now is set.
func (p *part) tell(now bool, v berth.View[thing], seq, ops, bytes uint64) error {
	at := time.Now()
	if !now && at.Before(p.due) {
		return nil
	}
	p.due = at.Add(reportEvery)
	r := &p.next
	if v != nil {
		r.Frame, r.Seq, r.Values = frameOf(v), seq, v.Len()
		r.P50, r.P99 = p.meter.lag(at)
		r.Ops, r.Bytes = p.meter.rates(at, ops, bytes)
	}
	if v != nil && p.Role == "follower" {
		r.Picture = draw(v)
	}
	err := p.out.Encode(r)
	p.next = report{Note: r.Note, Loads: r.Loads}
	return err
}

// serve runs the server.
func (p *part) serve(ctx context.Context) error {
	s, err := replica.Serve(ctx, replica.Config{Dir: p.Dir, Listen: p.Listen, NoSync: !p.Sync})
	if err != nil {
		return err
	}
	defer s.Close()
	for ctx.Err() == nil {
		p.next.URL, p.next.Live = s.URL(), true
		if err := p.tell(true, nil, 0, 0, 0); err != nil {
			return err
		}
		sleep(ctx, reportEvery)
	}
	return nil
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// retry calls f until it succeeds or ctx ends. An error of the world, which no repetition mends, is
// returned.
func (p *part) retry(ctx context.Context, f func(context.Context) error) error {
	for {
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := f(limited)
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, replica.ErrCorrupt) {
			return err
		}
		p.next.Note = err.Error()
		if err := p.tell(false, nil, 0, 0, 0); err != nil {
			return err
		}
		sleep(ctx, reportEvery/4)
	}
}

// lead takes the world over, and simulates it until ctx ends. When it is fenced, it does so again.
func (p *part) lead(ctx context.Context) error {
	for ctx.Err() == nil {
		var l *replica.Leader[thing]
		var world *berth.Pool[thing]
		err := p.retry(ctx, func(ctx context.Context) (err error) {
			world = berth.NewPool[thing](berth.Config{Seed: 1}) // it may have a part after an error
			l, err = replica.Lead(ctx,
				replica.Config{URL: p.URL, SnapshotEvery: 3 * time.Second, MaxUnacked: 30},
				replica.LeadOptions[thing]{Cell: cellSize, Pos: position}, world)
			return err
		})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		err = p.frames(ctx, l, world)
		l.Close()
		if err != nil && !errors.Is(err, replica.ErrFenced) {
			return err
		}
	}
	return nil
}

// frames simulates frames until ctx ends or l is fenced.
func (p *part) frames(ctx context.Context, l *replica.Leader[thing], w *berth.Pool[thing]) error {
	s := newSim(w, l, p.Missiles, p.HZ, p.Seed)
	pending := []sum{} // of frames that may not be in the log
	tell := func(now bool) error {
		for len(pending) > 0 && pending[0].Seq <= l.Acked() {
			p.next.Sums, pending = append(p.next.Sums, pending[0]), pending[1:]
		}
		stats := l.Stats()
		return p.tell(now, w, l.Seq(), stats.Ops, stats.Bytes)
	}
	hash := func() {
		pending = append(pending, sum{l.Seq(), l.Hash(), l.Hash(quarter()...)})
	}
	frame := time.Second / time.Duration(p.HZ)
	due := time.Now()
	for first := true; ctx.Err() == nil; first = false {
		s.step()
		for {
			limited, cancel := context.WithTimeout(ctx, reportEvery)
			_, err := l.Flush(limited)
			cancel()
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				return nil
			}
			if !errors.Is(err, replica.ErrSlow) && !errors.Is(err, replica.ErrStorage) {
				return err
			}
			p.next.Note = err.Error()
			if err := tell(false); err != nil {
				return err
			}
		}
		p.next.Live = true
		if sampled(l.Seq()) {
			hash()
		}
		if err := tell(first); err != nil {
			return err
		}
		if due = due.Add(frame); time.Since(due) > 10*frame {
			due = time.Now() // it has been held up, and does not catch up
		}
		sleep(ctx, time.Until(due))
	}
	end, cancel := context.WithTimeout(context.Background(), grace/2)
	defer cancel()
	if err := l.Wait(end); err != nil {
		return err
	}
	hash()
	return tell(true)
}

// follow follows the world until ctx ends.
func (p *part) follow(ctx context.Context) error {
	var cells []replica.Cell
	if p.Quarter {
		cells = quarter()
	}
	var f *replica.Follower[thing]
	err := p.retry(ctx, func(ctx context.Context) (err error) {
		f, err = replica.Follow[thing](ctx, replica.Config{URL: p.URL},
			replica.FollowOptions{Cells: cells})
		return err
	})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	hashed := uint64(0)
	for first := true; ; first = false {
		limited, cancel := context.WithTimeout(ctx, reportEvery)
		n, err := f.Step(limited)
		idle := limited.Err() != nil
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		var place *replica.FrameError
		if errors.As(err, &place) || err != nil && !idle {
			p.next.Note = err.Error()
		}
		if err != nil && !idle {
			sleep(ctx, reportEvery/20) // whatever it is, do not spin
		}
		stats := f.Stats()
		if n > 0 {
			p.next.Live = true
			p.meter.sample(time.Now(), f.Lag())
		}
		if p.next.Loads != stats.Loads {
			p.next.Loads, p.next.Sums = stats.Loads, nil
		}
		if seq := f.Seq(); seq != hashed && (idle || sampled(seq)) {
			hashed = seq
			x := sum{Seq: seq, Whole: f.Hash()}
			if p.Quarter {
				x.Whole, x.Quarter = 0, x.Whole
			}
			p.next.Sums = append(p.next.Sums, x)
		}
		if err := p.tell(first, f.View(), f.Seq(), stats.Ops, stats.Bytes); err != nil {
			return err
		}
	}
}

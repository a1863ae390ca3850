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
// writes reports to its standard output. A child that fails ends, and is started again.

const (
	reportEvery = 100 * time.Millisecond
	grace       = 5 * time.Second // for a child to end by itself
)

// config tells a child its role. It is not an argument, which other users could read, since the URL
// has the server's password.
type config struct {
	Role        string // server, leader or follower
	URL         string // of the server, for the others
	Dir, Listen string // of the server
	Missiles    int    // of the leader
	Part        int    // of a follower: the index of its cells in parts
}

// parts are the cells that followers have: all, or the upper left quarter of the world.
var parts = [2][]replica.Cell{nil, {{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}}}

// report is a message of a child: its state, and what has happened since the report before.
type report struct {
	URL   string        // of a server
	Frame uint64        // the number of the last frame
	Seq   uint64        // its sequence in the log
	Lag   time.Duration // the greatest
	Sums  []sum
	Note  string // the last error
}

// sum has hashes of the world after a frame, by the index in parts. A follower has only its own.
type sum struct {
	Seq    uint64
	Hashes [len(parts)]uint64
}

// sampled reports whether to hash the world at seq: one in eight, the same in each process.
func sampled(seq uint64) bool { return seq*0x9e3779b97f4a7c15>>61 == 0 }

// worker is a child at work.
type worker struct {
	config
	out  *json.Encoder
	next report
	due  time.Time // of the next report
}

// child runs a child, and returns the exit status.
func child(in io.Reader, out, errs io.Writer) int {
	w := &worker{out: json.NewEncoder(out)}
	if err := json.NewDecoder(in).Decode(&w.config); err != nil {
		fmt.Fprintln(errs, "no config:", err)
		return 2
	}
	run := map[string]func(context.Context) error{
		"server": w.serve, "leader": w.lead, "follower": w.follow,
	}[w.Role]
	signal.Ignore(os.Interrupt) // ^C reaches all processes of a terminal, and the parent ends them
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
		time.Sleep(grace)
		os.Exit(3)
	}()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

// tell sends the next report if it is due.
func (w *worker) tell() error {
	now := time.Now()
	if now.Before(w.due) {
		return nil
	}
	w.due = now.Add(reportEvery)
	err := w.out.Encode(w.next)
	w.next = report{}
	return err
}

// serve runs the server.
func (w *worker) serve(ctx context.Context) error {
	s, err := replica.Serve(ctx, replica.Config{Dir: w.Dir, Listen: w.Listen, NoSync: true})
	if err != nil {
		return err
	}
	defer s.Close()
	w.next.URL = s.URL()
	err = w.tell()
	<-ctx.Done()
	return err
}

// lead takes the world over, and simulates it until ctx ends.
func (w *worker) lead(ctx context.Context) error {
	world := berth.NewPool[thing](berth.Config{Seed: 1})
	l, err := replica.Lead(ctx,
		replica.Config{URL: w.URL, SnapshotEvery: 3 * time.Second, MaxUnacked: 30},
		replica.LeadOptions[thing]{Cell: cellSize, Pos: position}, world)
	if err != nil {
		return err
	}
	defer l.Close()
	return w.frames(ctx, l, world)
}

// frames simulates frames until ctx ends. It tells only hashes of acknowledged frames, since the
// next leader may not have the others.
func (w *worker) frames(ctx context.Context, l *replica.Leader[thing], p *berth.Pool[thing]) error {
	hash := func(ctx context.Context) error {
		s := sum{Seq: l.Seq()}
		for i, cells := range parts {
			s.Hashes[i] = l.Hash(cells...)
		}
		w.next.Sums = append(w.next.Sums, s)
		return l.Wait(ctx)
	}
	tell := func() error {
		_, w.next.Frame = clock(p)
		w.next.Seq = l.Seq()
		return w.tell()
	}
	s := &sim{pool: p, to: l, missiles: w.Missiles, seed: 1}
	tick := time.Tick(time.Second / hz)
	for ctx.Err() == nil {
		s.step()
		_, err := l.Flush(ctx)
		if err == nil && sampled(l.Seq()) {
			err = hash(ctx)
		}
		if err == nil {
			err = tell()
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		<-tick
	}
	end, cancel := context.WithTimeout(context.Background(), grace/2)
	defer cancel()
	_, err := l.Flush(end) // that of the loop may have failed
	if err = errors.Join(err, hash(end)); err != nil {
		return err
	}
	w.due = time.Time{}
	return tell()
}

// follow follows the world until ctx ends.
func (w *worker) follow(ctx context.Context) error {
	f, err := replica.Follow[thing](ctx, replica.Config{URL: w.URL},
		replica.FollowOptions{Cells: parts[w.Part]})
	if err != nil {
		return err
	}
	defer f.Close()
	for hashed := uint64(0); ctx.Err() == nil; {
		limited, cancel := context.WithTimeout(ctx, reportEvery)
		n, err := f.Step(limited)
		cancel()
		var damage *replica.FrameError
		idle := err != nil && !errors.As(err, &damage)
		if damage != nil {
			w.next.Note = err.Error() // the Follower has dealt with it
		}
		if err != nil {
			sleep(ctx, reportEvery/10) // it must not spin
		}
		if n > 0 {
			w.next.Lag = max(w.next.Lag, f.Lag())
		}
		_, w.next.Frame = clock(f.View())
		w.next.Seq = f.Seq()
		if seq := w.next.Seq; seq != hashed && (idle || err == nil && sampled(seq)) {
			hashed = seq
			s := sum{Seq: seq}
			s.Hashes[w.Part] = f.Hash()
			w.next.Sums = append(w.next.Sums, s)
		}
		if err := w.tell(); err != nil {
			return err
		}
	}
	return nil
}

// sleep waits for d. It reports false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

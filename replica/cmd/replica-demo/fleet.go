package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// fleet is the processes of the demo. It starts those that end again.
type fleet struct {
	exe   string
	group sync.WaitGroup
	fatal chan error // the first error that no restart would mend

	mu      sync.Mutex
	list    []*process
	leader  map[uint64]sum // hashes of the leader, by sequence
	kills   int
	checks  int // hashes that were compared
	differs int // of them
}

// process is one of them. Its fields belong to the fleet's mu.
type process struct {
	name   string
	sees   string
	config config

	cmd      *exec.Cmd // nil while it is down
	stdin    io.Closer
	starts   int
	ending   bool // it was told to end, and cannot be killed any more
	killed   bool // by the fleet
	last     report
	heard    time.Time // when it had a frame, or for a server, when it was heard of
	fresh    bool      // it was, since it was started
	down     time.Time // when it ended
	back     time.Duration
	pending  []sum  // hashes that the leader has not told
	compared uint64 // sequence of the last hash that was compared
	equal    bool   // the result
}

// moment is the time after which a process is started again.
const moment = 100 * time.Millisecond

var errUnknown = errors.New("no such process")

// newFleet returns a server, a leader and three followers, none of them started.
func newFleet(exe string, o options) *fleet {
	f := &fleet{exe: exe, fatal: make(chan error, 1), leader: map[uint64]sum{}}
	add := func(name, sees string, c config) {
		c.Missiles, c.HZ, c.Seed = o.missiles, o.hz, o.seed
		f.list = append(f.list, &process{name: name, sees: sees, config: c})
	}
	add("server", "", config{Role: "server", Dir: o.dir, Listen: "127.0.0.1:0", Sync: o.sync})
	add("leader", "all", config{Role: "leader"})
	add("follower-1", "all", config{Role: "follower"})
	add("follower-2", "all", config{Role: "follower"})
	add("follower-3", "1/4", config{Role: "follower", Quarter: true})
	return f
}

func (f *fleet) server() *process      { return f.list[0] }
func (f *fleet) leading() *process     { return f.list[1] }
func (f *fleet) followers() []*process { return f.list[2:] }

// start starts the server, and when it is up, all others.
func (f *fleet) start(ctx context.Context) error {
	f.keep(f.server())
	if !f.until(ctx, func() bool { return f.server().config.URL != "" }) {
		return f.why(ctx)
	}
	for _, p := range f.list[1:] {
		p.config.URL = f.server().config.URL
		f.keep(p)
	}
	return nil
}

// why returns why ctx, or the fleet, has ended.
func (f *fleet) why(ctx context.Context) error {
	select {
	case err := <-f.fatal:
		return err
	default:
		return ctx.Err()
	}
}

// until waits until cond, called with the lock, holds. It reports false if ctx ends before, or a
// process fails.
func (f *fleet) until(ctx context.Context, cond func() bool) bool {
	for {
		f.mu.Lock()
		ok := cond()
		f.mu.Unlock()
		if ok || ctx.Err() != nil || len(f.fatal) > 0 {
			return ok
		}
		sleep(ctx, 10*time.Millisecond)
	}
}

// keep runs p in a goroutine, again and again until it is told to end.
func (f *fleet) keep(p *process) {
	f.group.Go(func() {
		for {
			err := f.run(p)
			f.mu.Lock()
			again := !p.ending
			if err != nil && !p.killed {
				p.last.Note = err.Error()
				if p.starts <= 1 && !p.fresh {
					again = false
					select {
					case f.fatal <- fmt.Errorf("%s: %w", p.name, err):
					default:
					}
				}
			}
			f.mu.Unlock()
			if !again {
				return
			}
			time.Sleep(moment)
		}
	})
}

// run runs p until it ends. It returns an error if p has failed, and was not killed.
func (f *fleet) run(p *process) error {
	var errs bytes.Buffer
	cmd := exec.Command(f.exe, "child")
	cmd.Stderr = &errs
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c, err := json.Marshal(p.config)
	if err != nil {
		return err
	}
	f.mu.Lock()
	if p.ending {
		f.mu.Unlock()
		return nil
	}
	if err = cmd.Start(); err == nil {
		p.cmd, p.stdin, p.killed, p.fresh = cmd, stdin, false, false
		p.starts++
		p.pending, p.last.Note = nil, ""
	}
	f.mu.Unlock()
	if err != nil {
		return err
	}
	_, _ = stdin.Write(c) // if it fails, p has ended, and Wait says why
	for d := json.NewDecoder(stdout); ; {
		var r report
		if d.Decode(&r) != nil {
			break
		}
		f.mu.Lock()
		f.take(p, r, time.Now())
		f.mu.Unlock()
	}
	err = cmd.Wait()
	f.mu.Lock()
	p.cmd, p.stdin, p.down = nil, nil, time.Now()
	f.mu.Unlock()
	if cmd.ProcessState.ExitCode() <= 0 {
		return nil // by itself, or by a signal
	}
	if text := strings.TrimSpace(errs.String()); text != "" {
		err = errors.New(text)
	}
	return err
}

// take records a report.
func (f *fleet) take(p *process, r report, now time.Time) {
	if p.config.Role == "server" && p.config.URL == "" {
		p.config.URL = r.URL
		if u, err := url.Parse(r.URL); err == nil {
			p.config.Listen = u.Host // the next one is at the same address
		}
	}
	if r.Loads != p.last.Loads {
		p.pending = nil
	}
	p.last = r
	if r.Live {
		if !p.fresh && p.starts > 1 {
			p.back = now.Sub(p.down)
		}
		p.fresh, p.heard = true, now
	}
	if p.config.Role == "leader" {
		for _, s := range r.Sums {
			f.leader[s.Seq] = s
		}
	} else {
		p.pending = append(p.pending, r.Sums...)
	}
	f.compare()
}

// compare compares the hashes of the followers with those of the leader, at the same sequences.
func (f *fleet) compare() {
	const most = 1000
	for len(f.leader) > most {
		least := uint64(math.MaxUint64)
		for seq := range f.leader {
			least = min(least, seq)
		}
		delete(f.leader, least)
	}
	for _, p := range f.followers() {
		p.pending = slices.DeleteFunc(p.pending, func(got sum) bool {
			want, ok := f.leader[got.Seq]
			if !ok {
				return false
			}
			equal := got.Whole == want.Whole
			if p.config.Quarter {
				equal = got.Quarter == want.Quarter
			}
			f.checks++
			if !equal {
				f.differs++
			}
			p.compared, p.equal = got.Seq, equal
			return true
		})
		p.pending = p.pending[max(0, len(p.pending)-most):]
	}
}

// kill kills a process as kill -9 does.
func (f *fleet) kill(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.list {
		if p.name == name {
			if p.cmd == nil || p.ending {
				return os.ErrProcessDone
			}
			p.killed = true
			f.kills++
			return p.cmd.Process.Kill()
		}
	}
	return fmt.Errorf("%w: %q", errUnknown, name)
}

// ready reports whether all processes run, and all followers were compared with the leader.
func (f *fleet) ready() bool {
	for _, p := range f.list {
		if p.cmd == nil || !p.fresh || p.killed {
			return false
		}
	}
	for _, p := range f.followers() {
		if p.compared == 0 {
			return false
		}
	}
	return true
}

// settle waits until all processes run, ends the leader, and waits until the followers have been
// compared with its last frame.
func (f *fleet) settle(ctx context.Context) error {
	end := func() bool { // at once, so that nobody kills the leader between
		if !f.ready() {
			return false
		}
		f.leading().end()
		return true
	}
	if !f.until(ctx, end) {
		return fmt.Errorf("not all processes came back: %w", f.why(ctx))
	}
	met := func() bool {
		if f.leading().cmd != nil {
			return false
		}
		for _, p := range f.followers() {
			if p.compared != f.leading().last.Seq {
				return false
			}
		}
		return true
	}
	if !f.until(ctx, met) {
		return fmt.Errorf("not all followers reached the leader's last frame: %w", f.why(ctx))
	}
	return nil
}

// end tells processes to end. They are not started again.
func (f *fleet) end(list ...*process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range list {
		p.end()
	}
}

func (p *process) end() {
	p.ending = true
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
}

// close ends all processes, the server last, and waits for their ends. If ctx ends before, it kills
// them.
func (f *fleet) close(ctx context.Context) {
	ended := func(list []*process) func() bool {
		return func() bool {
			return !slices.ContainsFunc(list, func(p *process) bool { return p.cmd != nil })
		}
	}
	f.end(f.list[1:]...)
	f.until(ctx, ended(f.list[1:]))
	f.end(f.server())
	f.until(ctx, ended(f.list))
	f.mu.Lock()
	for _, p := range f.list {
		if p.cmd != nil {
			_ = p.cmd.Process.Kill()
		}
	}
	f.mu.Unlock()
	f.group.Wait()
}

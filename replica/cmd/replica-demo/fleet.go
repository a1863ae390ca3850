package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// fleet is the processes of the demo. It starts those that end again.
type fleet struct {
	exe   string
	fail  context.CancelCauseFunc // ends the demo
	began time.Time

	mu      sync.Mutex
	out     io.Writer
	list    []*process
	kills   int
	checks  int // hashes that were compared
	differs int // of them
}

// process is one of them.
type process struct {
	name   string
	config config
	ctx    context.Context // when it ends, the process ends, and is not started again
	end    context.CancelFunc
	group  sync.WaitGroup

	// Of the fleet's mu:
	cmd      *exec.Cmd // nil while it is down
	ever     bool      // it was up
	down     time.Time // when it went down
	last     report
	lag      time.Duration // the greatest since the last line
	sums     []sum         // of a follower: those that the leader has not told
	compared uint64        // the sequence of the last hash that was compared
	result   string        // equal or differs
}

// newFleet returns a server, a leader and three followers, none of them started.
func newFleet(exe string, o options, out io.Writer, fail context.CancelCauseFunc) *fleet {
	f := &fleet{exe: exe, fail: fail, began: time.Now(), out: out}
	add := func(name string, c config) {
		p := &process{name: name, config: c, down: f.began}
		p.ctx, p.end = context.WithCancel(context.Background())
		f.list = append(f.list, p)
	}
	add("server", config{Role: "server", Dir: o.dir, Listen: "127.0.0.1:0"})
	add("leader", config{Role: "leader", Missiles: o.missiles})
	add("follower-1", config{Role: "follower"})
	add("follower-2", config{Role: "follower"})
	add("follower-3", config{Role: "follower", Part: 1})
	return f
}

func (f *fleet) leader() *process      { return f.list[1] }
func (f *fleet) followers() []*process { return f.list[2:] }

// start starts the processes, each when the one before is up. It returns when all followers were
// compared with the leader.
func (f *fleet) start(ctx context.Context) error {
	for _, p := range f.list {
		p.config.URL = f.list[0].config.URL
		p.group.Go(func() { f.keep(p) })
		if err := f.until(ctx, p.up); err != nil {
			return err
		}
	}
	return f.until(ctx, f.ready)
}

// until waits until cond, called with the lock, holds. If ctx ends before, it returns the cause.
func (f *fleet) until(ctx context.Context, cond func() bool) error {
	for {
		f.mu.Lock()
		ok := cond()
		f.mu.Unlock()
		if ok {
			return nil
		}
		if !sleep(ctx, 10*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}

// keep runs p again and again. If p fails before it is up for the first time, the demo ends.
func (f *fleet) keep(p *process) {
	var killed *exec.ExitError
	for {
		err := f.run(p)
		f.mu.Lock()
		if p.ctx.Err() == nil {
			f.say(p, "ended: %v", err)
			if !p.ever && !errors.As(err, &killed) {
				f.fail(fmt.Errorf("%s: %w", p.name, err))
			}
		}
		p.cmd, p.down = nil, time.Now()
		f.mu.Unlock()
		if !sleep(p.ctx, 100*time.Millisecond) {
			return
		}
	}
}

// run runs p until it ends, and returns what p says about it, or an [exec.ExitError].
func (f *fleet) run(p *process) error {
	var errs bytes.Buffer
	cmd := exec.CommandContext(p.ctx, f.exe, "child")
	cmd.Stderr = &errs
	cmd.WaitDelay = grace
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return err
	}
	cmd.Cancel = in.Close
	if err := cmd.Start(); err != nil {
		return err
	}
	f.mu.Lock()
	p.cmd, p.last = cmd, report{}
	f.mu.Unlock()
	_ = json.NewEncoder(in).Encode(p.config) // if it fails, p has ended, and Wait returns why
	for d := json.NewDecoder(out); ; {
		var r report
		if d.Decode(&r) != nil {
			break
		}
		f.mu.Lock()
		if p.cmd != nil { // it was not killed
			f.take(p, r)
		}
		f.mu.Unlock()
	}
	err := cmd.Wait()
	if text := strings.TrimSpace(errs.String()); text != "" {
		err = errors.New(text)
	}
	return err
}

// say prints a line about p.
func (f *fleet) say(p *process, format string, args ...any) {
	fmt.Fprintf(f.out, "%4.0fs  %-10s  %s\n",
		time.Since(f.began).Seconds(), p.name, fmt.Sprintf(format, args...))
}

// up reports whether p has told that it works.
func (p *process) up() bool { return p.cmd != nil && (p.last.URL != "" || p.last.Seq > 0) }

// take records a report.
func (f *fleet) take(p *process, r report) {
	was := p.up()
	p.last, p.lag = r, max(p.lag, r.Lag)
	if !was && p.up() {
		f.say(p, "pid %d, up after %d ms", p.cmd.Process.Pid, time.Since(p.down).Milliseconds())
		p.ever = true
	}
	if r.Note != "" {
		f.say(p, "%s", r.Note)
	}
	if u, err := url.Parse(r.URL); err == nil && p.config.URL == "" {
		p.config.URL, p.config.Listen = r.URL, u.Host // the next server is at the same address
		f.say(p, "listens at %s", u.Redacted())
	}
	p.sums = append(p.sums, r.Sums...)
	p.sums = p.sums[max(0, len(p.sums)-1000):]
	for _, p := range f.followers() {
		p.sums = slices.DeleteFunc(p.sums, func(s sum) bool { return f.compare(p, s) })
	}
}

// compare compares a follower's hash with the leader's at the same sequence, if that was told.
func (f *fleet) compare(p *process, got sum) bool {
	told := f.leader().sums
	i := slices.IndexFunc(told, func(want sum) bool { return want.Seq == got.Seq })
	if i < 0 {
		return false
	}
	f.checks++
	p.compared, p.result = got.Seq, "equal"
	if part := p.config.Part; got.Hashes[part] != told[i].Hashes[part] {
		p.result = "differs"
		f.differs++
	}
	return true
}

// lines prints a line for each process.
func (f *fleet) lines() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.list {
		text := "down"
		if p.cmd != nil {
			text = fmt.Sprintf("pid %d", p.cmd.Process.Pid)
		}
		if p.last.Frame > 0 {
			text += fmt.Sprintf(", frame %d", p.last.Frame)
		}
		if p.compared > 0 {
			text += fmt.Sprintf(", lag %.1f ms, hash %s at %d",
				p.lag.Seconds()*1e3, p.result, p.compared)
		}
		f.say(p, "%s", text)
		p.lag = 0
	}
}

// kill kills p as kill -9 does, unless it is down.
func (f *fleet) kill(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.cmd != nil {
		f.say(p, "kill %d", p.cmd.Process.Pid)
		p.cmd.Process.Kill()
		p.cmd = nil
		f.kills++
	}
}

// ready reports whether all processes are up, and all followers were compared with the leader.
func (f *fleet) ready() bool {
	return !slices.ContainsFunc(f.list, func(p *process) bool {
		return !p.up() || p.config.Role == "follower" && p.compared == 0
	})
}

// settle waits until all processes are up, ends the leader, and waits until all followers were
// compared with its last frame.
func (f *fleet) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 4*grace,
		errors.New("not all followers have reached the leader's last frame"))
	defer cancel()
	if err := f.until(ctx, f.ready); err != nil {
		return err
	}
	leader := f.leader()
	leader.end()
	leader.group.Wait()
	return f.until(ctx, func() bool {
		behind := func(p *process) bool { return p.compared != leader.last.Seq }
		return !slices.ContainsFunc(f.followers(), behind)
	})
}

// close ends all processes, the server last.
func (f *fleet) close() {
	for _, p := range slices.Backward(f.list) {
		p.end()
		p.group.Wait()
	}
}

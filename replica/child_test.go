package replica

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica/internal/replay"
)

// childEnv is set in processes that this test binary starts of itself. It holds a child.
const childEnv = "BERTH_REPLICA_CHILD"

// child is what a process has to do. It writes lines to its standard output:
//
//	start                                  it runs
//	ready FRAME HASH MICROSECONDS          it has the world, so long after it began to load it
//	frame FRAME HASH SOME                  it will publish a frame, with hashes of all and some cells
//	acked FRAME                            the frames up to this one are acknowledged
//	done FRAME HASH SEQ                    it was told to stop, and all frames are acknowledged
//	at FRAME HASH SEQ                      a follower has this state
//	report TEXT                            a follower has reported what is over
//
// It ends when its standard input does, so that no child survives its parent.
type child struct {
	Role   string // server, leader (has a server of its own if URL is empty), follower, disk
	Config Config
	Cells  []Cell // of the follower, and those that SOME is about
	Seed   uint64 // of the leader's changes
	Values int    // that the leader begins with, in a world that has none
	Ops    int    // per frame
}

// TestMain makes this process a child if it is one.
func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		var c child
		err := json.Unmarshal([]byte(text), &c)
		if err == nil {
			err = c.run()
		}
		fmt.Fprintln(os.Stderr, c.Role, "ends:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// run does what the child has to do. It returns only if that fails.
func (c *child) run() error {
	fmt.Println("start")
	var stop atomic.Bool
	go func() {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if line == "" {
			os.Exit(0)
		}
		stop.Store(true)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx := context.Background()
	switch c.Role {
	case "server":
		_, err := serveAgain(ctx, c.Config)
		if err != nil {
			return err
		}
		fmt.Println("ready 0 0 0")
		select {}
	case "leader":
		return c.lead(ctx, &stop)
	case "follower":
		return c.follow(ctx)
	case "disk":
		return c.fillDisk(ctx)
	}
	return fmt.Errorf("no role %q", c.Role)
}

// serveAgain starts a server at an address that may be taken for a moment.
func serveAgain(ctx context.Context, c Config) (s *Server, err error) {
	for range 500 {
		if s, err = Serve(ctx, c); err == nil || errors.Is(err, ErrLocked) {
			return s, err
		}
		time.Sleep(pause)
	}
	return s, err
}

// lead leads the world, one frame after the other, until it is killed or told to stop.
func (c *child) lead(ctx context.Context, stop *atomic.Bool) error {
	begin := time.Now()
	if c.Config.URL == "" {
		s, err := serveAgain(ctx, c.Config)
		if err != nil {
			return err
		}
		c.Config.URL = s.URL()
	}
	p := berth.NewPool[body](berth.Config{Seed: 1})
	l, err := Lead(ctx, c.Config, split, p)
	if err != nil {
		return err
	}
	fmt.Println("ready", l.frame, l.Hash(), time.Since(begin).Microseconds())
	g := newPlay(c.Seed, p)
	g.most = max(g.most, c.Values)
	if l.frame == 0 && c.Values > 0 {
		for range c.Values {
			g.handles = append(g.handles, l.Insert(g.body()))
		}
		if err := l.Snapshot(ctx); err != nil {
			return err
		}
	}
	for !stop.Load() {
		g.frame(l, c.Ops)
		if len(l.ops) > 0 {
			fmt.Println("frame", l.frame+1, l.Hash(), hashCells(l, c.Cells))
		}
		if _, err := l.Flush(ctx); err != nil {
			return err
		}
		fmt.Println("acked", l.frame-uint64(l.Stats().Unacked))
	}
	if err := l.Wait(ctx); err != nil {
		return err
	}
	fmt.Println("done", l.frame, l.Hash(), l.Seq())
	select {}
}

// hashCells is Leader.Hash of cells for a frame that is not published yet.
func hashCells(l *Leader[body], cells []Cell) uint64 {
	h := replay.Hasher[body]{Values: l.values}
	for k, v := range l.pool.All() {
		for _, c := range cells {
			if Cell(l.options.cell(v)) == c {
				h.Add(k, v)
			}
		}
	}
	return h.Sum
}

// follow follows the world until it is killed.
func (c *child) follow(ctx context.Context) error {
	begin := time.Now()
	f, err := Follow[body](ctx, c.Config, FollowOptions{Cells: c.Cells})
	if err != nil {
		return err
	}
	fmt.Println("ready", f.tail.world.Frame, f.Hash(), time.Since(begin).Microseconds())
	for {
		fmt.Println("at", f.tail.world.Frame, f.Hash(), f.Seq())
		_, err := f.Step(ctx)
		var report *FrameError
		if errors.As(err, &report) {
			fmt.Println("report", err)
		} else if err != nil {
			return err
		}
	}
}

// freeAddress returns an address that was free a moment ago.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

// process is a child that runs.
type process struct {
	child
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan line
	at    line // the last state that a follower reported
}

// line is a line of a child.
type line struct {
	what        string
	frame, hash uint64
	last        uint64 // the third number
	text        string // the whole line
}

// start starts a child.
func start(t testing.TB, c child) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c) //nolint:staticcheck // Config.Options is nil
	if err != nil {
		t.Fatal(err)
	}
	p := &process{child: c, t: t, cmd: exec.Command(exe), lines: make(chan line, 1<<16)}
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			x := line{text: s.Text()}
			if strings.HasPrefix(x.text, "report") {
				x.what = "report"
			} else if n, _ := fmt.Sscan(x.text, &x.what, &x.frame, &x.hash, &x.last); n == 0 {
				continue
			}
			p.lines <- x
		}
	}()
	t.Cleanup(func() { p.kill() })
	return p
}

// kill kills the process, and returns the lines that nobody has read yet.
func (p *process) kill() (rest []line) {
	if p.cmd.ProcessState != nil {
		return nil
	}
	_ = p.cmd.Process.Kill()
	for x := range p.lines {
		rest = append(rest, x)
	}
	_ = p.cmd.Wait()
	_ = p.stdin.Close()
	return rest
}

// stop tells a leader to make no more frames.
func (p *process) stop() {
	if _, err := io.WriteString(p.stdin, "stop\n"); err != nil {
		p.t.Error(err)
	}
}

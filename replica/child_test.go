package replica

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
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
//	stopped POINT                          it has reached a point, and waits there for "go"
//	ready FRAME HASH MICROSECONDS          it has the world, so long after it began to load it
//	frame FRAME HASH SOME                  it will publish a frame, with hashes of all and some cells
//	acked FRAME                            the frames up to this one are acknowledged
//	done FRAME HASH SEQ                    it was told to stop, and all frames are acknowledged
//	at FRAME HASH SEQ                      a follower has this state
//	report TEXT                            a follower has reported what is over
//	snapshot FRAME                         it was told to write a snapshot, and has
//	count GOROUTINES FILES KILOBYTES       what it has, and the memory of its values and all else
//	end SENTINELS: TEXT                    it has failed; the words are those of sentinels
//
// It reads orders from its standard input, see orders. It ends when that does, so that no child
// survives its parent.
type child struct {
	Role     string // server, leader (has a server of its own if URL is empty), follower, disk
	Config   Config
	Cells    []Cell        // of the follower, and those that SOME is about
	Seed     uint64        // of the leader's changes
	Values   int           // that the leader begins with, in a world that has none
	Ops      int           // per frame
	Standby  bool          // the leader waits for "lead"
	Whole    bool          // the world has no cells
	Every    time.Duration // between frames
	Patience time.Duration // in place of patience, or 0
}

// TestMain makes this process a child if it is one.
func TestMain(m *testing.M) {
	lostFrames = 1000
	if text := os.Getenv(childEnv); text != "" {
		var c child
		err := json.Unmarshal([]byte(text), &c)
		if err == nil {
			err = c.run()
		}
		fmt.Printf("end %s: %v\n", strings.Join(sentinels(err), " "), err)
		os.Exit(1)
	}
	flag.Parse()
	err := flag.Set("test.parallel", "12") // most of what runs beside each other waits
	if err != nil {
		panic(err)
	}
	os.Exit(runAll(m))
}

// sentinels returns the words of the errors that err wraps.
func sentinels(err error) (words []string) {
	for word, is := range map[string]error{"fenced": ErrFenced, "slow": ErrSlow, "full": ErrFull,
		"storage": ErrStorage, "behind": ErrBehind, "diverged": ErrDiverged, "corrupt": ErrCorrupt,
		"noworld": ErrNoWorld, "closed": ErrClosed, "locked": ErrLocked} {
		if errors.Is(err, is) {
			words = append(words, word)
		}
	}
	return words
}

// orders are what a child is told by lines of its standard input.
type orders struct {
	stop      atomic.Bool   // "stop": make no more frames
	snapshots atomic.Int64  // "snapshot": write one
	lead      chan struct{} // "lead": a standby becomes the leader
	resume    chan struct{} // "go": leave the point
	mu        sync.Mutex
	point     string // "at N POINT": stop at the N-th visit of a point
	visits    int
}

// read handles orders until there are no more, and ends the process.
func (o *orders) read() {
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		switch verb, rest, _ := strings.Cut(s.Text(), " "); verb {
		case "stop":
			o.stop.Store(true)
		case "snapshot":
			o.snapshots.Add(1)
		case "lead":
			close(o.lead)
		case "go":
			o.resume <- struct{}{}
		case "at":
			o.mu.Lock()
			n, name, _ := strings.Cut(rest, " ")
			o.visits, _ = strconv.Atoi(n)
			o.point = name
			o.mu.Unlock()
		case "count":
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			fmt.Println("count", runtime.NumGoroutine(), openFiles("self"), m.HeapAlloc>>10)
		}
	}
	os.Exit(0)
}

// reach is point in a child.
func (o *orders) reach(name string) {
	o.mu.Lock()
	here := o.visits > 0 && o.point == name
	if here {
		o.visits--
		here = o.visits == 0
	}
	o.mu.Unlock()
	if here {
		fmt.Println("stopped", name)
		<-o.resume
	}
}

// openFiles returns the number of descriptors of a process, on systems that have /proc.
func openFiles(pid string) int {
	files, _ := os.ReadDir("/proc/" + pid + "/fd")
	return len(files)
}

// run does what the child has to do. It returns only if that fails.
func (c *child) run() error {
	o := &orders{lead: make(chan struct{}), resume: make(chan struct{}, 1)}
	point = o.reach
	if c.Patience > 0 {
		patience = c.Patience
	}
	fmt.Println("start")
	go o.read()
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
		return c.lead(ctx, o)
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
func (c *child) lead(ctx context.Context, o *orders) error {
	if c.Standby {
		<-o.lead
	}
	begin := time.Now()
	if c.Config.URL == "" {
		s, err := serveAgain(ctx, c.Config)
		if err != nil {
			return err
		}
		c.Config.URL = s.URL()
	}
	p := berth.NewPool[body](berth.Config{Seed: 1})
	options := split
	if c.Whole {
		options = whole
	}
	l, err := Lead(ctx, c.Config, options, p)
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
	for !o.stop.Load() {
		time.Sleep(c.Every)
		g.frame(l, c.Ops)
		if len(l.ops) > 0 {
			fmt.Println("frame", l.frame+1, l.Hash(), hashCells(l, c.Cells))
		}
		if _, err := l.Flush(ctx); err != nil {
			return err
		}
		fmt.Println("acked", l.frame-uint64(l.Stats().Unacked))
		for ; o.snapshots.Load() > 0; o.snapshots.Add(-1) {
			if err := l.Snapshot(ctx); err != nil {
				return err
			}
			fmt.Println("snapshot", l.frame)
		}
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

// ports are below those that systems give to connections, so nobody takes one in passing.
var ports atomic.Uint32

// freeAddress returns an address that was free a moment ago, another one in each call.
func freeAddress(t testing.TB) string {
	t.Helper()
	ports.CompareAndSwap(0, 10_000+uint32(os.Getpid())%10_000)
	for {
		address := fmt.Sprintf("127.0.0.1:%d", ports.Add(1))
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
}

// process is a child that runs.
type process struct {
	child
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan line
	seen  line   // the last
	at    line   // the last state that a follower reported
	net   *proxy // between it and the server, or nil
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
	p := &process{child: c, t: t, cmd: exec.Command(exe), lines: make(chan line, 1<<13)}
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
			if n, _ := fmt.Sscan(x.text, &x.what, &x.frame, &x.hash, &x.last); n == 0 {
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
	_ = p.cmd.Process.Kill() // also if it stands still
	for x := range p.lines {
		rest = append(rest, x)
	}
	_ = p.cmd.Wait()
	_ = p.stdin.Close()
	if p.net != nil {
		p.net.close()
	}
	return rest
}

// tell gives a child an order.
func (p *process) tell(order string) {
	if _, err := io.WriteString(p.stdin, order+"\n"); err != nil {
		p.t.Error(err)
	}
}

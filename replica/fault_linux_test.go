package replica

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seed505807e1/berth/internal/long"
)

// faultsOfLinux returns those that need signals and mounts.
func faultsOfLinux() (all []fault) {
	for _, point := range points {
		all = append(all, fault{name: "stop at " + point, share: 20, world: func(w *world) {
			w.stopped(point)
		}})
	}
	for name, who := range map[string]func(w *world) *process{
		"stop server":   func(w *world) *process { return w.server },
		"stop follower": func(w *world) *process { return w.followers[w.IntN(2)] },
	} {
		all = append(all, fault{name: name, share: 10, world: func(w *world) {
			p := who(w)
			w.signal(p, syscall.SIGSTOP)
			w.hold(time.Now())
			w.signal(p, syscall.SIGCONT)
		}})
	}
	for name, noSync := range map[string]bool{"power": false, "power, NoSync": true} {
		for _, written := range []string{"nothing", "log", "snapshots"} {
			all = append(all, fault{name: name + ", " + written, share: 7,
				alone: func(t *testing.T, r *rand.Rand) { powerLoss(t, r, noSync, written) }})
		}
	}
	return append(all,
		fault{name: "stop leader", share: 20, world: func(w *world) { w.stopped("") }},
		fault{name: "stop two", share: 40, world: func(w *world) {
			w.stopped(points[4+w.IntN(len(points)-4)], points[w.IntN(len(points))])
		}})
}

// signal sends a signal to a process.
func (w *world) signal(p *process, s syscall.Signal) {
	w.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		w.t.Fatal(err)
	}
}

// hold waits until a process has stood still longer than all that waits for it.
func (w *world) hold(since time.Time) {
	n := time.Duration(5)
	if long.On && w.IntN(8) == 0 {
		n = 35
	}
	_ = sleep(w.ctx, time.Until(since.Add(n*childPatience)))
}

// stopped stops leaders, one after the other, each at a point or at any time. Others take over, and
// go on. When those that were stopped go on, they end, and nothing is lost. The leader may be dead
// by then: one that is alive would soon write again what they destroy.
func (w *world) stopped(at ...string) {
	var still []*process
	begin := time.Now()
	for _, point := range at {
		was := w.leader
		p := was
		if point != "" {
			p = w.visit(point)
		}
		w.signal(p, syscall.SIGSTOP)
		w.takeOver()
		if still = append(still, p); p != was {
			w.ends(was)
		}
	}
	w.work(3)
	w.hold(begin)
	if strings.HasPrefix(at[0], "lead:") || w.IntN(2) == 0 {
		for _, x := range w.leader.kill() {
			w.take(w.leader, x)
		}
	}
	w.Shuffle(len(still), func(i, j int) { still[i], still[j] = still[j], still[i] })
	for _, p := range still {
		w.resumed(p)
	}
	was := w.leader
	w.takeOver()
	w.ends(was)
}

// resumed lets a leader go on that stood still, and waits for its end. If it stood before it took
// over, it may be the leader instead.
func (w *world) resumed(p *process) {
	p.tell("go")
	w.signal(p, syscall.SIGCONT)
	var lines []line
	for {
		x := w.next(p)
		if x.what == "end" {
			if p.kill(); strings.HasPrefix(x.text, "end :") {
				w.t.Fatalf("a leader that was stopped: %s", x.text)
			}
			return
		}
		if x.what == "ready" || len(lines) > 0 {
			lines = append(lines, x)
		} else {
			w.take(p, x)
		}
		if len(lines) > 0 && x.what == "acked" && x.frame > lines[0].frame {
			was := w.leader
			w.leader = p
			w.ends(was)
			for _, x := range lines {
				w.take(p, x)
			}
			return
		}
	}
}

// disk is a file system in a file, which can lose its power.
type disk struct {
	t          *testing.T
	image, dir string
}

// newDisk mounts a file system, or skips the test.
func newDisk(t *testing.T) *disk {
	temp := t.TempDir()
	d := &disk{t: t, image: filepath.Join(temp, "image"), dir: filepath.Join(temp, "disk")}
	err := os.WriteFile(d.image, nil, 0o600)
	if err == nil {
		err = errors.Join(os.Truncate(d.image, 64<<20), os.Mkdir(d.dir, 0o700))
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", d.image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v: %s", err, out)
	}
	if out, err := d.mount(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = syscall.Unmount(d.dir, syscall.MNT_DETACH) })
	return d
}

func (d *disk) mount() ([]byte, error) {
	return exec.Command("mount", "-o", "loop", d.image, d.dir).CombinedOutput()
}

// lose makes all gone that is not on the disk: from now on nothing is written to it, not even the
// journal. It then mounts the disk again.
func (d *disk) lose(ctx context.Context) {
	d.t.Helper()
	const shutdown = 0x8004587d // EXT4_IOC_SHUTDOWN
	flags := uint32(2)          // EXT4_GOING_FLAGS_NOLOGFLUSH
	f, err := os.Open(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), shutdown,
		uintptr(unsafe.Pointer(&flags)))
	_ = f.Close()
	if errno != 0 {
		d.t.Skipf("the file system cannot be shut down: %v", errno)
	}
	// A process that another hand has just forked has the directory open until it executes.
	for err = syscall.EBUSY; errors.Is(err, syscall.EBUSY); err = syscall.Unmount(d.dir, 0) {
		if end := sleep(ctx, time.Millisecond); end != nil {
			d.t.Fatalf("umount: %s is still busy: %v", d.dir, end)
		}
	}
	if err != nil {
		d.t.Fatal("umount:", err)
	}
	if out, err := d.mount(); err != nil {
		d.t.Fatalf("mount: %v: %s", err, out)
	}
}

// sync writes all to the disk.
func (d *disk) sync() {
	d.t.Helper()
	if out, err := exec.Command("sync", "-f", d.dir).CombinedOutput(); err != nil {
		d.t.Fatalf("sync: %v: %s", err, out)
	}
}

// write writes the files of one stream to the disk, as the system may at any time, and the
// directories with it.
func (d *disk) write(stream string) {
	d.t.Helper()
	var err error
	for _, dir := range streamDirs(d.t, filepath.Join(d.dir, "world"), stream) {
		write := func(name string, _ fs.DirEntry, _ error) error {
			f, err := os.Open(name)
			if err != nil {
				return nil // it has gone
			}
			defer func() { _ = f.Close() }()
			return f.Sync()
		}
		err = errors.Join(err, filepath.WalkDir(dir, write))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// powerLoss takes the power of a server. With fsync nothing is lost. Without it there is at least
// what was on the disk when everything was last written to it, also if the system has written the
// files of one stream since then.
func powerLoss(t *testing.T, r *rand.Rand, noSync bool, written string) {
	d := newDisk(t)
	c := Config{Dir: filepath.Join(d.dir, "world"), Listen: freeAddress(t), NoSync: noSync}
	wait := &world{t: t, ctx: ctxOf(t)}
	serve := func() *process {
		p := start(t, child{Role: "server", Config: c})
		wait.until(p, "ready")
		return p
	}
	s := serve()
	w := newGround(t, r, Config{URL: "nats://" + c.Listen, Dir: c.Dir, SnapshotEvery: -1})
	w.begins()
	d.sync()
	least := w.acked
	for range 4 {
		w.write(1 + r.IntN(5))
		w.snapshot()
	}
	w.write(r.IntN(10))
	d.write(written)
	w.leader.Close() // it would find out that the log is shorter; see TestLostEndLeader
	s.kill()
	d.lose(w.ctx)
	serve()
	acked := w.acked
	if w.lossy = noSync; !noSync {
		least = acked
	}
	w.lead()
	t.Logf("frame %d of %d, %d at the last sync", w.began, acked, least)
	if w.began < least || !noSync && w.lost != nil {
		t.Fatalf("lost: %v", w.lost)
	}
	w.check()
}

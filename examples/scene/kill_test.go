package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The test binary runs itself as a child, which saves versions 1, 2, 3 ... of a scene to a file. The
// parent kills it and loads the file. The child cannot clean up: Kill sends SIGKILL, or terminates
// the process on Windows.

const (
	childEnv = "BERTH_SCENE_CHILD" // the file to save
	planEnv  = "BERTH_SCENE_PLAN"  // a plan as text
)

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	var p plan
	_, err := fmt.Sscan(os.Getenv(planEnv), &p.version, &p.call, &p.bytes)
	if err == nil {
		err = child(name, p)
	}
	fmt.Fprintln(os.Stderr, "child:", err)
	os.Exit(1)
}

// series makes versions of a scene.
type series struct {
	*Scene
	n int
}

// next makes the next version. Each is saved by several writes.
func (s *series) next() {
	if s.Scene == nil {
		s.Scene = New(1)
	}
	s.n++
	random := rand.New(rand.NewPCG(uint64(s.n), 0))
	s.Rename(s.Root(), fmt.Sprint("version ", s.n))
	all := []Handle{s.Root()}
	for range 1500 {
		parent := all[random.IntN(len(all))]
		h, _ := s.Add(parent, Handle{}, fmt.Sprint("node of ", s.n), Transform{X: random.Float64()})
		if all = append(all, h); len(all)%100 == 0 {
			s.Remove(all[1+random.IntN(len(all)-1)])
			all = all[:1]
		}
	}
}

// plan is the moment at which the child waits to be killed, while it saves a version: before one of
// its calls, or after a number of bytes. The other number is -1.
type plan struct{ version, call, bytes int }

// The calls of a disk, without those of Write. The last one is the return.
const (
	atCreate = iota
	atSync
	atClose
	atRename
	atSyncDir
	atReturn
	calls
)

// child saves versions until it is killed. It reports the begin and the end of each.
func child(name string, p plan) error {
	var s series
	for {
		s.next()
		if _, err := fmt.Println("begin", s.n); err != nil {
			return err
		}
		d := &counting{call: -1, bytes: -1}
		if s.n == p.version {
			d.call, d.bytes = p.call, p.bytes
		}
		if err := replace(d, name, s.write); err != nil {
			return err
		}
		d.count()
		if _, err := fmt.Println("end", s.n); err != nil {
			return err
		}
	}
}

// counting is a disk that stops after a number of calls or bytes.
type counting struct {
	osDisk
	call, bytes int
}

// stop tells the parent that the moment has come, and waits to be killed.
func stop() {
	fmt.Println("stop", 0)
	_, _ = io.Copy(io.Discard, os.Stdin) // ends only if the parent has ended
	os.Exit(1)
}

func (d *counting) count() {
	if d.call == 0 {
		stop()
	}
	d.call--
}

func (d *counting) create(name string) (file, error) {
	d.count()
	f, err := d.osDisk.create(name)
	return countingFile{f, d}, err
}
func (d *counting) rename(from, to string) error { d.count(); return d.osDisk.rename(from, to) }
func (d *counting) syncDir(dir string) error     { d.count(); return d.osDisk.syncDir(dir) }

type countingFile struct {
	file
	d *counting
}

func (f countingFile) Write(b []byte) (int, error) {
	if left := f.d.bytes; left >= 0 {
		if left < len(b) {
			_, _ = f.file.Write(b[:left])
			stop()
		}
		f.d.bytes -= len(b)
	}
	return f.file.Write(b)
}
func (f countingFile) Sync() error  { f.d.count(); return f.file.Sync() }
func (f countingFile) Close() error { f.d.count(); return f.file.Close() }

// process is a running child, and what it has reported.
type process struct {
	*testing.T
	cmd        *exec.Cmd
	out        *bufio.Reader
	begun, end int // the last version of each
}

func start(t *testing.T, name string, p plan) *process {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+name,
		planEnv+"="+fmt.Sprintln(p.version, p.call, p.bytes))
	cmd.Stderr = os.Stderr
	if _, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); _ = cmd.Wait() })
	return &process{T: t, cmd: cmd, out: bufio.NewReader(out)}
}

// line reads a line, and reports false at the end.
func (p *process) line() (what string, ok bool) {
	s, err := p.out.ReadString('\n')
	if err != nil {
		return "", false
	}
	n := 0
	if _, err := fmt.Sscan(s, &what, &n); err != nil {
		p.Fatalf("the child prints %q", s)
	}
	switch what {
	case "begin":
		p.begun = n
	case "end":
		p.end = n
	}
	return what, true
}

// kill kills the child, and reads what it has still reported.
func (p *process) kill() {
	if err := p.cmd.Process.Kill(); err != nil {
		p.Fatal(err)
	}
	for ok := true; ok; {
		_, ok = p.line()
	}
	if err := p.cmd.Wait(); err == nil {
		p.Fatal("the child has ended by itself")
	}
}

// truth has the text and the size of each version.
type truth struct {
	series
	texts []string
	sizes []int
}

func newTruth() *truth { return &truth{texts: []string{""}, sizes: []int{0}} }

func (w *truth) upTo(t *testing.T, n int) {
	for len(w.texts) <= n {
		w.next()
		w.texts = append(w.texts, text(w.Scene))
		w.sizes = append(w.sizes, len(saved(t, w.Scene)))
	}
}

// check checks that the file is exactly the version least, or most if that is another one. Version 0
// is no file. Then it saves a scene in its place.
func (w *truth) check(t *testing.T, name string, least, most int) (got int) {
	t.Helper()
	w.upTo(t, most)
	s := sample()
	was := text(s)
	if err := s.Load(name); errors.Is(err, fs.ErrNotExist) {
		if text(s) != was {
			t.Error("a failed Load has changed the scene")
		}
	} else if err != nil {
		t.Fatal(err)
	} else {
		got = -1
		for n := least; n <= most; n++ {
			if text(s) == w.texts[n] {
				got = n
			}
		}
		invariants(t, s)
	}
	if got < least || got > most {
		root, _ := s.Get(s.Root())
		t.Fatalf("the file is version %d, %q; want %d to %d", got, root.Name, least, most)
	}
	if files, err := os.ReadDir(filepath.Dir(name)); len(files) > 2 || err != nil {
		t.Errorf("%d files in the directory, %v; want at most one beside the scene", len(files), err)
	}
	if err := sample().Save(name); err != nil {
		t.Error(err)
	}
	return got
}

// TestKill kills a child at a byte or between two steps, in one of four versions.
func TestKill(t *testing.T) {
	w := newTruth()
	w.upTo(t, 4)
	for seed := range 48 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		p := plan{version: 1 + random.IntN(4), call: seed % (2 * calls), bytes: -1}
		if p.call >= calls {
			p.call, p.bytes = -1, random.IntN(w.sizes[p.version])
		}
		name := filepath.Join(t.TempDir(), "scene")
		c := start(t, name, p)
		for what := ""; what != "stop"; {
			ok := false
			if what, ok = c.line(); !ok {
				t.Fatalf("%+v: the child has ended", p)
			}
		}
		c.kill()
		want := p.version - 1
		if p.call > atRename {
			want = p.version
		}
		if c.begun != p.version || c.end != p.version-1 {
			t.Fatalf("%+v: the child has begun %d and ended %d", p, c.begun, c.end)
		}
		w.check(t, name, want, want)
	}
}

// TestKillAnytime kills a child that does not wait. The moment differs from run to run, and what the
// child has reported tells which versions the file may be.
func TestKillAnytime(t *testing.T) {
	w := newTruth()
	for seed := range 12 {
		name := filepath.Join(t.TempDir(), "scene")
		c := start(t, name, plan{-1, -1, -1})
		for range 1 + seed {
			if _, ok := c.line(); !ok {
				t.Fatal("the child has ended")
			}
		}
		c.kill()
		w.check(t, name, c.end, c.begun)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
)

// TestMain makes the test binary the command as well, and its children.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		out := io.Writer(os.Stdout)
		if os.Getenv(lie) != "" {
			out = liar{}
		}
		os.Exit(child(os.Stdin, out, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == "command" {
		os.Exit(command(os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// lie names the environment variable that makes children tell wrong hashes.
const lie = "REPLICA_DEMO_TEST_LIE"

// liar changes the hashes of reports, in each process in another way.
type liar struct{}

func (liar) Write(data []byte) (int, error) {
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return 0, err
	}
	for i := range r.Sums {
		r.Sums[i].Whole ^= uint64(os.Getpid())
		r.Sums[i].Quarter ^= uint64(os.Getpid())
	}
	return len(data), json.NewEncoder(os.Stdout).Encode(r)
}

// bounded returns a context that ends a test that hangs.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// running returns a child that waits for its config until the test ends.
func running(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(bounded(t), os.Args[0], "child")
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // with an error: there is no config
	})
	return cmd
}

// demo is the command as a process.
type demo struct {
	*testing.T
	cmd  *exec.Cmd
	url  string // of the page
	temp string // its directory for temporary files
	errs bytes.Buffer
	out  *bufio.Reader
	text strings.Builder // its output so far
}

// begin starts the command, and returns when it has printed the address of its page.
func begin(t *testing.T, args ...string) *demo {
	t.Helper()
	d := &demo{T: t, temp: t.TempDir()}
	args = append([]string{"command", "-missiles", "2000"}, args...)
	d.cmd = exec.CommandContext(bounded(t), os.Args[0], args...)
	d.cmd.Env = append(os.Environ(), "TMPDIR="+d.temp, "TMP="+d.temp)
	d.cmd.Stderr = &d.errs
	d.cmd.WaitDelay = 10 * time.Second
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	d.out = bufio.NewReader(out)
	first, err := d.out.ReadString('\n')
	_, d.url, _ = strings.Cut(strings.TrimSpace(first), "page ")
	if err != nil || d.url == "" {
		_ = d.cmd.Wait()
		t.Fatalf("%v; the command says %q, and %s", err, first, &d.errs)
	}
	d.text.WriteString(first)
	return d
}

// rows returns the table, by the page.
func (d *demo) rows() map[string]row {
	d.Helper()
	a, err := http.Get(d.url + "state")
	if err != nil {
		d.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	var state struct{ Rows []row }
	if err := json.NewDecoder(a.Body).Decode(&state); err != nil {
		d.Fatal(err)
	}
	rows := map[string]row{}
	for _, r := range state.Rows {
		rows[r.Name] = r
	}
	return rows
}

// until waits until a condition holds.
func (d *demo) until(what string, cond func() bool) {
	d.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			d.Fatalf("not in a minute: %s", what)
		}
	}
}

// settled waits until all processes run, and returns their pids.
func (d *demo) settled() (pids []int) {
	d.Helper()
	d.until("all processes run", func() bool {
		pids = nil
		for _, r := range d.rows() {
			if pid, err := strconv.Atoi(r.Cells[2]); err == nil && r.State == "running" {
				pids = append(pids, pid)
			}
		}
		return len(pids) == 5
	})
	return pids
}

// wait waits for the end of the command, and returns its status and the last line.
func (d *demo) wait() (status int, last string) {
	d.Helper()
	_, _ = io.Copy(&d.text, d.out)
	_ = d.cmd.Wait()
	lines := strings.Split(strings.TrimSpace(d.text.String()), "\n")
	d.Log(d.text.String(), d.errs.String())
	return d.cmd.ProcessState.ExitCode(), lines[len(lines)-1]
}

// gone reports whether a process has ended. A zombie, which nobody waits for, has.
func gone(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z")
	}
	p, err := os.FindProcess(pid)
	return err != nil || p.Signal(syscall.Signal(0)) != nil
}

func (d *demo) allGone(pids []int) {
	d.Helper()
	for _, pid := range pids {
		d.until(fmt.Sprintf("process %d has ended", pid), func() bool { return gone(pid) })
	}
}

var verdict = regexp.MustCompile(
	`^3 of 3 followers are equal to the leader; (\d+) hashes compared, 0 differ, (\d+) kills$`)

// TestKills runs the command while processes are killed, each of them once by the page and then
// some at random. All followers end with the leader's world, and that is the one of a simulation
// that nobody has disturbed.
func TestKills(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "world")
	d := begin(t, "-plain", "-dir", dir, "-for", "600ms", "-kill", "250ms", "-seed", "5")
	kills := 0 // by the page
	for _, name := range []string{"server", "leader", "follower-3"} {
		d.until("the page kills "+name, func() bool {
			a, err := http.Post(d.url+"kill/"+name, "", nil)
			if err != nil {
				return true // a slow test: it is over
			}
			_ = a.Body.Close()
			if a.StatusCode == http.StatusNoContent { // and not 409: it is down
				kills++
				return true
			}
			return false
		})
	}
	status, last := d.wait()
	m := verdict.FindStringSubmatch(last)
	if status != 0 || m == nil {
		t.Fatalf("status %d, %q", status, last)
	}
	if checks, _ := strconv.Atoi(m[1]); checks < 6 { // each follower at its beginning and its end
		t.Errorf("only %d hashes were compared", checks)
	}
	if n, _ := strconv.Atoi(m[2]); n <= kills {
		t.Errorf("%d kills, of which the page made %d, and -kill none", n, kills)
	}
	checkSaved(t, dir, 5)
}

// checkSaved compares the world in dir with a simulation of as many frames.
func checkSaved(t *testing.T, dir string, seed uint64) (frames uint64) {
	t.Helper()
	world := berth.NewPool[thing](berth.Config{Seed: 7})
	l, err := replica.Lead(bounded(t), replica.Config{Dir: dir},
		replica.LeadOptions[thing]{Cell: cellSize, Pos: position}, world)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	frames = frameOf(world)
	if frames < 20 || !same(world, simulate(t, 2000, seed, frames, 0)) {
		t.Errorf("after %d frames, the world is not that of an undisturbed simulation", frames)
	}
	return frames
}

// TestContinues runs the command twice in one directory.
func TestContinues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func() uint64 {
		d := begin(t, "-plain", "-dir", dir, "-for", "300ms", "-hz", "60")
		if status, last := d.wait(); status != 0 || !verdict.MatchString(last) {
			t.Fatalf("status %d, %q", status, last)
		}
		return checkSaved(t, dir, 1)
	}
	if first, second := run(), run(); second <= first {
		t.Errorf("%d frames, and then %d", first, second)
	}
}

// TestDiffers lets the processes tell hashes that differ.
func TestDiffers(t *testing.T) {
	t.Setenv(lie, "1")
	d := begin(t, "-plain", "-for", "1ms")
	status, last := d.wait()
	if status != 1 || !strings.HasPrefix(last, "0 of 3 followers are equal") ||
		!strings.Contains(d.errs.String(), errDiffers.Error()) {
		t.Errorf("status %d, %q, %q", status, last, &d.errs)
	}
}

// TestEnds ends the command by signals. Its children end with it, also if it is killed.
func TestEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows cannot send a process an interrupt")
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			d := begin(t, "-plain")
			pids := d.settled()
			if err := d.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			status, _ := d.wait()
			d.allGone(pids)
			if s == syscall.SIGKILL {
				return
			}
			if status != 0 {
				t.Errorf("status %d", status)
			}
			if left, err := os.ReadDir(d.temp); len(left) > 0 || err != nil {
				t.Errorf("temporary files %v, %v", left, err)
			}
		})
	}
}

// TestTerminal shows the table, as in a terminal.
func TestTerminal(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"-plain=false", "-missiles", "100", "-for", "300ms"}
	if status := command(args, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	screens, after, _ := strings.Cut(out.String(), "\x1b[?1049l")
	if !strings.HasPrefix(screens, "\x1b[?1049h") || !strings.Contains(screens, "\x1b[H100 missiles") {
		t.Errorf("screens %q", screens)
	}
	if strings.Contains(after, "\x1b") || strings.Count(after, "\n") != 8 ||
		!strings.Contains(after, "\nfollower-3  1/4") {
		t.Errorf("after the end: %q", after)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	own, err := replica.Serve(bounded(t), replica.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"-h", 0, "-missiles number"},
		{"-none", 2, "not defined"},
		{"more", 2, `unexpected argument "more"`},
		{"-missiles 0", 2, "(got 0)"},
		{"-missiles 1000001", 2, "(got 1000001)"},
		{"-hz 0", 2, "(got 0)"},
		{"-hz 1001", 2, "(got 1001)"},
		{"-for -1s", 2, "must not be negative"},
		{"-kill -1s", 2, "must not be negative"},
		{"-addr nowhere", 2, "-addr: "},
		{"-addr :0", 2, "loopback"},
		{"-addr 0.0.0.0:0", 2, "loopback"},
		{"-addr 192.0.2.1:80", 2, "loopback"},
		{"-dir " + dir, 1, replica.ErrLocked.Error()},
	} {
		var out, errs bytes.Buffer
		status := command(strings.Fields(c.args), &out, &errs)
		if status != c.status || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: status %d, %q", c.args, status, errs.String())
		}
	}
	for _, in := range []string{"", "{", `{"Role":"king"}`} {
		var errs bytes.Buffer
		if status := child(strings.NewReader(in), io.Discard, &errs); status != 2 || errs.Len() == 0 {
			t.Errorf("a child with the config %q: status %d, %q", in, status, &errs)
		}
	}
}

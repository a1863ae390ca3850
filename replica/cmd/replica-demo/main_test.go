package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
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
		r.Sums[i].Hashes[0] ^= uint64(os.Getpid())
		r.Sums[i].Hashes[1] ^= uint64(os.Getpid())
	}
	return len(data), json.NewEncoder(os.Stdout).Encode(r)
}

// bounded returns a context that ends a test that hangs.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
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
	temp string // its directory for temporary files
	errs bytes.Buffer
	out  *bufio.Reader
	text strings.Builder // its output so far
}

// begin starts the command.
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
	return d
}

// pids waits until all processes are up, and returns their pids.
func (d *demo) pids() (pids []int) {
	d.Helper()
	for up := regexp.MustCompile(`pid (\d+), up after`); len(pids) < 5; {
		line, err := d.out.ReadString('\n')
		d.text.WriteString(line)
		if err != nil {
			d.Fatalf("%v: %s", err, &d.text)
		}
		if m := up.FindStringSubmatch(line); m != nil {
			pid, _ := strconv.Atoi(m[1])
			pids = append(pids, pid)
		}
	}
	return pids
}

// wait waits for the end of the command, and returns its status and its output.
func (d *demo) wait() (status int, text string) {
	d.Helper()
	_, _ = io.Copy(&d.text, d.out)
	_ = d.cmd.Wait()
	d.Log(d.text.String(), d.errs.String())
	return d.cmd.ProcessState.ExitCode(), d.text.String()
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

// ending is the end of the output: three followers that were compared at the same frame.
var ending = regexp.MustCompile(`server      pid \d+
.*leader      down, frame \d+
.*follower-1  pid \d+, frame (\d+), lag \d+\.\d ms, hash equal at (\d+)
.*follower-2  pid \d+, frame (\d+), lag \d+\.\d ms, hash equal at (\d+)
.*follower-3  pid \d+, frame (\d+), lag \d+\.\d ms, hash equal at (\d+)
(\d+) hashes compared, 0 differ, (\d+) kills
$`)

// TestRuns runs the command twice in one directory, the second time with kills. All followers end
// with the leader's world, and that is the one of a simulation that nobody has disturbed.
func TestRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	password := regexp.MustCompile(`[0-9a-f]{32}`)
	run := func(kills bool, args ...string) uint64 {
		status, text := begin(t, append(args, "-dir", dir)...).wait()
		m := ending.FindStringSubmatch(text)
		if status != 0 || m == nil || m[2] != m[4] || m[2] != m[6] || m[1] != m[3] || m[1] != m[5] {
			t.Fatalf("status %d, %q", status, m)
		}
		if checks, _ := strconv.Atoi(m[7]); checks < 6 { // each follower at its beginning and its end
			t.Errorf("only %d hashes were compared", checks)
		}
		if kills != (m[8] != "0") {
			t.Errorf("%s kills", m[8])
		}
		if p := password.FindString(text); p != "" || !strings.Contains(text, "//leader:xxxxx@127.0.0.1:") {
			t.Errorf("the output has a password, or no address of the server: %q", p)
		}
		return checkSaved(t, dir, 2000)
	}
	first := run(false, "-for", "300ms")
	if second := run(true, "-for", "1s", "-kill", "200ms"); second <= first {
		t.Errorf("%d frames, and then %d", first, second)
	}
}

// checkSaved compares the world in dir with a simulation of as many frames.
func checkSaved(t *testing.T, dir string, missiles int) (frames uint64) {
	t.Helper()
	world := berth.NewPool[thing](berth.Config{Seed: 7})
	l, err := replica.Lead(bounded(t), replica.Config{Dir: dir},
		replica.LeadOptions[thing]{Cell: cellSize, Pos: position}, world)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, frames = clock(world); frames < 20 || !same(world, simulate(t, missiles, 1, frames, 0)) {
		t.Errorf("after %d frames, the world is not that of an undisturbed simulation", frames)
	}
	return frames
}

// TestDiffers lets the processes tell hashes that differ.
func TestDiffers(t *testing.T) {
	t.Setenv(lie, "1")
	d := begin(t, "-for", "1ms")
	status, text := d.wait()
	if status != 1 || strings.Contains(text, "hash equal") || !strings.Contains(text, "hash differs") ||
		!strings.Contains(d.errs.String(), "a follower's hash differed") {
		t.Errorf("status %d, %q, %q", status, text, &d.errs)
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
			d := begin(t)
			pids := d.pids()
			if err := d.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			status, _ := d.wait()
			for _, pid := range pids {
				for end := time.Now().Add(time.Minute); !gone(pid); time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("process %d has not ended in a minute", pid)
					}
				}
			}
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
		{"-for -1s", 2, "must not be negative"},
		{"-kill -1s", 2, "must not be negative"},
		{"-dir " + dir, 1, replica.ErrLocked.Error()},
	} {
		var out, errs bytes.Buffer
		status := command(strings.Fields(c.args), &out, &errs)
		if status != c.status || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: status %d, %q", c.args, status, errs.String())
		}
	}
	for _, in := range []string{"", "{"} {
		var errs bytes.Buffer
		if status := child(strings.NewReader(in), io.Discard, &errs); status != 2 || errs.Len() == 0 {
			t.Errorf("a child with the config %q: status %d, %q", in, status, &errs)
		}
	}
}

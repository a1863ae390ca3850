package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
)

// startLive runs the command in its own process, and returns when it serves, with the address of
// the page.
func startLive(t *testing.T, args ...string) (cmd *exec.Cmd, url string, stderr *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0], append([]string{"live"}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, rest, _ := strings.Cut(line, " ")
	if err != nil || rest == "" {
		t.Fatalf("live %q prints %q (%v); %s", args, line, err, stderr)
	}
	return cmd, url, stderr
}

func getPage(t *testing.T, url string) (code int, page string) {
	t.Helper()
	res, err := http.Get(url)
	must(t, err)
	text, err := io.ReadAll(res.Body)
	must(t, errors.Join(err, res.Body.Close()))
	return res.StatusCode, string(text)
}

// An interrupt is the normal end of the command: exit code 0, and nothing on stderr.
func TestLiveEndsWell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted")
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, url, stderr := startLive(t, "-seed", "3", "-run", "pool,map")
		if code, page := getPage(t, url); code != http.StatusOK || !strings.Contains(page, "<html") {
			t.Errorf("%s: %d, %.80q", url, code, page)
		}
		must(t, cmd.Process.Signal(sig))
		if err := cmd.Wait(); err != nil || stderr.Len() != 0 {
			t.Errorf("after %v: %v, %s", sig, err, stderr)
		}
	}
}

// If the default port is taken, the page is at another one, unless -addr is given.
func TestLiveTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", liveAddr)
	if err != nil {
		t.Skip("somebody else has the port, and may give it back: ", err)
	}
	defer func() { _ = l.Close() }()
	_, url, _ := startLive(t)
	if url == "http://"+liveAddr+"/" || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("the page is at %s", url)
	}
	if code, _ := getPage(t, url); code != http.StatusOK {
		t.Errorf("%s: %d", url, code)
	}
	code, stdout, stderr := lab(t, "live", "-addr", liveAddr)
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, liveAddr) {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestLiveErrors(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"x", `unexpected argument "x"`},
		{"-addr 0.0.0.0:0", "not a loopback address"},
		{"-addr :0", "not a loopback address"},
		{"-addr [::]:0", "not a loopback address"},
		{"-addr 192.168.1.1:0", "-public"},
		{"-addr localhost.example.com:0", "not a loopback address"},
		{"-addr 127.0.0.1", "missing port"},
		{"-addr 127.0.0.1:http", "must be a number"},
		{"-addr 127.0.0.1:65536", "must be a number"},
		{"-addr 127.0.0.1:-1", "must be a number"},
		{"-run pool,nope", `-run: "nope" is unknown; known are pool, dense, list, map, gen`},
		{"-run pool,pool", "twice"},
		{"-run ,", `"" is unknown`},
		{"-seed 0", "-seed 0: must be between 1 and 2147483647"},
		{"-seed 2147483648", "-seed 2147483648"},
		{"-seed x", "invalid value"},
		{"-spawn -1", "-spawn -1"},
		{"-spawn 1001", "-spawn 1001"},
		{"-life 9", "-life 9"},
		{"-life 1001", "-life 1001"},
	} {
		code, stdout, stderr := lab(t, append([]string{"live"}, strings.Fields(tc.args)...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, tc.want) {
			t.Errorf("live %s: exit code %d, %q, %q, want %q", tc.args, code, stdout, stderr, tc.want)
		}
	}
}

// With -public, any address is allowed, with a warning.
func TestLivePublic(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "0.0.0.0:0"} {
		ctx, cancel := context.WithCancel(t.Context())
		var stdout, stderr bytes.Buffer
		cancel() // it only starts and ends
		if code := run(ctx, catalogue.All, []string{"live", "-public", "-addr", addr}, &stdout, &stderr); code != exitOK {
			t.Errorf("%s: exit code %d, %s", addr, code, &stderr)
		}
		if !strings.Contains(stderr.String(), "controls the world") {
			t.Errorf("%s: no warning: %s", addr, &stderr)
		}
	}
}

func TestLiveURL(t *testing.T) {
	for _, tc := range []struct {
		addr net.Addr
		want string
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7420}, "http://127.0.0.1:7420/"},
		{&net.TCPAddr{IP: net.IPv6loopback, Port: 80}, "http://[::1]:80/"},
		{&net.TCPAddr{IP: net.IPv4zero, Port: 1}, "http://localhost:1/"},
		{&net.TCPAddr{IP: net.IPv6unspecified, Port: 1}, "http://localhost:1/"},
	} {
		if got := liveURL(tc.addr); got != tc.want {
			t.Errorf("liveURL(%s) is %s, want %s", tc.addr, got, tc.want)
		}
	}
}

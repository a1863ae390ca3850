// Web builds the game for browsers and serves it on this machine:
//
//	go run ./examples/missiles/web
//
// With -o it only writes the files into a directory, for any web server.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//go:embed index.html
var page []byte

const game = "github.com/seed505807e1/berth/examples/missiles"

// build writes the site into a directory.
func build(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o",
		filepath.Join(dir, "missiles.wasm"), game)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	// The script must come from the toolchain that built the game.
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	const script = "wasm_exec.js"
	js, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", script))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, script), js, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), page, 0o644)
}

// serve serves a directory on a free port until it is interrupted. It prints the address.
func serve(dir string, say io.Writer, interrupted <-chan os.Signal) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(say, "http://%s/ is the game, http://%[1]s/?demo plays itself; Ctrl+C stops it\n",
		l.Addr())
	files := http.FileServer(http.Dir(dir))
	server := http.Server{Handler: files, ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-interrupted:
		return server.Close()
	}
}

func run(out string, rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unknown argument %q; see -help", rest[0])
	}
	if out != "" {
		return build(out)
	}
	dir, err := os.MkdirTemp("", "missiles")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("building the game for browsers: that takes a minute the first time")
	if err := build(dir); err != nil {
		return err
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	return serve(dir, os.Stdout, interrupted)
}

func main() {
	out := flag.String("o", "", "write the site into this `directory`, and do not serve it")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

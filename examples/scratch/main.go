// Scratch is an HTTP server whose requests take some work: it parses a batch of readings into
// records, indexes and groups them, and answers with statistics. All of that ends with the request,
// so it lives in an arena, and one Reset frees it:
//
//   - a few arenas are in a free list, and each request takes one for itself
//   - the answer is sent before the Reset, which ends all that the request has made
//   - a request that panics gives its arena back like any other
//   - the memory of an unusually large request goes back to Go's heap
//
// There is a version in plain Go, and one in plain Go with a sync.Pool. The program sends the same
// requests to all of them, compares the answers, and prints the work of the collector.
//
// Run it with
//
//	go run ./examples/scratch
//	go run ./examples/scratch -listen 127.0.0.1:8080
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

const (
	clients  = 4
	patience = 2 * time.Second
)

func main() {
	if err := start(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scratch:", err)
		os.Exit(1)
	}
}

func start(args []string) error {
	flags := flag.NewFlagSet("scratch", flag.ExitOnError)
	listen := flags.String("listen", "", "serve at this `address` until interrupted")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case flags.NArg() != 0:
		return errors.New("want no arguments")
	case *listen != "":
		return serveUntil(ctx, *listen, os.Stdout)
	default:
		return run(os.Stdout, 3000)
	}
}

// serveUntil serves the version with arenas at addr until ctx ends.
func serveUntil(ctx context.Context, addr string, out io.Writer) error {
	s, err := serve(addr, handler(newBatches(2*runtime.GOMAXPROCS(0), patience).summarise))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s takes lines of device,metric,time,value\n", s.url)
	select {
	case <-ctx.Done():
	case end := <-s.ended:
		s.ended <- end // stop returns it
	}
	end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.stop(end)
}

// run prints answers to a few requests, and the cost of a number of requests to each version.
func run(out io.Writer, requests int) error {
	if err := show(out); err != nil {
		return err
	}
	w, err := newWorkload()
	if err != nil {
		return err
	}
	bs := newBatches(clients, patience)
	if err := parses(out, w, bs); err != nil {
		return err
	}
	if err := compare(out, w, bs, requests); err != nil {
		return err
	}
	return large(out)
}

// compare sends the same requests to all versions.
func compare(out io.Writer, w workload, bs *batches, requests int) error {
	fmt.Fprintf(out, "%4d requests of 500 to 1500 lines, %d at a time:\n", requests, clients)
	fmt.Fprintln(out, "           right  objects    bytes  collections     pauses  collector  "+
		"requests\n         answers     each     each                 in all     of CPU  a second")
	for _, row := range []struct {
		name string
		v    version
	}{
		{"nothing", ignore}, {"plain", summarisePlain},
		{"sync.Pool", summariseReused}, {"arena", bs.summarise},
	} {
		r, err := measure(row.v, w, requests, clients)
		if err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
		right := strconv.Itoa(r.right)
		switch {
		case row.name == "nothing":
			right = "-"
		case r.right != requests:
			return fmt.Errorf("%s: %d right answers of %d", row.name, r.right, requests)
		}
		fmt.Fprintf(out, "%-9s %6s  %s\n", row.name, right, r.row())
	}
	return nil
}

// show makes a few requests, most of which are refused.
func show(out io.Writer) (err error) {
	s, err := serve("127.0.0.1:0", handler(newBatches(1, patience).summarise))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop(context.Background())) }()
	defer http.DefaultClient.CloseIdleConnections()
	for _, body := range []string{
		"pump-1,flow,1795000000,40\npump-1,flow,1795000060,44\nfan,speed,1795000000,900\n" +
			"pump-1,flow,1795000060,43\n",
		"pump-1,flow,1795000000,40\npump-1,flow,now,44\n",
		"",
		string(make([]byte, mostBytes+1)),
	} {
		var answer bytes.Buffer
		if err := post(http.DefaultClient, s.url, []byte(body), &answer); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d bytes: %s", len(body), answer.Bytes())
	}
	return nil
}

// parses prints how many objects a batch allocates on Go's heap, without the server.
func parses(out io.Writer, w workload, bs *batches) (err error) {
	body := bytes.NewReader(nil)
	for _, row := range []struct {
		name string
		v    version
	}{{"plain", summarisePlain}, {"arena", bs.summarise}} {
		i := 0
		n := testing.AllocsPerRun(len(w.bodies), func() {
			body.Reset(w.bodies[i%len(w.bodies)])
			i++
			failed := row.v(context.Background(), body, body.Size(), func([]byte) {})
			err = cmp.Or(err, failed)
		})
		fmt.Fprintf(out, "objects that a batch allocates by itself, %s: %.0f\n", row.name, n)
	}
	return err
}

// large prints the memory of an unusually large batch, and of its arena afterwards.
func large(out io.Writer) error {
	const lines = 30_000
	body := generate(rand.New(rand.NewPCG(3, 4)), lines)
	b := newBatch()
	if err := errors.Join(b.read(bytes.NewReader(body), int64(len(body))), b.parse()); err != nil {
		return err
	}
	b.answer()
	fmt.Fprintf(out, "a batch of %d lines needs %d KiB; after it, its arena keeps ",
		lines, b.arena.Stats().Reserved>>10)
	b.end()
	fmt.Fprintf(out, "%d KiB\n", b.arena.Stats().Reserved>>10)
	return nil
}

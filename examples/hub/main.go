// Hub is a chat server over WebSocket, whose sessions live in a concurrent.Pool. The id of a
// session is its handle as text, so the hub needs no map, and an id never refers to another
// session:
//
//   - a message to the id of a session that has ended finds nothing, even if another session has
//     its slot, and the sender gets an answer that says so
//   - a message to the room is a loop over the pool, in the sender's goroutine, while sessions
//     join, leave and send
//   - a client is kicked at once, even if messages are being sent to it, and gets those that were
//     accepted
//   - a wave of clients leaves no memory behind
//
// Run it with
//
//	go run ./examples/hub
//	go run ./examples/hub -listen 127.0.0.1:8080    # serves a chat page
//	go run ./examples/hub -load 5000
//	go run ./examples/hub -record hub.trace -for 15s
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := start(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hub:", err)
		os.Exit(1)
	}
}

func start(args []string) error {
	flags := flag.NewFlagSet("hub", flag.ExitOnError)
	listen := flags.String("listen", "", "serve a page at this `address` until interrupted")
	n := flags.Int("load", 500, "run `n` clients, in waves, against a hub of their own")
	record := flags.String("record", "", "record the sessions of that load in `file`")
	lasts := flags.Duration("for", 3*time.Second, "approximate duration of the load")
	if err := flags.Parse(args); err != nil {
		return err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	load := newLoad(*n, *lasts)
	switch {
	case given["listen"] && len(given) > 1:
		return errors.New("-listen excludes all other flags")
	case flags.NArg() != 0 || *n < 1 || *n > mostClients || *lasts <= 0:
		return fmt.Errorf("want 1 to %d clients, a time above 0, and no arguments", mostClients)
	case given["record"]:
		return recordFile(ctx, *record, load, os.Stdout)
	case given["load"]:
		_, err := runLoad(ctx, Config{}, load, os.Stdout)
		return err
	case given["listen"]:
		return serveUntil(ctx, *listen, os.Stdin, os.Stdout)
	default:
		return run(ctx, os.Stdout)
	}
}

// serveUntil serves at addr until ctx ends. Each line of in is an id, followed by an optional
// reason, and kicks that session. Clients cannot kick, because they do not sign in.
func serveUntil(ctx context.Context, addr string, in io.Reader, out io.Writer) error {
	// Ids of an earlier run must find nothing.
	s, err := serve(addr, NewHub(Config{Seed: rand.Uint32N(1 << 31)}))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is a page to chat\n", s.page)
	fmt.Fprintf(out, "%s takes messages such as %s\n", s.url, `{"to":"","text":"hello, room"}`)
	fmt.Fprintf(out, "%sdebug/berth shows the pool of the sessions\n", s.page)
	fmt.Fprintln(out, "a line of an id, and perhaps a reason, kicks who has it")
	go kickLines(s.hub, in, out)
	select {
	case <-ctx.Done():
	case <-s.ended: // after an error, which stop returns
	}
	end, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.stop(end)
}

// kickLines kicks the sessions that the lines of in name.
func kickLines(h *Hub, in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		who, why, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		why = strings.ToValidUTF8(why[:min(len(why), mostReason)], "")
		switch {
		case who == "":
		case h.Kick(parseID(who), cmp.Or(why, "kicked")):
			fmt.Fprintf(out, "%s is out\n", who)
		default:
			fmt.Fprintf(out, "nobody has the id %s\n", who)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(out, "no more kicks:", err)
	}
}

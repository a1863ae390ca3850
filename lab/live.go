package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/live"
	"github.com/seed505807e1/berth/lab/internal/world"
)

// liveAddr is the default address of the page.
const liveAddr = "127.0.0.1:7420"

func liveCommand(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "live",
		Usage: "show a world in several containers at once, in the browser",
		Description: "Serves a page until it is interrupted. The world pauses while no browser " +
			"is connected, and is the same for all of them.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: liveAddr, Usage: "serve at `HOST:PORT`; without " +
				"this flag, at a free port if the default is taken"},
			&cli.BoolFlag{Name: "public", Usage: "allow addresses and names that others " +
				"can reach; whoever does controls the world"},
			&cli.IntFlag{Name: "seed", Value: 1, Usage: "begin with the world of seed `N`"},
			&cli.IntFlag{Name: "spawn", Value: world.DefaultSpawn, Usage: fmt.Sprintf(
				"begin with `N` new particles a step, at most %d", world.MaxSpawn)},
			&cli.IntFlag{Name: "life", Value: world.DefaultLife, Usage: fmt.Sprintf(
				"begin with particles that live for `N` steps in the mean, %d to %d",
				world.MinLife, world.MaxLife)},
			&cli.StringFlag{Name: "run", Value: strings.Join(world.IDs(), ","),
				Usage: "begin with the containers `IDS`, separated by commas"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			log := slog.New(slog.NewTextHandler(stderr, nil))
			s, err := liveServer(c, log)
			if err != nil {
				return err
			}
			l, err := liveListen(ctx, c)
			if err != nil {
				return err
			}
			if c.Bool("public") {
				log.Warn("anyone who reaches this address controls the world",
					"addr", l.Addr().String())
			}
			fmt.Fprintf(stdout, "%s shows the world; Ctrl-C ends it\n", liveURL(l.Addr()))
			return failed(s.Serve(ctx, l))
		},
	}
}

func liveServer(c *cli.Command, log *slog.Logger) (*live.Server, error) {
	var ids []string
	for id := range strings.SplitSeq(c.String("run"), ",") {
		ids = append(ids, strings.TrimSpace(id))
	}
	run, err := live.ParseRun(ids)
	if err != nil {
		return nil, fmt.Errorf("-%w", err)
	}
	seed := c.Int("seed")
	if seed < 1 || seed > world.MaxSeed { // the limit of a scene's link
		return nil, fmt.Errorf("-seed %d: must be between 1 and %d", seed, world.MaxSeed)
	}
	spawn, life := c.Int("spawn"), c.Int("life")
	if spawn < 0 || spawn > world.MaxSpawn {
		return nil, fmt.Errorf("-spawn %d: must be between 0 and %d", spawn, world.MaxSpawn)
	}
	if life < world.MinLife || life > world.MaxLife {
		return nil, fmt.Errorf("-life %d: must be between %d and %d", life, world.MinLife,
			world.MaxLife)
	}
	return live.New(live.Config{
		Scene: world.Scene{Seed: uint32(seed), Spawn: spawn, Life: life},
		Run:   run, Public: c.Bool("public"), Log: log,
	})
}

// liveListen listens on the address of the flags. Without -public, other machines must not be able
// to connect.
func liveListen(ctx context.Context, c *cli.Command) (net.Listener, error) {
	addr := c.String("addr")
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("-addr: %w", err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("-addr %s: the port must be a number below 65536", addr)
	}
	private := fmt.Errorf("-addr %s: is not a loopback address, such as %s; with -public, others "+
		"may reach and control the world", addr, liveAddr)
	if !c.Bool("public") && !live.Loopback(host) {
		return nil, private
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil && !c.IsSet("addr") {
		l, err = lc.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, failed(fmt.Errorf("-addr %s: %w", addr, err))
	}
	if a, ok := l.Addr().(*net.TCPAddr); !c.Bool("public") && (!ok || !a.IP.IsLoopback()) {
		return nil, errors.Join(private, l.Close()) // localhost may resolve to another address
	}
	return l, nil
}

// liveURL returns a URL of the page for a browser on this machine.
func liveURL(a net.Addr) string {
	if a, ok := a.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d/", a.Port)
	}
	return "http://" + a.String() + "/"
}

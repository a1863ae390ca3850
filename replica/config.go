package replica

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

const (
	defaultName     = "world"
	defaultListen   = "127.0.0.1:0"
	defaultSnapshot = 10 * time.Second
	maxUnacked      = 1 << 16
)

// Config says where a world is kept. Its zero value is a world in the memory of this process.
type Config struct {
	// URL is the address of a NATS server or cluster with JetStream, such as
	// "nats://10.0.0.7:4222", or several, separated by commas. If it is empty, Lead starts a server
	// of its own, as [Serve] does.
	URL string
	// Dir is the directory of an own server. If it is empty, the server keeps everything in memory,
	// and it is gone when the server is closed. If URL is set and names no user, the password is
	// read from the server's Dir, by programs that may read it.
	Dir string
	// Listen is the address of an own server, with a port if followers are to find a server that is
	// started again. By default it is a free port of 127.0.0.1, so only programs on this machine
	// can connect. See [Server] on passwords.
	Listen string
	// Name is the name of the world, "world" by default: letters, digits, - and _. Each name is a
	// log, snapshots and a record in the server, which are three streams.
	Name string
	// NoSync lets an own server acknowledge a frame before the disk has it. By default it calls
	// fsync first. A crash of the process loses no acknowledged frame either way. A power loss may,
	// for up to two minutes of frames with NoSync, and if the disk ignores fsync. A server or
	// cluster with a URL has its own setting: it acknowledges early unless it says "sync: always".
	NoSync bool
	// InMemory keeps the log and the snapshots in the memory of the server. It has an effect when
	// the world is made. A world that the server forgets with its power begins anew.
	InMemory bool
	// Replicas is the number of servers of a cluster that keep the world: 1 by default, and 3 for a
	// world that survives the loss of a server. Lead waits for a cluster that has too few servers
	// yet. It has an effect when the world is made.
	Replicas int
	// MaxBytes limits the log, without snapshots; 0 is no limit. The server refuses frames beyond
	// it. The leader then removes those before the latest snapshot, and followers that still need
	// them load it. If that is not enough, the log grows, up to twice MaxBytes, and the leader
	// writes a snapshot at once. If that fails, see [ErrStorage]. So leave room for the frames of
	// two or three SnapshotEvery. It can be raised later.
	MaxBytes int64
	// SnapshotEvery is the time between snapshots: 10 seconds by default. The log is trimmed to the
	// last but one. If it is negative, there are only those of [Leader.Snapshot], and those that a
	// full log needs.
	SnapshotEvery time.Duration
	// MaxUnacked is the number of frames, at most 65536, that Flush leaves unacknowledged. With 0,
	// Flush returns when its own frame is acknowledged. A dead leader's unacknowledged frames may
	// be lost.
	MaxUnacked int
	// Logger gets the progress of Lead and Follow, and what goes wrong meanwhile. By default it is
	// none.
	Logger *slog.Logger
	// Options are for the connection, such as credentials and certificates.
	Options []nats.Option
}

// check returns c with its defaults, or what is wrong with it.
func (c Config) check() (Config, error) {
	if c.Name == "" {
		c.Name = defaultName
	}
	if c.Listen == "" {
		c.Listen = defaultListen
	}
	if c.SnapshotEvery == 0 {
		c.SnapshotEvery = defaultSnapshot
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.URL == "" && c.Dir == "" {
		c.InMemory = true
	}
	for _, r := range c.Name {
		if !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' ||
			'a' <= r && r <= 'z') {
			return c, fmt.Errorf("replica: Config.Name: %q has a %q", c.Name, r)
		}
	}
	const longest = 100
	switch {
	case len(c.Name) > longest:
		return c, fmt.Errorf("replica: Config.Name: %d bytes, more than %d", len(c.Name), longest)
	case c.MaxUnacked < 0 || c.MaxUnacked > maxUnacked:
		return c, fmt.Errorf("replica: Config.MaxUnacked must be in [0, %d] (got %d)",
			maxUnacked, c.MaxUnacked)
	case c.Replicas < 0:
		return c, fmt.Errorf("replica: Config.Replicas must not be negative (got %d)", c.Replicas)
	case c.Replicas > 1 && c.URL == "":
		return c, fmt.Errorf("replica: Config.Replicas: an own server is one (got %d)", c.Replicas)
	case c.MaxBytes < 0:
		return c, fmt.Errorf("replica: Config.MaxBytes must not be negative (got %d)", c.MaxBytes)
	}
	return c, nil
}

// LeadOptions divide a world into cells, and tell what becomes of one that is damaged.
type LeadOptions[T any] struct {
	// Cell is the size of a cell. If it is 0, there is only one, and every follower gets all.
	Cell float64
	// Pos returns the position of a value. It must be set if Cell is. It must depend on the value
	// alone.
	Pos func(*T) (x, y float64)
	// Accept makes Lead go on from what is whole if the log or the snapshots are damaged, where it
	// would fail with an [ErrBehind] or [ErrCorrupt]. [LeaderStats.Lost] tells what was given up.
	// If nothing is whole, the Pool is the beginning. The damaged data stays until it is trimmed.
	Accept bool
}

// check reports what is wrong with o.
func (o LeadOptions[T]) check() error {
	switch {
	case o.Cell == 0:
		return nil
	case !(o.Cell > 0) || math.IsInf(o.Cell, 0) || math.IsInf(1/o.Cell, 0):
		return fmt.Errorf("replica: LeadOptions.Cell must be a positive number (got %v)", o.Cell)
	case o.Pos == nil:
		return errors.New("replica: LeadOptions.Pos must be set, since Cell is")
	}
	return nil
}

// cell returns the cell of a value.
func (o *LeadOptions[T]) cell(v *T) replay.Cell {
	if o.Cell == 0 {
		return replay.Cell{}
	}
	x, y := o.Pos(v)
	return replay.CellAt(o.Cell, x, y)
}

// FollowOptions select what a follower gets.
type FollowOptions struct {
	// Cells are those whose values the follower has. If there are none, it has all values.
	Cells []Cell
}

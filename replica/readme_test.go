package replica_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
)

// vessel is the README's Ship.
type vessel struct{ X, Fuel float32 }

// leaderProgram is the README's first program.
func leaderProgram(ctx context.Context, dir, listen string) (*replica.Leader[vessel], berth.Handle[vessel],
	uint64, error,
) {
	ships := berth.NewPool[vessel](berth.Config{Seed: 1})
	leader, err := replica.Lead(ctx, replica.Config{Dir: dir, Listen: listen},
		replica.LeadOptions[vessel]{}, ships)
	if err != nil {
		return nil, berth.Handle[vessel]{}, 0, err
	}
	h := leader.Insert(vessel{X: 1, Fuel: 10})
	leader.Edit(h).Fuel--
	seq, err := leader.Flush(ctx)
	return leader, h, seq, err
}

// followerProgram is the README's second program. It is a process of its own, which this test binary
// is if the variable of the environment is set.
func followerProgram(ctx context.Context, url, dir string, h berth.Handle[vessel], seq uint64) error {
	follower, err := replica.Follow[vessel](ctx, replica.Config{URL: url, Dir: dir},
		replica.FollowOptions{})
	if err != nil {
		return err
	}
	defer follower.Close()
	for follower.Seq() < seq {
		if _, err := follower.Step(ctx); err != nil && !errors.As(err, new(*replica.FrameError)) {
			return err
		}
	}
	ship := follower.View().Ptr(h)
	if ship == nil || ship.Fuel != 9 {
		return fmt.Errorf("the ship is %v", ship)
	}
	return nil
}

const readmeEnv = "BERTH_REPLICA_README"

// TestReadmeFollower is the follower's process.
func TestReadmeFollower(t *testing.T) {
	var url, dir, text string
	if _, err := fmt.Sscan(os.Getenv(readmeEnv), &url, &dir, &text); err != nil {
		return // it is not that process
	}
	var h berth.Handle[vessel]
	handle, seq, _ := strings.Cut(text, "/")
	if err := h.UnmarshalText([]byte(handle)); err != nil {
		t.Fatal(err)
	}
	var n uint64
	if _, err := fmt.Sscan(seq, &n); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := followerProgram(ctx, url, dir, h, n); err != nil {
		t.Fatal(err)
	}
}

// The README's programs run twice in one directory, and at two addresses. A follower that stays finds
// the leader that is started again.
func TestReadme(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var first, second string
	for _, address := range []*string{&first, &second} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		*address = l.Addr().String()
		_ = l.Close()
	}
	dir := t.TempDir()
	var stays *replica.Follower[vessel]
	for i, listen := range []string{first, first, second} {
		leader, h, seq, err := leaderProgram(ctx, dir, listen)
		if err != nil {
			t.Fatal(err)
		}
		follower := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestReadmeFollower$")
		follower.Env = append(os.Environ(),
			fmt.Sprintf("%s=nats://%s %s %v/%d", readmeEnv, listen, dir, h, seq))
		if out, err := follower.CombinedOutput(); err != nil {
			t.Fatalf("follower %d: %v\n%s", i, err, out)
		}
		if i == 0 {
			stays, err = replica.Follow[vessel](ctx, replica.Config{URL: leader.URL()},
				replica.FollowOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer stays.Close()
		}
		for i < 2 && stays.Seq() < seq {
			if _, err := stays.Step(ctx); err != nil && !errors.As(err, new(*replica.FrameError)) {
				t.Fatal(err)
			}
		}
		leader.Close()
	}
	short, cancel := context.WithTimeout(ctx, time.Second/10)
	defer cancel()
	if _, err := replica.Follow[vessel](short, replica.Config{URL: "nats://x:secret@" + first},
		replica.FollowOptions{}); err == nil || !strings.Contains(err.Error(), "no connection to") ||
		strings.Contains(err.Error(), "secret") {
		t.Error("at an address without a server:", err)
	}
}

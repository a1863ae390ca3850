package replica

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed505807e1/berth"
)

// readmeLeader is the README's leader. It returns the end of the log, the ship that it has just put
// there, and the leader, which goes on.
func readmeLeader(ctx context.Context, dir, address string) (
	seq uint64, h berth.Handle[body], l *Leader[body], err error,
) {
	ships := berth.NewPool[body](berth.Config{Seed: 1})
	leader, err := Lead(ctx, Config{Dir: dir, Listen: address}, LeadOptions[body]{}, ships)
	if err != nil {
		return 0, h, nil, err
	}
	h = leader.Insert(body{X: 1, HP: 10})
	leader.Edit(h).HP--
	seq, err = leader.Flush(ctx)
	return seq, h, leader, err
}

// readmeFollower is the README's follower. It loops until it has all up to seq.
func readmeFollower(ctx context.Context, follower *Follower[body], seq uint64) error {
	for follower.Seq() < seq {
		_, err := follower.Step(ctx)
		var report *FrameError
		if err != nil && !errors.As(err, &report) {
			return err
		}
	}
	return nil
}

// The README's programs run again and again in one directory. A leader that is there again at the
// same port is found by its followers, and one at another port by those that are told.
func TestReadme(t *testing.T) {
	leakCheck(t)
	ctx, dir := ctxOf(t), t.TempDir()
	var last *Follower[body] // goes on when its leader is there again
	ports := []string{freeAddress(t), freeAddress(t)}
	for n, address := range []string{ports[0], ports[0], ports[1]} {
		seq, h, leader, err := readmeLeader(ctx, dir, address)
		if err != nil {
			t.Fatalf("run %d: %v", n, err)
		}
		t.Cleanup(leader.Close)
		follower := startFollow[body](t, Config{URL: "nats://" + address, Dir: dir})
		all := []*Follower[body]{follower}
		if last != nil && address == ports[0] {
			all = append(all, last)
		}
		for i, f := range all {
			who := fmt.Sprintf("run %d, follower %d", n, i)
			if err := readmeFollower(ctx, f, seq); err != nil {
				t.Fatalf("%s: %v", who, err)
			}
			if s := f.View().Ptr(h); s == nil || s.HP != 9 || f.View().Len() != n+1 {
				t.Errorf("%s: %d ships, and the last is %v", who, f.View().Len(), s)
			}
		}
		last = follower
		leader.Close()
	}
}

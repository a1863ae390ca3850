package replica_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/replica"
)

type Ship struct{ X, Y, Fuel float32 }

func position(s *Ship) (x, y float64) { return float64(s.X), float64(s.Y) }

// begin returns a leader with a server in memory, and a follower of some cells, or of all.
func begin(ctx context.Context, o replica.LeadOptions[Ship], cells ...replica.Cell) (
	*replica.Leader[Ship], *replica.Follower[Ship],
) {
	pool := berth.NewPool[Ship](berth.Config{Seed: 1})
	leader, err := replica.Lead(ctx, replica.Config{}, o, pool)
	if err != nil {
		panic(err)
	}
	follower, err := replica.Follow[Ship](ctx, replica.Config{URL: leader.URL()},
		replica.FollowOptions{Cells: cells})
	if err != nil {
		panic(err)
	}
	return leader, follower
}

// A leader with a server of its own, and a follower. Set Config.Dir to keep the world.
func Example() {
	ctx := context.Background()
	ships := berth.NewPool[Ship](berth.Config{Seed: 1})
	leader, err := replica.Lead(ctx, replica.Config{}, replica.LeadOptions[Ship]{}, ships)
	if err != nil {
		panic(err)
	}
	defer leader.Close()

	follower, err := replica.Follow[Ship](ctx, replica.Config{URL: leader.URL()},
		replica.FollowOptions{})
	if err != nil {
		panic(err)
	}
	defer follower.Close()

	h := leader.Insert(Ship{X: 1, Fuel: 10})
	leader.Edit(h).Fuel--
	seq, err := leader.Flush(ctx) // the frame
	if err != nil {
		panic(err)
	}
	for follower.Seq() < seq {
		if _, err := follower.Step(ctx); err != nil {
			panic(err)
		}
	}
	fmt.Println(follower.View().Get(h))
	fmt.Println(follower.Hash() == leader.Hash())
	// Output:
	// {1 0 9} true
	// true
}

// A value that flies from one cell to another enters the follower's part of the world.
func ExampleFollow() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{Cell: 100, Pos: position},
		replica.Cell{X: 1, Y: 0})
	defer leader.Close()
	defer follower.Close()
	h := leader.Insert(Ship{X: 90})
	for range 3 {
		if s := leader.Edit(h); s != nil {
			s.X += 60
		}
		_, _ = leader.Flush(ctx)
		_, _ = follower.Step(ctx)
		fmt.Println(follower.View().Get(h))
	}
	// Output:
	// {150 0 0} true
	// {0 0 0} false
	// {0 0 0} false
}

// A second leader of the same log takes over its world. The first is fenced, and can publish
// nothing more.
func ExampleLead() {
	ctx := context.Background()
	server, err := replica.Serve(ctx, replica.Config{}) // or a NATS cluster
	if err != nil {
		panic(err)
	}
	defer server.Close()
	c := replica.Config{URL: server.URL(), InMemory: true}
	first, err := replica.Lead(ctx, c, replica.LeadOptions[Ship]{}, new(berth.Pool[Ship]))
	if err != nil {
		panic(err)
	}
	defer first.Close()
	first.Insert(Ship{X: 1})
	_, _ = first.Flush(ctx)

	var ships berth.Pool[Ship]
	second, err := replica.Lead(ctx, c, replica.LeadOptions[Ship]{}, &ships)
	if err != nil {
		panic(err)
	}
	defer second.Close()
	first.Insert(Ship{X: 2})
	_, err = first.Flush(ctx)
	<-first.Fenced()
	fmt.Println(ships.Len(), errors.Is(err, replica.ErrFenced))
	// Output: 1 true
}

// A server of its own outlives the leaders.
func ExampleServe() {
	ctx := context.Background()
	server, err := replica.Serve(ctx, replica.Config{}) // in memory, since Dir is empty
	if err != nil {
		panic(err)
	}
	defer server.Close()
	c := replica.Config{URL: server.URL(), InMemory: true}
	leader, err := replica.Lead(ctx, c, replica.LeadOptions[Ship]{}, new(berth.Pool[Ship]))
	if err != nil {
		panic(err)
	}
	leader.Insert(Ship{X: 1})
	seq, _ := leader.Flush(ctx)
	leader.Close()

	follower, err := replica.Follow[Ship](ctx, c, replica.FollowOptions{})
	if err != nil {
		panic(err)
	}
	defer follower.Close()
	for follower.Seq() < seq {
		_, _ = follower.Step(ctx)
	}
	fmt.Println(follower.View().Len())
	fmt.Println(follower.Poll(ctx)) // does not wait for more
	// Output:
	// 1
	// 0 <nil>
}

// The leader changes values through its methods, and publishes the changes of a frame at its end.
func ExampleLeader() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer follower.Close()
	h := leader.Insert(Ship{Fuel: 3})
	gone := leader.Insert(Ship{X: 7})
	for frame := range 3 {
		if s := leader.Edit(h); s != nil {
			s.Fuel--
		}
		if frame == 1 {
			fmt.Println(leader.Remove(gone))
		}
		soon, cancel := context.WithTimeout(ctx, 5*time.Second)
		if _, err := leader.Flush(soon); err != nil {
			fmt.Println(err)
		}
		cancel()
	}
	for follower.Seq() < leader.Seq() {
		_, _ = follower.Step(ctx)
	}
	fmt.Println(follower.View().Get(h))
	empty := func(_ berth.Handle[Ship], s *Ship) bool { return s.Fuel == 0 }
	fmt.Println(leader.RemoveFunc(empty), leader.Stats().Frames)

	leader.Close()
	_, err := leader.Flush(ctx)
	fmt.Println(errors.Is(err, replica.ErrClosed))
	// Output:
	// {7 0 0} true
	// {0 0 0} true
	// 1 3
	// true
}

// Wait, before something is promised to the outside.
func ExampleLeader_Wait() {
	ctx := context.Background()
	leader, err := replica.Lead(ctx, replica.Config{MaxUnacked: 8}, replica.LeadOptions[Ship]{},
		berth.NewPool[Ship](berth.Config{Seed: 1}))
	if err != nil {
		panic(err)
	}
	defer leader.Close()
	leader.Insert(Ship{})
	seq, _ := leader.Flush(ctx)
	err = leader.Wait(ctx)
	fmt.Println(err, leader.Acked() == seq, leader.Stats().Unacked)
	fmt.Println(leader.Snapshot(ctx)) // for followers to come
	// Output:
	// <nil> true 0
	// <nil>
}

// The hash of a part of the world is that of a follower of that part.
func ExampleLeader_Hash() {
	ctx := context.Background()
	cell := replica.CellAt(100, 250, 0)
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{Cell: 100, Pos: position}, cell)
	defer leader.Close()
	defer follower.Close()
	leader.Insert(Ship{X: 250})
	leader.Insert(Ship{X: 0})
	_, _ = leader.Flush(ctx)
	_, _ = follower.Step(ctx)
	fmt.Println(follower.Hash() == leader.Hash(cell), follower.Hash() == leader.Hash())
	// Output: true false
}

// Reports are no reason to stop.
func ExampleFollower() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	leader.Insert(Ship{})
	_, _ = leader.Flush(ctx)
	for follower.View().Len() == 0 {
		_, err := follower.Step(ctx)
		var report *replica.FrameError
		switch {
		case errors.As(err, &report):
			fmt.Println("at", report.Seq, err)
		case err != nil:
			fmt.Println(err)
			return
		}
	}
	s := follower.Stats()
	fmt.Println(s.Frames, s.Ops, s.Loads, follower.Lag() > 0)
	follower.Close()
	_, err := follower.Step(ctx)
	fmt.Println(errors.Is(err, replica.ErrClosed))
	// Output:
	// 1 1 1 true
	// true
}

func ExampleCellAt() {
	fmt.Println(replica.CellAt(16, 40, -1))
	// Output: {2 -1}
}

func ExampleFrameError() {
	err := error(&replica.FrameError{Seq: 7, Err: replica.ErrBehind})
	fmt.Println(errors.Is(err, replica.ErrBehind), err)
	// Output: true replica: behind the log (message 7)
}

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
	second, err := replica.Lead(ctx, c, replica.LeadOptions[Ship]{}, &ships) // takes over
	if err != nil {
		panic(err)
	}
	defer second.Close()
	first.Insert(Ship{X: 2})
	_, err = first.Flush(ctx)
	fmt.Println(ships.Len(), errors.Is(err, replica.ErrFenced))
	// Output: 1 true
}

func ExampleLeader_Fenced() {
	ctx := context.Background()
	server, err := replica.Serve(ctx, replica.Config{})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	c := replica.Config{URL: server.URL(), InMemory: true}
	leader, err := replica.Lead(ctx, c, replica.LeadOptions[Ship]{}, new(berth.Pool[Ship]))
	if err != nil {
		panic(err)
	}
	defer leader.Close()
	other, err := replica.Lead(ctx, c, replica.LeadOptions[Ship]{}, new(berth.Pool[Ship]))
	if err != nil {
		panic(err)
	}
	defer other.Close()
	leader.Insert(Ship{})
	_, err = leader.Flush(ctx)
	<-leader.Fenced()
	fmt.Println(errors.Is(err, replica.ErrFenced))
	// Output: true
}

func ExampleLeader_Flush() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	var h berth.Handle[Ship]
	for frame := range 3 {
		if h = leader.Insert(Ship{X: float32(frame)}); frame == 1 {
			leader.Remove(h)
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
	fmt.Println(follower.View().Len())
	// Output: 2
}

func ExampleLeader_Edit() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	h := leader.Insert(Ship{Fuel: 3})
	for range 3 {
		if s := leader.Edit(h); s != nil {
			s.Fuel--
		}
		_, _ = leader.Flush(ctx)
	}
	for follower.Seq() < leader.Seq() {
		_, _ = follower.Step(ctx)
	}
	fmt.Println(follower.View().Get(h))
	// Output: {0 0 0} true
}

func ExampleLeader_Insert() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	h := leader.Insert(Ship{Fuel: 3})
	fmt.Println(h.IsZero())
	// Output: false
}

func ExampleLeader_Remove() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	h := leader.Insert(Ship{Fuel: 3})
	fmt.Println(leader.Remove(h))
	fmt.Println(leader.Remove(h))
	// Output:
	// {0 0 3} true
	// {0 0 0} false
}

func ExampleLeader_RemoveFunc() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	for i := range 5 {
		leader.Insert(Ship{Fuel: float32(i)})
	}
	fmt.Println(leader.RemoveFunc(func(_ berth.Handle[Ship], s *Ship) bool { return s.Fuel < 2 }))
	// Output: 2
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
	// Output: <nil> true 0
}

func ExampleLeader_Acked() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	leader.Insert(Ship{})
	seq, _ := leader.Flush(ctx) // MaxUnacked is 0
	fmt.Println(leader.Acked() == seq, leader.Seq() == seq)
	// Output: true true
}

func ExampleLeader_Seq() {
	ExampleLeader_Acked()
	// Output:
	// true true
}

func ExampleLeader_Snapshot() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	leader.Insert(Ship{})
	fmt.Println(leader.Snapshot(ctx), leader.Stats().Frames)
	// Output: <nil> 1
}

func ExampleLeader_Stats() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	leader.Insert(Ship{})
	_, _ = leader.Flush(ctx)
	s := leader.Stats()
	fmt.Println(s.Frames, s.Ops, s.Messages)
	// Output: 1 1 1
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

func ExampleLeader_URL() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	other, err := replica.Follow[Ship](ctx, replica.Config{URL: leader.URL()}, replica.FollowOptions{})
	if err != nil {
		panic(err)
	}
	defer other.Close()
	fmt.Println(other.View().Len())
	// Output: 0
}

func ExampleLeader_Close() {
	leader, follower := begin(context.Background(), replica.LeadOptions[Ship]{})
	follower.Close()
	leader.Close()
	_, err := leader.Flush(context.Background())
	fmt.Println(errors.Is(err, replica.ErrClosed))
	// Output: true
}

// Reports are no reason to stop.
func ExampleFollower_Step() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
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
	fmt.Println(follower.View().Len())
	// Output: 1
}

func ExampleFollower_Poll() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	fmt.Println(follower.Poll(ctx))
	// Output: 0 <nil>
}

func ExampleFollower_View() {
	Example()
	// Output:
	// {1 0 9} true
	// true
}

func ExampleFollower_Seq() {
	Example()
	// Output:
	// {1 0 9} true
	// true
}

func ExampleFollower_Hash() {
	ExampleLeader_Hash()
	// Output:
	// true false
}

func ExampleFollower_Lag() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	leader.Insert(Ship{})
	_, _ = leader.Flush(ctx)
	_, _ = follower.Step(ctx)
	fmt.Println(follower.Lag() > 0)
	// Output: true
}

func ExampleFollower_Stats() {
	ctx := context.Background()
	leader, follower := begin(ctx, replica.LeadOptions[Ship]{})
	defer leader.Close()
	defer follower.Close()
	leader.Insert(Ship{})
	_, _ = leader.Flush(ctx)
	_, _ = follower.Step(ctx)
	s := follower.Stats()
	fmt.Println(s.Frames, s.Ops, s.Loads)
	// Output: 1 1 1
}

func ExampleFollower_Close() {
	leader, follower := begin(context.Background(), replica.LeadOptions[Ship]{})
	defer leader.Close()
	follower.Close()
	_, err := follower.Step(context.Background())
	fmt.Println(errors.Is(err, replica.ErrClosed))
	// Output: true
}

func ExampleCellAt() {
	fmt.Println(replica.CellAt(16, 40, -1))
	// Output: {2 -1}
}

func ExampleServe() {
	ExampleLead()
	// Output:
	// 1 true
}

func ExampleServer_URL() {
	ExampleLead()
	// Output:
	// 1 true
}

func ExampleServer_Close() {
	ExampleLead()
	// Output:
	// 1 true
}

func ExampleFrameError_Error() {
	ExampleFollower_Step()
	// Output:
	// 1
}

func ExampleFrameError_Unwrap() {
	err := error(&replica.FrameError{Seq: 7, Err: replica.ErrBehind})
	fmt.Println(errors.Is(err, replica.ErrBehind), err)
	// Output: true replica: behind the log (message 7)
}

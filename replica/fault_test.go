package replica

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/seed505807e1/berth/internal/long"
)

// points are all that package replica visits, see point.
var points = []string{
	"lead: loaded", "lead: taken over", "lead: store fenced", "lead: caught up",
	"flush: published", "flush: acknowledged",
	"snapshot: piece", "snapshot: written", "snapshot: read back", "snapshot: removed",
	"snapshot: trimmed",
}

// fault is a row of the table of faults: a name, how often it is drawn in a thousand, and what
// happens, in a world of processes or one of its own.
type fault struct {
	name  string
	share int
	world func(*world)
	alone func(*testing.T, *rand.Rand)
}

// faults returns the table. Those of processes that share a server are in faultsOfLinux, in part.
func faults() (all []fault) {
	processes := func(name string, share int, f func(*world)) {
		all = append(all, fault{name: name, share: share, world: f})
	}
	processes("kill leader", 40, func(w *world) { w.killed(w.leader) })
	processes("kill server", 30, func(w *world) { w.killed(w.server) })
	processes("kill follower", 30, func(w *world) { w.killed(w.followers[w.IntN(2)]) })
	for _, point := range points {
		processes("kill at "+point, 10, func(w *world) { w.killedAt(point) })
	}
	processes("cut", 30, func(w *world) {
		for _, p := range []*process{w.leader, w.followers[0], w.followers[1]} {
			if w.IntN(3) > 0 {
				p.net.cutAll()
			}
		}
	})
	processes("no server", 10, (*world).noServer)
	alone := func(name string, share int, f func(*testing.T, *rand.Rand)) {
		all = append(all, fault{name: name, share: share, alone: f})
	}
	alone("full", 10, fullLog)
	alone("slow frame", 5, slowFrame)
	alone("slow snapshot", 5, slowLink)
	alone("part of log, server up", 18, func(t *testing.T, r *rand.Rand) {
		damage(t, r, "log", "up", "part")
	})
	alone("own server", 20, ownServer)
	for _, of := range []string{"log", "snapshots"} {
		for _, when := range []string{"up", "killed", "closed"} {
			for _, how := range []string{"flip", "cut", "delete", "lose"} {
				if how == "delete" && when != "up" {
					continue
				}
				alone(how+" of "+of+", server "+when, 18, func(t *testing.T, r *rand.Rand) {
					damage(t, r, of, when, how)
				})
			}
		}
	}
	return append(all, faultsOfLinux()...)
}

// After each fault, what was acknowledged is in the world, or the next Lead says what is missing.
// Every state that a follower has ever had is one of the leaders', or it has reported an error. In
// the end all have the same, and nothing is left behind. The short form has each fault once, and each
// damage to files twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	const (
		seed   = 2026
		worlds = 4
	)
	t.Log("seed", seed)
	ofWorlds, alone := deck(rand.New(rand.NewPCG(seed, 0)))
	for i := range worlds {
		var mine []fault
		for at := i; at < len(ofWorlds); at += worlds {
			mine = append(mine, ofWorlds[at])
		}
		t.Run(fmt.Sprint("world ", i), func(t *testing.T) {
			t.Parallel()
			playWorlds(t, rand.New(rand.NewPCG(seed, uint64(1_000_000+i))), mine)
		})
	}
	for i, f := range alone {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.alone(t, rand.New(rand.NewPCG(seed, uint64(i))))
		})
	}
}

// deck returns the faults to play, in a random order.
func deck(r *rand.Rand) (ofWorlds, alone []fault) {
	const damages = 18 // share of each damage to files, which is drawn with its place
	all := faults()
	for _, f := range all {
		if f.share == damages && !long.On {
			all = append(all, f)
		}
	}
	if long.On {
		sum := 0
		for _, f := range all {
			sum += f.share
		}
		drawn := make([]fault, 1000)
		for i := range drawn {
			x, at := r.IntN(sum), 0
			for ; x >= all[at].share; at++ {
				x -= all[at].share
			}
			drawn[i] = all[at]
		}
		all = drawn
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, f := range all {
		if f.world != nil {
			ofWorlds = append(ofWorlds, f)
		} else {
			alone = append(alone, f)
		}
	}
	return ofWorlds, alone
}

// playWorlds plays faults in a world that goes on until one of them fails.
func playWorlds(t *testing.T, r *rand.Rand, all []fault) {
	const most = 30 // faults of a world
	for n, ok := 0, true; len(all) > 0; n, ok = 0, true {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		w := newWorld(ctx, t, r, true)
		for ; ok && n < most && len(all) > 0; n++ {
			f := all[0]
			all = all[1:]
			ok = t.Run(f.name, func(t *testing.T) {
				w.ctx, w.t = ctxOf(t), t
				f.world(w)
				w.settle()
			})
		}
		if w.ctx, w.t = ctx, t; ok {
			w.finish()
		}
		w.close()
		cancel()
	}
}

// killed kills a process, and waits until the world goes on.
func (w *world) killed(p *process) {
	w.t.Helper()
	begin, leads := time.Now(), p == w.leader
	w.kill(p)
	w.untilAcked()
	if leads {
		w.ups = append(w.ups, time.Since(begin))
	}
	w.settle()
}

// killedAt kills a leader, or a standby that becomes the leader, at a point.
func (w *world) killedAt(point string) {
	was := w.leader
	p := w.visit(point)
	if p == was {
		w.killed(p)
		return
	}
	w.kill(p)
	w.takeOver()
	w.ends(was)
}

// noServer kills the server, and starts it again after all have tried to connect some times, to
// something that accepts and closes. Failed connections leave no descriptors.
func (w *world) noServer() {
	w.settle()
	clients := append([]*process{w.leader}, w.followers...)
	var files []int
	var gone []int64
	for _, p := range clients {
		files = append(files, openFiles(strconv.Itoa(p.cmd.Process.Pid)))
		gone = append(gone, p.net.gone.Load())
	}
	w.server.kill()
	for i, p := range clients {
		for p.net.gone.Load() < gone[i]+6 {
			if sleep(w.ctx, time.Millisecond) != nil {
				w.t.Fatalf("the %s tries no more", p.Role)
			}
		}
		if n := openFiles(strconv.Itoa(p.cmd.Process.Pid)); n > files[i]+2 {
			w.t.Errorf("a %s has %d descriptors, and had %d", p.Role, n, files[i])
		}
	}
	w.kill(w.server) // starts another one
}

// ownServer kills a leader with a server of its own, and followers.
func ownServer(t *testing.T, r *rand.Rand) {
	w := newWorld(ctxOf(t), t, r, false)
	w.killed(w.leader)
	w.killed(w.visit(points[4+r.IntN(len(points)-4)]))
	w.killed(w.followers[r.IntN(2)])
	w.finish()
}

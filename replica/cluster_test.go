package replica

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth"
)

// startCluster starts a cluster of three servers in this process.
func startCluster(t testing.TB) (nodes []*server.Server, c Config) {
	t.Helper()
	nodes = newCluster(t)
	var urls []string
	for _, s := range nodes {
		s.Start()
	}
	for _, s := range nodes {
		for !s.ReadyForConnections(patience) || !s.JetStreamIsCurrent() || peers(nodes) < len(nodes) {
			if err := sleep(ctxOf(t), pause); err != nil {
				t.Fatal("the cluster does not start:", err)
			}
		}
		urls = append(urls, s.ClientURL())
	}
	return nodes, Config{URL: strings.Join(urls, ","), Replicas: 3, SnapshotEvery: -1, MaxUnacked: 4}
}

// newCluster returns the servers of a cluster, which the caller starts.
func newCluster(t testing.TB) (nodes []*server.Server) {
	t.Helper()
	var routes []*url.URL
	for range 3 {
		routes = append(routes, &url.URL{Scheme: "nats", Host: freeAddress(t)})
	}
	for i, r := range routes {
		port, err := strconv.Atoi(r.Port())
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("node", i), Host: "127.0.0.1", Port: server.RANDOM_PORT,
			Cluster: server.ClusterOpts{Name: "berth", Host: "127.0.0.1", Port: port},
			Routes:  routes, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		nodes = append(nodes, s)
	}
	return nodes
}

// peers returns the number of servers that the cluster's leader knows.
func peers(nodes []*server.Server) (n int) {
	for _, s := range nodes {
		n = max(n, len(s.JetStreamClusterPeers()))
	}
	return n
}

// A leader may start with its cluster: it waits for the servers that Replicas needs.
func TestClusterForms(t *testing.T) {
	t.Parallel()
	nodes := newCluster(t)
	nodes[0].Start()
	if !nodes[0].ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	c := Config{URL: nodes[0].ClientURL(), Replicas: 3, SnapshotEvery: -1}
	led := make(chan error, 1)
	go func() {
		l, err := Lead(ctxOf(t), c, split, berth.NewPool[body](berth.Config{Seed: 1}))
		if err == nil {
			l.Close()
		}
		led <- err
	}()
	nodes[1].Start()
	nodes[2].Start()
	if err := <-led; err != nil {
		t.Error(err)
	}
}

// A server that is no cluster never holds three replicas, so Lead does not wait for it.
func TestReplicasWithoutCluster(t *testing.T) {
	t.Parallel()
	c := serve(t)
	c.Replicas = 3
	_, err := Lead(context.Background(), c, split, berth.NewPool[body](berth.Config{}))
	if api := (*jetstream.APIError)(nil); !errors.As(err, &api) || api.ErrorCode != noCluster {
		t.Error("Lead with Replicas 3 and one server:", err)
	}
}

// A cluster of three that loses the server that leads the log goes on, and loses nothing.
func TestCluster(t *testing.T) {
	t.Parallel()
	nodes, c := startCluster(t)
	l := startLead(t, c, split, berth.NewPool[body](berth.Config{Seed: 1}))
	cells := []Cell{{0, 0}, {-1, 0}}
	all, some := startFollow[body](t, c), startFollow[body](t, c, cells...)
	g := newPlay(21, l.pool)
	run := func(frames int) {
		t.Helper()
		for range frames {
			g.flush(t, l, 30)
		}
		wait(t, l)
		for _, err := range append(reach(t, all, l.Seq()), reach(t, some, l.Seq())...) {
			wantErr(t, err, ErrBehind)
		}
		same(t, l, all)
		same(t, l, some, cells...)
	}
	run(50)
	snapshot(t, l)
	run(10)
	lost := stream(t, c, "BERTH_world").CachedInfo().Cluster.Leader
	for _, s := range nodes {
		if s.Name() != lost {
			continue
		}
		g.frame(l, 30)
		flush(t, l) // frames are on their way
		s.Shutdown()
		s.WaitForShutdown()
	}
	run(50)
	second := startLead(t, c, split, berth.NewPool[body](berth.Config{}))
	if second.Hash() != l.Hash() || second.frame != l.frame {
		t.Errorf("a new leader has %d frames and hash %x, and the one before %d and %x",
			second.frame, second.Hash(), l.frame, l.Hash())
	}
	newPlay(22, second.pool).flush(t, second, 30)
	same(t, second, all)
	same(t, second, some, cells...)
	if state := logState(t, c); state.LastSeq != l.send.lead+l.Stats().Messages+1+second.Stats().Messages {
		t.Errorf("the log had %d messages, and the leaders published %d and %d", state.LastSeq,
			l.Stats().Messages, second.Stats().Messages)
	}
}

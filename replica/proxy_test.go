package replica

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy is a bad network between a client and a server. It reads the protocol of NATS as far as it
// must to tell messages apart, in both directions. It delays messages, sends them twice, in another
// order, or not at all, and cuts connections. Each direction of each connection has a random
// sequence of its own, so what happens to the n-th message depends on the seed alone.
type proxy struct {
	seed   uint64
	listen net.Listener
	calm   atomic.Bool  // it does no harm any more
	lose   atomic.Bool  // it drops all messages of the log
	rate   atomic.Int64 // bytes a second in each direction, or 0
	gone   atomic.Int64 // connections that were closed at once, since there was no server
	harm   harm
	done   sync.WaitGroup

	mu     sync.Mutex
	to     string
	open   map[net.Conn]bool
	closed bool
	count  uint64 // of connections
}

// harm is what a proxy does, as shares of the messages in percent, and how often it did.
type harm struct {
	cut, delay, repeat, swap, drop      float64
	most                                int64 // cuts. One that loses a reply costs its client two seconds.
	cuts, delays, repeats, swaps, drops atomic.Int64
}

// startProxy starts a proxy, and returns it with the Config for its clients.
func startProxy(t testing.TB, c Config, seed uint64) (*proxy, Config) {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{seed: seed, listen: listen, open: map[net.Conn]bool{}}
	p.done.Go(p.accept)
	t.Cleanup(p.close)
	to := p.move(c.URL)
	to.Host = listen.Addr().String() // the user stays
	c.URL = to.String()
	return p, c
}

// accept serves clients until the proxy is closed.
func (p *proxy) accept() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		to := p.to
		p.mu.Unlock()
		server, err := net.Dial("tcp", to)
		if err != nil {
			_ = client.Close()
			p.gone.Add(1)
			continue
		}
		p.mu.Lock()
		p.open[client], p.open[server] = true, true
		if p.closed {
			p.mu.Unlock()
			p.cut(client, server)
			return
		}
		p.count++
		n := 2 * p.count
		p.mu.Unlock()
		p.done.Go(func() { p.forward(client, server, n) })
		p.done.Go(func() { p.forward(server, client, n+1) })
	}
}

// cut closes both ends of a connection.
func (p *proxy) cut(ends ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		_ = c.Close()
		delete(p.open, c)
	}
}

// move makes the proxy lead to another server, at once for new connections.
func (p *proxy) move(server string) *url.URL {
	to, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to.Host
	return to
}

// cutAll cuts all connections.
func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// write writes to a connection, as fast as the network is.
func (p *proxy) write(to net.Conn, data []byte) error {
	rate := p.rate.Load()
	if rate == 0 {
		_, err := to.Write(data)
		return err
	}
	for some := range slices.Chunk(data, 16<<10) {
		if _, err := to.Write(some); err != nil {
			return err
		}
		time.Sleep(time.Duration(len(some)) * time.Second / time.Duration(rate))
	}
	return nil
}

// close ends the proxy, and all connections through it.
func (p *proxy) close() {
	_ = p.listen.Close()
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.done.Wait()
}

// unit is a line of the protocol, or a message with its payload.
type unit struct {
	data    []byte
	message bool // has a payload
	ofLog   bool // is a message of the log to a follower
}

// forward copies what it reads from one end of a connection to the other, with harm.
func (p *proxy) forward(from, to net.Conn, n uint64) {
	defer p.cut(from, to)
	units, quit := make(chan unit), make(chan struct{})
	defer close(quit)
	p.done.Go(func() { readUnits(bufio.NewReader(from), units, quit) })
	r := rand.New(rand.NewPCG(p.seed, n))
	var held []byte // a message that changes places with the next one
	release := time.NewTimer(time.Hour)
	defer release.Stop()
	for {
		select {
		case u, ok := <-units:
			if !ok {
				return
			}
			out, hold, end := p.treat(u, r)
			if end {
				return
			}
			if hold && held == nil {
				held = out
				release.Reset(5 * time.Millisecond) // there may be no next one
				continue
			}
			if p.write(to, append(out, held...)) != nil {
				return
			}
		case <-release.C:
			if p.write(to, held) != nil {
				return
			}
		}
		held = nil
	}
}

// treat returns what becomes of a message: its bytes, whether it must wait for the next one, and
// whether the connection ends.
func (p *proxy) treat(u unit, r *rand.Rand) (out []byte, hold, end bool) {
	x, size := 100*r.Float64(), r.IntN(len(u.data)) // the same sequence for all kinds of units
	if !u.message || p.calm.Load() {
		return u.data, false, false
	}
	if u.ofLog && p.lose.Load() {
		p.harm.drops.Add(1)
		return nil, false, false
	}
	in := func(share float64, n *atomic.Int64) bool {
		hit := 0 <= x && x < share
		if x -= share; hit {
			n.Add(1)
		}
		return hit
	}
	switch h := &p.harm; {
	case h.cuts.Load() < h.most && in(h.cut, &h.cuts):
		return nil, false, true
	case in(h.repeat, &h.repeats):
		return append(u.data, u.data...), false, false
	case in(h.swap, &h.swaps):
		return u.data, true, false
	case u.ofLog && in(h.drop, &h.drops):
		return nil, false, false
	case in(h.delay, &h.delays):
		time.Sleep(time.Duration(size%10) * time.Millisecond)
	}
	return u.data, false, false
}

// readUnits reads a connection until it ends.
func readUnits(r *bufio.Reader, units chan<- unit, quit <-chan struct{}) {
	defer close(units)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		u := unit{data: line}
		fields := bytes.Fields(line)
		switch {
		case len(fields) < 3:
		case bytes.EqualFold(fields[0], []byte("PUB")), bytes.EqualFold(fields[0], []byte("HPUB")),
			bytes.EqualFold(fields[0], []byte("MSG")), bytes.EqualFold(fields[0], []byte("HMSG")):
			n, err := strconv.Atoi(string(fields[len(fields)-1]))
			if err != nil {
				return
			}
			u.message = true
			u.ofLog = bytes.Contains(line, []byte(" $JS.ACK.BERTH_"))
			u.data = slices.Concat(line, make([]byte, n+2))
			if _, err := io.ReadFull(r, u.data[len(line):]); err != nil {
				return
			}
		}
		select {
		case units <- u:
		case <-quit:
			return
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a peer waits for a packet before it sends its own again. The sockets are on
// the same machine, so it is only needed if the system drops a packet.
const patience = 50 * time.Millisecond

// overUDP plays a session over two sockets of the loopback interface, with a goroutine for each
// peer. They share nothing but the knowledge of who is done. Each peer reads one packet a turn, and
// has it pass through a link whose clock counts turns. So packets are late and lost as in simulate.
// Both goroutines have ended when it returns.
func overUDP(c config) (report, error) {
	var conns [2]*net.UDPConn
	for i := range conns {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return report{}, err
		}
		defer func() { _ = conn.Close() }()
		conns[i] = conn
	}
	peers := [2]*peer{newPeer(0, &c), newPeer(1, &c)}
	links := [2]*link{newLink(&c, 0), newLink(&c, 1)}
	var (
		both sync.WaitGroup
		done atomic.Int32
		errs [2]error
		late [2]int
	)
	for i, p := range peers {
		both.Go(func() {
			end := &endpoint{
				conn: conns[i], to: conns[1-i].LocalAddr().(*net.UDPAddr).AddrPort(),
				peer: p, link: links[i], done: &done,
			}
			errs[i] = end.run(c.most())
			late[i] = end.late
			for _, conn := range conns { // so that the other ends, too
				_ = conn.Close()
			}
		})
	}
	both.Wait()
	r := outcome(peers, links)
	r.late = late[0] + late[1]
	if err := errors.Join(errs[:]...); err != nil {
		return r, err
	}
	return r, same(peers)
}

// endpoint is a peer with a socket.
type endpoint struct {
	conn *net.UDPConn
	to   netip.AddrPort
	peer *peer
	link *link
	done *atomic.Int32 // number of peers that are done
	late int
}

// run plays until both peers are done, or until the other has closed the sockets.
func (e *endpoint) run(most int) error {
	in, out := make([]byte, 2048), []byte(nil)
	counted := false
	for turn := range most {
		now := time.Duration(turn) * period[0]
		if err := e.peer.turn(e.link, now); err != nil {
			return err
		}
		if e.peer.done() && !counted {
			counted = true
			e.done.Add(1)
		}
		if e.done.Load() == 2 {
			return nil
		}
		out = e.peer.appendPacket(out[:0])
		if _, err := e.conn.WriteToUDPAddrPort(out, e.to); err != nil {
			return notClosed(err)
		}
		if err := e.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return notClosed(err)
		}
		n, from, err := e.conn.ReadFromUDPAddrPort(in)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			e.late++
		case err != nil:
			return notClosed(err)
		case from == e.to: // and not somebody else
			e.link.send(now, in[:n])
		}
	}
	return fmt.Errorf("%w after %d turns", errStalled, most)
}

// notClosed returns err unless it is that the socket is closed, which the other peer does when it
// ends.
func notClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

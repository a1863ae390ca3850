// Package table keeps slices of gnet's connections.
package table

import (
	"encoding/binary"

	"github.com/panjf2000/gnet/v2"
)

func handle(msg []byte) {}

// bad: github.com/panjf2000/gnet/v2.Reader.Peek github.com/panjf2000/gnet/v2.Reader.Discard
func onTraffic(c gnet.Conn) (action gnet.Action) {
	buf, err := c.Peek(64)
	if err != nil {
		return
	}
	c.Discard(64)
	handle(buf) // want `buf is stale: c.Discard on line \d+ ended it`
	return
}

// good: github.com/panjf2000/gnet/v2.Reader.Peek github.com/panjf2000/gnet/v2.Reader.Discard
func onTrafficCopied(c gnet.Conn) (action gnet.Action) {
	for {
		buf, err := c.Peek(4)
		if err != nil {
			return
		}
		n := int(binary.BigEndian.Uint32(buf))
		if c.InboundBuffered() < 4+n {
			return
		}
		c.Discard(4)
		buf, _ = c.Peek(n)
		msg := make([]byte, n)
		copy(msg, buf)
		c.Discard(n)
		go handle(msg)
	}
}

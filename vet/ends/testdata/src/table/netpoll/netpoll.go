// Package table keeps slices of netpoll's readers.
package table

import (
	"bytes"
	"encoding/binary"

	"github.com/cloudwego/netpoll"
)

func use(...any) {}

// bad: github.com/cloudwego/netpoll.Reader.Next github.com/cloudwego/netpoll.Reader.Release
func frame(r netpoll.Reader) ([]byte, error) {
	defer r.Release()
	p, err := r.Next(16)
	if err != nil {
		return nil, err
	}
	return p, nil // want `p is returned, but the deferred r.Release on line \d+ ends it`
}

// good: github.com/cloudwego/netpoll.Reader.Next github.com/cloudwego/netpoll.Reader.Release
func frameCopied(r netpoll.Reader) ([]byte, error) {
	defer r.Release()
	p, err := r.Next(16)
	if err != nil {
		return nil, err
	}
	use(p)
	return r.ReadBinary(16) // a copy
}

// bad: github.com/cloudwego/netpoll.Reader.Peek
func size(r netpoll.Reader) uint32 {
	head, _ := r.Peek(4)
	r.Skip(4)
	r.Release()
	return binary.BigEndian.Uint32(head) // want `head is stale: r.Release on line \d+ ended it`
}

// good: github.com/cloudwego/netpoll.Reader.Peek
func sizeFirst(r netpoll.Reader) (uint32, []byte) {
	head, _ := r.Peek(4)
	r.Skip(4)
	n := binary.BigEndian.Uint32(head)
	tag := bytes.Clone(head)
	r.Release()
	return n, tag
}

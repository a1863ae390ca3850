// Package buffers has helpers, whose effects are facts for the packages that import it.
package buffers

import (
	"bufio"
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func Get() *bytes.Buffer { return pool.Get().(*bytes.Buffer) }

func Put(b *bytes.Buffer) {
	b.Reset()
	pool.Put(b)
}

// Reader lends and ends by a reader of its own.
type Reader struct{ r *bufio.Reader }

func (r *Reader) Head() []byte {
	head, _ := r.r.Peek(4)
	return head
}

func (r *Reader) Skip() { r.r.ReadByte() }

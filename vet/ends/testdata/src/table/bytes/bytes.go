// Package table keeps what a pooled bytes.Buffer lends.
package table

import (
	"bytes"
	"strconv"
	"sync"
)

func use(...any) {}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A message keeps its payload.
type message struct {
	kind    byte
	payload []byte
}

// bad: bytes.Buffer.Bytes
func encode(m message) []byte {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteByte(m.kind)
	buf.Write(m.payload)
	frame := buf.Bytes()
	frame[0] |= 0x80
	return frame // want `frame is returned, but the deferred pool.Put on line \d+ gives it back`
}

// good: bytes.Buffer.Bytes
func encodeString(m message) string {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteByte(m.kind)
	buf.Write(m.payload)
	frame := buf.Bytes()
	frame[0] |= 0x80
	return string(frame)
}

// good: bytes.Buffer.Bytes
func encodeOwn(m message) []byte {
	var buf bytes.Buffer
	buf.WriteByte(m.kind)
	buf.Write(m.payload)
	return buf.Bytes()
}

// bad: bytes.Buffer.Next
func decode(in []byte) *message {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(in)
	m := &message{kind: buf.Next(1)[0]}
	body := buf.Next(8)
	pool.Put(buf)
	m.payload = body // want `body is stale: pool.Put on line \d+ gave it back`
	return m
}

// good: bytes.Buffer.Next
func decodeCopy(in []byte) *message {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(in)
	m := &message{kind: buf.Next(1)[0]}
	m.payload = append(m.payload, buf.Next(8)...)
	pool.Put(buf)
	return m
}

// bad: bytes.Buffer.Peek
func magic(in []byte) ([]byte, error) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.Write(in)
	head, err := buf.Peek(4)
	if err != nil {
		return nil, err
	}
	return head, nil // want `head is returned, but the deferred pool.Put on line \d+ gives it back`
}

// good: bytes.Buffer.Peek
func isMagic(in []byte) bool {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.Write(in)
	head, err := buf.Peek(4)
	return err == nil && bytes.Equal(head, []byte("\x7fELF"))
}

// bad: bytes.Buffer.AvailableBuffer
func number(n int) []byte {
	buf := pool.Get().(*bytes.Buffer)
	b := buf.AvailableBuffer()
	pool.Put(buf)
	b = strconv.AppendInt(b, int64(n), 10) // want `b is stale: pool.Put on line \d+ gave it back`
	return b
}

// good: bytes.Buffer.AvailableBuffer
func writeNumber(buf *bytes.Buffer, n int) {
	b := buf.AvailableBuffer()
	b = strconv.AppendInt(b, int64(n), 10)
	buf.Write(b)
}

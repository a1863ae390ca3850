// Package table uses buffers of zap after Free.
package table

import "go.uber.org/zap/buffer"

var pool buffer.Pool

// bad: go.uber.org/zap/buffer.Buffer.Free go.uber.org/zap/buffer.Buffer.Bytes
func line(msg string) []byte {
	buf := pool.Get()
	defer buf.Free()
	buf.AppendString(msg)
	return buf.Bytes() // want `buf.Bytes\(\) is returned, but the deferred buf.Free on line \d+`
}

// good: go.uber.org/zap/buffer.Buffer.Free go.uber.org/zap/buffer.Buffer.Bytes
func lineCopied(msg string) []byte {
	buf := pool.Get()
	defer buf.Free()
	buf.AppendString(msg)
	return append([]byte(nil), buf.Bytes()...)
}

// bad: go.uber.org/zap/buffer.Buffer.Free
func text(buf *buffer.Buffer) string {
	buf.Free()
	return buf.String() // want `buf is stale: buf.Free on line \d+ gave it back`
}

// good: go.uber.org/zap/buffer.Buffer.Free
func textFirst(buf *buffer.Buffer) string {
	s := buf.String()
	buf.Free()
	return s
}

type entry struct {
	*buffer.Buffer
	level int
}

// bad: go.uber.org/zap/buffer.Buffer.Free
func embedded(e *entry) string {
	buf := e.Buffer
	e.Free()
	return buf.String() // want `buf is stale: e.Free on line \d+ gave it back`
}

// good: go.uber.org/zap/buffer.Buffer.Free
func besideEmbedded(e *entry) int {
	e.Free()
	return e.level
}

type task struct{ done func() }

// bad: go.uber.org/zap/buffer.Buffer.Free
func byField(t *task, buf *buffer.Buffer) string {
	t.done = buf.Free
	t.done()
	return buf.String() // want `buf is stale: t.done on line \d+ gave it back`
}

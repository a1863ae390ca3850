// Package table uses buffers of bytebufferpool after Put.
package table

import "github.com/valyala/bytebufferpool"

// bad: github.com/valyala/bytebufferpool.Put github.com/valyala/bytebufferpool.ByteBuffer.Bytes
func render(name string) []byte {
	b := bytebufferpool.Get()
	defer bytebufferpool.Put(b)
	b.WriteString("hello, ")
	b.WriteString(name)
	return b.Bytes() // want `b.Bytes\(\) is returned, but the deferred bytebufferpool.Put`
}

// good: github.com/valyala/bytebufferpool.Put github.com/valyala/bytebufferpool.ByteBuffer.Bytes
func renderCopied(name string) []byte {
	b := bytebufferpool.Get()
	defer bytebufferpool.Put(b)
	b.WriteString("hello, ")
	b.WriteString(name)
	return append([]byte{}, b.Bytes()...)
}

var pool bytebufferpool.Pool

// bad: github.com/valyala/bytebufferpool.Pool.Put
func field(name string) []byte {
	b := pool.Get()
	b.B = append(b.B, name...)
	pool.Put(b)
	return b.B // want `b is stale: pool.Put on line \d+ gave it back`
}

// good: github.com/valyala/bytebufferpool.Pool.Put
func fieldString(name string) string {
	b := pool.Get()
	b.B = append(b.B, name...)
	s := string(b.B)
	pool.Put(b)
	return s
}

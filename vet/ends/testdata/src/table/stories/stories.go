// Package table retells bugs of public programs.
package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// The codec of an RPC library gave its buffer back while the caller still sent it.

var (
	zipBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	zipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
)

func zip(data []byte) ([]byte, error) {
	buf := zipBuffers.Get().(*bytes.Buffer)
	w := zipWriters.Get().(*gzip.Writer)
	w.Reset(buf)
	defer func() {
		buf.Reset()
		zipBuffers.Put(buf)
		zipWriters.Put(w)
	}()
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	zipped := buf.Bytes()
	return zipped, nil // want `zipped is returned, but the deferred zipBuffers.Put on line \d+`
}

// The parser of a music file read a language code, then refilled the buffer that it was in.

type tagReader struct {
	r   *bufio.Reader
	err error
}

func (t *tagReader) next(n int) []byte {
	var b []byte
	b, t.err = t.r.Peek(n)
	if t.err == nil {
		_, t.err = t.r.Discard(n)
	}
	return b
}

func (t *tagReader) text() []byte {
	var b []byte
	b, t.err = t.r.ReadBytes(0)
	return b
}

type comment struct{ language, description, text string }

func parseComment(t *tagReader) (comment, error) {
	language := t.next(3)
	description := t.text()
	return comment{
		language:    string(language), // want `language is stale: t.text on line \d+ ended it`
		description: string(description),
		text:        string(t.text()),
	}, t.err
}

func parseCommentCopied(t *tagReader) (comment, error) {
	language := string(t.next(3))
	description := t.text()
	return comment{language, string(description), string(t.text())}, t.err
}

// A tree returned the value of a node that its pool had cleared.

type node struct {
	key, value  []byte
	left, right *node
}

type nodePool struct{ free sync.Pool }

func (p *nodePool) put(n *node) {
	*n = node{}
	p.free.Put(n)
}

type tree struct {
	pool nodePool
	root *node
}

func (t *tree) remove(key []byte) ([]byte, bool) {
	n := t.root
	if n == nil || !bytes.Equal(n.key, key) {
		return nil, false
	}
	t.root = n.right
	t.pool.put(n)
	return n.value, true // want `n is stale: t.pool.put on line \d+ gave it back`
}

// A web framework took the bytes of a page after it had put the buffer back.

var pages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func putPage(b *bytes.Buffer) {
	if b.Cap() > 1<<20 {
		return
	}
	b.Reset()
	pages.Put(b)
}

func render(w http.ResponseWriter, write func(io.Writer) error) error {
	b := pages.Get().(*bytes.Buffer)
	err := write(b)
	pages.Put(b)
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes()) // want `b is stale: pages.Put on line \d+ gave it back`
	return err
}

func renderLast(w http.ResponseWriter, write func(io.Writer) error) error {
	b := pages.Get().(*bytes.Buffer)
	defer putPage(b)
	if err := write(b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A client of a socket printed an answer from a buffer that another connection had already.

var packets = sync.Pool{New: func() any { b := make([]byte, 1024); return &b }}

func getPacket() *[]byte { return packets.Get().(*[]byte) }

func putPacket(b *[]byte) { packets.Put(b) }

var errShort = errors.New("short answer")

func ask(c net.Conn, question string, answer io.Writer) error {
	if _, err := io.WriteString(c, question); err != nil {
		return err
	}
	b := getPacket()
	n, err := c.Read(*b)
	putPacket(b)
	switch {
	case err != nil:
		return err
	case n < 4:
		return errShort
	}
	_, err = answer.Write((*b)[:n]) // want `b is stale: putPacket on line \d+ gave it back`
	return err
}

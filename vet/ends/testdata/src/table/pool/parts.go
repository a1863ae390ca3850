package table

import (
	"bytes"
	"compress/gzip"
	"hash"
	"io"
)

type header struct{ version, kind int }

type frame struct {
	header header
	*bytes.Buffer
	next *frame
	err  error
}

func (f *frame) free() {
	f.err = nil
	requests.Put(f)
}

// bad: sync.Pool.Put
func afterFree(s string) error {
	f := requests.Get().(*frame)
	f.WriteString(s)
	f.free()
	return f.err // want `f is stale: f.free on line \d+ gave it back`
}

// good: sync.Pool.Put
func partsBehindPointers(s string) (*frame, error) {
	f := requests.Get().(*frame)
	defer requests.Put(f)
	f.WriteString(s)
	return f.next, f.err
}

// bad: sync.Pool.Put
func addressOfPart() *header {
	f := requests.Get().(*frame)
	defer requests.Put(f)
	return &f.header // want `&f.header is returned, but the deferred requests.Put on line \d+`
}

// bad: sync.Pool.Put
func inLiteral(s string) *request {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	return &request{id: 1, body: buf.Bytes()} // want `&request{…} is returned, but the deferred`
}

// bad: sync.Pool.Put
func inStruct(r *request, s string) *request {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	r.body = buf.Bytes()
	return r // want `r is returned, but the deferred pool.Put on line \d+ gives it back`
}

type session struct{ last *request }

// bad: sync.Pool.Put
func inStructBehind(c *session, s string) *request {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	r := c.last
	r.body = buf.Bytes()
	return r // want `r is returned, but the deferred pool.Put on line \d+ gives it back`
}

var hashes = requests

// bad: sync.Pool.Put
func asInterface(data []byte) hash.Hash {
	h := hashes.Get().(hash.Hash)
	defer hashes.Put(h)
	h.Write(data)
	return h // want `h is returned, but the deferred hashes.Put on line \d+ gives it back`
}

// putSession gives back c alone.
func putSession(c *session) {
	c.last = nil
	requests.Put(c)
}

// good: sync.Pool.Put
func behindFreed(data []byte) *request {
	c := requests.Get().(*session)
	defer putSession(c)
	c.last.body = append(c.last.body[:0], data...)
	return c.last
}

// good: sync.Pool.Put
func refilledCopy(data []byte) []byte {
	r := requests.Get().(*request)
	defer requests.Put(r)
	r.body = append(r.body[:0:0], data...)
	return r.body
}

// good: sync.Pool.Put
func converted(s string) string {
	slabs.Put([]byte(s))
	return s
}

// bad: sync.Pool.Put
func asserted(r io.Reader) (int, error) {
	pool.Put(r.(*bytes.Buffer))
	return r.Read(nil) // want `r is stale: pool.Put on line \d+ gave it back`
}

// bad: sync.Pool.Put
func assertedBefore(r io.Reader) string {
	b, ok := r.(*bytes.Buffer)
	if !ok {
		return ""
	}
	pool.Put(r)
	return b.String() // want `b is stale: pool.Put on line \d+ gave it back`
}

// bad: sync.Pool.Put
func ofArray() []byte {
	var b [64]byte
	slabs.Put(b[:])
	return b[:4] // want `b is stale: slabs.Put on line \d+ gave it back`
}

// bad: sync.Pool.Put
func byMethodValue(s string) int {
	buf := pool.Get().(*bytes.Buffer)
	put := pool.Put
	put(buf)
	return buf.Len() // want `buf is stale: put on line \d+ gave it back`
}

func putFirst(all []*bytes.Buffer) { pool.Put(all[0]) }

// good: sync.Pool.Put
func firstOfMany(all []*bytes.Buffer) int {
	putFirst(all)
	return all[1].Len()
}

func (r *request) putBuffer() { pool.Put(r.buf) }

// bad: sync.Pool.Put
func fieldByMethod(r *request) string {
	r.putBuffer()
	return r.buf.String() // want `r.buf is stale: r.putBuffer on line \d+ gave it back`
}

func (r *request) dropBuffer() {
	pool.Put(r.buf)
	r.buf = nil
}

// bad: sync.Pool.Put
func nameOfField(r *request) string {
	b := r.buf
	r.dropBuffer()
	return b.String() // want `b is stale: r.dropBuffer on line \d+ gave it back`
}

// good: sync.Pool.Put
func fieldAssigned(r *request) string {
	r.dropBuffer()
	r.buf = new(bytes.Buffer)
	return r.buf.String()
}

func (r *request) renew() { r.buf = new(bytes.Buffer) }

// good: sync.Pool.Put
func fieldAssignedByMethod(r *request) string {
	pool.Put(r.buf)
	r.renew()
	return r.buf.String()
}

// A method of another package may assign any field.
//
// good: sync.Pool.Put
func assignedByReset(w *gzip.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	w.Extra = buf.Bytes()
	w.Flush()
	pool.Put(buf)
	w.Reset(io.Discard)
	w.Write(w.Extra)
}

// release gives the buffer back unless it is large.
func (r *request) release() {
	if r.buf.Cap() > 64<<10 {
		r.buf = nil
		return
	}
	pool.Put(r.buf)
}

// bad: sync.Pool.Put
func afterRelease(r *request) string {
	buf := r.buf
	r.release()
	return buf.String() // want `buf is stale: r.release on line \d+ gave it back`
}

type page struct{ text bytes.Buffer }

// bad: sync.Pool.Put
func ofPart(s string) []byte {
	p := requests.Get().(*page)
	p.text.WriteString(s)
	out := p.text.Bytes()
	requests.Put(p)
	return out // want `out is stale: requests.Put on line \d+ gave it back`
}

// A pointer is given back, not its target.
//
// good: sync.Pool.Put
func elementBehind(p **bytes.Buffer, all []*bytes.Buffer) int {
	all[0] = *p
	slabs.Put(p)
	return all[0].Len()
}

// Package table uses what a sync.Pool hands out.
package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

func use(...any) {}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var slabs = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

type request struct {
	id   int
	body []byte
	buf  *bytes.Buffer
}

var requests = sync.Pool{New: func() any { return new(request) }}

// bad: sync.Pool.Put
func afterPut(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	pool.Put(buf)
	w.Write(buf.Bytes()) // want `buf is stale: pool.Put on line \d+ gave it back`
}

// good: sync.Pool.Put
func beforePut(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	w.Write(buf.Bytes())
	pool.Put(buf)
}

// bad: sync.Pool.Put bytes.Buffer.Bytes
func bytesAfterPut(s string) []byte {
	buf := pool.Get().(*bytes.Buffer)
	fmt.Fprint(buf, s)
	out := buf.Bytes()
	pool.Put(buf)
	return out // want `out is stale: pool.Put on line \d+ gave it back`
}

// good: sync.Pool.Put bytes.Buffer.Bytes
func copyBeforePut(s string) []byte {
	buf := pool.Get().(*bytes.Buffer)
	fmt.Fprint(buf, s)
	out := append([]byte(nil), buf.Bytes()...)
	pool.Put(buf)
	return out
}

// bad: sync.Pool.Put
func deferredPut(s string) []byte {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	return buf.Bytes() // want `buf.Bytes\(\) is returned, but the deferred pool.Put on line \d+`
}

// good: sync.Pool.Put
func deferredPutClone(s string) []byte {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	return bytes.Clone(buf.Bytes())
}

// good: sync.Pool.Put
func deferredPutString(s string) (string, int) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	return buf.String(), buf.Len()
}

// bad: sync.Pool.Put
func deferredClosure(s string) (out []byte, err error) {
	buf := pool.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		pool.Put(buf)
	}()
	if _, err = buf.WriteString(s); err != nil {
		return nil, err
	}
	out = buf.Bytes()
	return out, nil // want `out is returned, but the deferred pool.Put on line \d+ gives it back`
}

// good: sync.Pool.Put
func deferredClosureCopy(s string) (out []byte, err error) {
	buf := pool.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		pool.Put(buf)
	}()
	if _, err = buf.WriteString(s); err != nil {
		return nil, err
	}
	out = make([]byte, buf.Len())
	copy(out, buf.Bytes())
	return out, nil
}

func putBuf(b *bytes.Buffer) {
	b.Reset()
	pool.Put(b)
}

// bad: sync.Pool.Put
func throughHelper(s string) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	putBuf(buf)
	return buf.String() // want `buf is stale: putBuf on line \d+ gave it back`
}

// bad: sync.Pool.Put
func throughDeferredHelper(s string) []byte {
	buf := pool.Get().(*bytes.Buffer)
	defer putBuf(buf)
	buf.WriteString(s)
	return buf.Bytes() // want `buf.Bytes\(\) is returned, but the deferred putBuf on line \d+`
}

// good: sync.Pool.Put
func helperLast(s string) string {
	buf := pool.Get().(*bytes.Buffer)
	defer putBuf(buf)
	buf.WriteString(s)
	return strings.TrimSpace(buf.String())
}

// bad: sync.Pool.Put
func twice(s string, fail bool) error {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	if fail {
		pool.Put(buf)
	} else {
		use(buf.Len())
		pool.Put(buf)
	}
	pool.Put(buf) // want `buf is stale: pool.Put on line \d+ gave it back`
	return nil
}

// good: sync.Pool.Put
func onceOnEachPath(s string) error {
	buf := pool.Get().(*bytes.Buffer)
	if _, err := buf.WriteString(s); err != nil {
		pool.Put(buf)
		return err
	}
	use(buf.Len())
	pool.Put(buf)
	return nil
}

// bad: sync.Pool.Put
func aliasOfSlice(r io.Reader) ([]byte, error) {
	b := slabs.Get().(*[]byte)
	n, err := r.Read(*b)
	head := (*b)[:n]
	slabs.Put(b)
	return head, err // want `head is stale: slabs.Put on line \d+ gave it back`
}

// good: sync.Pool.Put
func copyOfSlice(r io.Reader) ([]byte, error) {
	b := slabs.Get().(*[]byte)
	n, err := r.Read(*b)
	head := bytes.Clone((*b)[:n])
	slabs.Put(b)
	return head, err
}

// bad: sync.Pool.Put
func fieldAfterPut(id int) int {
	r := requests.Get().(*request)
	r.id = id
	requests.Put(r)
	return r.id // want `r is stale: requests.Put on line \d+ gave it back`
}

// good: sync.Pool.Put
func fieldBeforePut(id int) int {
	r := requests.Get().(*request)
	r.id = id
	n := r.id
	*r = request{}
	requests.Put(r)
	return n
}

// bad: sync.Pool.Put
func fieldOfDeferred(body []byte) []byte {
	r := requests.Get().(*request)
	defer requests.Put(r)
	r.body = append(r.body[:0], body...)
	return r.body // want `r.body is returned, but the deferred requests.Put on line \d+`
}

// good: sync.Pool.Put
func numberOfDeferred(body []byte) int {
	r := requests.Get().(*request)
	defer requests.Put(r)
	r.body = append(r.body[:0], body...)
	return len(r.body)
}

// bad: sync.Pool.Put
func putOfField(r *request) string {
	pool.Put(r.buf)
	return r.buf.String() // want `r.buf is stale: pool.Put on line \d+ gave it back`
}

// good: sync.Pool.Put
func putOfFieldThenNil(r *request) int {
	pool.Put(r.buf)
	r.buf = nil
	use(r.buf)
	return r.id
}

// bad: sync.Pool.Put
func inGoroutine(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	go func() {
		w.Write(buf.Bytes()) // want `buf is used in a goroutine, but pool.Put on line \d+`
	}()
}

// good: sync.Pool.Put
func inWaitedGoroutine(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		w.Write(buf.Bytes())
	}()
	wg.Wait()
}

// good: sync.Pool.Put
func inReceivedGoroutine(w io.Writer, s string) error {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	done := make(chan error, 1)
	go func() {
		_, err := w.Write(buf.Bytes())
		done <- err
	}()
	return <-done
}

// good: sync.Pool.Put
func putByGoroutine(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	go func() {
		defer pool.Put(buf)
		w.Write(buf.Bytes())
	}()
}

// good: sync.Pool.Put
func reassigned(s string) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	pool.Put(buf)
	buf = pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	return buf.String()
}

// good: sync.Pool.Put
func perIteration(w io.Writer, lines []string) {
	for _, s := range lines {
		buf := pool.Get().(*bytes.Buffer)
		buf.WriteString(s)
		w.Write(buf.Bytes())
		pool.Put(buf)
	}
}

// good: sync.Pool.Put
func sizeGuard(buf *bytes.Buffer) {
	if buf.Cap() > 64<<10 {
		return
	}
	buf.Reset()
	pool.Put(buf)
}

// bad: sync.Pool.Put
func afterSizeGuard(s string) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	sizeGuard(buf)
	return buf.String() // want `buf is stale: sizeGuard on line \d+ gave it back`
}

// good: sync.Pool.Put
func beforeSizeGuard(s string) string {
	buf := pool.Get().(*bytes.Buffer)
	defer sizeGuard(buf)
	buf.WriteString(s)
	return buf.String()
}

// good: sync.Pool.Put
func putIfSmall(s string) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	if buf.Cap() <= 64<<10 {
		pool.Put(buf)
		buf = nil
	}
	if buf != nil {
		return buf.Len()
	}
	return len(s)
}

// good: sync.Pool.Put
func excludes(s string, pooled bool) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	if pooled {
		pool.Put(buf)
	}
	if !pooled {
		return buf.String()
	}
	return s
}

// good: sync.Pool.Put
func keptOnSuccess(r io.Reader) (_ *bytes.Buffer, err error) {
	buf := pool.Get().(*bytes.Buffer)
	defer func() {
		if err != nil {
			pool.Put(buf)
		}
	}()
	if _, err = buf.ReadFrom(r); err != nil {
		return nil, err
	}
	return buf, nil
}

// Package table gives values back on some paths, parts of values, and values that goroutines use.
package table

import (
	"bytes"
	"io"
	"sync"
)

func use(...any) {}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var slabs = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

var requests = sync.Pool{New: func() any { return new(request) }}

type request struct {
	id   int
	body []byte
	buf  *bytes.Buffer
}

func putUnless(b *bytes.Buffer, keep bool) {
	if !keep {
		pool.Put(b)
	}
}

func resetAndPutUnless(b *bytes.Buffer, keep bool) {
	b.Reset()
	putUnless(b, keep)
}

// good: sync.Pool.Put
func mayPut(s string, keep bool) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	putUnless(buf, keep)
	if keep {
		return buf.Len()
	}
	return 0
}

// good: sync.Pool.Put
func mayPutTwoCalls(s string, keep bool) *bytes.Buffer {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	resetAndPutUnless(buf, keep)
	if keep {
		return buf
	}
	return nil
}

func putByLiteral(b *bytes.Buffer, keep bool) {
	func() {
		if !keep {
			pool.Put(b)
		}
	}()
}

// good: sync.Pool.Put
func mayPutByLiteral(s string, keep bool) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	putByLiteral(buf, keep)
	put := func() {
		if !keep {
			pool.Put(buf)
		}
	}
	put()
	if keep {
		return buf.Len()
	}
	return 0
}

// good: sync.Pool.Put
func mayPutDeferred(s string, keep bool) []byte {
	buf := pool.Get().(*bytes.Buffer)
	defer putUnless(buf, keep)
	buf.WriteString(s)
	if keep {
		return buf.Bytes()
	}
	return nil
}

// good: sync.Pool.Put
func deferredOnOnePath(s string, keep bool) []byte {
	buf := pool.Get().(*bytes.Buffer)
	if keep {
		buf.Grow(len(s))
	} else {
		defer pool.Put(buf)
	}
	buf.WriteString(s)
	if keep {
		return buf.Bytes()
	}
	return nil
}

// bad: sync.Pool.Put
func onePathThenAll(s string, fail bool) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	if fail {
		pool.Put(buf)
	}
	pool.Put(buf)
	return buf.Len() // want `buf is stale: pool.Put on line \d+ gave it back`
}

// good: sync.Pool.Put
func deferredThenAnother(s string) *bytes.Buffer {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	buf = bytes.NewBuffer(bytes.Clone(buf.Bytes()))
	return buf
}

// bad: sync.Pool.Put
func deferredOfFirst(s string) *bytes.Buffer {
	first := pool.Get().(*bytes.Buffer)
	buf := first
	defer pool.Put(buf)
	buf = new(bytes.Buffer)
	buf.WriteString(s)
	return first // want `first is returned, but the deferred pool.Put on line \d+ gives it back`
}

// bad: sync.Pool.Put
func putIfSmallThenUsed(s string) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	if buf.Cap() <= 64<<10 {
		pool.Put(buf)
	}
	return buf.String() // want `buf is stale: pool.Put on line \d+ gave it back`
}

// Only a test of the size that keeps a value from its pool leaves it without a use.
//
// good: sync.Pool.Put
func otherTest(s string, keep bool) string {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	if buf.Cap() > 64<<10 {
		if !keep {
			pool.Put(buf)
		}
		if keep {
			return buf.String()
		}
	}
	return s
}

func logAndPutUnless(b *bytes.Buffer, keep bool) {
	if b.Cap() > 64<<10 {
		use("large")
	}
	if !keep {
		pool.Put(b)
	}
}

// good: sync.Pool.Put
func afterLog(s string, keep bool) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	logAndPutUnless(buf, keep)
	if keep {
		return buf.Len()
	}
	return 0
}

// putSmaller gives b back if another buffer is small.
func putSmaller(b, other *bytes.Buffer) {
	if other.Cap() > 64<<10 {
		return
	}
	pool.Put(b)
}

// good: sync.Pool.Put
func sizeOfAnother(s string, other *bytes.Buffer) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	putSmaller(buf, other)
	if other.Len() > 64<<10 {
		return buf.Len()
	}
	return 0
}

// good: sync.Pool.Put
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		slabs.Put(&b)
		b = make([]byte, n)
	}
	return b[:n]
}

// good: sync.Pool.Put
func elements(all []*bytes.Buffer, w io.Writer) {
	for _, b := range all {
		w.Write(b.Bytes())
		pool.Put(b)
	}
}

func putBoth(a, b *bytes.Buffer) {
	pool.Put(a)
	pool.Put(b)
}

// bad: sync.Pool.Put
func deferredBoth(s string) (first, second *bytes.Buffer) {
	first, second = pool.Get().(*bytes.Buffer), pool.Get().(*bytes.Buffer)
	defer putBoth(first, second)
	first.WriteString(s)
	return first, nil // want `first is returned, but the deferred putBoth on line \d+ gives it back`
}

var puts int

// putSlab counts what it gives back.
func putSlab(b *[]byte) {
	if cap(*b) > 64<<10 {
		return
	}
	(puts)++
	slabs.Put(b)
}

// bad: sync.Pool.Put
func slabAfterGuard() byte {
	b := slabs.Get().(*[]byte)
	putSlab(b)
	return (*b)[0] // want `b is stale: putSlab on line \d+ gave it back`
}

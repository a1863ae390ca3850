package table

import (
	"bytes"
	"io"
	"sync"
	"time"
)

func writeAll(w io.Writer, b *bytes.Buffer, wg *sync.WaitGroup) {
	defer wg.Done()
	w.Write(b.Bytes())
}

func save(...any) {}

// One report for each name, in the order of the source.
//
// bad: sync.Pool.Put
func manyUses(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	out := buf.Bytes()
	go func() {
		buf.WriteString(s) // want `buf is used in a goroutine, but pool.Put on line \d+`
		w.Write(out)       // want `out is used in a goroutine, but pool.Put on line \d+`
		w.Write(buf.Bytes())
		buf.Reset()
	}()
}

// bad: sync.Pool.Put
func goroutineThenPut(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	go buf.WriteTo(w) // want `buf is used in a goroutine, but pool.Put on line \d+`
	pool.Put(buf)
}

// good: sync.Pool.Put
func goroutineMayPut(w io.Writer, s string, keep bool) {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	go buf.WriteTo(w)
	putUnless(buf, keep)
}

// bad: sync.Pool.Put
func sliceInGoroutine(r io.Reader, w io.Writer) {
	b := slabs.Get().(*[]byte)
	n, _ := r.Read(*b)
	head := (*b)[:n]
	go w.Write(head) // want `head is used in a goroutine, but slabs.Put on line \d+`
	slabs.Put(b)
}

// A copy is not the memory.
//
// good: sync.Pool.Put
func copiesInGoroutine(s string) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	go save(string(buf.Bytes()))
	go save([4]byte(buf.Bytes()), buf.Len())
}

// bad: sync.Pool.Put
func selectsInside(w io.Writer, stop chan bool) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	go func() {
		select {
		case <-stop:
		case <-time.After(time.Second):
			w.Write(buf.Bytes()) // want `buf is used in a goroutine, but pool.Put on line \d+`
		}
	}()
}

// bad: sync.Pool.Put
func sends(w io.Writer, slots chan bool) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	go func() {
		w.Write(buf.Bytes()) // want `buf is used in a goroutine, but pool.Put on line \d+`
	}()
	select {
	case slots <- true:
	default:
	}
}

// good: sync.Pool.Put
func waitsForFunction(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.WriteString(s)
	var wg sync.WaitGroup
	wg.Add(1)
	go writeAll(w, buf, &wg)
	wg.Wait()
}

// good: sync.Pool.Put
func anotherBuffer(w io.Writer, s string) {
	buf := pool.Get().(*bytes.Buffer)
	buf.WriteString(s)
	go save(buf)
	buf = pool.Get().(*bytes.Buffer)
	w.Write(buf.Bytes())
	pool.Put(buf)
}

var (
	mu      sync.Mutex
	current = new(bytes.Buffer)
)

// A goroutine reads a package variable when it runs.
//
// good: sync.Pool.Put
func rotate(s string) {
	go func() {
		mu.Lock()
		defer mu.Unlock()
		current.WriteString(s)
	}()
	mu.Lock()
	defer mu.Unlock()
	pool.Put(current)
	current = pool.Get().(*bytes.Buffer)
}

// good: sync.Pool.Put
func rangesOverChannel(w io.Writer) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := range bytes.Lines(buf.Bytes()) {
			lines <- string(s)
		}
	}()
	for s := range lines {
		io.WriteString(w, s)
	}
}

package recipes

import (
	"bytes"
	"io"
	"net/http"
	"slices"

	"github.com/seed505807e1/berth/arena"
)

// Sorter answers a body with its lines, sorted. It is a free list of memory.
type Sorter chan *request

// request is the memory of one request.
type request struct {
	arena *arena.Arena
	lines *arena.Vec[line] // in the arena
}

// line is a range of the body, since an arena holds no strings.
type line struct{ from, to uint32 }

// NewSorter returns a Sorter for n requests at a time.
func NewSorter(n int) Sorter {
	s := make(Sorter, n)
	for range n {
		a := arena.NewChunked(256 << 10)
		s <- &request{a, arena.NewVec[line](a)}
	}
	return s
}

// ServeHTTP takes memory for the request, and puts it back.
func (s Sorter) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.ContentLength < 0 || q.ContentLength > 64<<10 {
		http.Error(w, "want at most 64 KiB", http.StatusRequestEntityTooLarge)
		return
	}
	r := <-s       // waits until one is free
	defer func() { // also after a panic
		r.arena.Reset() // frees all that the request has made
		r.lines.Clear() // makes the Vec usable again
		s <- r
	}()
	text := arena.MakeSliceDirty[byte](r.arena, int(q.ContentLength), int(q.ContentLength))
	if _, err := io.ReadFull(q.Body, text); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	from := uint32(0)
	for l := range bytes.Lines(text) {
		to := from + uint32(len(l))
		r.lines.Push(line{from, to})
		from = to
	}
	lines := r.lines.Slice()
	slices.SortFunc(lines, func(a, b line) int {
		return bytes.Compare(text[a.from:a.to], text[b.from:b.to])
	})
	for _, l := range lines {
		_, _ = w.Write(text[l.from:l.to]) // before the Reset
	}
}

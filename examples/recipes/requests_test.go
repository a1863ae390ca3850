package recipes

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func ExampleSorter() {
	s := NewSorter(2)
	for _, body := range []string{"pear\nfig\nplum\n", "b\na\n", strings.Repeat("a", 64<<10+1)} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		fmt.Printf("%d %q\n", w.Code, w.Body)
	}
	// Output:
	// 200 "fig\npear\nplum\n"
	// 200 "a\nb\n"
	// 413 "want at most 64 KiB\n"
}

// TestSorter makes more requests at a time than there is memory for. Some are cut off, some panic.
func TestSorter(t *testing.T) {
	s := NewSorter(2)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			defer func() { _ = recover() }()
			for i := range 50 {
				body := fmt.Sprintf("%d\n%03d\n", 500+g, i)
				w := httptest.NewRecorder()
				q := httptest.NewRequest("POST", "/", strings.NewReader(body))
				switch i {
				case 20:
					q.ContentLength += 1
				case 49:
					q.Body = nil // reading it panics
				}
				s.ServeHTTP(w, q)
				want := fmt.Sprintf("200 %03d\n%d\n", i, 500+g)
				if i == 20 {
					want = "400 unexpected EOF\n"
				}
				if got := fmt.Sprint(w.Code, " ", w.Body); got != want {
					t.Errorf("%q gets %q, want %q", body, got, want)
				}
			}
		})
	}
	wg.Wait()
	for range cap(s) {
		if r := <-s; r.arena.Used() != 0 || r.lines.Len() != 0 {
			t.Errorf("after all requests, %v and %v", r.arena, r.lines)
		}
	}
}

// discard is a ResponseWriter.
type discard struct{ io.Writer }

func (discard) Header() http.Header { return nil }
func (discard) WriteHeader(int)     {}

// After the first request, none allocates.
func TestSorterAllocs(t *testing.T) {
	s := NewSorter(1)
	text := strings.Repeat("pear\nfig\nplum\n", 1000)
	body := strings.NewReader(text)
	q := httptest.NewRequest("POST", "/", body)
	var w http.ResponseWriter = discard{io.Discard}
	if n := testing.AllocsPerRun(20, func() {
		body.Reset(text)
		s.ServeHTTP(w, q)
	}); n != 0 {
		t.Errorf("a request allocates %v times", n)
	}
}

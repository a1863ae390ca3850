package observe_test

import (
	"bytes"
	"context"
	"expvar"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
	"github.com/seed505807e1/berth/stable"
)

// session is a connection of a server.
type session struct{ user string }

// server is a program whose sessions are to be seen.
type server struct {
	mu       sync.Mutex
	sessions berth.Pool[session]
}

// locked runs f where the sessions may be read.
func (s *server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// A server shows its sessions where only its operators can see them.
func Example() {
	var s server
	s.sessions.Insert(session{"ann"})
	unregister := observe.Default.Register("sessions", &s.sessions, s.locked)
	defer unregister()

	debug := http.NewServeMux() // served at a loopback address, not with the program's own pages
	debug.Handle("/debug/berth", &observe.Default)

	w := httptest.NewRecorder()
	debug.ServeHTTP(w, httptest.NewRequest("GET", "/debug/berth", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}

// A goroutine that owns a Pool runs the functions that read it.
func ExampleRegistry_Register() {
	requests := make(chan func())
	go func() { // the owner
		var p berth.Pool[int]
		p.Insert(1)
		observe.Default.Register("owned", &p, func(f func()) { requests <- f })
		requests <- nil // registered
		for f := range requests {
			f()
		}
	}()
	<-requests
	for _, s := range observe.Default.Snapshots(context.Background(), false) {
		fmt.Println(s.Name, s.Stats.Live)
	}
	// Output: owned 1
}

// A container that does not answer in time is late.
func ExampleRegistry_Snapshots() {
	var r observe.Registry
	var p berth.Pool[int]
	p.Insert(1)
	p.Remove(p.Insert(2))
	r.Register("numbers", &p, nil)
	r.Register("busy", &p, func(func()) { time.Sleep(time.Minute) })

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	for _, s := range r.Snapshots(ctx, true) {
		if s.Late {
			fmt.Println(s.Name, "is late")
			continue
		}
		fmt.Println(s.Name, s.Stats.Live, "live,", s.Stats.Inserts, "inserted,", len(s.Slots)*64, "slots")
	}
	// Output:
	// busy is late
	// numbers 1 live, 2 inserted, 64 slots
}

// A registry is scraped by Prometheus, listed by expvar, or served as a page and as pictures.
func ExampleRegistry() {
	var r observe.Registry
	var p berth.Pool[int]
	p.Insert(1)
	r.Register("numbers", &p, nil)
	var b strings.Builder
	if err := r.WritePrometheus(&b); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "inserts") {
			fmt.Print(line)
		}
	}
	r.Expvar("pools")
	fmt.Println(strings.HasPrefix(expvar.Get("pools").String(), `{"numbers":{"Live":1,`))
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/debug/berth?png=numbers", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// # HELP berth_inserts_total Values inserted.
	// # TYPE berth_inserts_total counter
	// berth_inserts_total{pool="numbers"} 1
	// true
	// 200 image/png
}

// An arena counts bytes, not values.
func ExampleStatsFunc() {
	used, reserved := 1000, 65536 // of an arena
	c := observe.StatsFunc(func() berth.Stats { return berth.Stats{Live: used, Bytes: reserved} })
	fmt.Println(c.Stats().Bytes)
	// Output: 65536
}

func ExampleList() {
	l := stable.New[string](stable.Config{})
	l.Insert("a")
	var r observe.Registry
	r.Register("names", observe.List(l), nil)
	fmt.Println(r.Snapshots(context.Background(), false)[0].Stats.Live)
	// Output: 1
}

func ExamplePicture() {
	var p berth.Pool[int]
	for i := range 100 {
		p.Insert(i)
	}
	img := observe.Picture(slices.Collect(p.Slots()), 16, 1<<16)
	fmt.Println(img.Bounds())
	// Output: (0,0)-(16,8)
}

// join inserts a session. Somebody forgets to remove it.
func (s *server) join(user string, leaks *observe.Profile[session]) {
	leaks.Inserted(s.sessions.Insert(session{user}))
}

// The profile names the function that inserted what is still there.
func ExampleNewProfile() {
	var s server
	leaks := observe.NewProfile("berth.example.sessions", &s.sessions, 1) // 1000 in production
	http.HandleFunc("GET /debug/leaks", func(w http.ResponseWriter, _ *http.Request) {
		// For go tool pprof http://localhost:6060/debug/leaks. An error is the client's.
		s.locked(func() { _ = leaks.WriteTo(w, 0) })
	})
	for range 5 {
		s.join("ann", leaks)
	}
	h := s.sessions.Insert(session{"bob"})
	leaks.Inserted(h)
	s.sessions.Remove(h) // needs no call
	fmt.Println(leaks.Count())

	var b bytes.Buffer
	if err := leaks.WriteTo(&b, 1); err != nil {
		fmt.Println(err)
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	fmt.Println(first)
	fmt.Println(strings.Contains(rest, "(*server).join"))
	leaks.Close()
	fmt.Println(leaks.Count())
	// Output:
	// 5
	// berth.example.sessions profile: total 5
	// true
	// 0
}

package observe_test

import (
	"bytes"
	"context"
	"expvar"
	"fmt"
	"io"
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

func ExampleRegistry_WritePrometheus() {
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
	// Output:
	// # HELP berth_inserts_total Values inserted.
	// # TYPE berth_inserts_total counter
	// berth_inserts_total{pool="numbers"} 1
}

func ExampleRegistry_ServeHTTP() {
	var r observe.Registry
	var p berth.Pool[int]
	p.Insert(1)
	r.Register("numbers", &p, nil)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/debug/berth?png=numbers", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 image/png
}

func ExampleRegistry_Expvar() {
	var r observe.Registry
	r.Register("numbers", new(berth.Pool[int]), nil)
	r.Expvar("pools")
	fmt.Println(strings.HasPrefix(expvar.Get("pools").String(), `{"numbers":{"Live":0,`))
	// Output: true
}

// An arena counts bytes, not values.
func ExampleStatsFunc_Stats() {
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
	leaks := observe.NewProfile("berth.example.sessions", &s.sessions, 1)
	defer leaks.Close()
	for range 5 {
		s.join("ann", leaks)
	}
	var b bytes.Buffer
	if err := leaks.WriteTo(&b, 1); err != nil {
		fmt.Println(err)
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	fmt.Println(first)
	fmt.Println(strings.Contains(rest, "(*server).join"))
	// Output:
	// berth.example.sessions profile: total 5
	// true
}

func ExampleProfile_Inserted() {
	var s server
	leaks := observe.NewProfile("berth.example.inserted", &s.sessions, 1) // 1000 in production
	defer leaks.Close()
	h := s.sessions.Insert(session{"ann"})
	leaks.Inserted(h)
	fmt.Println(leaks.Count())
	s.sessions.Remove(h) // needs no call
	fmt.Println(leaks.Count())
	// Output:
	// 1
	// 0
}

func ExampleProfile_Count() {
	var p berth.Pool[int]
	leaks := observe.NewProfile("berth.example.count", &p, 1)
	defer leaks.Close()
	for i := range 10 {
		leaks.Inserted(p.Insert(i))
	}
	berth.RemoveFunc(&p, func(_ berth.Handle[int], v *int) bool { return *v > 6 })
	fmt.Println(leaks.Count())
	// Output: 7
}

func ExampleProfile_WriteTo() {
	var s server
	leaks := observe.NewProfile("berth.example.write", &s.sessions, 1)
	defer leaks.Close()
	leaks.Inserted(s.sessions.Insert(session{"ann"}))
	http.HandleFunc("GET /debug/leaks", func(w http.ResponseWriter, _ *http.Request) {
		// For go tool pprof http://localhost:6060/debug/leaks. An error is the client's.
		s.locked(func() { _ = leaks.WriteTo(w, 0) })
	})
	fmt.Println(leaks.WriteTo(io.Discard, 0))
	// Output: <nil>
}

func ExampleProfile_Close() {
	var p berth.Pool[int]
	leaks := observe.NewProfile("berth.example.close", &p, 1)
	leaks.Inserted(p.Insert(1))
	leaks.Close()
	fmt.Println(leaks.Count())
	// Output: 0
}

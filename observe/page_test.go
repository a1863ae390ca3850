package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"html"
	"image/png"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/observe"
)

// get asks r for a path, and checks what every response has.
func get(t *testing.T, r *observe.Registry, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") ||
		w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s: headers %v", method, path, w.Header())
	}
	return w
}

// hostile is a name that would break out of HTML, labels and queries.
const hostile = "<script>alert(1)</script>\"'\\\n&=%2e#?é"

func filled(n int) *berth.Pool[string] {
	p := new(berth.Pool[string])
	for i := range n {
		p.Insert(fmt.Sprint("password ", i))
	}
	return p
}

func TestServe(t *testing.T) {
	quiet(t)
	var r observe.Registry
	r.Register("sessions", filled(100), nil)
	r.Register("sum", observe.StatsFunc(func() berth.Stats { return berth.Stats{Live: 1} }), nil)
	r.Register("bad", observe.StatsFunc(func() berth.Stats { panic("password") }), nil)
	for path, want := range map[string]struct {
		code int
		kind string
		has  string
	}{
		"/":                                 {200, "text/html; charset=utf-8", "<main"},
		"/debug/berth?":                     {200, "text/html; charset=utf-8", "<main"},
		"/?file=page.js":                    {200, "text/javascript; charset=utf-8", "fetch("},
		"/?file=page.css":                   {200, "text/css; charset=utf-8", ":root"},
		"/?file=page.html":                  {404, "text/plain; charset=utf-8", "not found"},
		"/?file=../page.go":                 {404, "text/plain; charset=utf-8", "not found"},
		"/?format=prometheus":               {200, "text/plain; version=0.0.4; charset=utf-8", `berth_live{pool="sessions"} 100`},
		"/?format=json":                     {200, "application/json", `"Name":"sessions"`},
		"/?format=xml":                      {404, "text/plain; charset=utf-8", "not found"},
		"/?png=sessions":                    {200, "image/png", "PNG"},
		"/?png=nobody":                      {404, "text/plain; charset=utf-8", "not found"},
		"/?png=":                            {404, "text/plain; charset=utf-8", "not found"},
		"/?png=sum":                         {404, "text/plain; charset=utf-8", "not found"},
		"/?png=bad":                         {503, "text/plain; charset=utf-8", "not read in time"},
		"/?png=%zz":                         {400, "text/plain; charset=utf-8", "bad query"},
		"/?png=<script>alert(1)</script>":   {404, "text/plain; charset=utf-8", "not found"},
		"/?format=<script>alert(1)<script>": {404, "text/plain; charset=utf-8", "not found"},
	} {
		w := get(t, &r, "GET", path)
		body := w.Body.String()
		if w.Code != want.code || w.Header().Get("Content-Type") != want.kind || !strings.Contains(body, want.has) {
			t.Errorf("GET %s: %d %s %.200q, want %d %s and %q",
				path, w.Code, w.Header().Get("Content-Type"), body, want.code, want.kind, want.has)
		}
		if strings.Contains(body, "password") || strings.Contains(body, "alert") {
			t.Errorf("GET %s leaks a value or reflects the query: %.300q", path, body)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"} {
		if w := get(t, &r, method, "/"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
	if w := get(t, &r, "HEAD", "/?format=prometheus"); w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
}

// TestRebinding checks that a page of another site cannot read a loopback address by a name that
// resolves to it, and that an address that others reach may be asked by any name.
func TestRebinding(t *testing.T) {
	tcp := func(addr string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr)) }
	var r observe.Registry
	for host, local := range map[string]bool{
		"localhost": true, "LOCALHOST:6060": true, "127.0.0.1:6060": true, "127.1.2.3": true,
		"[::1]:6060": true, "[::1]": true, "10.1.2.3:6060": true,
		"evil.example": false, "evil.example:6060": false, "localhost.evil.example": false,
		"127.0.0.1.evil.example:6060": false, "": false,
	} {
		for _, path := range []string{"/", "/?format=json", "/?format=prometheus", "/?png=x"} {
			code := func(at net.Addr) int {
				q := httptest.NewRequest("GET", path, nil)
				q.Host = host
				w := httptest.NewRecorder()
				r.ServeHTTP(w, q.WithContext(context.WithValue(q.Context(), http.LocalAddrContextKey, at)))
				return w.Code
			}
			for _, at := range []string{"127.0.0.1:6060", "127.0.1.1:6060", "[::1]:6060"} {
				if got := code(tcp(at)); (got != 421) != local {
					t.Errorf("GET %s of Host %q at %s: %d", path, host, at, got)
				}
			}
			for _, at := range []net.Addr{tcp("192.168.1.7:6060"), &net.UnixAddr{Name: "socket"}, nil} {
				if got := code(at); got == 421 {
					t.Errorf("GET %s of Host %q at %v: %d", path, host, at, got)
				}
			}
		}
	}
	server := httptest.NewServer(&r)
	defer server.Close()
	q, _ := http.NewRequest("GET", server.URL, nil)
	q.Host = "evil.example"
	res, err := server.Client().Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != 421 {
		t.Errorf("%s of a loopback address for evil.example", res.Status)
	}
}

// TestPageFiles checks that the page loads nothing from elsewhere and has nothing inline, which its
// policy would refuse.
func TestPageFiles(t *testing.T) {
	var r observe.Registry
	page := get(t, &r, "GET", "/").Body.String()
	for _, bad := range []string{`(?i)<script>`, `(?i)<style`, `(?i)\sstyle=`, `(?i)\son\w+=`, `(?i)https?://`} {
		for _, file := range []string{"", "?file=page.js", "?file=page.css"} {
			body := get(t, &r, "GET", "/"+file).Body.String()
			if m := regexp.MustCompile(bad).FindString(body); m != "" && !(bad == `(?i)<script>`) {
				t.Errorf("%q has %q", file, m)
			}
		}
	}
	for _, ref := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(ref[1], "data:") {
			continue
		}
		if w := get(t, &r, "GET", "/"+html.UnescapeString(ref[1])); w.Code != 200 {
			t.Errorf("the page refers to %s: %d", ref[1], w.Code)
		}
	}
}

// TestJSON reads what the page reads.
func TestJSON(t *testing.T) {
	var r observe.Registry
	p := filled(1000)
	for h := range p.All() {
		if h.Uint64()%3 == 0 {
			p.Remove(h)
		}
	}
	open := make(chan struct{})
	defer close(open)
	r.Register(hostile, p, nil)
	r.Register("late", p, func(f func()) { <-open; f() })
	r.Register("bad", observe.StatsFunc(func() berth.Stats { panic("password") }), nil)
	r.Register("large", filled(100_000), nil)
	var views []struct {
		Name         string
		Late, Failed bool
		Stats        berth.Stats
		Picture      []byte
	}
	if err := json.Unmarshal(get(t, &r, "GET", "/?format=json").Body.Bytes(), &views); err != nil {
		t.Fatal(err)
	}
	if len(views) != 4 || views[0].Name != hostile || views[0].Stats != p.Stats() {
		t.Fatalf("%+v", views)
	}
	img, err := png.Decode(bytes.NewReader(views[0].Picture))
	if err != nil {
		t.Fatal(err)
	}
	if _, vacant, live, _ := shades(img); live != p.Len() || vacant != p.Stats().Vacant {
		t.Errorf("%d live, %d vacant in the picture: %+v", live, vacant, p.Stats())
	}
	if !views[1].Failed || views[1].Picture != nil || !views[3].Late || views[3].Picture != nil {
		t.Errorf("%+v", views)
	}
	if img, err = png.Decode(bytes.NewReader(views[2].Picture)); err != nil ||
		img.Bounds().Dx()*img.Bounds().Dy() > 128*128 {
		t.Errorf("%v, %v", err, img.Bounds())
	}
}

// TestFullPicture checks the size of a picture of many slots.
func TestFullPicture(t *testing.T) {
	var r observe.Registry
	r.Register("many", manySlots(3<<20), nil)
	img, err := png.Decode(get(t, &r, "GET", "/?png=many").Body)
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx()*b.Dy() > 1<<20 || b.Dx()*b.Dy() < 1<<19 {
		t.Errorf("%v", b)
	}
}

// manySlots is a container of that many full slots.
type manySlots int

func (n manySlots) Stats() berth.Stats { return berth.Stats{Live: int(n)} }

func (n manySlots) Slots() iter.Seq[berth.Slots] {
	return func(yield func(berth.Slots) bool) {
		for range n / 64 {
			if !yield(berth.Slots{Live: ^uint64(0)}) {
				return
			}
		}
	}
}

// TestRequests asks for everything from 100 goroutines at once, over a listener.
func TestRequests(t *testing.T) {
	quiet(t)
	var r observe.Registry
	var mu sync.Mutex
	p := filled(500)
	r.Register("p", p, func(f func()) { mu.Lock(); defer mu.Unlock(); f() })
	r.Register("bad", p, func(func()) { panic("no") })
	server := httptest.NewServer(&r)
	defer server.Close()
	client := server.Client()
	defer client.CloseIdleConnections()
	paths := []string{"/", "/?format=json", "/?format=prometheus", "/?png=p", "/?png=bad", "/?file=page.js"}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			path := paths[i%len(paths)]
			res, err := client.Get(server.URL + path)
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
			if ok := res.StatusCode == http.StatusOK; ok != (path != "/?png=bad") {
				t.Errorf("%s: %s", path, res.Status)
			}
			mu.Lock()
			p.Insert("more")
			mu.Unlock()
			unregister := r.Register(fmt.Sprint(i), p, func(f func()) { mu.Lock(); defer mu.Unlock(); f() })
			unregister()
		}()
	}
	wg.Wait()
}

func TestWritePrometheus(t *testing.T) {
	var r observe.Registry
	var p berth.Pool[int]
	p.Insert(1)
	p.Remove(p.Insert(2))
	r.Register(hostile, &p, nil)
	r.Register("bad", &p, func(func()) { panic("no") })
	var b strings.Builder
	if err := r.WritePrometheus(&b); err != nil {
		t.Fatal(err)
	}
	name := `pool="<script>alert(1)</script>\"'\\\n&=%2e#?é"`
	for _, want := range []string{
		"# TYPE berth_live gauge\nberth_live{" + name + "} 1\n",
		"# TYPE berth_inserts_total counter\nberth_inserts_total{" + name + "} 2\n",
		"berth_removes_total{" + name + "} 1\n", "berth_chunks_grown_total{" + name + "} 1\n",
		"berth_vacant{" + name + "} 63\n", "berth_late{" + name + "} 0\n", "berth_late{pool=\"bad\"} 1\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nlacks %s", b.String(), want)
		}
	}
	if strings.Count(b.String(), `pool="bad"`) != 1 {
		t.Errorf("counts of a container that failed:\n%s", b.String())
	}
	if err := r.WritePrometheus(full{}); err != errFull {
		t.Errorf("error %v of the writer", err)
	}
}

var errFull = fmt.Errorf("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var published atomic.Int32

func TestExpvar(t *testing.T) {
	var r observe.Registry
	p := filled(10)
	r.Register("p", p, nil)
	r.Register("bad", p, func(func()) { panic("no") })
	name := fmt.Sprint("berth_test_", published.Add(1)) // what is published stays
	r.Expvar(name)
	var m map[string]*berth.Stats
	if err := json.Unmarshal([]byte(expvar.Get(name).String()), &m); err != nil {
		t.Fatal(err)
	}
	if bad, ok := m["bad"]; m["p"] == nil || *m["p"] != p.Stats() || !ok || bad != nil || len(m) != 2 {
		t.Errorf("%v", m)
	}
	want := fmt.Sprintf("observe: Registry.Expvar: name must not be published already (got %q)", name)
	if got := panics(func() { r.Expvar(name) }); got != want {
		t.Errorf("panics with %q, want %q", got, want)
	}
}

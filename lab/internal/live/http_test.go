package live

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// get makes a request, and returns the answer and its body.
func (s *stage) get(t *testing.T, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	must(t, err)
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := c.Do(req)
	must(t, err)
	body, err := io.ReadAll(res.Body)
	must(t, err)
	must(t, res.Body.Close())
	return res, string(body)
}

// secured checks the headers that each answer must have.
func secured(t *testing.T, res *http.Response, host string) {
	t.Helper()
	connect := "'self'"
	if host != "" {
		connect += " ws://" + host
	}
	for name, want := range map[string]string{
		"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " + connect + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := res.Header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s is %q, want %q", res.Request.URL, name, got, want)
		}
	}
}

func TestRequests(t *testing.T) {
	s := open(t, nil)
	host := strings.TrimPrefix(s.url, "http://")
	_, port, _ := net.SplitHostPort(host)
	for _, tc := range []struct {
		method, path string
		headers      []string
		code         int
		want         string
	}{
		{"GET", "/", nil, 200, "<"},
		{"GET", "/index.html", nil, 200, "<"},
		{"GET", "/?seed=7", nil, 200, "<"},
		{"HEAD", "/", nil, 200, ""},
		{"GET", "/none", nil, 404, "no such file"},
		{"GET", "/page/", nil, 404, "no such file"},
		{"GET", "/../live.go", nil, 404, "no such file"},
		{"GET", "/%2e%2e/live.go", nil, 404, "no such file"},
		{"GET", "/index.html/", nil, 404, "no such file"},
		{"POST", "/", nil, 405, "GET and HEAD"},
		{"PUT", "/live", nil, 405, "GET and HEAD"},
		{"OPTIONS", "/", nil, 405, "GET and HEAD"},
		{"FETCH", "/", nil, 405, "GET and HEAD"},
		{"GET", "/live", nil, 426, "Upgrade"},
		{"GET", "/", []string{"Host", "localhost"}, 200, "<"},
		{"GET", "/", []string{"Host", "LocalHost:" + port}, 200, "<"},
		{"GET", "/", []string{"Host", "127.1.2.3:1"}, 200, "<"},
		{"GET", "/", []string{"Host", "[::1]:" + port}, 200, "<"},
		{"GET", "/", []string{"Host", "example.com"}, 403, "not a name of this machine"},
		{"GET", "/", []string{"Host", "example.com:" + port}, 403, "not a name of this machine"},
		{"GET", "/", []string{"Host", "localhost.example.com"}, 403, "not a name of this machine"},
		{"GET", "/", []string{"Host", "127.0.0.1.example.com"}, 403, "not a name of this machine"},
		{"GET", "/", []string{"Host", "0.0.0.0"}, 403, "not a name of this machine"},
		{"GET", "/", []string{"Host", "192.168.1.1"}, 403, "not a name of this machine"},
	} {
		res, body := s.get(t, tc.method, tc.path, tc.headers...)
		if res.StatusCode != tc.code || !strings.Contains(body, tc.want) {
			t.Errorf("%s %s, %q: %s, %.80q; want %d and %q", tc.method, tc.path, tc.headers, res.Status, body, tc.code, tc.want)
		}
		if tc.method == "HEAD" && body != "" {
			t.Errorf("HEAD has %q", body)
		}
		if tc.code == 405 && res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow is %q", tc.method, res.Header.Get("Allow"))
		}
		h := host
		if len(tc.headers) > 0 {
			h = tc.headers[1]
		}
		secured(t, res, h)
	}
	for line := range strings.Lines(s.log.String()) {
		if len(line) > 800 || !strings.Contains(line, "refused a ") {
			t.Errorf("a line of the log: %s", line)
		}
	}
}

// A request cannot add directives to the policy.
func TestHostInPolicy(t *testing.T) {
	for _, host := range []string{"", "a;script-src *", "a b", "*", "x'", "a,b", "é"} {
		h := http.Header{}
		secure(h, host)
		if p := h.Get("Content-Security-Policy"); !strings.Contains(p, "; connect-src 'self'; ") {
			t.Errorf("host %q: %s", host, p)
		}
	}
}

// Each file is served with its type, and not sent again while it is unchanged.
func TestFiles(t *testing.T) {
	s := open(t, nil)
	for path, f := range s.files {
		res, body := s.get(t, "GET", path)
		if res.StatusCode != 200 || body != string(f.data) || res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %s, %d bytes, want %d; Cache-Control: %s", path, res.Status, len(body), len(f.data), res.Header.Get("Cache-Control"))
		}
		ext := path[strings.LastIndexByte(path, '/')+1:]
		if i := strings.LastIndexByte(ext, '.'); i >= 0 {
			ext = ext[i:]
		}
		if want := map[string]string{"": "text/html; charset=utf-8", ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}[ext]; want != "" && res.Header.Get("Content-Type") != want {
			t.Errorf("%s: Content-Type is %s, want %s", path, res.Header.Get("Content-Type"), want)
		}
		secured(t, res, strings.TrimPrefix(s.url, "http://"))
		res, body = s.get(t, "GET", path, "If-None-Match", res.Header.Get("ETag"))
		if res.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s again: %s, %d bytes", path, res.Status, len(body))
		}
		secured(t, res, strings.TrimPrefix(s.url, "http://"))
		if f.kind == "" {
			t.Errorf("%s has no type of its own", path)
		}
	}
	if s.files["/"] == nil || s.files["/index.html"] == nil {
		t.Error("there is no page")
	}
}

// Only pages of this server may connect.
func TestOrigins(t *testing.T) {
	s := open(t, nil)
	for _, origin := range []string{"http://example.com", "http://127.0.0.1", "http://127.0.0.1:1", "null", "file://", "https://localhost", "http://127.0.0.1.example.com"} {
		c, res, err := s.tryJoin(t, "Origin", origin)
		if err == nil {
			t.Errorf("%s gets in", origin)
			_ = c.conn.CloseNow()
			continue
		}
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", origin, res.Status)
		}
		secured(t, res, strings.TrimPrefix(s.url, "http://"))
	}
	if _, res, err := s.tryJoin(t, "Host", "example.com"); err == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("another host's name: %v", err)
	}
	if _, res, err := s.tryJoin(t, "Host", "example.com", "Origin", "http://example.com"); err == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("another host's name and origin: %v", err)
	}
	await(t, "seats to be free", func() bool { return s.viewers() == 0 })
	c, _, err := s.tryJoin(t, "Origin", s.url)
	must(t, err)
	c.frames(1)
	if s.count("refused") == 0 {
		t.Error("the log has nothing of it")
	}
}

// With -public, names are not checked, but origins are.
func TestPublic(t *testing.T) {
	s := open(t, func(c *Config) { c.Public = true })
	if res, body := s.get(t, "GET", "/", "Host", "example.com"); res.StatusCode != 200 {
		t.Errorf("%s, %q", res.Status, body)
	}
	c, _, err := s.tryJoin(t, "Host", "example.com", "Origin", "http://example.com")
	must(t, err)
	c.frames(1)
	if _, res, err := s.tryJoin(t, "Host", "example.com", "Origin", "http://example.org"); err == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("another origin: %v", err)
	}
}

// There are 64 seats. A viewer that leaves makes room for another one.
func TestSeats(t *testing.T) {
	s := open(t, nil)
	var all []*client
	for range maxViewers {
		all = append(all, s.join(t))
	}
	_, res, err := s.tryJoin(t)
	if err == nil {
		t.Fatal("one too many gets in")
	}
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one too many: %s", res.Status)
	}
	secured(t, res, strings.TrimPrefix(s.url, "http://"))
	m := all[0].state(func(m message) bool { return m.Viewers == maxViewers })
	if m.Viewers != maxViewers {
		t.Errorf("%d viewers", m.Viewers)
	}
	_ = all[1].conn.CloseNow()
	await(t, "the seat", func() bool { return s.viewers() < maxViewers })
	s.join(t).frames(1)
}

// Requests that are not HTTP, or incomplete, do not block the server.
func TestNoHTTP(t *testing.T) {
	s := open(t, nil)
	for _, text := range []string{
		"hello\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n",
		"GET /live HTTP/1.0\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		must(t, err)
		_, _ = fmt.Fprint(conn, text) // it may be closed before all is read
		if line, err := bufio.NewReader(conn).ReadString('\n'); err == nil && !strings.Contains(line, " 4") {
			t.Errorf("%.40q: %s", text, line)
		}
		_ = conn.Close()
	}
	await(t, "seats to be free", func() bool { return s.viewers() == 0 })
}

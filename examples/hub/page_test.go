package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// get requests url, with a Host header unless host is empty.
func get(t *testing.T, url, host string) *http.Response {
	t.Helper()
	return request(t, http.MethodGet, url, host)
}

func request(t *testing.T, method, url, host string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(bounded(t), method, url, nil)
	must(t, err)
	r.Host = host
	a, err := http.DefaultClient.Do(r)
	must(t, err)
	t.Cleanup(func() { _ = a.Body.Close() })
	return a
}

// TestPage checks that the files of the page are served with a policy, and that they comply with
// it.
func TestPage(t *testing.T) {
	s := open(t, Config{})
	inline := regexp.MustCompile(`(?i)<style|<script(>|[^>]*>[^<])|\sstyle=|\son\w+=|javascript:|https?://`)
	for path, kind := range map[string]string{
		"": "text/html", "page.js": "text/javascript", "page.css": "text/css", "icon.svg": "image/svg+xml",
	} {
		a := get(t, s.page+path, "")
		text, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), kind) {
			t.Errorf("%q: %s %s, %v", path, a.Status, a.Header.Get("Content-Type"), err)
		}
		if a.Header.Get("Content-Security-Policy") != policy || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: headers %v", path, a.Header)
		}
		text = bytes.ReplaceAll(text, []byte("http://www.w3.org/2000/svg"), nil) // a name, not an address
		if found := inline.Find(text); found != nil {
			t.Errorf("%q: has %q", path, found)
		}
	}
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	if a := get(t, s.page+"none", ""); a.StatusCode != http.StatusNotFound {
		t.Errorf("a page that does not exist: %s", a.Status)
	}
	if a := request(t, http.MethodPost, s.page, ""); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", a.Status)
	}
}

// TestLocalOnly makes requests as pages of other sites would.
func TestLocalOnly(t *testing.T) {
	ctx := bounded(t)
	s := open(t, Config{})
	_, port, err := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(s.page, "http://"), "/"))
	must(t, err)
	hosts := map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LocalHost": 200, "[::1]:" + port: 200, "[::1]": 200,
		"evil.example:" + port: 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421,
		"192.168.1.2:" + port: 421, "0.0.0.0": 421,
	}
	for host, status := range hosts {
		if a := get(t, s.page, host); a.StatusCode != status {
			t.Errorf("page of %s: %s, want %d", host, a.Status, status)
		}
	}
	tries := []struct {
		host, origin string
		ok           bool
	}{
		{"127.0.0.1:" + port, "http://127.0.0.1:" + port, true},
		{"localhost:" + port, "http://localhost:" + port, true},
		{"127.0.0.1:" + port, "", true}, // not a browser
		{"127.0.0.1:" + port, "http://evil.example", false},
		{"127.0.0.1:" + port, "http://127.0.0.1:1", false}, // another program's page
		{"127.0.0.1:" + port, "null", false},
		{"evil.example", "http://evil.example", false}, // a name that resolves to this machine
	}
	for _, try := range tries {
		header := http.Header{}
		if try.origin != "" {
			header.Set("Origin", try.origin)
		}
		conn, _, err := websocket.Dial(ctx, s.url, &websocket.DialOptions{Host: try.host, HTTPHeader: header})
		if (err == nil) != try.ok {
			t.Errorf("a WebSocket of %s from %q: %v", try.host, try.origin, err)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
	}
	for _, addr := range []string{":0", "0.0.0.0:0"} {
		if s, err := serve(addr, s.hub); err == nil {
			t.Errorf("the hub listens at %s", s.page)
		}
	}
}

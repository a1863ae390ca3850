package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// request makes a request to h, with headers in pairs.
func request(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, nil)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestPage checks that the files are served with a policy, and that they comply with it.
func TestPage(t *testing.T) {
	h := handler(newFleet("", options{}), "title")
	inline := regexp.MustCompile(
		`(?i)<style|<script(>|[^>]*>[^<])|\sstyle=|\son\w+=|javascript:|https?://|innerHTML|eval\(`)
	for path, kind := range map[string]string{
		"/": "text/html", "/page.js": "text/javascript", "/page.css": "text/css",
		"/icon.svg": "image/svg+xml", "/state": "application/json",
	} {
		w := request(h, http.MethodGet, path)
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		text := strings.ReplaceAll(w.Body.String(), "http://www.w3.org/2000/svg", "") // a name
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s has %q", path, found)
		}
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/none", 404}, {"GET", "/page/", 404}, {"GET", "/state/more", 404},
		{"POST", "/", 405}, {"POST", "/state", 405}, {"DELETE", "/kill/leader", 405},
		{"GET", "/kill/leader", 405}, {"HEAD", "/kill/leader", 405}, {"GET", "/kill/", 405},
		{"POST", "/kill/nobody", 404}, {"POST", "/kill/", 405}, {"POST", "/kill/leader", 409},
	} {
		w := request(h, c.method, c.path)
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.status)
		}
		if w.Header().Get("Content-Security-Policy") != policy ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %v", c.method, c.path, w.Header())
		}
	}
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	if names, _ := fs.Glob(pages, "page/*"); len(names) != 4 {
		t.Errorf("%v: a file has no test", names)
	}
}

// TestKillByPage makes requests as browsers do, from the page and from pages of others.
func TestKillByPage(t *testing.T) {
	f := newFleet("", options{})
	h := handler(f, "")
	for _, c := range []struct {
		header []string
		status int
	}{
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403}, // another port
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "http://127.0.0.1:1"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Host", "evil.example:8080"}, 421}, // a name that resolves to this machine
		{[]string{"Host", "evil.example", "Origin", "http://evil.example"}, 421},
		{[]string{"Host", "127.0.0.1.evil.example"}, 421},
		{[]string{"Host", "192.0.2.1"}, 421},
		{[]string{"Sec-Fetch-Site", "same-origin", "Origin", "http://127.0.0.1:8080"}, 204},
		{[]string{"Origin", "http://127.0.0.1:8080"}, 204},
		{[]string{"Host", "localhost:8080", "Origin", "http://localhost:8080"}, 204},
		{[]string{"Host", "[::1]:8080"}, 204},
		{nil, 204}, // not a browser
	} {
		p := f.leading()
		p.cmd = running(t)
		kills := f.kills
		w := request(h, "POST", "/kill/leader", c.header...)
		if w.Code != c.status || (f.kills > kills) != (c.status == 204) {
			t.Errorf("%v: %d, %d kills", c.header, w.Code, f.kills-kills)
		}
		if c.status == 204 {
			_ = p.cmd.Wait()
			if p.cmd.ProcessState.Success() || !p.killed {
				t.Errorf("%v: the process ended with %v", c.header, p.cmd.ProcessState)
			}
		}
	}
	if w := request(h, "GET", "/state", "Host", "evil.example"); w.Code != 421 || w.Body.Len() > 100 {
		t.Errorf("the state for another host: %d %s", w.Code, w.Body)
	}
}

func TestState(t *testing.T) {
	f, _ := example(t)
	f.followers()[0].last.Picture = &picture{Missiles: []byte{1}, Targets: []byte{2}}
	w := request(handler(f, "the title"), "GET", "/state")
	var got struct {
		Title, Summary, Counts string
		Columns                []string
		Rows                   []row
		Size                   int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != "the title" || got.Summary != "1 of 3 followers are equal to the leader" ||
		len(got.Rows) != 5 || len(got.Columns) != len(got.Rows[0].Cells) || got.Size != pictureSize {
		t.Errorf("state %+v", got)
	}
	if p := got.Rows[2].Picture; p == nil || p.Missiles[0] != 1 || p.Targets[0] != 2 {
		t.Errorf("picture %v", p)
	}
}

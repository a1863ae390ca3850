package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestDebug compares the page of the pool with the hub's own report, and finds who inserted the
// sessions.
func TestDebug(t *testing.T) {
	noGoroutines(t)
	s, err := serve("127.0.0.1:0", NewHub(Config{Seed: 1}))
	must(t, err)
	for range 3 {
		s.hub.join(aSession(3, func() {}))
	}
	read := func(path string) string {
		t.Helper()
		r := get(t, s.page+path, "")
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: %s, %v", path, r.Status, err)
		}
		return string(body)
	}
	if text := read("debug/berth?format=prometheus"); !strings.Contains(text, `berth_live{pool="sessions"} 3`) {
		t.Errorf("no 3 sessions in\n%s", text)
	}
	if text := read("debug/berth"); !strings.Contains(text, "<main") {
		t.Errorf("no page: %s", text)
	}
	want := fmt.Sprintf("profile: total %d\n", s.hub.Report().Sessions)
	if text := read("debug/leaks?debug=1"); !strings.Contains(text, want) || !strings.Contains(text, "(*Hub).join") {
		t.Errorf("%s\nwants %s and Hub.join", text, want)
	}
	must(t, s.stop(bounded(t)))
	if n := s.hub.leaks.Count(); n != 0 {
		t.Errorf("%d sessions in the profile of a hub that has stopped", n)
	}
}

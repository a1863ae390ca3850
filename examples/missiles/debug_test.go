//go:build !js

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/examples/missiles/sim"
	"github.com/seed505807e1/berth/observe"
)

// TestObserve reads the pools of a game between its frames.
func TestObserve(t *testing.T) {
	a := &app{world: sim.New(sim.Config{Seed: 1, Wave: 3})}
	var r observe.Registry
	a.register(&r)
	frames := make(chan struct{})
	go func() {
		defer close(frames)
		for range 300 {
			a.turn.Lock()
			a.world.Step(a.world.Pilot())
			a.turn.Unlock()
		}
	}()
	for range 20 {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?format=json", nil))
		if text := w.Body.String(); w.Code != 200 || strings.Count(text, `"Picture":"`) != 5 {
			t.Fatalf("%d %.300s", w.Code, text)
		}
	}
	<-frames
	if s := r.Snapshots(t.Context(), false)[1]; s.Name != "enemies" || s.Stats.Live != a.world.Enemies.Len() {
		t.Errorf("%+v, want %d enemies", s, a.world.Enemies.Len())
	}
}

// TestDebugAddress refuses an address that others can reach, and leaves nothing running.
func TestDebugAddress(t *testing.T) {
	a := &app{world: sim.New(sim.Config{Seed: 1})}
	for _, addr := range []string{"0.0.0.0:0", "nowhere:x", ":0"} {
		if a.debug = addr; addr == "" {
			continue
		}
		if _, err := a.observe(); err == nil {
			t.Errorf("-debug %s is accepted", addr)
		}
	}
	a.debug = "127.0.0.1:0"
	end, err := a.observe()
	must(t, err)
	end()
}

package world

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/testkit"
)

func TestParseEvents(t *testing.T) {
	const text = "0b,120b,120k,400l,800s50,900t30,4294967295s0"
	events, err := ParseEvents(text)
	want := []Event{
		{0, OpBurst, 0}, {120, OpBurst, 0}, {120, OpKill, 0}, {400, OpCull, 0},
		{800, OpSpawn, 50}, {900, OpLife, 30}, {1<<32 - 1, OpSpawn, 0},
	}
	if err != nil || !reflect.DeepEqual(events, want) {
		t.Fatalf("%v, %v; want %v", events, err, want)
	}
	if got := (Scene{Events: events}).EventsText(); got != text {
		t.Errorf("text %q, want %q", got, text)
	}
	if events, err := ParseEvents(""); events != nil || err != nil {
		t.Errorf("no events are %v, %v", events, err)
	}
	if _, err := ParseEvents(strings.Repeat("1b,", MaxEvents-1) + "1b"); err != nil {
		t.Errorf("%d events: %v", MaxEvents, err)
	}
}

func TestParseEventsRefuses(t *testing.T) {
	for text, says := range map[string]string{
		",":                                     "no letter",
		"12":                                    "no letter",
		"b":                                     "no step",
		"-1b":                                   "no step",
		"4294967296b":                           "no step",
		"1x":                                    "'x' is none",
		"1\xff":                                 "is none",
		"1b2":                                   "after the letter",
		"1b,":                                   "event 2",
		"1s":                                    "no number",
		"1s+5":                                  "no number",
		"1s5b":                                  "no number",
		"1s1001":                                "0 to 1000",
		"1t9":                                   "10 to 1000",
		"1t1001":                                "10 to 1000",
		"5b,4k":                                 "event 2 is of step 4, after one of step 5",
		"3b, 4b":                                "event 2",
		"1B":                                    "is none",
		"1b,2b,3k,4ll":                          `event 4: "4ll"`,
		strings.Repeat("1b,", MaxEvents) + "1b": "65 events",
	} {
		events, err := ParseEvents(text)
		if !errors.Is(err, ErrScene) || events != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v, %v; want an error with %q", text, events, err, says)
		}
	}
}

func TestCheck(t *testing.T) {
	good := Scene{Seed: 1, Spawn: MaxSpawn, Life: MinLife, Events: []Event{{1, OpLife, MaxLife}}}
	testkit.Must(t, good.Check())
	for says, change := range map[string]func(s *Scene){
		"seed 0":                              func(s *Scene) { s.Seed = 0 },
		"seed 2147483648":                     func(s *Scene) { s.Seed = 1 << 31 },
		"spawn 1001, which must be 0 to 1000": func(s *Scene) { s.Spawn = 1001 },
		"spawn -1, which must be 0 to 1000":   func(s *Scene) { s.Spawn = -1 },
		"life 9, which must be 10 to 1000":    func(s *Scene) { s.Life = 9 },
		"0 to 0, at event 1":                  func(s *Scene) { s.Events = []Event{{1, OpKill, 3}} },
		"'z'":                                 func(s *Scene) { s.Events = []Event{{1, 'z', 0}} },
		"event 2 is of step ":                 func(s *Scene) { s.Events = []Event{{2, OpKill, 0}, {1, OpKill, 0}} },
		"65 events":                           func(s *Scene) { s.Events = make([]Event, MaxEvents+1) },
	} {
		s := good
		change(&s)
		if err := s.Check(); !errors.Is(err, ErrScene) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v; want an error with %q", s, err, says)
		}
	}
}

func TestDoRefuses(t *testing.T) {
	w := New(sceneOf(t, 1, 20, 30, "3b"), []Kind{Pool})
	for _, e := range []Event{{Op: 'x'}, {Op: OpKill, N: 1}, {Op: OpSpawn, N: MaxSpawn + 1}, {Op: OpLife}} {
		if err := w.Do(e.Op, e.N); !errors.Is(err, ErrScene) {
			t.Errorf("%+v: error %v", e, err)
		}
	}
	if got := w.Scene().EventsText(); got != "3b" {
		t.Errorf("refused events are in the scene: %q", got)
	}
}

// FuzzScene parses any text from an address: it is rejected, or survives a round trip, and then
// makes a valid world.
func FuzzScene(f *testing.F) {
	f.Add(uint32(7), 100, 220, "1b,2k,2l,3s50,4t30")
	f.Add(uint32(1), 0, 10, "")
	f.Add(uint32(0), -1, 5000, "1b,0b")
	f.Add(uint32(3), 1000, 1000, "0s0,0t10,007b")
	f.Fuzz(func(t *testing.T, seed uint32, spawn, life int, text string) {
		events, err := ParseEvents(text)
		if err != nil {
			if !errors.Is(err, ErrScene) || events != nil {
				t.Fatalf("%q: %v, %v", text, events, err)
			}
			return
		}
		s := Scene{Seed: seed, Spawn: spawn, Life: life, Events: events}
		again, err := ParseEvents(s.EventsText())
		if err != nil || !reflect.DeepEqual(again, events) {
			t.Fatalf("%q is %v, but its text %q is %v, %v", text, events, s.EventsText(), again, err)
		}
		if err := s.Check(); err != nil {
			if !errors.Is(err, ErrScene) {
				t.Fatal(err)
			}
			return
		}
		if seed == 0 || spawn < 0 || spawn > MaxSpawn || life < MinLife || life > MaxLife {
			t.Fatalf("accepted: %+v", s)
		}
		if strings.Count(s.EventsText(), "b") > 2 {
			return // valid, but slow
		}
		w := New(s, all)
		for range 5 {
			w.Step()
			same(t, w)
		}
	})
}

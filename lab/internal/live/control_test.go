package live

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/world"
)

func TestParseControl(t *testing.T) {
	scene := world.Scene{Seed: 7, Spawn: 0, Life: 220, Events: []world.Event{{Step: 120, Op: world.OpBurst}, {Step: 800, Op: world.OpSpawn, N: 50}}}
	for _, tc := range []struct {
		text string
		want control
	}{
		{`{"do":"next"}`, control{do: "next"}},
		{`{"do":"story"}`, control{do: "story"}},
		{` { "do" : "burst" } `, control{do: "burst"}},
		{`{"do":"spawn","n":0}`, control{do: "spawn"}},
		{`{"do":"spawn","n":1000}`, control{do: "spawn", n: 1000}},
		{`{"do":"life","n":10}`, control{do: "life", n: 10}},
		{`{"do":"seed","n":2147483647}`, control{do: "seed", n: 1<<31 - 1}},
		{`{"do":"run","run":["map","pool"]}`, control{do: "run", run: []world.Kind{world.Pool, world.Map}}},
		{`{"do":"scene","scene":{"seed":7,"spawn":0,"life":220,"events":"120b,800s50"},"run":["gen"]}`, control{do: "scene", scene: scene, run: []world.Kind{world.Gen}}},
		{`{"do":"scene","scene":{"seed":7,"spawn":1,"life":10},"run":["gen"]}`, control{do: "scene", scene: world.Scene{Seed: 7, Spawn: 1, Life: 10}, run: []world.Kind{world.Gen}}},
	} {
		if got, err := parseControl([]byte(tc.text)); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s is %+v (%v), want %+v", tc.text, got, err, tc.want)
		}
	}
}

// wrong are messages that must be refused, with a part of the reason.
var wrong = []struct{ text, want string }{
	{"", "is truncated"},
	{"{", "is truncated"},
	{`{"do":"next"`, "is truncated"},
	{"\x00", "invalid character"},
	{"next", "invalid character"},
	{`{"do":"next"} {"do":"next"}`, "after the JSON"},
	{`{"do":"next"}}`, "after the JSON"},
	{`{"do":"next"}x`, "after the JSON"},
	{"null", `"" is unknown`},
	{"{}", `"" is unknown`},
	{"[]", "array"},
	{`"next"`, "string"},
	{`{"do":null}`, `"" is unknown`},
	{`{"do":7}`, "number"},
	{`{"do":"explode"}`, `"explode" is unknown`},
	{`{"do":"next","m":1}`, `unknown field "m"`},
	{`{"do":"next","n":1}`, "takes no n"},
	{`{"do":"burst","run":["pool"]}`, "takes no run"},
	{`{"do":"run","run":["pool"],"scene":{}}`, "takes no scene"},
	{`{"do":"spawn"}`, "n is missing"},
	{`{"do":"spawn","n":null}`, "n is missing"},
	{`{"do":"spawn","n":"5"}`, "string"},
	{`{"do":"spawn","n":1.5}`, "1.5"},
	{`{"do":"spawn","n":1e99}`, "1e99"},
	{`{"do":"spawn","n":99999999999999999999}`, "99999"},
	{`{"do":"spawn","n":-1}`, "-1 is not in 0 to 1000"},
	{`{"do":"spawn","n":1001}`, "1001 is not in 0 to 1000"},
	{`{"do":"life","n":9}`, "9 is not in 10 to 1000"},
	{`{"do":"life","n":1001}`, "1001 is not in"},
	{`{"do":"seed","n":0}`, "0 is not in 1 to"},
	{`{"do":"seed","n":2147483648}`, "2147483648 is not in 1 to"},
	{`{"do":"run"}`, "run is missing"},
	{`{"do":"run","run":[]}`, "no container"},
	{`{"do":"run","run":"pool"}`, "string"},
	{`{"do":"run","run":["pool","pool"]}`, "twice"},
	{`{"do":"run","run":["arena"]}`, `"arena" is unknown`},
	{`{"do":"run","run":["` + strings.Repeat("é", 500) + `"]}`, `..." is unknown`},
	{`{"do":"scene","run":["pool"]}`, "scene is missing"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1,"life":10}}`, "run is missing"},
	{`{"do":"scene","scene":{"seed":7,"life":10},"run":["pool"]}`, "scene: spawn is missing"},
	{`{"do":"scene","scene":{"spawn":1,"life":10},"run":["pool"]}`, "scene: seed is missing"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1},"run":["pool"]}`, "scene: life is missing"},
	{`{"do":"story","n":1}`, "takes no n"},
	{`{"do":"scene","scene":{"seed":4294967303,"spawn":1,"life":10},"run":["pool"]}`, "4294967303"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1,"life":1},"run":["pool"]}`, "not a scene: life 1, which must be 10 to 1000"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1001,"life":10},"run":["pool"]}`, "not a scene: spawn 1001, which must be 0 to 1000"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1,"life":10,"events":"9b,8b"},"run":["pool"]}`, "not a scene"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1,"life":10,"events":"x"},"run":["pool"]}`, "not a scene"},
	{`{"do":"scene","scene":{"seed":7,"spawn":1,"life":10,"now":1},"run":["pool"]}`, `unknown field "now"`},
	{`{"do":"next","` + strings.Repeat("x", 3000) + `":1}`, "unknown field"},
}

func TestWrongControls(t *testing.T) {
	for _, tc := range wrong {
		c, err := parseControl([]byte(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 250 {
			t.Errorf("%.80q is %+v (%v), want an error with %q", tc.text, c, err, tc.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{strings.Repeat("a", 100), strings.Repeat("a", 100)},
		{strings.Repeat("a", 101), strings.Repeat("a", 100) + "..."},
		{strings.Repeat("a", 99) + "éa", strings.Repeat("a", 99) + "..."},
		{strings.Repeat("a", 98) + "éa", strings.Repeat("a", 98) + "é..."},
		{strings.Repeat("\x80", 200), strings.Repeat("\x80", 96) + "..."},
	} {
		if got := clip(tc.text); got != tc.want {
			t.Errorf("clip(%q) is %q, want %q", tc.text, got, tc.want)
		}
	}
}

// FuzzControl looks for invalid messages that are accepted.
func FuzzControl(f *testing.F) {
	for _, tc := range wrong {
		f.Add([]byte(tc.text))
	}
	f.Add([]byte(`{"do":"scene","scene":{"seed":7,"spawn":0,"life":220,"events":"120b,800s50"},"run":["gen"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseControl(data)
		if err != nil {
			if len(err.Error()) > 2*maxRemote+80 {
				t.Errorf("the error has %d bytes: %v", len(err.Error()), err)
			}
			return
		}
		want, ok := takes[c.do]
		if !ok || want.run != (len(c.run) > 0) || !want.n && c.n != 0 {
			t.Fatalf("%q is %+v", data, c)
		}
		if want.scene {
			if err := c.scene.Check(); err != nil {
				t.Errorf("%q: %v", data, err)
			}
		} else if !reflect.DeepEqual(c.scene, world.Scene{}) {
			t.Errorf("%q has the scene %+v", data, c.scene)
		}
		if !slices.IsSorted(c.run) || len(slices.Compact(slices.Clone(c.run))) != len(c.run) || len(c.run) > world.Kinds {
			t.Errorf("%q runs %v", data, c.run)
		}
		for _, k := range c.run {
			if int(k) >= world.Kinds {
				t.Errorf("%q runs %v", data, c.run)
			}
		}
		switch c.do {
		case "spawn":
			ok = c.n >= 0 && c.n <= world.MaxSpawn
		case "life":
			ok = c.n >= world.MinLife && c.n <= world.MaxLife
		case "seed":
			ok = c.n >= 1 && c.n <= 1<<31-1
		}
		if !ok {
			t.Errorf("%q: %s of %d", data, c.do, c.n)
		}
	})
}

package replica

import (
	"math"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

func TestConfig(t *testing.T) {
	for want, c := range map[string]Config{
		"Config.Name":       {Name: "a.b"},
		"more than 100":     {Name: strings.Repeat("a", 101)},
		"Config.MaxUnacked": {MaxUnacked: -1},
		"65536":             {MaxUnacked: 1 << 20},
		"Config.Replicas":   {Replicas: -1},
		"own server is one": {Replicas: 3},
		"Config.MaxBytes":   {MaxBytes: -1},
		"Config.Listen":     {Listen: "here"},
		"not a port":        {Listen: "127.0.0.1:http"},
	} {
		if _, err := Lead(ctxOf(t), c, whole, new(berth.Pool[body])); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", c, err, want)
		}
	}
	for _, o := range []LeadOptions[body]{{Cell: 1}, {Cell: -1, Pos: position},
		{Cell: math.NaN(), Pos: position}, {Cell: math.Inf(1), Pos: position}} {
		if _, err := Lead(ctxOf(t), Config{}, o, new(berth.Pool[body])); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	if _, err := Follow[body](ctxOf(t), Config{}, FollowOptions{}); err == nil {
		t.Error("Follow without a URL")
	}
	c := serve(t)
	startLead(t, c, whole, new(berth.Pool[body]))
	if _, err := Follow[body](ctxOf(t), c, FollowOptions{Cells: []Cell{{}}}); err == nil {
		t.Error("Follow with cells of a world without cells")
	}
}

package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed505807e1/berth/lab/internal/world"
)

const maxRemote = 100 // bytes of remote text in a log line or an error

// control is a checked message from a page.
type control struct {
	do    string
	n     int          // for spawn, life and seed
	run   []world.Kind // for run and scene: at least one, each once, in order
	scene world.Scene  // for scene
}

// wireControl is a control message as JSON.
type wireControl struct {
	Do    string     `json:"do"`
	N     *int64     `json:"n"`
	Run   []string   `json:"run"`
	Scene *wireAsked `json:"scene"`
}

type wireAsked struct {
	Seed   *int64 `json:"seed"`
	Spawn  *int   `json:"spawn"`
	Life   *int   `json:"life"`
	Events string `json:"events"`
}

// takes lists the fields of each action.
var takes = map[string]struct{ n, run, scene bool }{
	"next": {}, "pause": {}, "resume": {}, "step": {}, "burst": {}, "kill": {}, "cull": {},
	"story": {},
	"spawn": {n: true}, "life": {n: true}, "seed": {n: true},
	"run": {run: true}, "scene": {run: true, scene: true},
}

func parseControl(data []byte) (c control, err error) {
	var m wireControl
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the JSON is truncated")
		}
		return c, errors.New(clip(err.Error()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("data after the JSON")
	}
	want, ok := takes[m.Do]
	switch {
	case !ok:
		return c, fmt.Errorf("do: %q is unknown", clip(m.Do))
	case want.n != (m.N != nil):
		return c, wants(m.Do, "n", want.n)
	case want.run != (m.Run != nil):
		return c, wants(m.Do, "run", want.run)
	case want.scene != (m.Scene != nil):
		return c, wants(m.Do, "scene", want.scene)
	}
	c.do = m.Do
	if want.n {
		c.n = int(*m.N) // its size is checked, too
		err = checkNumber(m.Do, *m.N)
	}
	if want.run && err == nil {
		c.run, err = ParseRun(m.Run)
	}
	if want.scene && err == nil {
		c.scene, err = m.Scene.scene()
	}
	return c, err
}

func wants(do, field string, yes bool) error {
	if yes {
		return fmt.Errorf("%s: %s is missing", do, field)
	}
	return fmt.Errorf("%s: takes no %s", do, field)
}

func checkNumber(do string, n int64) error {
	low, high := int64(0), int64(world.MaxSpawn)
	switch do {
	case "life":
		low, high = world.MinLife, world.MaxLife
	case "seed":
		low, high = 1, world.MaxSeed
	}
	if n < low || n > high {
		return fmt.Errorf("%s: %d is not in %d to %d", do, n, low, high)
	}
	return nil
}

func (a *wireAsked) scene() (s world.Scene, err error) {
	switch {
	case a.Seed == nil:
		return s, errors.New("scene: seed is missing")
	case a.Spawn == nil:
		return s, errors.New("scene: spawn is missing")
	case a.Life == nil:
		return s, errors.New("scene: life is missing")
	}
	if err := checkNumber("seed", *a.Seed); err != nil { // before the conversion to fewer bits
		return s, fmt.Errorf("scene: %w", err)
	}
	s = world.Scene{Seed: uint32(*a.Seed), Spawn: *a.Spawn, Life: *a.Life}
	if s.Events, err = world.ParseEvents(a.Events); err == nil {
		err = s.Check()
	}
	if err != nil {
		err = clipped{err}
	}
	return s, err
}

// ParseRun returns the containers with these ids, in the order of their kinds. It returns an error
// if ids is empty, or has an unknown or repeated id.
func ParseRun(ids []string) ([]world.Kind, error) {
	if len(ids) == 0 {
		return nil, errors.New("run: no container")
	}
	var run []world.Kind
	for _, id := range ids {
		k, ok := world.KindByID(id)
		switch {
		case !ok:
			return nil, fmt.Errorf("run: %q is unknown; known are %s", clip(id),
				strings.Join(world.IDs(), ", "))
		case slices.Contains(run, k):
			return nil, fmt.Errorf("run: %s is given twice", id)
		}
		run = append(run, k)
	}
	slices.Sort(run)
	return run, nil
}

// clip returns the first bytes of remote text: enough to recognize it, and few enough to be
// harmless.
func clip(s string) string {
	if len(s) <= maxRemote {
		return s
	}
	cut := maxRemote
	for cut > maxRemote-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

// clipped is an error whose text may contain remote text.
type clipped struct{ error }

func (c clipped) Error() string { return clip(c.error.Error()) }
func (c clipped) Unwrap() error { return c.error }

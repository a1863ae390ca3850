//go:build js

package main

import (
	"fmt"
	"net/url"
	"strconv"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"
)

// parse parses the query of the address: ?demo&seed=7&wave=12&safe&frames=600.
func parse() (p params, err error) {
	query, err := url.ParseQuery(search())
	if err != nil {
		return p, fmt.Errorf("the address: %w", err)
	}
	number := func(name string, other uint64, bits int) (n uint64) {
		text := query.Get(name)
		if text == "" {
			return other
		}
		n, e := strconv.ParseUint(text, 10, bits)
		if e != nil && err == nil {
			err = fmt.Errorf("the address says %s=%q, which must be a number from 0 on", name, text)
		}
		return n
	}
	p = params{demo: query.Has("demo"), safe: query.Has("safe"), width: 1280, height: 720}
	p.seed = number("seed", 0, 64)
	p.wave = int(number("wave", 1, 31))
	p.frames = int(number("frames", 0, 31))
	return p, err
}

// search returns the query of the address.
func search() string {
	s := js.Global().Get("location").Get("search").String()
	if s != "" {
		s = s[1:]
	}
	return s
}

func (p *params) pace() {}

func explain(err error) error { return err }

// escape pauses, because a page cannot close itself.
func (a *app) escape() error {
	a.hud.paused = true
	return nil
}

// end stops the game at its last frame, which is still drawn.
func (a *app) end() error { return a.failed }

// publish sets window.missiles to the state of the game, for tests and tools.
func (a *app) publish() {
	if a.drawn%10 != 1 && !a.done {
		return
	}
	state := map[string]any{
		"drawn": a.drawn, "frame": a.world.Frame, "live": a.world.Live(),
		"lost": a.world.Stats.Lost, "score": a.world.Stats.Score,
		"fps": ebiten.ActualFPS(), "step": a.hud.numbers.step,
		"x": a.world.Ship.Pos.X, "paused": a.hud.paused, "touch": a.hud.touch,
		"seed": fmt.Sprint(a.world.Config().Seed), "dead": a.world.Ship.Dead,
	}
	if a.done {
		state["checksum"] = fmt.Sprintf("%016x", a.world.Checksum())
	}
	js.Global().Set("missiles", state)
}

// publishError sets window.missilesError, which the page shows.
func publishError(err error) { js.Global().Set("missilesError", err.Error()) }

// fingers reports whether the main pointing device is a finger, as on a telephone.
func fingers() bool {
	match := js.Global().Get("matchMedia")
	return match.Truthy() && match.Invoke("(pointer: coarse)").Get("matches").Bool()
}

func save(*ebiten.Image, string) error { return nil }

// observe shows nothing: a page cannot listen.
func (a *app) observe() (end func(), err error) { return func() {}, nil }

package main

import (
	"strings"
	"testing"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// must fails the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newScene() (*scene, *hud) {
	b := newBatch(nil) // no atlas: nothing is flushed
	return &scene{batch: b}, &hud{batch: b}
}

// A picture of twenty thousand things allocates nothing.
func TestPictureAllocatesNothing(t *testing.T) {
	w := sim.New(sim.Config{Seed: 1, Wave: 30, Invincible: true})
	for range 600 {
		w.Step(w.Pilot())
	}
	s, h := newScene()
	picture := func() {
		s.begin()
		s.look(w)
		s.draw(w, 1280, 720)
		h.draw(w, 1280, 720, 1)
	}
	picture()
	if n := testing.AllocsPerRun(20, picture); n != 0 {
		t.Errorf("a picture allocates %v times", n)
	}
	if n := len(s.vertices) / 4; n < 15_000 {
		t.Errorf("%d sprites of %d things", n, w.Live())
	}
}

// Things far outside the window are not drawn, and windows of all shapes show the same area.
func TestView(t *testing.T) {
	s, _ := newScene()
	for _, size := range [][2]float32{{1440, 810}, {380, 720}, {3840, 2160}} {
		w, h := size[0], size[1]
		s.begin()
		s.draw(sim.New(sim.Config{Seed: 1}), w, h)
		if got := w / s.zoom * h / s.zoom; got < 0.999*area || got > 1.001*area {
			t.Errorf("%v by %v: it shows %v of the world, want %v", w, h, got, float32(area))
		}
		if x, y, seen := s.at(s.eye, 0); !seen || x != w/2 || y != h/2 {
			t.Errorf("%v by %v: the middle is at %v, %v", w, h, x, y)
		}
		if _, _, seen := s.at(sim.Vec{X: 3000}, 10); seen {
			t.Errorf("%v by %v: one sees too far", w, h)
		}
	}
}

// Each sprite has visible strokes, which are within its cell.
func TestShapes(t *testing.T) {
	all := shapes()
	for k := range sim.Kind(sim.HueShip) {
		if len(all[enemySprite+sprite(k)].strokes) == 0 {
			t.Errorf("enemies of kind %d have no shape", k)
		}
	}
	for sp, sh := range all {
		if int(sp) >= columns*rows {
			t.Errorf("sprite %d is outside of the atlas", sp)
		}
		var light float64
		for y := range cell {
			for x := range cell {
				p := point{(float64(x) - 15.5) / spriteScale, (float64(y) - 15.5) / spriteScale}
				l, _ := sh.at(p)
				light += l
				if edge := x == 0 || y == 0 || x == cell-1 || y == cell-1; edge && l > 0.1 {
					t.Fatalf("sprite %d has light %.2f at the edge of its cell, at %d, %d", sp, l, x, y)
				}
			}
		}
		if light < 3 {
			t.Errorf("sprite %d has light %.1f", sp, light)
		}
	}
}

// Each character that the HUD writes has a letter.
func TestLetters(t *testing.T) {
	const used = "SCORE WAVE LEVEL DEMO LIVE THINGS SIMULATION MS MEMORY KB TARGETS LOST SLOT TAKEN FPS PAUSED " +
		"P GOES ON - R STARTS AGAIN GAME OVER TAP TO START AGAIN WASD MOVES - THE MOUSE AIMS - SPACE OR CLICK FIRES " +
		"E SALVO FULL SCREEN DRAG TO FLY A SECOND FINGER: SALVO 0123456789.-"
	for _, c := range strings.ReplaceAll(used, " ", "") {
		if len(pen(letters[c])) == 0 {
			t.Errorf("there is no letter %q", c)
		}
		if c < firstLetter || c >= firstLetter+letterCount {
			t.Errorf("%q has no place in the atlas", c)
		}
	}
	if got := pen("00 40|20 26"); len(got) != 2 || got[1] != (stroke{point{2, 0}, point{2, 6}}) {
		t.Errorf("T has the strokes %v", got)
	}
}

func TestNumbers(t *testing.T) {
	_, h := newScene()
	for n, want := range map[int]string{0: "0", 1234: "1234",
		12345: "12 345", 999999: "999 999", 1234567: "1 234 567", -5: "-5"} {
		if got := string(h.text("").int(n).line); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

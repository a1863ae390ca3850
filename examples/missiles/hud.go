package main

import (
	"slices"
	"strconv"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

var (
	ink   = tint{0.72, 0.85, 1, 1}
	faint = tint{0.4, 0.5, 0.68, 1}
	alarm = tint{1, 0.25, 0.3, 1}
	dark  = tint{0.01, 0.015, 0.04, 0.72} // behind text
)

// hud writes text over the picture. It allocates no strings: each line is built in the same bytes.
type hud struct {
	*batch
	line    []byte
	w, h    float32
	size    float32 // height of capitals
	margin  float32
	numbers figures
	paused  bool
	demo    bool // the pilot plays
	touch   bool // the player uses fingers and has no keyboard
}

// figures are the HUD's figures about the program.
type figures struct {
	step  float64 // milliseconds of the simulation per frame
	fps   float64
	bytes int
}

func (h *hud) text(s string) *hud {
	h.line = append(h.line[:0], s...)
	return h
}

func (h *hud) int(n int) *hud {
	digits := len(h.line)
	h.line = strconv.AppendInt(h.line, int64(n), 10)
	if n < 10_000 {
		return h
	}
	for i := len(h.line) - 3; i > digits; i -= 3 { // a gap before each three digits
		h.line = slices.Insert(h.line, i, ' ')
	}
	return h
}

func (h *hud) float(v float64, digits int) *hud {
	h.line = strconv.AppendFloat(h.line, v, 'f', digits, 64)
	return h
}

func (h *hud) more(s string) *hud {
	h.line = append(h.line, s...)
	return h
}

// left, right and middle write the line at a height in lines, aligned as their name says.
func (h *hud) left(row float32, t tint) { h.write(h.line, h.margin, h.row(row), h.size, t) }
func (h *hud) right(row float32, t tint) {
	h.write(h.line, h.w-h.margin-float32(len(h.line))*advance(h.size), h.row(row), h.size, t)
}

// panel darkens the background of some lines of some letters.
func (h *hud) panel(x, lines, letters float32) {
	h.box(x, 0, 2*h.margin+letters*advance(h.size), h.row(lines), dark)
}

func (h *hud) row(n float32) float32 { return h.margin + n*h.size*1.9 }

// fit returns the size at which letters fit into the width, at most the wanted size.
func (h *hud) fit(letters int, size float32) float32 {
	return min(size, (h.w-2*h.margin)/max(1, float32(letters))/advance(1))
}

// plate darkens the background of text in the middle, some lines high.
func (h *hud) plate(y, size, high float32, letters int, k float32) {
	w := float32(letters)*advance(h.fit(letters, size)) + 2*h.size
	h.box((h.w-w)/2, y-h.size, w, high+2*h.size, dark.times(k))
}

func (h *hud) middle(y, size float32, t tint) {
	n := float32(len(h.line))
	size = h.fit(len(h.line), size)
	x := (h.w - n*advance(size)) / 2
	h.write(h.line, x+size*0.07, y+size*0.07, size, tint{0, 0, 0.05, 0.7 * t.a})
	h.write(h.line, x, y, size, t)
}

// draw adds the HUD to the batch; unit is the number of pixels of the screen per pixel of the
// window.
func (h *hud) draw(w *sim.World, width, height, unit float32) {
	h.w, h.h = width, height
	h.size = max(8*unit, min(width/110, 13*unit))
	h.margin = 1.2 * h.size
	h.game(w)
	h.program(w)
	h.bars(w)
	h.banner(w)
}

func (h *hud) game(w *sim.World) {
	rows := float32(3)
	if h.demo {
		rows = 4
	}
	h.panel(0, rows, 13)
	if h.demo {
		h.text("DEMO").left(3, tints[sim.HueGem])
	}
	h.text("SCORE ").int(w.Stats.Score).left(0, white)
	h.text("WAVE ").int(w.Wave()).left(1, ink)
	h.text("LEVEL ").int(int(w.Ship.Level)).left(2, ink)
}

// program writes the figures about the program.
func (h *hud) program(w *sim.World) {
	f := &h.numbers
	h.panel(h.w-2*h.margin-19*advance(h.size), 6, 19)
	h.text("LIVE THINGS ").int(w.Live()).right(0, white)
	h.text("SIMULATION ").float(f.step, 2).more(" MS").right(1, ink)
	h.text("MEMORY ").int(f.bytes/1024).more(" KB").right(2, ink)
	h.text("TARGETS LOST ").int(w.Stats.Lost).right(3, tints[sim.HueSeek].toward(white, 0.3))
	h.text("SLOT TAKEN ").int(w.Stats.Taken).right(4, tints[sim.HueSeek].toward(white, 0.3))
	h.text("").float(f.fps, 0).more(" FPS").right(5, faint)
}

// bars draws health, and the progress to the next level and the next salvo, at the lower edge.
func (h *hud) bars(w *sim.World) {
	s := &w.Ship
	width := min(h.w-2*h.margin, 46*h.size)
	x, y := (h.w-width)/2, h.h-h.margin-h.size
	health := tints[sim.HueShip].times(0.85)
	if s.Health*4 < sim.MaxHealth {
		health = alarm
	}
	h.bar(x, y, width, h.size, float32(s.Health)/sim.MaxHealth, health)
	h.bar(x, y-0.7*h.size, width, 0.4*h.size, float32(s.Gems)/float32(s.Need()), tints[sim.HueGem])
	h.bar(x, y+1.3*h.size, width, 0.4*h.size, float32(s.Charge)/sim.FullCharge, tints[sim.HueFire])
}

func (h *hud) bar(x, y, w, high, part float32, t tint) {
	h.box(x, y, w, high, tint{0.05, 0.07, 0.13, 0.75})
	h.box(x, y, w*max(0, min(1, part)), high, t)
}

// banner writes the latest event in large letters.
func (h *hud) banner(w *sim.World) {
	s := &w.Ship
	big := 4 * h.size
	switch {
	case h.paused:
		h.box(0, 0, h.w, h.h, tint{0, 0, 0.02, 0.6})
		h.text("PAUSED").middle(h.h*0.36, big, white)
		h.text("P GOES ON - R STARTS AGAIN").middle(h.h*0.36+1.5*big, h.size, ink)
	case s.Dead > 40:
		h.box(0, 0, h.w, h.h, tint{0, 0, 0.02, 0.6})
		h.text("GAME OVER").middle(h.h*0.33, big*1.2, alarm)
		h.text("SCORE ").int(w.Stats.Score).middle(h.h*0.33+1.8*big, h.size*1.6, white)
		if s.Dead > 90 {
			again := "R STARTS AGAIN"
			if h.touch {
				again = "TAP TO START AGAIN"
			}
			h.text(again).middle(h.h*0.33+2.8*big, h.size, ink)
		}
	case s.Risen < 80:
		k := min(1, float32(80-s.Risen)/30)
		h.text("LEVEL ").int(int(s.Level)).news(tints[sim.HueGem], k)
	case w.WaveAge() < 100:
		k := min(1, float32(100-w.WaveAge())/30)
		h.text("WAVE ").int(w.Wave()).news(ink, k)
	}
	if w.Frame < 420 && s.Dead == 0 && !h.paused && !h.demo {
		h.help(min(1, float32(420-w.Frame)/60))
	}
}

// news writes the line in large letters; k is its remaining visibility.
func (h *hud) news(t tint, k float32) {
	y, size := h.h*0.24, 3.2*h.size
	h.plate(y, size, size, len(h.line), k)
	h.middle(y, size, t.times(k))
}

// help writes how to play.
func (h *hud) help(k float32) {
	keys := "WASD MOVES - THE MOUSE AIMS - SPACE OR CLICK FIRES"
	more := "E SALVO - P PAUSE - F FULL SCREEN"
	if h.touch {
		keys, more = "DRAG TO FLY", "A SECOND FINGER: SALVO"
	}
	h.plate(h.h*0.72, h.size, 3*h.size, max(len(keys), len(more)), k)
	h.text(keys).middle(h.h*0.72, h.size, ink.times(k))
	h.text(more).middle(h.h*0.72+2*h.size, h.size, ink.times(0.85*k))
}

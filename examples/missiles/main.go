// Missiles is a game: swarms attack your ship, which fires bullets and missiles. There are
// thousands of things at a time. Package sim is the simulation, with berth's pools, handles, grid
// and arena. This package has the window, the input and the drawing, with Ebitengine. Run it with
//
//	go run ./examples/missiles
//
// and in a browser with
//
//	go run ./examples/missiles/web
package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// params are the parameters of a run, from flags or, in a browser, from the address.
type params struct {
	seed   uint64 // 0 is a random one
	demo   bool   // the pilot plays
	safe   bool   // the ship takes no damage
	wave   int    // the first wave
	frames int    // length of the run; 0 is unlimited
	shot   string // a file for the last picture
	debug  string // an address for the page of the pools; not in a browser
	width  int    // of the window
	height int
}

// Limits of the window.
const (
	minSide = 280 // below that, the texts of the HUD overlap
	maxSide = 8192
)

// check returns an error if p is invalid.
func (p *params) check() error {
	switch {
	case p.wave < 1 || p.wave > sim.MaxWave:
		return fmt.Errorf("wave %d: there are waves 1 to %d", p.wave, sim.MaxWave)
	case p.frames < 0:
		return fmt.Errorf("frames %d: a run cannot have fewer than 0", p.frames)
	case p.shot != "" && p.frames == 0:
		return fmt.Errorf("-shot needs -frames: when to take it")
	case min(p.width, p.height) < minSide || max(p.width, p.height) > maxSide:
		return fmt.Errorf("a window of %d x %d: both must be %d to %d",
			p.width, p.height, minSide, maxSide)
	}
	return nil
}

// patience is the most frames of the game between two pictures. If drawing is slower than that, the
// game slows down instead of jumping.
const patience = 4

// app is the game for Ebitengine, which calls Update 60 times a second, and Draw when there is
// time.
type app struct {
	params
	turn     sync.Mutex // held by Update, so that others can read the pools between two frames
	world    *sim.World
	controls controls
	scene    scene
	hud      hud
	unit     float32 // pixels of the screen per pixel of the window
	w, h     float32
	drawn    int // pictures
	spent    time.Duration
	steps    int  // measured in spent
	ahead    int  // steps ahead of the pictures
	done     bool // after the last frame
	failed   error
}

func newApp(p params) *app {
	if p.seed == 0 {
		p.seed = uint64(time.Now().UnixNano())
	}
	b := newBatch(newAtlas())
	a := &app{params: p, scene: scene{batch: b}, hud: hud{batch: b}, unit: 1}
	a.hud.demo, a.controls.phone = p.demo, fingers()
	a.world = sim.New(sim.Config{Seed: p.seed, Wave: p.wave, Invincible: p.safe})
	return a
}

// Update plays a frame of the game.
func (a *app) Update() error {
	a.turn.Lock()
	defer a.turn.Unlock()
	if a.done || a.failed != nil {
		return a.end()
	}
	if err := a.keys(); err != nil || a.hud.paused {
		return err
	}
	var in sim.Input
	if a.demo {
		in = a.world.Pilot()
	} else {
		x, y, _ := a.scene.at(a.world.Ship.Pos, 0)
		in = a.controls.read(x, y, a.unit, a.world.Threat())
	}
	a.hud.touch = a.controls.phone || a.controls.touch
	in.Restart = in.Restart || a.controls.again(a.world.Ship.Dead)
	if a.ahead >= patience && !in.Restart {
		return nil
	}
	a.ahead++
	start := time.Now()
	a.world.Step(in)
	a.spent += time.Since(start)
	a.scene.look(a.world)
	a.measure()
	a.done = a.frames > 0 && a.world.Frame >= a.frames
	return nil
}

// keys handles the keys that are not part of the game.
func (a *app) keys() error {
	if inpututil.IsKeyJustPressed(ebiten.KeyF) {
		ebiten.SetFullscreen(!ebiten.IsFullscreen())
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyP) {
		a.hud.paused = !a.hud.paused
	}
	if a.hud.paused && inpututil.IsKeyJustPressed(ebiten.KeyR) {
		a.hud.paused = false
		a.world.Step(sim.Input{Restart: true})
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		return a.escape()
	}
	return nil
}

// measure updates the figures twice a second, so that they can be read.
func (a *app) measure() {
	if a.steps++; a.steps < 30 && a.world.Frame > 1 {
		return
	}
	a.hud.numbers = figures{
		step:  a.spent.Seconds() * 1000 / float64(a.steps),
		fps:   ebiten.ActualFPS(),
		bytes: a.world.Bytes(),
	}
	a.spent, a.steps = 0, 0
}

// Draw draws the background, and everything else with one call.
func (a *app) Draw(screen *ebiten.Image) {
	screen.Fill(night)
	a.ahead = 0
	a.scene.begin()
	a.scene.draw(a.world, a.w, a.h)
	a.hud.draw(a.world, a.w, a.h, a.unit)
	a.scene.flush(screen)
	a.drawn++
	a.publish()
	if a.done && a.shot != "" {
		a.failed = save(screen, a.shot)
		a.shot = ""
	}
}

// LayoutF makes the resolution that of the monitor.
func (a *app) LayoutF(width, height float64) (w, h float64) {
	unit := ebiten.Monitor().DeviceScaleFactor()
	a.unit, a.w, a.h = float32(unit), float32(width*unit), float32(height*unit)
	return width * unit, height * unit
}

// Layout is not called, because there is LayoutF.
func (a *app) Layout(width, height int) (w, h int) { return width, height }

func run() error {
	p, err := parse()
	if err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	ebiten.SetWindowTitle("berth: missiles")
	ebiten.SetWindowSize(p.width, p.height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	p.pace()
	a := newApp(p)
	end, err := a.observe()
	if err != nil {
		return err
	}
	defer end()
	if err := ebiten.RunGame(a); err != nil {
		return explain(err)
	}
	return a.failed
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "missiles:", err)
		publishError(err)
		os.Exit(1)
	}
}

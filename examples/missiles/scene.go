package main

import (
	"image/color"
	"math"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// tints are the tints of the simulation's hues.
var tints = [sim.Hues]tint{
	sim.Drone:   {1, 0.22, 0.5, 1},
	sim.Weaver:  {1, 0.6, 0.1, 1},
	sim.Dart:    {0.5, 1, 0.2, 1},
	sim.Brute:   {0.7, 0.35, 1, 1},
	sim.HueShip: {0.3, 0.9, 1, 1},
	sim.HueFire: {1, 0.5, 0.2, 1},
	sim.HueSeek: {0.45, 0.6, 1, 1},
	sim.HueGem:  {0.25, 1, 0.65, 1},
}

var (
	white = tint{1, 1, 1, 1}
	night = color.RGBA{4, 5, 13, 255}
)

// area is the area of the world that a window of any shape shows.
const area = 1440 * 810

// scene draws a world. A place in the world is at (place-eye)*zoom+middle on the screen.
type scene struct {
	*batch
	eye              sim.Vec
	zoom             float32
	middleX, middleY float32
	w, h             float32
	exposure         float32 // of particles
}

// look moves the eye after the ship with a small delay.
func (s *scene) look(w *sim.World) {
	d := sim.Vec{X: w.Ship.Pos.X - s.eye.X, Y: w.Ship.Pos.Y - s.eye.Y}
	k := float32(0.12)
	if d.X*d.X+d.Y*d.Y > 300*300 {
		k = 1 // after a jump
	}
	s.eye.X += d.X * k
	s.eye.Y += d.Y * k
}

// draw adds the world to the batch.
func (s *scene) draw(w *sim.World, width, height float32) {
	s.w, s.h = width, height
	s.zoom = float32(math.Sqrt(float64(width) * float64(height) / area))
	shake := sim.Direction(w.Frame * 97)
	jolt := min(w.Jolt, 10) * 0.5 * s.zoom
	s.middleX, s.middleY = width/2+shake.X*jolt, height/2+shake.Y*jolt

	s.backdrop()
	s.gems(w)
	s.particles(w, true)
	s.enemies(w)
	s.missiles(w)
	s.bullets(w)
	s.particles(w, false)
	s.ship(w) // on top
}

// at returns the position of a place on the screen, and whether something with a radius is visible
// there.
func (s *scene) at(p sim.Vec, radius float32) (x, y float32, seen bool) {
	x, y = (p.X-s.eye.X)*s.zoom+s.middleX, (p.Y-s.eye.Y)*s.zoom+s.middleY
	r := radius * s.zoom
	return x, y, x > -r && y > -r && x < s.w+r && y < s.h+r
}

// figure adds a sprite that faces in the direction dx, dy.
func (s *scene) figure(sp sprite, x, y, dx, dy, radius float32, t tint) {
	k := radius * s.zoom * cell / 2 / spriteScale
	s.put(sp, x, y, dx*k, dy*k, 1, t)
}

// backdrop draws a net that is fixed in the world, and distant stars.
func (s *scene) backdrop() {
	const mesh = 90
	line := tint{0.05, 0.09, 0.2, 0}
	left, top := s.eye.X-s.middleX/s.zoom, s.eye.Y-s.middleY/s.zoom
	for x := float32(math.Ceil(float64(left/mesh))) * mesh; (x-left)*s.zoom < s.w; x += mesh {
		s.box((x-left)*s.zoom, 0, max(1, s.zoom), s.h, line)
	}
	for y := float32(math.Ceil(float64(top/mesh))) * mesh; (y-top)*s.zoom < s.h; y += mesh {
		s.box(0, (y-top)*s.zoom, s.w, max(1, s.zoom), line)
	}
	for i := range 160 {
		n := uint32(i)*2654435761 + 12345
		depth := 0.15 + 0.3*float32(n>>28)/16
		x := wrap(float32(n&0xfff)/4096*s.w-s.eye.X*depth*s.zoom, s.w)
		y := wrap(float32(n>>12&0xfff)/4096*s.h-s.eye.Y*depth*s.zoom, s.h)
		s.square(glow, x, y, (1.5+4*depth)*s.zoom, tint{0.5, 0.6, 0.9, 0}.times(depth*1.6))
	}
}

func wrap(v, size float32) float32 { return v - size*float32(math.Floor(float64(v/size))) }

func (s *scene) gems(w *sim.World) {
	t := tints[sim.HueGem]
	for g := range w.Gems.Values() {
		x, y, seen := s.at(g.Pos, 20)
		if !seen || g.Life < 120 && g.Life/6%2 == 0 { // it blinks at the end
			continue
		}
		d := sim.Direction(int(g.Life) * 2)
		s.figure(gemSprite, x, y, d.X, d.Y, 3+float32(min(g.Worth, 6))/2, t)
	}
}

func (s *scene) enemies(w *sim.World) {
	for e := range w.Enemies.Values() {
		x, y, seen := s.at(e.Pos, 40)
		if !seen {
			continue
		}
		t := tints[e.Kind]
		if k := e.Warping(); k > 0 { // a closing ring
			s.figure(ringSprite, x, y, 1, 0, e.Kind.Radius()*(0.6+2.4*k), t.added(0.7*(1-k)))
			continue
		}
		t = t.toward(white, float32(e.Flash)/8)
		d := e.Vel
		if n := float32(math.Hypot(float64(d.X), float64(d.Y))); n > 0.05 {
			d.X, d.Y = d.X/n, d.Y/n
		} else {
			d = sim.Direction(int(e.Serial))
		}
		if e.Kind == sim.Brute {
			d = sim.Direction(int(e.Age))
		}
		s.figure(enemySprite+sprite(e.Kind), x, y, d.X, d.Y, e.Kind.Radius(), t)
	}
}

// missiles draws missiles with a target in the colours of fire, and those that look for one in blue
// with a ring. A line leads to a target that was just chosen.
func (s *scene) missiles(w *sim.World) {
	for m := range w.Missiles.Values() {
		x, y, seen := s.at(m.Pos, 40)
		if !seen {
			continue
		}
		t := tints[sim.HueFire]
		if m.Target.IsZero() {
			t = tints[sim.HueSeek]
			s.figure(ringSprite, x, y, 1, 0, 5+float32(m.Looking%16), t.added(0.5))
		} else if e := w.Enemies.Ptr(m.Target); e != nil && m.Locked < 14 {
			ex, ey, _ := s.at(e.Pos, 0)
			k := 1 - float32(m.Locked)/14
			s.rod((x+ex)/2, (y+ey)/2, (ex-x)/2, (ey-y)/2, 2, tints[sim.HueSeek].added(0.35*k))
		}
		s.square(glow, x, y, 12*s.zoom, t.added(0.45))
		s.figure(missileSprite, x, y, m.Heading.X, m.Heading.Y, 4.6, t.toward(white, 0.35))
	}
}

// rod adds a beam from x-ax, y-ay to x+ax, y+ay. Its width does not depend on its length.
func (s *scene) rod(x, y, ax, ay, width float32, t tint) {
	n := float32(math.Hypot(float64(ax), float64(ay)))
	if n > 0.01 {
		const half = cell/2 - inset // the beam is a part of the cell
		const long, wide = half / (beamLength * spriteScale), half / (beamWidth * spriteScale)
		s.put(beam, x, y, ax*long, ay*long, width*s.zoom*wide/(n*long), t)
	}
}

func (s *scene) bullets(w *sim.World) {
	t := tint{0.55, 0.95, 1, 0}
	for b := range w.Bullets.Values() {
		if x, y, seen := s.at(b.Pos, 30); seen {
			s.rod(x, y, b.Vel.X*s.zoom*1.1, b.Vel.Y*s.zoom*1.1, 3, t)
		}
	}
}

func (s *scene) ship(w *sim.World) {
	p := &w.Ship
	if p.Dead > 0 {
		return
	}
	x, y, _ := s.at(p.Pos, 0)
	t := tints[sim.HueShip]
	if p.Hurt/3%2 == 1 { // it blinks while it takes no damage
		t = t.toward(tints[sim.Drone], 0.6)
	}
	s.figure(shade, x, y, 1, 0, 16, white)
	s.square(glow, x, y, 60*s.zoom, t.added(0.3))
	s.figure(shipSprite, x, y, p.Aim.X, p.Aim.Y, 12, t.toward(white, 0.25))
}

// particles draws a layer of particles. Smoke is below everything else, and light above.
func (s *scene) particles(w *sim.World, below bool) {
	// Light adds up. With more particles, each is darker, so that a crowd is not white.
	s.exposure = min(1, 3500/float32(max(1, w.Particles.Len())))
	for _, span := range w.Particles.Spans() {
		for i := range span {
			p := &span[i]
			if (p.Look == sim.Smoke) != below {
				continue
			}
			if x, y, seen := s.at(p.Pos, p.Size); seen {
				s.particle(p, x, y)
			}
		}
	}
}

func (s *scene) particle(p *sim.Particle, x, y float32) {
	left := float32(p.Life) / float32(p.Span)
	t := tints[p.Hue]
	switch p.Look {
	case sim.Spark:
		const long = 3
		t = t.added(min(1, 1.3*left) * s.exposure)
		s.rod(x, y, (p.Vel.X*long+0.1)*s.zoom, p.Vel.Y*long*s.zoom, 1.6, t)
	case sim.Smoke:
		k := p.Size * (1 + 1.2*(1-left)) * s.zoom
		if n := float32(math.Hypot(float64(p.Vel.X), float64(p.Vel.Y))); n > 0.01 {
			s.put(glow, x, y, p.Vel.X/n*k*2, p.Vel.Y/n*k*2, 0.5, t.added(0.75*left*s.exposure))
		}
	case sim.Ring:
		s.figure(ringSprite, x, y, 1, 0, p.Size*(1-left*left)/ringRadius, t.added(left*s.exposure))
	case sim.Shard:
		d := sim.Direction(int(p.Life)*5 + int(p.Span)*31)
		s.figure(shard, x, y, d.X, d.Y, 4, t.added(left*s.exposure))
	}
}

package main

import (
	"math"
	"slices"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// All sprites are in one image, the atlas, so that a picture takes one call of the graphics
// library. Each sprite is defined by a list of strokes, which are lines.
type sprite int

const (
	glow sprite = iota // a disc of light
	beam               // a line along the x axis
	solid
	shade // a disc of darkness
	ringSprite
	shipSprite
	missileSprite
	gemSprite
	shard
	enemySprite                                      // one for each kind
	letterSprite = enemySprite + sprite(sim.HueShip) // one for each letter

	firstLetter = '!'
	letterCount = 'Z' - firstLetter + 1

	cell        = 32  // pixels of the atlas: one sprite
	inset       = 0.5 // of them are left out at each side, against light from other cells
	columns     = 16
	rows        = 8
	spriteScale = 10.0 // pixels of a cell per radius
	beamLength  = 1.45 // half of the beam in its cell
	beamWidth   = 0.7  // of the beam in its cell
	ringRadius  = 1.2  // of the ring in its cell
	letterScale = 3.4  // pixels of a cell between points of a letter's grid
)

func letter(c byte) sprite { return letterSprite + sprite(c-firstLetter) }

type point struct{ x, y float64 }

// stroke is a line from one point to another.
type stroke struct{ a, b point }

// shape is the picture in a cell.
type shape struct {
	strokes []stroke
	width   float64 // of the strokes, in pixels
	halo    float64 // brightness of the light around them
	filled  bool    // the inside is opaque
	ends    float64 // where light ends along the x axis; 0 is no limit
}

// path returns the strokes between points, which are pairs of x and y.
func path(xy ...float64) (list []stroke) {
	for i := 0; i+3 < len(xy); i += 2 {
		list = append(list, stroke{point{xy[i], xy[i+1]}, point{xy[i+2], xy[i+3]}})
	}
	return list
}

// polygon returns a closed path.
func polygon(xy ...float64) []stroke { return path(append(xy, xy[0], xy[1])...) }

// regular returns a regular polygon.
func regular(n int, radius float64) []stroke {
	var xy []float64
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		xy = append(xy, radius*cos, radius*sin)
	}
	return polygon(xy...)
}

// shapes are in units of a radius, and face along the x axis.
func shapes() map[sprite]shape {
	m := map[sprite]shape{
		// A beam is stretched, which would distort round ends, so it has none.
		beam: {strokes: path(-2, 0, 2, 0), width: beamWidth * spriteScale, halo: 0.5,
			ends: beamLength},
		ringSprite: {strokes: regular(32, ringRadius), width: 1.4, halo: 0.3},
		shard:      {strokes: path(-0.5, -0.3, 0.5, 0, -0.2, 0.5), width: 2, halo: 0.3},
	}
	body := func(s sprite, parts ...[]stroke) {
		m[s] = shape{strokes: slices.Concat(parts...), width: 2.2, halo: 0.5, filled: true}
	}
	body(shipSprite, polygon(1.1, 0, -0.9, 0.9, -0.4, 0, -0.9, -0.9), path(-0.4, 0, 0.4, 0))
	body(missileSprite, polygon(1.1, 0, -0.8, 0.5, -0.8, -0.5))
	body(gemSprite, polygon(0.7, 0, 0, 1, -0.7, 0, 0, -1))
	body(enemySprite+sprite(sim.Drone), polygon(1.1, 0, -0.8, 0.9, -0.8, -0.9))
	body(enemySprite+sprite(sim.Weaver), polygon(1.1, 0, 0, 0.75, -1.1, 0, 0, -0.75))
	body(enemySprite+sprite(sim.Dart), polygon(1.1, 0, -1, 0.6, -0.4, 0, -1, -0.6))
	body(enemySprite+sprite(sim.Brute), regular(6, 1.05), regular(6, 0.5))
	for c, points := range letters {
		strokes := pen(points)
		for i, s := range strokes {
			strokes[i] = stroke{onGrid(s.a), onGrid(s.b)}
		}
		m[letter(byte(c))] = shape{strokes: strokes, width: 2.3}
	}
	return m
}

// onGrid converts a point of a letter's grid to a position in its cell.
func onGrid(p point) point {
	const k = letterScale / spriteScale
	return point{(p.x - 2) * k * 0.9, (p.y - 3) * k}
}

// newAtlas paints all sprites.
func newAtlas() *ebiten.Image {
	pix := make([]byte, 4*cell*columns*cell*rows)
	paint := func(s sprite, at func(p point) (light, cover float64)) {
		x0, y0 := int(s)%columns*cell, int(s)/columns*cell
		for y := range cell {
			for x := range cell {
				const middle = cell/2 - 0.5
				px, py := (float64(x)-middle)/spriteScale, (float64(y)-middle)/spriteScale
				light, cover := at(point{px, py})
				i := 4 * ((y0+y)*columns*cell + x0 + x)
				l := byte(255 * min(1, light))
				pix[i], pix[i+1], pix[i+2], pix[i+3] = l, l, l, byte(255*min(1, cover))
			}
		}
	}
	paint(glow, func(p point) (light, cover float64) {
		d := math.Hypot(p.x, p.y) / (cell / 2 / spriteScale)
		return max(0, 1-d) * max(0, 1-d), 0
	})
	paint(shade, func(p point) (light, cover float64) {
		return 0, min(1, max(0, 1.5-math.Hypot(p.x, p.y)))
	})
	paint(solid, func(point) (light, cover float64) { return 1, 1 })
	for s, sh := range shapes() {
		paint(s, sh.at)
	}
	img := ebiten.NewImage(columns*cell, rows*cell)
	img.WritePixels(pix)
	return img
}

// at returns the brightness and the opacity of a shape at a point. Brightness without opacity is
// added to the background, which makes the halo look like light.
func (sh *shape) at(p point) (light, cover float64) {
	d := math.Inf(1)
	inside := false
	for _, s := range sh.strokes {
		d = min(d, s.distance(p))
		if (s.a.y > p.y) != (s.b.y > p.y) &&
			p.x < s.a.x+(p.y-s.a.y)*(s.b.x-s.a.x)/(s.b.y-s.a.y) {
			inside = !inside
		}
	}
	d *= spriteScale
	line := min(1, max(0, sh.width/2+0.5-d))
	light, cover = max(line, sh.halo*math.Exp(-d*d/9)), line
	if sh.filled && inside {
		light, cover = max(light, 0.16), max(cover, 0.85)
	}
	if sh.ends > 0 {
		k := min(1, max(0, (sh.ends-math.Abs(p.x))*spriteScale+0.5))
		light, cover = light*k, cover*k
	}
	return light, cover
}

// distance returns the distance of a point from the stroke.
func (s stroke) distance(p point) float64 {
	dx, dy := s.b.x-s.a.x, s.b.y-s.a.y
	t := 0.0
	if n := dx*dx + dy*dy; n > 0 {
		t = min(1, max(0, ((p.x-s.a.x)*dx+(p.y-s.a.y)*dy)/n))
	}
	return math.Hypot(p.x-s.a.x-t*dx, p.y-s.a.y-t*dy)
}

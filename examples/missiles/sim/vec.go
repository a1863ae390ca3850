package sim

import "math"

// Vec is a place, or a way to go, in the plane: x to the right, y down, as on a screen.
//
// Every product is rounded before something is added to it. Where a processor can multiply and add
// in one step, as those of arm64 can, Go may let it, and the sum differs in its last bit from that
// of a processor that cannot. The conversions forbid that: a game is the same on every machine.
type Vec struct{ X, Y float32 }

func (a Vec) plus(b Vec) Vec               { return Vec{a.X + b.X, a.Y + b.Y} }
func (a Vec) minus(b Vec) Vec              { return Vec{a.X - b.X, a.Y - b.Y} }
func (a Vec) times(s float32) Vec          { return Vec{float32(a.X * s), float32(a.Y * s)} }
func (a Vec) dot(b Vec) float32            { return float32(a.X*b.X) + float32(a.Y*b.Y) }
func (a Vec) cross(b Vec) float32          { return float32(a.X*b.Y) - float32(a.Y*b.X) }
func (a Vec) left() Vec                    { return Vec{a.Y, -a.X} }
func (a Vec) length() float32              { return float32(math.Sqrt(float64(a.dot(a)))) }
func (a Vec) toward(b Vec) Vec             { return b.minus(a).unit() }
func (a Vec) within(b Vec, r float32) bool { d := b.minus(a); return d.dot(d) <= float32(r*r) }

// unit returns the vector of length 1 in the direction of a; zero if a has none.
func (a Vec) unit() Vec {
	n := a.length()
	if n == 0 {
		return Vec{}
	}
	return Vec{a.X / n, a.Y / n}
}

// turn rotates a by the angle between the x axis and by, which has length 1.
func (a Vec) turn(by Vec) Vec { return Vec{a.dot(Vec{by.X, -by.Y}), a.dot(Vec{by.Y, by.X})} }

// steer turns the unit vector a towards the unit vector to, by the angle of most at most, which
// lies above the x axis.
func (a Vec) steer(to, most Vec) Vec {
	if a.dot(to) >= most.X {
		return to
	}
	if a.cross(to) < 0 {
		most.Y = -most.Y
	}
	return a.turn(most).unit() // unit, or rounding would let it grow, turn after turn
}

// finite reports whether a is a place at all, and one that a float32 can tell from its neighbours.
func (a Vec) finite() bool {
	const far = 1 << 20
	return a.X > -far && a.X < far && a.Y > -far && a.Y < far
}

// directions are unit vectors all around, each a 256th of a turn from the last. They are made by
// turning one again and again, since math.Sin may differ from machine to machine.
var directions = func() (d [256]Vec) {
	const cos, sin = 0.99969881869620422, 0.024541228522912288 // of that angle
	x, y := 1.0, 0.0
	for i := range d {
		d[i] = Vec{float32(x), float32(y)}
		x, y = float64(x*cos)-float64(y*sin), float64(x*sin)+float64(y*cos)
	}
	return d
}()

// Direction returns the unit vector i 256ths of a turn from the x axis, clockwise as it is seen.
func Direction(i int) Vec { return directions[i&255] }

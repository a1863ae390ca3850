package sim

import "math"

// Vec is a position or a direction in the plane: x to the right, y down, as on a screen.
//
// Each product is rounded by a conversion before something is added to it. Otherwise Go may use an
// instruction that multiplies and adds in one step, such as arm64 has, and the last bit of the sum
// would differ between machines.
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

// unit returns the vector of length 1 in the direction of a, or zero if a is zero.
func (a Vec) unit() Vec {
	n := a.length()
	if n == 0 {
		return Vec{}
	}
	return Vec{a.X / n, a.Y / n}
}

// turn rotates a by the angle between the x axis and by, which has length 1.
func (a Vec) turn(by Vec) Vec { return Vec{a.dot(Vec{by.X, -by.Y}), a.dot(Vec{by.Y, by.X})} }

// steer turns the unit vector a towards the unit vector to, by at most the angle of most, which
// lies above the x axis.
func (a Vec) steer(to, most Vec) Vec {
	if a.dot(to) >= most.X {
		return to
	}
	if a.cross(to) < 0 {
		most.Y = -most.Y
	}
	return a.turn(most).unit() // unit, because rounding errors would accumulate
}

// finite reports whether a is finite and small enough for a float32 to be accurate.
func (a Vec) finite() bool {
	const far = 1 << 20
	return a.X > -far && a.X < far && a.Y > -far && a.Y < far
}

// directions are unit vectors, each a 256th of a turn from the last. They are computed by repeated
// turns, because math.Sin may differ between machines.
var directions = func() (d [256]Vec) {
	const cos, sin = 0.99969881869620422, 0.024541228522912288 // of that angle
	x, y := 1.0, 0.0
	for i := range d {
		d[i] = Vec{float32(x), float32(y)}
		x, y = float64(x*cos)-float64(y*sin), float64(x*sin)+float64(y*cos)
	}
	return d
}()

// Direction returns the unit vector i 256ths of a turn from the x axis, clockwise on the screen.
func Direction(i int) Vec { return directions[i&255] }

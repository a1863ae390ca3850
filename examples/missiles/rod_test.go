package main

import (
	"math"
	"testing"
)

// lightOn returns the light of a sprite, whose vertices begin at first, at a place on the screen.
func lightOn(s *scene, first int, sp sprite, x, y float64) float64 {
	v := s.vertices[first : first+4]
	ox, oy := float64(v[0].DstX), float64(v[0].DstY)
	ax, ay := float64(v[1].DstX)-ox, float64(v[1].DstY)-oy
	bx, by := float64(v[2].DstX)-ox, float64(v[2].DstY)-oy
	along := ((x-ox)*ax + (y-oy)*ay) / (ax*ax + ay*ay)
	across := ((x-ox)*bx + (y-oy)*by) / (bx*bx + by*by)
	if along < 0 || along > 1 || across < 0 || across > 1 {
		return 0
	}
	srcX := float64(v[0].SrcX) + along*float64(v[1].SrcX-v[0].SrcX) - float64(int(sp)%columns*cell)
	srcY := float64(v[0].SrcY) + across*float64(v[2].SrcY-v[0].SrcY) - float64(int(sp)/columns*cell)
	sh := shapes()[sp]
	light, _ := sh.at(point{(srcX - cell/2) / spriteScale, (srcY - cell/2) / spriteScale})
	return light
}

// A rod of any length is bright from one end to the other and dark beyond, and its width is right.
func TestRodEnds(t *testing.T) {
	const width, x, y = 3.0, 100, 50
	for _, length := range []float64{4, 30, 400} {
		for _, angle := range []float64{0, 0.7, 2, 4.5} {
			for _, zoom := range []float64{1, 2.5} {
				s, _ := newScene()
				s.zoom = float32(zoom)
				sin, cos := math.Sincos(angle)
				s.rod(x, y, float32(length*cos), float32(length*sin), width, white)
				light := func(along, across float64) float64 {
					across *= width / 2 * zoom
					return lightOn(s, 0, beam, x+length*along*cos-across*sin, y+length*along*sin+across*cos)
				}
				for _, p := range []struct{ along, across, least, most float64 }{
					{0, 0, 1, 1}, {0.9, 0, 1, 1}, {-0.9, 0, 1, 1}, {1, 0, 0.4, 0.6}, {-1, 0, 0.4, 0.6},
					{1.05, 0, 0, 0}, {-1.05, 0, 0, 0}, {1.3, 0, 0, 0}, {-1.3, 0, 0, 0},
					{0, 0.8, 1, 1}, {0, -0.8, 1, 1}, {0.9, 0.8, 1, 1}, {0, 1, 0.4, 0.6}, {0, -1.2, 0, 0.2},
				} {
					got := light(p.along, p.across)
					if got < p.least-1e-3 || got > p.most+1e-3 {
						t.Errorf("length %v, angle %v, zoom %v: light %.2f at %v, %v; want %v to %v",
							length, angle, zoom, got, p.along, p.across, p.least, p.most)
					}
				}
			}
		}
	}
}

package main

import "github.com/hajimehoshi/ebiten/v2"

// tint is the factor of a sprite: red, green, blue and opacity. With an opacity of 0, its light is
// only added.
type tint struct{ r, g, b, a float32 }

func (t tint) times(k float32) tint { return tint{t.r * k, t.g * k, t.b * k, t.a * k} }

// added returns the tint with an opacity of 0.
func (t tint) added(k float32) tint { return tint{t.r * k, t.g * k, t.b * k, 0} }

// toward returns a mix of the tint and another one.
func (t tint) toward(o tint, k float32) tint {
	return tint{t.r + (o.r-t.r)*k, t.g + (o.g-t.g)*k, t.b + (o.b-t.b)*k, t.a + (o.a-t.a)*k}
}

// batch has the sprites of a picture. Its memory is reused for the next picture.
type batch struct {
	atlas    *ebiten.Image
	vertices []ebiten.Vertex
	indices  []uint32 // the same six for each four vertices
	options  ebiten.DrawTrianglesOptions
}

func newBatch(atlas *ebiten.Image) *batch {
	b := &batch{atlas: atlas}
	b.options.ColorScaleMode = ebiten.ColorScaleModePremultipliedAlpha
	b.options.Filter = ebiten.FilterLinear
	b.options.DisableMipmaps = true
	return b
}

func (b *batch) begin() { b.vertices = b.vertices[:0] }

// flush draws the sprites in the order in which they were added.
func (b *batch) flush(to *ebiten.Image) {
	n := len(b.vertices) / 4
	for i := uint32(len(b.indices) / 6 * 4); int(i) < 4*n; i += 4 {
		b.indices = append(b.indices, i, i+1, i+2, i+1, i+3, i+2)
	}
	to.DrawTriangles32(b.vertices, b.indices[:6*n], b.atlas, &b.options)
}

// put adds a sprite with its center at x, y. The x axis of the atlas becomes the direction ax, ay,
// whose length is half that of the sprite. across is the ratio of the height to the length.
func (b *batch) put(s sprite, x, y, ax, ay, across float32, t tint) {
	const side = cell - 2*inset
	sx, sy := float32(int(s)%columns*cell)+cell/2, float32(int(s)/columns*cell)+cell/2
	bx, by := -ay*across, ax*across
	v := ebiten.Vertex{ColorR: t.r, ColorG: t.g, ColorB: t.b, ColorA: t.a}
	for _, c := range [4][2]float32{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}} { // the corners
		v.DstX, v.DstY = x+c[0]*ax+c[1]*bx, y+c[0]*ay+c[1]*by
		v.SrcX, v.SrcY = sx+c[0]*side/2, sy+c[1]*side/2
		b.vertices = append(b.vertices, v)
	}
}

// square adds a sprite that is not rotated; half is half its side.
func (b *batch) square(s sprite, x, y, half float32, t tint) { b.put(s, x, y, half, 0, 1, t) }

// box fills a rectangle.
func (b *batch) box(x, y, w, h float32, t tint) {
	if w > 0 {
		b.put(solid, x+w/2, y+h/2, w/2, 0, h/w, t)
	}
}

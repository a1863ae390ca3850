package observe

import (
	"image"
	"image/color"
	"math/bits"
	"strconv"

	"github.com/seed505807e1/berth"
)

// The colours of a picture, by index.
const (
	noMemory = 0 // transparent
	shades   = 16
	vacant   = 1 // and up to vacant+shades, with the share of live slots
	retired  = vacant + shades + 1
)

var palette = func() color.Palette {
	p := make(color.Palette, retired+1)
	p[noMemory] = color.RGBA{}
	mix := func(a, b, i int) uint8 { return uint8(a + (b-a)*i/shades) }
	for i := range shades + 1 {
		p[vacant+i] = color.RGBA{mix(176, 30, i), mix(190, 96, i), mix(206, 214, i), 255}
	}
	p[retired] = color.RGBA{214, 58, 42, 255}
	return p
}()

// Picture draws the slots of a container, row by row from the top left: live slots in blue, vacant
// ones in grey, retired ones in red. Slots without memory are transparent. If there are more than
// maxPixels slots, a pixel stands for several: it is bluer the more of them are live, and red if
// one is retired. It panics if width or maxPixels is less than 1.
//
// Cost: O(len(slots) + maxPixels); allocates the image.
func Picture(slots []berth.Slots, width, maxPixels int) image.Image {
	if width < 1 || maxPixels < 1 {
		panic("observe: Picture: width and maxPixels must be positive (got " +
			strconv.Itoa(width) + " and " + strconv.Itoa(maxPixels) + ")")
	}
	width = min(width, maxPixels)
	most := maxPixels / width * width // in whole rows
	per := max(1, (len(slots)*64+most-1)/most)
	n := (len(slots)*64 + per - 1) / per
	img := image.NewPaletted(image.Rect(0, 0, width, max(1, (n+width-1)/width)), palette)
	for i := range n {
		img.Pix[i] = shade(slots, i*per, min((i+1)*per, len(slots)*64))
	}
	return img
}

// shade returns the colour of the slots from first to before end.
func shade(slots []berth.Slots, first, end int) uint8 {
	live, memory := 0, 0
	for s := first; s < end; {
		w, bit := slots[s>>6], s&63
		n := min(64-bit, end-s)
		mask := ^uint64(0) >> (64 - n) << bit
		if w.Retired&mask != 0 {
			return retired
		}
		live += bits.OnesCount64(w.Live & mask)
		memory += bits.OnesCount64((w.Live | w.Vacant) & mask)
		s += n
	}
	switch {
	case memory == 0:
		return noMemory
	case live == 0:
		return vacant
	}
	return uint8(vacant + max(1, live*shades/memory)) // one live slot is seen
}

// pictureWidth returns a width for a picture of n slots that makes it about as high as wide.
func pictureWidth(n int) int {
	w := 8
	for w < 512 && w*w < n {
		w *= 2
	}
	return w
}

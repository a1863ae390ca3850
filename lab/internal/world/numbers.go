package world

import "math"

// The functions here give the same bits on every machine. A product in a sum is rounded by a
// conversion first, since the compiler may otherwise fuse both into one instruction that rounds
// once, on machines that have it. (GOARCH=arm64 go build -gcflags=-S must show no FMADD or the
// like, even where the product is exact.) Square roots and quotients are rounded correctly
// everywhere. Sines are not, so directions come from a table made with square roots.

// mix spreads the bits of x over all 64, one to one.
//
// Source: Stafford's Mix13, the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// dice is a stream of random numbers determined by its origin.
type dice uint64

// The purposes of dice. Streams with different salts are independent.
const (
	saltThing uint64 = iota // a thing in a step
	saltLeg                 // a thing on a leg of its way
	saltWorld               // the world in a step
	saltEvent               // an event
	saltWind                // the wind
)

// newDice returns the stream of a seed for the nth item of a purpose.
func newDice(seed uint32, salt, n uint64) dice { return dice(mix(mix(uint64(seed)<<8|salt) + n)) }

// of returns the stream of a thing. Its first number differs for any two things.
func (d dice) of(id uint64) dice { return dice(mix(uint64(d) + id*golden)) }

func (d *dice) next() uint64 {
	*d += golden
	return mix(uint64(*d))
}

// below returns a random number less than n, which must be far below 2^32.
func (d *dice) below(n int) int { return int(d.next() >> 32 * uint64(n) >> 32) }

// unit returns a random number in [0, 1).
func (d *dice) unit() float32 { return float32(float32(d.next()>>40) / (1 << 24)) }

const turn = 256 // directions in a turn

// directions are unit vectors, starting with that of x.
var directions = newDirections()

// way returns a random direction. Between two entries of the table it interpolates linearly.
func (d *dice) way() [2]float32 {
	i, u := d.below(turn), d.unit()
	a, b := directions[i], directions[(i+1)%turn]
	return [2]float32{a[0] + float32((b[0]-a[0])*u), a[1] + float32((b[1]-a[1])*u)}
}

// newDirections bisects right angles until there are enough directions.
func newDirections() (table [turn][2]float32) {
	var d [turn + 1][2]float64
	for i, corner := range [5][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}} {
		d[i*turn/4] = corner
	}
	for gap := turn / 4; gap > 1; gap /= 2 {
		for i := 0; i < turn; i += gap {
			x, y := d[i][0]+d[i+gap][0], d[i][1]+d[i+gap][1]
			length := math.Sqrt(float64(x*x) + float64(y*y))
			d[i+gap/2] = [2]float64{x / length, y / length}
		}
	}
	for i := range table {
		table[i] = [2]float32{float32(d[i][0]), float32(d[i][1])}
	}
	return table
}

// heading returns the direction of a vector in 32nds of a turn.
func heading(x, y float32) byte {
	best, at := float32(math.Inf(-1)), 0
	for i := 0; i < turn; i += turn / 32 {
		if d := directions[i]; float32(x*d[0])+float32(y*d[1]) > best {
			best, at = float32(x*d[0])+float32(y*d[1]), i
		}
	}
	return byte(at / (turn / 32))
}

func length(x, y float32) float32 {
	return float32(math.Sqrt(float64(float32(x*x) + float32(y*y))))
}

// The width of the field is aspect heights.
const (
	aspect  = 16.0 / 9
	perWide = 9.0 / 16 // heights in X
)

// between returns the vector from one point of the field to another, in heights.
func between(x0, y0, x1, y1 float32) (dx, dy float32) {
	return float32((x1 - x0) * aspect), y1 - y0
}

const flowCols, flowRows = 32, 16 // powers of two, so that the cell of a position is exact

// flow is a calm wind, which adds to the speed of the particles in each cell of the field.
type flow [flowRows][flowCols]gust

// gust is the wind in a cell: at its left and upper side, and the differences at the other sides.
type gust struct{ x, dx, y, dy float32 }

// newFlow makes the wind of a world. It blows along the contour lines of hills, one of which is the
// border of the field. It is free of divergence, so particles gather nowhere.
func newFlow(seed uint32) *flow {
	const high, wide = 1.0 / flowRows, aspect / flowCols // of a cell, in heights of the field
	h := newHills(seed)
	f := new(flow)
	for y := range f {
		for x := range f[y] {
			left, right := slope(h[y][x], h[y+1][x], high), slope(h[y][x+1], h[y+1][x+1], high)
			up, down := slope(h[y][x+1], h[y][x], wide), slope(h[y+1][x+1], h[y+1][x], wide)
			f[y][x] = gust{left, right - left, up, down - up}
		}
	}
	return f
}

func slope(from, to, far float32) float32 { return float32((to - from) / far) }

// hills are heights at the corners of the cells.
type hills [flowRows + 1][flowCols + 1]float32

// newHills returns random smooth hills. Their border is 0.
func newHills(seed uint32) (h hills) {
	const windForce = 0.00004
	d := newDice(seed, saltWind, 0)
	for y := 1; y < flowRows; y++ {
		for x := 1; x < flowCols; x++ {
			h[y][x] = float32((d.unit() - 0.5) * windForce)
		}
	}
	for range 5 {
		was := h
		for y := 1; y < flowRows; y++ {
			for x := 1; x < flowCols; x++ {
				beside := was[y-1][x] + was[y+1][x] + was[y][x-1] + was[y][x+1]
				h[y][x] = (was[y][x] + beside) / 5
			}
		}
	}
	return h
}

package main

// The letters are strokes on a grid of 5 by 7 points, like those of old vector screens. Two digits
// are the x and y of a point, a blank draws a line to the next point, and a bar lifts the pen.
var letters = map[rune]string{
	'A': "06 02 20 42 46|04 44",
	'B': "00 06 36 45 44 33 03|33 42 41 30 00",
	'C': "41 30 10 01 05 16 36 45",
	'D': "00 06 26 44 42 20 00",
	'E': "40 00 06 46|03 33",
	'F': "40 00 06|03 33",
	'G': "41 30 10 01 05 16 36 45 43 23",
	'H': "00 06|40 46|03 43",
	'I': "10 30|20 26|16 36",
	'J': "40 45 36 16 05",
	'K': "00 06|40 03 46",
	'L': "00 06 46",
	'M': "06 00 23 40 46",
	'N': "06 00 46 40",
	'O': "10 30 41 45 36 16 05 01 10",
	'P': "06 00 30 41 42 33 03",
	'Q': "10 30 41 45 36 16 05 01 10|24 46",
	'R': "06 00 30 41 42 33 03|23 46",
	'S': "41 30 10 01 02 13 33 44 45 36 16 05",
	'T': "00 40|20 26",
	'U': "00 05 16 36 45 40",
	'V': "00 26 40",
	'W': "00 16 23 36 40",
	'X': "00 46|40 06",
	'Y': "00 23 40|23 26",
	'Z': "00 40 06 46",
	'0': "10 30 41 45 36 16 05 01 10|14 32",
	'1': "11 20 26|16 36",
	'2': "01 10 30 41 42 06 46",
	'3': "00 40 22 33 44 45 36 16 05",
	'4': "36 30 04 44",
	'5': "40 00 03 33 44 45 36 16 05",
	'6': "30 10 01 05 16 36 45 44 33 03",
	'7': "00 40 16",
	'8': "10 30 41 42 33 13 04 05 16 36 45 44 33|13 02 01 10",
	'9': "43 13 02 01 10 30 41 45 36 16",
	'.': "25 26",
	',': "25 16",
	':': "21 22|25 26",
	'!': "20 24|26 26",
	'?': "01 10 30 41 42 23 24|26 26",
	'/': "40 06",
	'-': "13 33",
	'+': "13 33|22 24",
	'%': "40 06|01 01|45 45",
}

// pen returns the strokes of a letter, in points of the grid.
func pen(points string) (list []stroke) {
	var last point
	down := false
	for i := 0; i+1 < len(points); i += 3 {
		p := point{float64(points[i] - '0'), float64(points[i+1] - '0')}
		if down {
			list = append(list, stroke{last, p})
		}
		last = p
		down = i+2 < len(points) && points[i+2] == ' '
	}
	return list
}

// write draws text with its upper left corner at x, y. It draws capitals only, size pixels high.
func (b *batch) write(text []byte, x, y, size float32, ink tint) {
	half := size * cell / 2 / (6 * letterScale)
	x += advance(size) * 0.4
	y += size / 2
	for _, c := range text {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c > ' ' && c < firstLetter+letterCount {
			b.square(letter(c), x, y, half, ink)
		}
		x += advance(size)
	}
}

// advance returns the distance between letters of a size.
func advance(size float32) float32 { return size * 0.88 }

// Arcade is a machine with a fixed number of everything: hardware sprites, particles, tiles of a
// texture page and places at a table. The program owns the arrays. Free lists hold their unused
// entries:
//
//   - places are numbers from a freelist.Lowest, which keeps the table short
//   - sprites are indices of one byte, as in the hardware
//   - sparks are pointers into one array, and the list checks each pointer that is put back
//   - tiles are plain values, their coordinates
//
// Run it with
//
//	go run ./examples/arcade
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/seed505807e1/berth/freelist"
)

type sprite struct {
	shown bool
	x, y  int
}

type spark struct {
	height, speed int
}

// tile is the position of a letter in the texture pages. The free list holds the tiles themselves.
type tile struct {
	x, y uint8
	page uint16
}

type player struct {
	name   string
	sprite uint8
	drawn  bool // has a sprite
}

type machine struct {
	out io.Writer

	players []player // by place
	places  freelist.Lowest

	sprites     [4]sprite
	freeSprites *freelist.Stack[uint8]

	flying     []*spark
	freeSparks *freelist.CheckedPointers[spark]

	glyphs    map[rune]tile
	drawnLast []rune // letters in the order in which they were last drawn
	freeTiles *freelist.Stack[tile]
	evicted   int
}

func newMachine(out io.Writer) *machine {
	m := &machine{out: out, glyphs: map[rune]tile{}}
	m.freeSprites = freelist.NewIndices[uint8](len(m.sprites))
	m.freeSparks = freelist.NewCheckedPointers(make([]spark, 6))
	var tiles []tile
	for i := range 2 * 2 * 2 { // two pages of 2 by 2 letters
		tiles = append(tiles, tile{uint8(i % 2), uint8(i / 2 % 2), uint16(i / 4)})
	}
	m.freeTiles = freelist.NewValues(tiles)
	return m
}

func (m *machine) say(format string, args ...any) { fmt.Fprintf(m.out, format+"\n", args...) }

// join gives a player the lowest free place, and a sprite if one is left.
func (m *machine) join(name string) int {
	place, ok := m.places.Take()
	if !ok {
		m.places.Grow(max(2, m.places.Cap())) // twice as many
		place, _ = m.places.Take()
	}
	for place >= len(m.players) {
		m.players = append(m.players, player{})
	}
	p := player{name: name}
	p.sprite, p.drawn = m.freeSprites.Pop()
	if p.drawn {
		m.sprites[p.sprite] = sprite{shown: true, x: 10 * place, y: 40}
		m.say("%s sits down at place %d, drawn by sprite %d", name, place, p.sprite)
	} else {
		m.say("%s sits down at place %d, without a sprite: none is left", name, place)
	}
	m.players[place] = p
	for _, letter := range name {
		m.draw(letter)
	}
	return place
}

// leave frees a place and its sprite. If the place is already free, it does nothing.
func (m *machine) leave(place int) {
	if !m.places.Free(place) {
		m.say("place %d is already free", place)
		return
	}
	p := &m.players[place]
	if p.drawn {
		m.sprites[p.sprite] = sprite{}
		m.freeSprites.Push(p.sprite)
	}
	m.say("%s leaves place %d, in sparks", p.name, place)
	*p = player{}
	for i := range 4 {
		s, ok := m.freeSparks.Pop()
		if !ok {
			m.say("  only %d sparks: %d others are still flying", i, len(m.flying)-i)
			break
		}
		*s = spark{height: 1, speed: i}
		m.flying = append(m.flying, s)
	}
	if last, ok := m.places.Last(); ok {
		m.players = m.players[:last+1] // the table ends after the last player
	} else {
		m.players = m.players[:0]
	}
}

// fall moves the sparks one step and frees those that reach the ground.
func (m *machine) fall() {
	still := m.flying[:0]
	for _, s := range m.flying {
		s.height += s.speed
		s.speed--
		if s.height > 0 {
			still = append(still, s)
			continue
		}
		if !m.freeSparks.Push(s) {
			panic("a spark was freed twice")
		}
	}
	clear(m.flying[len(still):])
	m.flying = still
}

// draw puts a letter into a texture page if it is in none. If the pages are full, it evicts the
// letter that was drawn the longest time ago.
func (m *machine) draw(letter rune) {
	if _, ok := m.glyphs[letter]; !ok {
		t, ok := m.freeTiles.Pop()
		if !ok {
			oldest := m.drawnLast[0]
			m.freeTiles.Push(m.glyphs[oldest])
			delete(m.glyphs, oldest)
			m.drawnLast = m.drawnLast[1:]
			m.evicted++
			t, _ = m.freeTiles.Pop()
		}
		m.glyphs[letter] = t
	}
	for i, l := range m.drawnLast {
		if l == letter {
			m.drawnLast = append(m.drawnLast[:i:i], m.drawnLast[i+1:]...)
			break
		}
	}
	m.drawnLast = append(m.drawnLast, letter)
}

func run(out io.Writer) {
	m := newMachine(out)
	for _, name := range []string{"ann", "bob", "cyd", "dan", "eve"} {
		m.join(name)
	}
	m.leave(1)
	m.leave(1)
	m.fall()
	m.leave(4)
	m.join("fay")
	for len(m.flying) > 0 {
		m.fall()
	}
	m.say("%d places, %d of them taken; the table has %d rows",
		m.places.Cap(), m.places.Cap()-m.places.Len(), len(m.players))
	m.say("%d of %d sprites, %d of %d sparks and %d of %d tiles are free",
		m.freeSprites.Len(), m.freeSprites.Cap(), m.freeSparks.Len(), m.freeSparks.Cap(),
		m.freeTiles.Len(), m.freeTiles.Cap())
	m.say("%d letters were evicted; y is at %+v", m.evicted, m.glyphs['y'])
	for place := range m.places.Taken() {
		m.say("  place %d: %s", place, m.players[place].name)
	}
}

func main() { run(os.Stdout) }

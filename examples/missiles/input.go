package main

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// controls reads keyboard, mouse and fingers.
type controls struct {
	touches      []ebiten.TouchID
	mouseX       int
	mouseY       int
	mouse, touch bool // what whoever plays has used
	phone        bool // there is hardly a keyboard
}

func pressed(keys ...ebiten.Key) bool {
	for _, k := range keys {
		if ebiten.IsKeyPressed(k) {
			return true
		}
	}
	return false
}

// axis is -1, 0 or 1.
func axis(less, more bool) (v float32) {
	if less {
		v--
	}
	if more {
		v++
	}
	return v
}

// read returns what the player wants. Where the ship is on the screen decides where the mouse and
// fingers point to; help is where to aim if neither does.
func (c *controls) read(shipX, shipY, unit float32, help sim.Vec) sim.Input {
	up, down := pressed(ebiten.KeyW, ebiten.KeyArrowUp), pressed(ebiten.KeyS, ebiten.KeyArrowDown)
	left := pressed(ebiten.KeyA, ebiten.KeyArrowLeft)
	right := pressed(ebiten.KeyD, ebiten.KeyArrowRight)
	click := ebiten.IsMouseButtonPressed
	in := sim.Input{
		Move:  sim.Vec{X: axis(left, right), Y: axis(up, down)},
		Aim:   help,
		Fire:  pressed(ebiten.KeySpace) || click(ebiten.MouseButtonLeft),
		Salvo: pressed(ebiten.KeyE, ebiten.KeyShift) || click(ebiten.MouseButtonRight),
	}
	x, y := ebiten.CursorPosition()
	moved := (x != c.mouseX || y != c.mouseY) && c.mouseX|c.mouseY != 0
	c.mouseX, c.mouseY = x, y
	c.touches = ebiten.AppendTouchIDs(c.touches[:0])
	if moved && len(c.touches) == 0 {
		c.mouse, c.touch = true, false // a screen can have both: what was used last counts
	}
	if c.mouse && !c.touch {
		in.Aim = sim.Vec{X: float32(x) - shipX, Y: float32(y) - shipY}
	}
	if len(c.touches) > 0 {
		c.touch = true
		tx, ty := ebiten.TouchPosition(c.touches[0])
		reach := 60 * unit // as far from the ship, and it flies at full speed
		in.Move = sim.Vec{X: (float32(tx) - shipX) / reach, Y: (float32(ty) - shipY) / reach}
		in.Salvo = in.Salvo || len(c.touches) > 1
	}
	in.Fire = in.Fire || c.touch // with no button to press, the gun never rests
	return in
}

// again reports whether the player wants another game after the end of this one. While the ship
// lives, R must be pressed in a pause: it lies beside the key of the salvo.
func (c *controls) again(dead int32) bool {
	return dead > 0 && inpututil.IsKeyJustPressed(ebiten.KeyR) || dead > 90 && c.tapped()
}

// tapped reports whether a finger or the space bar has just come down.
func (c *controls) tapped() bool {
	return inpututil.IsKeyJustPressed(ebiten.KeySpace) ||
		len(inpututil.AppendJustPressedTouchIDs(c.touches[:0])) > 0
}

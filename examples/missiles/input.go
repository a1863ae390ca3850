package main

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// controls reads the keyboard, the mouse and fingers.
type controls struct {
	touches      []ebiten.TouchID
	mouseX       int
	mouseY       int
	mouse, touch bool // used last by the player
	phone        bool // probably without a keyboard
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

// read returns the player's input. The mouse and fingers point relative to the position of the ship
// on the screen. If neither is used, the aim is help.
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
		c.mouse, c.touch = true, false // a screen can have both; the last one counts
	}
	if c.mouse && !c.touch {
		in.Aim = sim.Vec{X: float32(x) - shipX, Y: float32(y) - shipY}
	}
	if len(c.touches) > 0 {
		c.touch = true
		tx, ty := ebiten.TouchPosition(c.touches[0])
		reach := 60 * unit // distance from the ship for full speed
		in.Move = sim.Vec{X: (float32(tx) - shipX) / reach, Y: (float32(ty) - shipY) / reach}
		in.Salvo = in.Salvo || len(c.touches) > 1
	}
	in.Fire = in.Fire || c.touch // without a button, the gun always fires
	return in
}

// again reports whether the player wants a new game. While the ship lives, R counts only in a
// pause, because it is beside the key of the salvo.
func (c *controls) again(dead int32) bool {
	return dead > 0 && inpututil.IsKeyJustPressed(ebiten.KeyR) || dead > 90 && c.tapped()
}

// tapped reports whether a finger or the space bar was just pressed.
func (c *controls) tapped() bool {
	return inpututil.IsKeyJustPressed(ebiten.KeySpace) ||
		len(inpututil.AppendJustPressedTouchIDs(c.touches[:0])) > 0
}

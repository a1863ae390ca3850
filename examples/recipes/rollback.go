package recipes

import "github.com/seed505807e1/berth"

// step moves the bodies of a world with a history by one frame, and returns the next frame.
func step(history *berth.History[Body]) berth.Frame {
	for _, b := range history.EditAll() { // or Edit(h), EditSpans()
		b.X += b.DX
	}
	return history.Mark() // begins the next frame
}

// back takes the world back by up to 8 frames.
func back(history *berth.History[Body], frame berth.Frame) error {
	return history.Rewind(max(frame-8, history.Oldest())) // or berth.ErrForgotten
}

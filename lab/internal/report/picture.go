package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/draw"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The picture's size, all included.
const (
	pictureWidth  = 760
	pictureHeight = 380
)

// errNoSteps says that a run has nothing to make the picture of.
var errNoSteps = errors.New("no steps: nothing to draw")

// Picture draws the time of each step through a burst, for those who see the project for the first
// time: an SVG file that can be read on a light and on a dark page. Only rows of this library have
// colours.
func (r *Report) Picture() ([]byte, error) {
	k := slices.IndexFunc(r.Jobs, func(j measure.Job) bool { return j.Workload.Steps != nil })
	if k < 0 {
		return nil, errNoSteps
	}
	j := r.Jobs[k]
	lines := r.stepLines(j, r.shown(j))
	if len(lines) == 0 {
		return nil, errNoSteps
	}
	for i := range lines {
		lines[i].Plain = lines[i].Tone == draw.Other
	}
	f := draw.Frame{
		ID: "picture",
		Title: fmt.Sprintf("Time of a step: one value comes at each, at step %d come %s",
			j.Workload.Steps.Event, measure.Grouped(j.N)),
		Unit: "ns, log axis", Log: true, Number: Number,
		Width:  pictureWidth - 2*draw.FileMargin,
		Height: pictureHeight - 2*draw.FileMargin - draw.HeadLine - 6,
	}
	return draw.Lines(f, stepAxis(j.Workload.Steps), lines).File(), nil
}

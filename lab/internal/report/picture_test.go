package report

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

func TestPictureOfSteps(t *testing.T) {
	r := fixedReport(false)
	r.Impls = slices.DeleteFunc(r.Impls, func(im measure.Impl) bool {
		return !slices.Contains(strings.Split(catalogue.Pictured.Impls, ","), im.Name)
	})
	got, err := r.Picture()
	must(t, err)
	for _, want := range []string{`width="760" height="380"`, ">berth.Pool</text>", ">berth.Dense</text>", ">genpool</text>", "prefers-color-scheme"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	for name, r := range map[string]*Report{
		"no jobs":  {Recorder: measure.NewRecorder()},
		"no steps": {Recorder: measure.NewRecorder(), Jobs: []measure.Job{job("ephemeral", 1, 4)}, Impls: catalogue.All.Impls()},
	} {
		if _, err := r.Picture(); !errors.Is(err, errNoSteps) {
			t.Errorf("%s: %v, want %v", name, err, errNoSteps)
		}
	}
}

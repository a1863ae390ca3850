package measure

import (
	"fmt"
	"strings"
	"testing"
)

func TestNoise(t *testing.T) {
	j := toyJob()
	for _, tc := range []struct {
		noise []float64
		wide  int // of ten figures
		want  string
	}{
		{[]float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 900}, 1, ""},
		{[]float64{100, 101, 102, 103, 104, 105, 106, 107, 200, 210, 220}, 0, "took at least 2.1 times its best time"},
		{[]float64{100, 100}, 2, ""}, // a fifth, but two are too few
		{[]float64{100, 100}, 3, "3 of 10 figures have widely spread repetitions"},
		{nil, 0, ""},
	} {
		rec := NewRecorder()
		rec.noise = tc.noise
		for i := range 10 {
			values := []float64{10, 10, 10}
			if i < tc.wide {
				values = []float64{10, 20, 40}
			}
			record(rec, "x", j, fmt.Sprint("m", i), values...)
		}
		if got := rec.Noisy(); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("noise %v, %d wide: %q, want %q in it", tc.noise, tc.wide, got, tc.want)
		}
	}
	if a, b := spin(1000), spin(1000); a != b || a == spin(999) {
		t.Errorf("spin: %d and %d, want the same, and another one for fewer steps", a, b)
	}
}

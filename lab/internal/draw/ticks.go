package draw

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// least replaces smaller values on a log axis.
const least = 1e-3

// logTicks returns at most most ticks from lo to hi for a log axis: powers of ten, with twice and
// five times each if there is room, or only every second or third power and so on. If there are
// fewer than two, it returns those of a linear axis.
func logTicks(lo, hi float64, most int) plot.ConstantTicks {
	var values []float64
	try := func(every float64, heads ...float64) bool {
		values = values[:0]
		for d := math.Floor(math.Log10(lo)); d <= math.Log10(hi); d++ {
			if math.Mod(d, every) != 0 {
				continue
			}
			for _, head := range heads {
				if v := head * math.Pow(10, d); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
					values = append(values, v)
				}
			}
		}
		return len(values) <= most
	}
	fits := try(1, 1, 2, 5) || try(1, 1, 3) || try(1, 1)
	for every := 2.0; !fits; every++ {
		fits = try(every, 1)
	}
	if len(values) < 2 {
		return linearTicks(lo, hi, most)
	}
	return ticksOf(values)
}

// linearTicks returns at most most round numbers from lo to hi.
func linearTicks(lo, hi float64, most int) plot.ConstantTicks {
	step := math.Pow(10, math.Floor(math.Log10(hi-lo))-1)
	for _, factor := range []float64{1, 2, 5, 10, 20, 50, 100} {
		first := math.Ceil(lo/(step*factor) - 1e-9)
		last := math.Floor(hi/(step*factor) + 1e-9)
		if int(last-first)+1 > most {
			continue
		}
		var values []float64
		for k := first + 0; k <= last; k++ { // + 0 turns -0 into 0
			values = append(values, k*step*factor)
		}
		return ticksOf(values)
	}
	return nil
}

func ticksOf(values []float64) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		ticks[i] = plot.Tick{Value: v, Label: tickText(v)}
	}
	return ticks
}

// tickText formats a number of an axis with k, M, G and T for thousands and so on.
func tickText(v float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G", "T"} {
		if math.Abs(v) < 999.5 {
			break
		}
		v /= 1000
		unit = u
	}
	return fmt.Sprintf("%.4g%s", v, unit)
}

// decadeBelow returns the power of ten below v.
func decadeBelow(v float64) float64 {
	return math.Pow(10, math.Floor(math.Log10(max(v, least))-0.01))
}

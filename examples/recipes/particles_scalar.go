//go:build !goexperiment.simd || !amd64

package recipes

// vector reports whether the loops over columns use vector instructions.
const vector = false

func move(x, y, vx, vy []float32, dt float32) { moveScalar(x, y, vx, vy, dt) }
func increment(a []uint32)                    { incrementScalar(a) }

func countNear(xs, ys []float32, x, y, r2 float32) int { return countNearScalar(xs, ys, x, y, r2) }

//go:build goexperiment.simd && amd64

package recipes

import (
	"math/bits"
	"simd/archsimd"
)

// Package archsimd of Go 1.26 exists behind GOEXPERIMENT=simd, without a promise of compatibility.
// Eight elements are computed at once, and the rest one by one. Multiply and add are two
// operations, as in the scalar loops, so the results are the same to the bit.

const lanes = 8

// vector reports whether the loops over columns use vector instructions.
var vector = archsimd.X86.AVX2()

func move(x, y, vx, vy []float32, dt float32) {
	n := 0
	if vector {
		n = addScaled(x, vx, dt)
		addScaled(y[:len(x)], vy, dt)
	}
	moveScalar(x[n:], y[n:], vx[n:], vy[n:], dt)
}

// addScaled adds v times dt to x, and returns how many elements it has done.
func addScaled(x, v []float32, dt float32) int {
	v = v[:len(x)]
	d, i := archsimd.BroadcastFloat32x8(dt), 0
	for ; i+lanes <= len(x); i += lanes {
		a := archsimd.LoadFloat32x8Slice(x[i : i+lanes])
		b := archsimd.LoadFloat32x8Slice(v[i : i+lanes])
		a.Add(b.Mul(d)).StoreSlice(x[i : i+lanes])
	}
	return i
}

func increment(a []uint32) {
	i := 0
	if vector {
		one := archsimd.BroadcastUint32x8(1)
		for ; i+lanes <= len(a); i += lanes {
			archsimd.LoadUint32x8Slice(a[i : i+lanes]).Add(one).StoreSlice(a[i : i+lanes])
		}
	}
	incrementScalar(a[i:])
}

func countNear(xs, ys []float32, x, y, r2 float32) (n int) {
	i := 0
	if ys = ys[:len(xs)]; vector {
		cx, cy := archsimd.BroadcastFloat32x8(x), archsimd.BroadcastFloat32x8(y)
		limit := archsimd.BroadcastFloat32x8(r2)
		for ; i+lanes <= len(xs); i += lanes {
			dx := archsimd.LoadFloat32x8Slice(xs[i : i+lanes]).Sub(cx)
			dy := archsimd.LoadFloat32x8Slice(ys[i : i+lanes]).Sub(cy)
			near := dx.Mul(dx).Add(dy.Mul(dy)).Less(limit)
			n += bits.OnesCount8(near.ToBits())
		}
	}
	return n + countNearScalar(xs[i:], ys[i:], x, y, r2)
}

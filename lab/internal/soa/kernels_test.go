package soa

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
)

// odd values of float32, among them those that a fused or reordered sum shows.
var extremes = []float32{
	0, float32(math.Copysign(0, -1)), 1e-45, -1e-40, 1, 0.1, 1.0000001, 1e30, math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// floats returns n floats, half of them odd.
func floats(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		if s[i] = r.Float32() - 0.5; r.IntN(2) == 0 {
			s[i] = extremes[r.IntN(len(extremes))]
		}
	}
	return s
}

// same reports whether a and b have the same bits. All NaNs are the same.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// The loops over columns compute what the scalar ones do, to the bit, with vector instructions or
// without.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		for range 20 {
			x, y, v := floats(r, n), floats(r, n), floats(r, n+3)
			dt := floats(r, 1)[0]
			gx, gy, wx, wy := slices.Clone(x), slices.Clone(y), slices.Clone(x), slices.Clone(y)
			move(gx, gy, v, v[3:], dt)
			moveScalar(wx, wy, v, v[3:], dt)
			for i := range x {
				if !same(gx[i], wx[i]) || !same(gy[i], wy[i]) {
					t.Fatalf("%v + %v*%v = %v, want %v", x[i], v[i], dt, gx[i], wx[i])
				}
				if want := x[i] + float32(v[i]*dt); !same(wx[i], want) {
					t.Fatalf("%v + %v*%v = %v, want %v", x[i], v[i], dt, wx[i], want)
				}
			}
			a := make([]uint32, n)
			for i := range a {
				a[i] = ^uint32(0) - uint32(i%3)
			}
			b := slices.Clone(a)
			increment(a)
			incrementScalar(b)
			if !slices.Equal(a, b) {
				t.Fatalf("increment makes %v, want %v", a, b)
			}
			r2 := r.Float32() / 4
			if g, w := countNear(x, y, v[0], dt, r2), countNearScalar(x, y, v[0], dt, r2); g != w {
				t.Fatalf("%d of %d points are near, want %d", g, n, w)
			}
		}
	}
}

// world is the same particles three times: as structs, in a Dense, and as columns.
type world struct {
	structs []Particle
	dense   *berth.Dense[Particle]
	columns *Particles
}

func newWorld(n int) *world {
	w := &world{
		dense:   berth.NewDense(berth.DenseConfig[Particle]{Seed: 1}),
		columns: NewParticles(ParticlesConfig{Seed: 1}),
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		p := Particle{
			X: r.Float32() * 100, Y: r.Float32() * 100, VX: r.Float32() - .5, VY: r.Float32() - .5,
			Age: uint32(i) % lifetime, Kind: uint32(i),
		}
		w.structs = append(w.structs, p)
		w.dense.Insert(p)
		w.columns.Insert(p)
	}
	return w
}

// sum is a checksum of what the loops change.
func sum(ps []Particle) (h uint64) {
	for i := range ps {
		for _, v := range []uint32{math.Float32bits(ps[i].X), math.Float32bits(ps[i].Y), ps[i].Age} {
			h = (h ^ uint64(v)) * 1099511628211
		}
	}
	return h
}

// rows returns the values of the columns.
func rows(s *Particles) []Particle {
	ps, _ := particles.columns(s)
	return ps
}

// A hundred steps give the same over structs and columns, on every machine and in every build.
func TestChecksum(t *testing.T) {
	const wantSum, wantNear = 0xd4603aa21ea52f3f, 122899
	w := newWorld(10_000)
	near := 0
	for range 100 {
		MoveStructs(w.structs, .1)
		AgeStructs(w.structs)
		c := w.columns.Cols()
		Move(&c, .1)
		Age(&c)
		n := Near(&c, 50, 50, 400)
		if near += n; n != NearStructs(w.structs, 50, 50, 400) {
			t.Fatalf("%d columns are near, and of structs %d", n, NearStructs(w.structs, 50, 50, 400))
		}
	}
	if a, b := sum(w.structs), sum(rows(w.columns)); a != b || a != wantSum || near != wantNear {
		t.Errorf("checksums %#x and %#x, near %d, want %#x and %d", a, b, near, uint64(wantSum), wantNear)
	}
}

// lifetime is the number of frames that a particle of the frames below lives.
const lifetime = 100

// frameDense plays a frame in which a hundredth of the particles die and as many are born.
func frameDense(d *berth.Dense[Particle]) {
	MoveStructs(d.Slice(), .1)
	AgeStructs(d.Slice())
	dead := d.RemoveFunc(func(_ berth.Handle[Particle], p *Particle) bool { return p.Age >= lifetime })
	for i := range dead {
		d.Insert(Particle{X: float32(i), Y: 50, VX: 1, VY: -1})
	}
}

// frameColumns is frameDense for columns.
func frameColumns(s *Particles) {
	c := s.Cols()
	Move(&c, .1)
	Age(&c)
	dead := s.RemoveFunc(func(i int) bool { return c.Age[i] >= lifetime })
	for i := range dead {
		s.Insert(Particle{X: float32(i), Y: 50, VX: 1, VY: -1})
	}
}

// The frames of a Dense and those of columns are the same, in the handles and in their order.
func TestFrames(t *testing.T) {
	w := newWorld(5000)
	for range 150 {
		frameDense(w.dense)
		frameColumns(w.columns)
	}
	if w.dense.Len() != 5000 || !slices.Equal(w.dense.Slice(), rows(w.columns)) {
		t.Errorf("%d values in a Dense, %d in columns, or others", w.dense.Len(), w.columns.Len())
	}
	if !slices.Equal(handles(berth.Handles(w.dense)), handles(w.columns.Handles())) {
		t.Error("the handles differ")
	}
}

// handles returns handles of any type as numbers.
func handles[H interface{ Uint64() uint64 }](seq iter.Seq[H]) (hs []uint64) {
	for h := range seq {
		hs = append(hs, h.Uint64())
	}
	return hs
}

// The loops over columns check no bounds.
func TestNoBoundsChecks(t *testing.T) {
	cmd := exec.Command("go", "build", "-gcflags=-d=ssa/check_bce", ".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "particle_soa.go:") && strings.Contains(line, "Found") {
			found++
		}
		if strings.Contains(line, "kernels.go:") && strings.Contains(line, "IsInBounds") {
			t.Error(line)
		}
	}
	if found == 0 {
		t.Errorf("the compiler reports nothing, so this test shows nothing:\n%s", out)
	}
}

// BenchmarkColumns measures a loop over structs of 48 bytes and over columns, and whole frames.
func BenchmarkColumns(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		w := newWorld(n)
		c := w.columns.Cols()
		for _, op := range []struct {
			name                    string
			structs, columns, lanes func()
		}{
			{
				"move", func() { MoveStructs(w.structs, .01) },
				func() { moveScalar(c.X, c.Y, c.VX, c.VY, .01) },
				func() { Move(&c, .01) },
			},
			{
				"age", func() { AgeStructs(w.structs) },
				func() { incrementScalar(c.Age) }, func() { Age(&c) },
			},
			{
				"near", func() { near = NearStructs(w.structs, 50, 50, 100) },
				func() { near = countNearScalar(c.X, c.Y, 50, 50, 100) },
				func() { near = Near(&c, 50, 50, 100) },
			},
		} {
			bench(b, op.name, "structs", n, op.structs)
			bench(b, op.name, "columns", n, op.columns)
			if Vector() {
				bench(b, op.name, "archsimd", n, op.lanes)
			}
		}
		w = newWorld(n)
		bench(b, "frame", "structs", n, func() { frameDense(w.dense) })
		bench(b, "frame", "columns", n, func() { frameColumns(w.columns) })
	}
}

var near int // so that no compiler drops the loop

func bench(b *testing.B, op, impl string, n int, f func()) {
	b.Run(fmt.Sprintf("op=%s/impl=%s/n=%d", op, impl, n), func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
	})
}

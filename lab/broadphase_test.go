package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The colliders of broadphase are those of cross, and as close to each other where there are more.
func TestBroadphaseIsCrossAtItsSize(t *testing.T) {
	if !slices.Equal(drawColliders(1000, broadSide(1000)), drawColliders(1000, crossSide)) {
		t.Error("at 1000 the colliders are not those of cross")
	}
	if got := wantBroad(1000).marks; got != wantCross(1000) {
		t.Errorf("at 1000 the marks come to %d, in cross to %d", got, wantCross(1000))
	}
	for n, want := range map[int]int{1: 31, 1000: 1000, 2250: 1500, 10_000: 3162, 100_000: 10_000, broadphase.maxN: 31_622} {
		if got := broadSide(n); got != want || got > 1<<15 {
			t.Errorf("broadSide(%d) = %d, want %d", n, got, want)
		}
	}
}

// The sweep is held against brute force where there are many pairs.
func TestSweepIsBruteForce(t *testing.T) {
	for _, side := range []int{1, 3, 20, 300, 1000} {
		for _, n := range []int{0, 1, 2, 500} {
			a, b := drawColliders(n, side), drawColliders(n, side)
			pairs := modelMeet(a)
			if got := modelSweep(b); got != pairs || markSum(a) != markSum(b) {
				t.Errorf("%d in a square of %d: %d pairs and %d, want %d and %d", n, side, got, markSum(b), pairs, markSum(a))
			}
		}
	}
}

// The workload has few pairs. Here there are many, at each edge of a cell and of the square, and at
// the largest places.
func TestBroadphasesWhereManyAreNear(t *testing.T) {
	corners := []collider{{x: 0, y: 0}, {x: 1<<15 - 1, y: 0}, {x: 0, y: 1<<15 - 1}, {x: 1<<15 - 1, y: 1<<15 - 1}, {x: 1<<15 - 2, y: 1<<15 - 1}, {x: 31, y: 31}, {x: 32, y: 32}, {x: 33, y: 31}, {x: 1, y: 1}}
	for _, im := range broadphases.impls {
		if broadKitOf(im).Walk {
			continue
		}
		check := func(cs []collider, side int) {
			t.Helper()
			c := broadKitOf(im).New()
			c.Fill(cs, side)
			b, _ := c.(builder)
			model := slices.Clone(cs)
			pairs := int(modelMeet(model))
			for range 2 {
				c.Unmark()
				if b != nil {
					b.Build()
				}
				got := c.Pairs()
				hits, beens := c.Marks()
				if sum := uint64(hits)*100_000 + uint64(beens); got != pairs || sum != markSum(model) {
					t.Errorf("%s, %d in a square of %d: %d pairs and %d, want %d and %d", im.name, len(cs), side, got, sum, pairs, markSum(model))
				}
			}
		}
		for _, side := range []int{1, 2, 31, 32, 33, 63, 64, 65, 100} {
			for _, n := range []int{0, 1, 2, 3, 4, 300} {
				check(drawColliders(n, side), side)
			}
		}
		check(corners, 1<<15)
	}
}

func TestUnmark(t *testing.T) {
	for _, im := range broadphases.impls {
		if broadKitOf(im).Walk {
			continue
		}
		c := broadKitOf(im).New()
		c.Fill([]collider{{x: 1, hit: true}, {x: 9, been: true}}, 10)
		if hits, beens := c.Marks(); hits != 1 || beens != 1 {
			t.Errorf("%s: %d hits and %d beens, want 1 and 1", im.name, hits, beens)
		}
		c.Unmark()
		if hits, beens := c.Marks(); hits != 0 || beens != 0 {
			t.Errorf("%s: %d hits and %d beens, want none", im.name, hits, beens)
		}
	}
}

// The walk is one cycle of all.
func TestWalkGoesEverywhere(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, 10_000} {
		steps, at, seen := newWalk(n), uint64(0), map[uint64]bool{}
		for range n {
			at = steps[at].next
			seen[at] = true
		}
		if at != 0 || len(seen) != n {
			t.Errorf("n=%d: %d places, and at last %d; want all, and 0", n, len(seen), at)
		}
		if got, want := walk(steps), wantBasic(n).fresh; got != want {
			t.Errorf("n=%d: walk = %d, want %d", n, got, want)
		}
	}
}

// Each of these is wrong in its own way.
type (
	unbuiltBroad struct{ handGrid } // its index is empty
	oneWayBroad  struct{ handGrid } // marks one of two only
	twiceBroad   struct{ handGrid } // counts each pair twice
	lateBroad    struct{ handGrid } // finds nothing from the second time on
	wideBroad    struct{ handGrid } // takes what is 2 away for near
	valuesBroad  struct{ handGrid } // its other loop finds nothing
)

func (c *unbuiltBroad) Build() { c.places = c.places[:handSpare] }

func (c *oneWayBroad) Pairs() int {
	pairs := c.handGrid.Pairs()
	for v := range c.p.Values() {
		v.been = false
	}
	return pairs
}

func (c *twiceBroad) Pairs() int { return 2 * c.handGrid.Pairs() }

func (c *lateBroad) Pairs() int {
	pairs := c.handGrid.Pairs()
	c.places = c.places[:handSpare]
	return pairs
}

func (c *lateBroad) Build() {
	if len(c.places) > handSpare {
		c.handGrid.Build()
	}
}

func (c *wideBroad) Pairs() (pairs int) {
	for a, b := range c.p.Pairs() {
		if max(a.x-b.x, b.x-a.x) <= 2 && max(a.y-b.y, b.y-a.y) <= 2 {
			pairs += mark(a, b)
		}
	}
	return pairs
}

func (c *valuesBroad) PairsValues() int { return 0 }

func TestWrongBroadphaseIsFound(t *testing.T) {
	bad := func(name string, c func() Broadphase) impl { return impl{name: name, kit: broadKit{New: c}} }
	withImpls(t, broadphases, handGridImpl, nearPoolImpl, walkImpl,
		bad("unbuilt", func() Broadphase { return new(unbuiltBroad) }),
		bad("one way", func() Broadphase { return new(oneWayBroad) }),
		bad("twice", func() Broadphase { return new(twiceBroad) }),
		bad("late", func() Broadphase { return new(lateBroad) }),
		bad("wide", func() Broadphase { return new(wideBroad) }),
		bad("values", func() Broadphase { return new(valuesBroad) }))
	real := []string{handGridImpl.name, nearPoolImpl.name, walkImpl.name}
	for _, n := range []int{1000, 2500, 10_500} {
		dir := t.TempDir()
		var stdout, stderr bytes.Buffer
		args := []string{"-quick", "-n", fmt.Sprint(n), "-workload", "broadphase", "-reps", "1", "-out", dir}
		if code := run(t.Context(), args, &stdout, &stderr); code != exitFailed {
			t.Errorf("n=%d: exit code %d, want %d", n, code, exitFailed)
		}
		seen := map[string]bool{}
		for _, r := range readResults(t, dir) {
			seen[r.Impl] = true
			right := slices.Contains(real, r.Impl) || r.Impl == "values" && r.Metric != "pairs_values"
			if r.ChecksumOK != right {
				t.Errorf("n=%d, %s, %s: checksum_ok is %t", n, r.Impl, r.Metric, r.ChecksumOK)
			}
		}
		if len(seen) != 9 {
			t.Errorf("n=%d: figures of %d, want 9", n, len(seen))
		}
		if want := fmt.Sprintf("wrong checksum: wide, broadphase, pairs, n = %d: got ", n); !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr has no %q:\n%s", want, &stderr)
		}
	}
}

// Who has no index builds nothing, and the walk finds nobody: none of their figures stand beside
// those of near.Grid. Brute force is a dash where there are too many.
func TestBroadphaseFigures(t *testing.T) {
	for n, brute := range map[int]string{500: "total pairs", bruteMost + 1: ""} {
		jobs, err := plan([]*workload{broadphase}, sizing{n: n, reps: 1, quick: true})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for _, f := range runJobs(t, jobs, allImpls()).all() {
			got[f.Impl] = append(got[f.Impl], f.Metric)
		}
		for name, want := range map[string]string{
			"near.Grid": "total build pairs pairs_values", "near.Grid on Dense": "total build pairs pairs_values",
			"hand-written grid": "total build pairs", "map of cells": "total build pairs", "tidwall/rtree": "total build pairs",
			"brute force": brute, "dependent walk": "walk",
		} {
			if s := strings.Join(got[name], " "); s != want {
				t.Errorf("n=%d, %s: figures %q, want %q", n, name, s, want)
			}
		}
	}
}

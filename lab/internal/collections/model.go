package collections

import (
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The checksums that every implementation must reach. At the published sizes they are constants. At
// other sizes they come from the models below, which do the same work on bare slices, by the
// literal rules and without regard for speed. A test compares the models with the constants.

// MaxValues bounds -n for the workloads that hold n values.
const MaxValues = 10_000_000

// BasicSums are the sums over n values 0, 1, …, and over the same after 1 has been added to each.
type BasicSums struct{ Fresh, mutated uint64 }

func WantBasic(n int) BasicSums {
	m := uint64(n)
	return BasicSums{Fresh: m * (m - 1) / 2, mutated: m * (m + 1) / 2}
}

func WantCross(n int) uint64 {
	if n == 1000 {
		return 1200012
	}
	return modelCross(n)
}

func modelCross(n int) uint64 {
	cs := DrawColliders(n, crossSide)
	ModelMeet(cs)
	return MarkSum(cs)
}

// MarkSum is 100 000 for each collider that hit another one, and 1 for each that was hit.
func MarkSum(cs []Collider) (sum uint64) {
	for _, c := range cs {
		if c.Hit {
			sum += 100_000
		}
		if c.Been {
			sum++
		}
	}
	return sum
}

// ModelMeet is the literal cross rule.
func ModelMeet(cs []Collider) (pairs uint64) {
	abs := func(d int) int { return max(d, -d) }
	for a := range cs {
		for b := range cs {
			if a != b && abs(int(cs[a].X)-int(cs[b].X)) < 2 && abs(int(cs[a].Y)-int(cs[b].Y)) < 2 {
				cs[a].Hit = true
				cs[b].Been = true
				pairs++
			}
		}
	}
	return pairs
}

func WantEphemeral(burst int) uint64 {
	if burst == 10_000 {
		return 251263271721
	}
	return modelEphemeral(burst)
}

// modelEphemeral counts by lifetimes alone: a particle inserted at step s with lifetime t is
// visited at s, …, s+t-1 and dies at the last of these, if the steps last that long.
func modelEphemeral(burst int) uint64 {
	ttls := drawLifetimes(burst)
	var lens, visits, deaths uint64
	k := 0
	for s := range StepCount {
		for range arrivals(s, burst) {
			last := s + int(ttls[k]) - 1
			k++
			visits += uint64(min(last, StepCount-1) - s + 1)
			lens += uint64(min(last, StepCount) - s)
			if last < StepCount {
				deaths++
			}
		}
	}
	return lens*1_000_000 + visits%1_000_000 + deaths
}

func WantCrossEphemeral(burst int) uint64 {
	if burst == 1000 {
		return 17400014
	}
	return modelCrossEphemeral(burst)
}

func modelCrossEphemeral(burst int) uint64 {
	all := drawAgeing(burst)
	var live []Collider
	var pairs, both uint64
	for s := range StepCount {
		k := arrivals(s, burst)
		live = append(live, all[:k]...)
		all = all[k:]
		pairs += ModelMeet(live)
		var rest []Collider
		for _, c := range live {
			c.ttl--
			if c.ttl > 0 {
				rest = append(rest, c)
			} else if c.Hit && c.Been {
				both++
			}
		}
		live = rest
	}
	return pairs*100_000 + both
}

// wantSparse returns the sum of the values that each removal leaves, by the removal's name.
func wantSparse(n int) map[string]uint64 {
	if n == 1_000_000 {
		return map[string]uint64{
			"remove50":      250207395303,
			"remove90":      49919402831,
			"keep25_random": 13150000,
			"keep25_first":  300,
			"keep25_last":   24999675,
		}
	}
	return modelSparse(n)
}

func modelSparse(n int) map[string]uint64 {
	want := map[string]uint64{}
	for _, d := range removals {
		order := make([]uint64, n)
		for i := range order {
			order[i] = uint64(i)
		}
		if d.shuffled {
			measure.Shuffle(&measure.RNG{S: measure.Seed ^ 5}, order)
		}
		lo, hi := d.span(n)
		sum := uint64(0)
		for i, v := range order {
			if i < lo || i >= hi {
				sum += v
			}
		}
		want[d.name] = sum
	}
	return want
}

// wantDcm returns the sums of dcm.
func wantDcm(n int) dcmSums {
	if n == 15_000 {
		return dcmSums{updates: 28_493_767, deaths: 60_011}
	}
	return modelDcm(n, frames, framePasses, mortalHP)
}

// modelDcm counts by lifetimes alone: each thing is visited until it is dead or the passes end.
func modelDcm(n, frames, passes, hp int) (sum dcmSums) {
	for k := range frames * n {
		left := (frames - k/n) * passes
		visits := lifetime(uint32(k), hp)
		sum.updates += uint64(min(visits, left))
		if visits <= left {
			sum.deaths++
		}
	}
	return sum
}

// wantDcmPool returns the sums of dcm-pool.
func wantDcmPool(n int) dcmSums {
	if n == loopsFull {
		return dcmSums{updates: 280_604_270, deaths: 38_047}
	}
	return modelDcmPool(n)
}

// modelDcmPool counts as modelDcm does, with one insert in each loop of all frames.
func modelDcmPool(n int) (sum dcmSums) {
	loops := loopFrames * n
	for k := range loops {
		left := loops - k
		visits := lifetime(uint32(k), int(1+uint64(uint32(k+1)*mortalSeed)*
			uint64(max(1, n*loopHP/loopsFull))>>32))
		sum.updates += uint64(min(visits, left))
		if visits <= left {
			sum.deaths++
		}
	}
	return sum
}

// lifetime returns the number of visits that a mortal survives: at each draw below a quarter of all
// numbers it loses a hit point.
func lifetime(number uint32, hp int) (visits int) {
	for s := (number + 1) * mortalSeed; hp > 0; visits++ {
		s ^= s << 13
		s ^= s >> 17
		s ^= s << 5
		if s < 1<<30 {
			hp--
		}
	}
	return visits
}

func wantChurn(n int) uint64 {
	if n == 100_000 {
		return 50004980321324
	}
	return modelChurn(n)
}

func modelChurn(n int) uint64 {
	r := measure.RNG{S: measure.Seed ^ 6}
	live := make([]uint64, n)
	for i := range live {
		live[i] = uint64(i)
	}
	sum := uint64(0)
	for k := range churnPairs(n) {
		i := r.Below(uint64(n))
		sum += live[i]
		live[i] = uint64(n + k)
	}
	return sum
}

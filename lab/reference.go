package main

import (
	"cmp"
	"slices"
)

// The checksums that every implementation must reach. At the published sizes they are the published
// constants; at others they come from the models below, which do the same work on bare slices, by
// the rules as written and for no speed. A test holds the models to the constants.

// maxValues bounds -n for the workloads that hold n values.
const maxValues = 10_000_000

// basicSums are the sums over n values 0, 1, …, and over the same once 1 has been added to each.
type basicSums struct{ fresh, mutated uint64 }

func wantBasic(n int) basicSums {
	m := uint64(n)
	return basicSums{fresh: m * (m - 1) / 2, mutated: m * (m + 1) / 2}
}

func wantCross(n int) uint64 {
	if n == 1000 {
		return 1200012
	}
	return modelCross(n)
}

func modelCross(n int) uint64 {
	cs := drawColliders(n, crossSide)
	modelMeet(cs)
	return markSum(cs)
}

// markSum is 100 000 for each that hit another, and 1 for each that has been hit.
func markSum(cs []collider) (sum uint64) {
	for _, c := range cs {
		if c.hit {
			sum += 100_000
		}
		if c.been {
			sum++
		}
	}
	return sum
}

// modelMeet is the cross rule in its own words.
func modelMeet(cs []collider) (pairs uint64) {
	abs := func(d int) int { return max(d, -d) }
	for a := range cs {
		for b := range cs {
			if a != b && abs(int(cs[a].x)-int(cs[b].x)) < 2 && abs(int(cs[a].y)-int(cs[b].y)) < 2 {
				cs[a].hit = true
				cs[b].been = true
				pairs++
			}
		}
	}
	return pairs
}

func wantBroad(n int) broadSums {
	switch n {
	case 1000:
		return broadSums{pairs: 12, marks: 1200012}
	case 10_000:
		return broadSums{pairs: 96, marks: 9600096}
	case 100_000:
		return broadSums{pairs: 896, marks: 89300893}
	}
	return modelBroad(n)
}

// modelBroad is brute force, or where that takes too long a sweep.
func modelBroad(n int) broadSums {
	cs := drawColliders(n, broadSide(n))
	meet := modelMeet
	if n > bruteMost {
		meet = modelSweep
	}
	return broadSums{meet(cs), markSum(cs)}
}

// modelSweep is modelMeet for colliders in any order: it sorts them by x, and looks at those that
// come before the first that is too far.
func modelSweep(cs []collider) (pairs uint64) {
	slices.SortFunc(cs, func(a, b collider) int { return cmp.Compare(a.x, b.x) })
	for a := range cs {
		for b := a + 1; b < len(cs) && int(cs[b].x)-int(cs[a].x) < 2; b++ {
			if d := int(cs[b].y) - int(cs[a].y); d < 2 && d > -2 {
				cs[a].hit, cs[a].been = true, true
				cs[b].hit, cs[b].been = true, true
				pairs += 2
			}
		}
	}
	return pairs
}

func wantEphemeral(burst int) uint64 {
	if burst == 10_000 {
		return 251263271721
	}
	return modelEphemeral(burst)
}

// modelEphemeral counts by lifetimes alone: a particle that comes at step s and lives for t visits
// is visited at s, …, s+t-1 and dies at the last of these, if the steps last that long.
func modelEphemeral(burst int) uint64 {
	ttls := drawLifetimes(burst)
	var lens, visits, deaths uint64
	k := 0
	for s := range steps {
		for range arrivals(s, burst) {
			last := s + int(ttls[k]) - 1
			k++
			visits += uint64(min(last, steps-1) - s + 1)
			lens += uint64(min(last, steps) - s)
			if last < steps {
				deaths++
			}
		}
	}
	return lens*1_000_000 + visits%1_000_000 + deaths
}

func wantCrossEphemeral(burst int) uint64 {
	if burst == 1000 {
		return 17400014
	}
	return modelCrossEphemeral(burst)
}

func modelCrossEphemeral(burst int) uint64 {
	all := drawAgeing(burst)
	var live []collider
	var pairs, both uint64
	for s := range steps {
		k := arrivals(s, burst)
		live = append(live, all[:k]...)
		all = all[k:]
		pairs += modelMeet(live)
		var rest []collider
		for _, c := range live {
			c.ttl--
			if c.ttl > 0 {
				rest = append(rest, c)
			} else if c.hit && c.been {
				both++
			}
		}
		live = rest
	}
	return pairs*100_000 + both
}

// wantSparse returns the sum of what each removal leaves, by the removal's name.
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
			shuffle(&rng{seed ^ 5}, order)
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

// wantDcm returns what the passes of dcm come to.
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

// wantDcmPool returns what the passes of dcm-pool come to.
func wantDcmPool(n int) dcmSums {
	if n == loopsFull {
		return dcmSums{updates: 280_604_270, deaths: 38_047}
	}
	return modelDcmPool(n)
}

// modelDcmPool counts as modelDcm does: one thing comes at each loop of all frames.
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

// lifetime returns how many visits a mortal lives for: at each that draws less than a quarter of
// all numbers, it loses one of its hit points.
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
	r := rng{seed ^ 6}
	live := make([]uint64, n)
	for i := range live {
		live[i] = uint64(i)
	}
	sum := uint64(0)
	for k := range churnPairs(n) {
		i := r.below(uint64(n))
		sum += live[i]
		live[i] = uint64(n + k)
	}
	return sum
}

// discipline is a rule of what a free list hands out next. The models keep what is free in the
// order in which it is to be handed out.
type discipline struct {
	// place returns where v goes among the free ones when it is freed.
	place func(free []uint32, v uint32) int
	// sort puts all entries, in the order in which they were freed one after the other, into that
	// in which they are handed out.
	sort func(all []uint32)
}

var (
	stackOrder = &discipline{
		place: func([]uint32, uint32) int { return 0 },
		sort:  slices.Reverse[[]uint32],
	}
	queueOrder = &discipline{
		place: func(free []uint32, _ uint32) int { return len(free) },
		sort:  func([]uint32) {},
	}
	lowestOrder = &discipline{
		place: func(free []uint32, v uint32) int {
			i, _ := slices.BinarySearch(free, v)
			return i
		},
		sort: countUp, // they are 0 to n-1, each once
	}
)

// countUp makes v 0, 1, …
func countUp(v []uint32) {
	for i := range v {
		v[i] = uint32(i)
	}
}

// freeSums are the checksums of freelist's metrics.
type freeSums struct{ pair, lifo, nearlyFull, random uint64 }

// freeWant is what all implementations share at one size.
type freeWant struct {
	order  []uint32
	places *freePlaces
	sums   map[*discipline]freeSums
}

func wantFree(n, turns int) *freeWant {
	w := &freeWant{sums: map[*discipline]freeSums{}}
	w.order, w.places = drawFree(n)
	for _, d := range []*discipline{stackOrder, queueOrder, lowestOrder} {
		batches, rounds := freeRounds(n, turns)
		w.sums[d] = modelFree(n, turns, batches*rounds, d, w)
	}
	return w
}

func modelFree(n, turns, rounds int, d *discipline, w *freeWant) (s freeSums) {
	free := make([]uint32, n)
	countUp(free)

	out := make([]uint32, freeWindow(n))
	for k := range turns {
		v := free[0]
		out[k%len(out)] = v
		// Taking the first and putting it back in its place is not worth moving all the others.
		if i := d.place(free[1:], v); i > 0 {
			free = slices.Insert(free[1:], i, v)
		}
	}
	s.pair = freeSum(out[:min(turns, len(out))]) + uint64(turns)

	for range rounds {
		s.lifo = freeSum(free)
		slices.Reverse(free)
		d.sort(free)
	}

	spare := freeSpare(n)
	out, free = free[:n-spare], slices.Clone(free[n-spare:])
	for k := range turns {
		p := &out[w.places[k%len(w.places)]]
		free = slices.Insert(free, d.place(free, *p), *p)
		*p = free[0]
		free = slices.Delete(free, 0, 1)
	}
	s.nearlyFull = freeSum(out) + uint64(turns)

	all := slices.Clone(w.order)
	d.sort(all)
	s.random = freeSum(all)
	return s
}

// freeSum weighs each entry by its place.
func freeSum(popped []uint32) (sum uint64) {
	for i, v := range popped {
		sum += uint64(i+1) * (uint64(v) + 1)
	}
	return sum
}

func wantTruncation(j job) *truncationWant {
	return &truncationWant{
		waves:  newWaves(j.waveSteps()),
		random: modelWaves(j.waveSteps()).checksum(),
		far:    modelFar(j.n),
		worst:  modelWorst(j.n),
	}
}

// modelWaves counts by lifetimes alone: a value that comes at step s and lives for t steps is there
// behind s, …, s+t-1 and gone behind s+t, if the steps last that long.
func modelWaves(n int) (sum waveSums) {
	came, lives := waveLives(n)
	k := 0
	for s, c := range came {
		for range c {
			sum.lens += uint64(min(lives[k], n-s))
			if s+lives[k] < n {
				sum.removed += uint64(k)
			} else {
				sum.left += uint64(k)
			}
			k++
		}
	}
	return sum
}

// modelFar is what is left of n values when all have been removed in random order but the last 25.
func modelFar(n int) uint64 {
	order := make([]uint64, n)
	for i := range order {
		order[i] = uint64(i)
	}
	shuffle(&rng{seed ^ 9}, order)
	sum, left := uint64(0), order[max(0, n-fewLeft):]
	for _, v := range left {
		sum += v
	}
	return leftSum(len(left), sum)
}

// modelWorst is what is left of 0, …, n-1 when all have gone but 0 and 1, n-1 among them.
func modelWorst(n int) uint64 {
	left := min(2, n-1)
	return leftSum(left, uint64(left/2))
}

package collections

import (
	"iter"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The loops that implementations share. The compiler inlines them, and into them the calls of the
// collection, if these are function literals, literals that an inlined method returns, or in
// generic code, method values. So each loop is compiled as if it were written out.

// InsertAll is Values.Insert by the call insert.
func InsertAll[H any, P Pad](pad P, hs []H, from, to int, insert func(Elem[P]) H) {
	for i := from; i < to; i++ {
		hs[i] = insert(Of(pad, uint64(i)))
	}
}

// Churned draws a random one of hs for each pair of Values.Churn, and makes the next value.
func Churned[P Pad, H any](
	pad P, hs []H, r *measure.RNG, next uint64, pairs int,
) iter.Seq2[*H, Elem[P]] {
	return func(yield func(*H, Elem[P]) bool) {
		for i := range uint64(pairs) {
			if !yield(&hs[r.Below(uint64(len(hs)))], Of(pad, next+i)) {
				return
			}
		}
	}
}

// Each calls f for each of vs.
func Each[T, R any](vs []T, f func(T) R) {
	for _, v := range vs {
		f(v)
	}
}

// SumSlice is Values.Sum of a slice.
func SumSlice[P Pad](s []Elem[P]) (sum uint64) {
	for i := range s {
		sum += s[i].V
	}
	return sum
}

// MutSlice is Values.Mut of a slice.
func MutSlice[P Pad](s []Elem[P]) {
	for i := range s {
		s[i].V++
	}
}

// SumSpans is Values.Sum by a loop over spans.
func SumSpans[H any, P Pad](spans iter.Seq2[H, []Elem[P]]) (sum uint64) {
	for _, s := range spans {
		for i := range s {
			sum += s[i].V
		}
	}
	return sum
}

// MutSpans is Values.Mut by a loop over spans.
func MutSpans[H any, P Pad](spans iter.Seq2[H, []Elem[P]]) {
	for _, s := range spans {
		for i := range s {
			s[i].V++
		}
	}
}

// SumEach is Values.Sum by a loop over pointers.
func SumEach[P Pad](vs iter.Seq[*Elem[P]]) (sum uint64) {
	for e := range vs {
		sum += e.V
	}
	return sum
}

// MutEach is Values.Mut by a loop over pointers.
func MutEach[P Pad](vs iter.Seq[*Elem[P]]) {
	for e := range vs {
		e.V++
	}
}

// GetAll is Values.Get by the lookup ptr, which returns nil for a stale handle.
func GetAll[H any, P Pad](hs []H, ptr func(H) *Elem[P]) (sum uint64) {
	for _, h := range hs {
		if e := ptr(h); e != nil {
			sum += e.V
		}
	}
	return sum
}

// DrainAll is Values.Drain by the call remove.
func DrainAll[H any, P Pad](hs []H, remove func(H) (Elem[P], bool)) (sum uint64) {
	for _, h := range hs {
		if e, ok := remove(h); ok {
			sum += e.V
		}
	}
	return sum
}

// AgeAll is Particles.Age by a loop that removes inside.
func AgeAll[H any](all iter.Seq2[H, *uint32], remove func(H)) (visits, deaths int) {
	for h, t := range all {
		visits++
		if Aged(t) {
			remove(h)
			deaths++
		}
	}
	return visits, deaths
}

// AgeOutAll is Colliders.Age by a loop that removes inside.
func AgeOutAll[H any](all iter.Seq2[H, *Collider], remove func(H)) (deaths, both int) {
	for h, v := range all {
		if AgedOut(v, &both) {
			remove(h)
			deaths++
		}
	}
	return deaths, both
}

// BuryAll is Mortals.Bury by a loop that removes inside.
func BuryAll[H any](all iter.Seq2[H, *Mortal], remove func(H)) (deaths int) {
	for h, m := range all {
		if m.Dead() {
			remove(h)
			deaths++
		}
	}
	return deaths
}

// UpdateSpans is Mortals.Update by a loop over spans.
func UpdateSpans[H any](spans iter.Seq2[H, []Mortal]) (updates uint64) {
	for _, s := range spans {
		updates += UpdateAll(s)
	}
	return updates
}

// UpdateEach is Mortals.Update by a loop over pointers.
func UpdateEach[H any](all iter.Seq2[H, *Mortal]) (updates uint64) {
	for _, m := range all {
		m.Update()
		updates++
	}
	return updates
}

// CrossSlice is Colliders.Cross of a slice.
func CrossSlice(s []Collider) (pairs int) {
	for i := range s {
		a := &s[i]
		pairs += MeetAll(a, s[:i]) + MeetAll(a, s[i+1:])
	}
	return pairs
}

// CrossPairs is Colliders.Cross by a loop over unordered pairs, each of which is two ordered ones.
func CrossPairs(all iter.Seq2[*Collider, *Collider]) (pairs int) {
	for a, b := range all {
		pairs += MeetBoth(a, b)
	}
	return pairs
}

// TallyAll is Colliders.Marks by a loop over pointers.
func TallyAll[H any](all iter.Seq2[H, *Collider]) (hits, beens int) {
	for _, v := range all {
		Tally(v, &hits, &beens)
	}
	return hits, beens
}

// TallySlice is Colliders.Marks of a slice.
func TallySlice(s []Collider) (hits, beens int) {
	for i := range s {
		Tally(&s[i], &hits, &beens)
	}
	return hits, beens
}

// Sweep removes the values of s that are over, and returns their number. removeAt removes one and
// returns the rest, with a value in its place that was not visited yet.
func Sweep[T any](s []T, over func(*T) bool, removeAt func(i int) []T) (deaths int) {
	for i := 0; i < len(s); {
		if over(&s[i]) {
			s = removeAt(i)
			deaths++
			continue // the value that filled the hole has not been visited
		}
		i++
	}
	return deaths
}

// SweepFixed removes the values of s that are over, and returns their number. removeAt removes one,
// and leaves the others in place.
func SweepFixed[T any](s []T, over func(*T) bool, removeAt func(i int)) (deaths int) {
	for i := range s {
		if over(&s[i]) {
			removeAt(i)
			deaths++
		}
	}
	return deaths
}

// SweepBack removes the values of s that are over, from the last to the first, and returns their
// number. removeAt removes one, which the last value fills, and returns the rest.
func SweepBack[T any](s []T, over func(*T) bool, removeAt func(i int) []T) (deaths int) {
	for i := len(s) - 1; i >= 0; i-- {
		if over(&s[i]) {
			s = removeAt(i)
			deaths++
		}
	}
	return deaths
}

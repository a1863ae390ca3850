package laws

import (
	"fmt"
	"slices"
)

// Nothing, TheOld and Another are what a stale handle does.
const (
	Nothing = "finds nothing"
	TheOld  = "reads the removed value"
	Another = "reads another value"
)

// Most questions insert few values, numbered from 1. others is the number of the first value
// inserted later.
const (
	few    = 64
	others = 1001
)

// seek looks up h in s, which should find nothing. was is the value that h once named, or 0.
func seek(s Subject, h any, was uint64) Cell {
	var v uint64
	var ok bool
	text := panics(func() { v, ok = s.Get(h) })
	switch {
	case text != "":
		return Partly(text) // at least a panic is loud
	case !ok:
		return Yes(Nothing)
	case v == was:
		return No(TheOld)
	}
	return No(Another)
}

// seekAll looks up hs, whose values were first, first+1, ...
func seekAll(s Subject, hs []any, first uint64) Cell {
	c := Yes(Nothing)
	for i, h := range hs {
		c = worse(c, seek(s, h, first+uint64(i)))
	}
	return c
}

// finds looks up h, which should find want.
func finds(s Subject, h any, want uint64) Cell {
	switch v, ok := s.Get(h); {
	case !ok:
		return No(Nothing)
	case v != want:
		return No(Another)
	}
	return Yes("finds its value")
}

func askLive(fresh func() Subject) Cell {
	s := fresh()
	hs := insertAll(s, 1, few)
	for i := len(hs) - 1; i >= 0; i-- {
		if i%3 == 1 {
			s.Remove(hs[i])
		}
	}
	come := insertAll(s, others, few)
	c := Yes("finds its value")
	for i, h := range hs {
		if i%3 != 1 {
			c = worse(c, finds(s, h, uint64(1+i)))
		}
	}
	for i, h := range come {
		c = worse(c, finds(s, h, others+uint64(i)))
	}
	return c
}

func askStale(fresh func() Subject) Cell {
	s := fresh()
	hs := insertAll(s, 1, few)
	removeAll(s, hs)
	c := seekAll(s, hs, 1)
	insertAll(s, others, few)
	return worse(seekAll(s, hs, 1), c)
}

// reuses is more than the generations of 8 and of 16 bits.
const reuses = 1_000_000

func askReused(fresh func() Subject) Cell {
	at, v := fresh().reuse(reuses)
	switch {
	case at == 0:
		return Yes(Nothing)
	case v == 2: // reuse inserts this value
		return No(TheOld)
	case at == 1:
		return No(Another)
	}
	return No(fmt.Sprintf("%s after %d reuses", Another, at))
}

func askCleared(fresh func() Subject) Cell {
	s := fresh()
	hs := insertAll(s, 1, few)
	if !called(s.Clear) {
		return None("has no Clear")
	}
	c := seekAll(s, hs, 1)
	insertAll(s, others, few)
	return worse(seekAll(s, hs, 1), c)
}

func askGivenBack(fresh func() Subject) Cell {
	const many = 5000 // more than containers hold in reserve
	s := fresh()
	hs := insertAll(s, 1, many)
	removeAll(s, hs)
	called(s.Clip)
	c := seekAll(s, hs, 1)
	insertAll(s, many+1, many)
	return worse(seekAll(s, hs, 1), c)
}

func askZero(fresh func() Subject) Cell {
	s := fresh()
	c := seek(s, s.zero, 0) // while s is empty
	insertAll(s, 1, few)
	c = worse(seek(s, s.zero, 0), c)
	if c.Kept != "yes" {
		return c
	}
	panics(func() { s.Remove(s.zero) }) // a panic is an answer too, if nothing has changed
	if !hasExactly(s, upTo(few)) {
		return No(Nothing + ", but removes another value")
	}
	return c
}

func askForeign(fresh func() Subject) Cell {
	a, b := fresh(), fresh()
	hs := insertAll(a, 1, few)
	insertAll(b, others, few)
	c := Yes(Nothing)
	for i, h := range hs {
		found := seek(b, h, uint64(i+1))
		if found.Text == TheOld {
			found.Text = "reads the value of the other"
		}
		c = worse(c, found)
	}
	return c
}

func askTwice(fresh func() Subject) Cell {
	return worse(twiceAtOnce(fresh()), twiceReused(fresh()), twiceCleared(fresh()))
}

func twiceAtOnce(s Subject) Cell {
	hs := insertAll(s, 1, few)
	s.Remove(hs[10])
	return again(s, hs[10], without(upTo(few), 11), "")
}

func twiceReused(s Subject) Cell {
	hs := insertAll(s, 1, few)
	s.Remove(hs[10])
	s.Insert(others)
	return again(s, hs[10], append(without(upTo(few), 11), others), "")
}

// twiceCleared removes a handle from before Clear. The values inserted after Clear must stay.
func twiceCleared(s Subject) Cell {
	hs := insertAll(s, 1, few)
	if !called(s.Clear) {
		return None("")
	}
	insertAll(s, 1, few)
	return again(s, hs[10], upTo(few), "after Clear: ")
}

// again removes the stale handle h once more. s must still hold exactly want.
func again(s Subject, h any, want []uint64, when string) Cell {
	var said bool
	text := panics(func() { said = s.Remove(h) })
	switch {
	case !hasExactly(s, want) && s.Len() == len(want):
		return No(when + "removes another value, or counts wrong")
	case !hasExactly(s, want):
		return No(when + removes(s, want))
	case text != "":
		return Partly(when + text)
	case said:
		return Partly(when + "changes nothing, but does not return false")
	}
	return Yes("returns false")
}

// removes describes what is wrong with s, which should hold exactly want.
func removes(s Subject, want []uint64) string {
	if slices.Equal(values(s), want) {
		return "counts wrong from then on"
	}
	return "removes another value"
}

// upTo returns 1, …, n.
func upTo(n int) (vs []uint64) {
	for i := range n {
		vs = append(vs, uint64(i+1))
	}
	return vs
}

func without(vs []uint64, v uint64) []uint64 {
	return slices.DeleteFunc(slices.Clone(vs), func(o uint64) bool { return o == v })
}

// values returns the values that a loop over s visits, sorted.
func values(s Subject) (vs []uint64) {
	s.Loop(func(_ any, v uint64) bool {
		vs = append(vs, v)
		return len(vs) < 1<<20 // a loop over a broken list may never end
	})
	slices.Sort(vs)
	return vs
}

// hasExactly reports whether s holds exactly want, which is sorted, and has that length.
func hasExactly(s Subject, want []uint64) bool {
	return slices.Equal(values(s), want) && s.Len() == len(want)
}

package laws

import (
	"slices"
	"strings"
)

// loopOver is a loop over all values of a Subject.
type loopOver func(s Subject, body func(h any, v uint64) bool) (has bool)

func plainly(s Subject, body func(any, uint64) bool) bool {
	s.Loop(body)
	return true
}

func byHand(s Subject, body func(any, uint64) bool) bool {
	if s.ByHand != nil {
		s.ByHand(body)
	}
	return s.ByHand != nil
}

// loopQuestion is a question about either loop.
type loopQuestion func(fresh func() Subject, over loopOver) Cell

// bothLoops tests the plain loop, and if that fails, the hand-written one.
func bothLoops(fresh func() Subject, ask loopQuestion) Cell {
	q := Question{ask: func(fresh func() Subject) Cell { return ask(fresh, plainly) }}
	c := q.of(fresh)
	if c.Kept != "no" {
		return c
	}
	q.ask = func(fresh func() Subject) Cell { return ask(fresh, byHand) }
	if q.of(fresh).Kept == "yes" {
		return Partly(c.Text + "; a hand-written loop is right")
	}
	return c
}

func askLoopRemove(fresh func() Subject) Cell { return bothLoops(fresh, loopRemove) }

// loopRemove removes every third value when it is visited.
func loopRemove(fresh func() Subject, over loopOver) Cell {
	const n = 999
	s := fresh()
	insertAll(s, 1, n)
	visits := make([]int, n+1)
	if !over(s, func(h any, v uint64) bool {
		visits[v]++
		if v%3 == 0 {
			s.Remove(h)
		}
		return true
	}) {
		return None("")
	}
	if wrong := amiss(visits[1:]); wrong != "" {
		return No(wrong)
	}
	if !hasExactly(s, slices.DeleteFunc(upTo(n), func(v uint64) bool { return v%3 == 0 })) {
		return No("visits each once, but removes others")
	}
	return Yes("each once")
}

func askLoopInsert(fresh func() Subject) Cell { return bothLoops(fresh, loopInsert) }

// loopInsert inserts a value in each iteration.
func loopInsert(fresh func() Subject, over loopOver) Cell {
	const n, most = 100, 10_000
	s := fresh()
	insertAll(s, 1, n)
	visits := make([]int, n+most+1)
	turns := 0
	if !over(s, func(_ any, v uint64) bool {
		turns++
		visits[v]++
		s.Insert(uint64(n + turns))
		return turns < most
	}) {
		return None("")
	}
	if turns == most {
		return No("never ends")
	}
	if wrong := amiss(visits[1 : n+1]); wrong != "" {
		return No(wrong)
	}
	if slices.Max(visits) > 1 {
		return No("visits inserted values twice")
	}
	if !hasExactly(s, upTo(n+turns)) {
		return No("visits each once, but loses some")
	}
	return Yes("each once, and ends")
}

// amiss describes how visits differ from one each.
func amiss(visits []int) string {
	var wrong []string
	if slices.Contains(visits, 0) {
		wrong = append(wrong, "skips some")
	}
	if slices.Max(visits) > 1 {
		wrong = append(wrong, "visits some twice")
	}
	return strings.Join(wrong, ", ")
}

func askBreak(fresh func() Subject) Cell {
	return bothLoops(fresh, func(fresh func() Subject, over loopOver) Cell {
		turns := 0
		c := left(fresh, func(s Subject) (has bool) {
			return over(s, func(any, uint64) bool {
				turns++
				return false
			})
		})
		if turns > often {
			return None("has no break")
		}
		return c
	})
}

func askPanic(fresh func() Subject) Cell {
	return bothLoops(fresh, func(fresh func() Subject, over loopOver) Cell {
		return left(fresh, func(s Subject) (has bool) {
			return panics(func() { over(s, func(any, uint64) bool { panic("out of it") }) }) != ""
		})
	})
}

// often is the number of times that a loop is left.
const often = 3

// left leaves loops early by calling leave, and then checks every operation of the collection.
func left(fresh func() Subject, leave func(Subject) (has bool)) Cell {
	s := fresh()
	hs := insertAll(s, 1, few)
	for range often {
		if !leave(s) {
			return None("")
		}
	}
	s.Insert(few + 1)
	s.Remove(hs[few-1])
	if !hasExactly(s, append(upTo(few-1), few+1)) {
		return No("holds wrong values afterwards")
	}
	return Yes("usable")
}

// inOrder returns the values that a loop visits after some were inserted and removed.
func inOrder(s Subject) (vs []uint64) {
	hs := insertAll(s, 1, 100)
	for i := 97; i > 0; i -= 3 {
		s.Remove(hs[i])
	}
	insertAll(s, 101, 20)
	s.Loop(func(_ any, v uint64) bool {
		vs = append(vs, v)
		return len(vs) < 1000
	})
	return vs
}

func askOrder(fresh func() Subject) Cell {
	vs := inOrder(fresh())
	if !slices.Equal(vs, inOrder(fresh())) {
		return No("differs each time")
	}
	stayed := slices.DeleteFunc(slices.Clone(vs), func(v uint64) bool { return v > 100 })
	switch {
	case slices.IsSorted(vs):
		return Yes("insertion order")
	case slices.IsSorted(stayed):
		return Yes("slot order: an insert takes a vacant slot")
	}
	return Yes("position order: a removal moves others")
}

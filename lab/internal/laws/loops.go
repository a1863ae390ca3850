package laws

import (
	"slices"
	"strings"
)

// loopQuestion is a question about a loop of a Subject, which over chooses.
type loopQuestion func(fresh func() Subject, over func(Subject) loop) Cell

// loop is a loop over all values. It is nil if the Subject has none.
type loop = func(body func(h any, v uint64) (more bool))

// both asks about the plain loop, and if that fails, about the hand-written one.
func both(ask loopQuestion) func(fresh func() Subject) Cell {
	of := func(over func(Subject) loop) Question {
		return Question{ask: func(fresh func() Subject) Cell { return ask(fresh, over) }}
	}
	return func(fresh func() Subject) Cell {
		c := of(func(s Subject) loop { return s.Loop }).of(fresh)
		if c.Kept != "no" {
			return c
		}
		if of(func(s Subject) loop { return s.ByHand }).of(fresh).Kept == "yes" {
			return Partly(c.Text + "; a hand-written loop is right")
		}
		return c
	}
}

// loopRemove removes every third value when it is visited.
func loopRemove(fresh func() Subject, over func(Subject) loop) Cell {
	const n = 999
	s := fresh()
	all := over(s)
	if all == nil {
		return None("")
	}
	insertAll(s, 1, n)
	visits := make([]int, n+1)
	all(func(h any, v uint64) bool {
		visits[v]++
		if v%3 == 0 {
			s.Remove(h)
		}
		return true
	})
	if wrong := amiss(visits[1:]); wrong != "" {
		return No(wrong)
	}
	if !hasExactly(s, slices.DeleteFunc(upTo(n), func(v uint64) bool { return v%3 == 0 })) {
		return No("visits each once, but removes others")
	}
	return Yes("each once")
}

// loopInsert inserts a value in each iteration.
func loopInsert(fresh func() Subject, over func(Subject) loop) Cell {
	const n, most = 100, 10_000
	s := fresh()
	all := over(s)
	if all == nil {
		return None("")
	}
	insertAll(s, 1, n)
	visits := make([]int, n+most+1)
	turns := 0
	all(func(_ any, v uint64) bool {
		turns++
		visits[v]++
		s.Insert(uint64(n + turns))
		return turns < most
	})
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

func loopBreak(fresh func() Subject, over func(Subject) loop) Cell {
	turns := 0
	c := left(fresh, over, func(all loop) {
		all(func(any, uint64) bool {
			turns++
			return false
		})
	})
	if turns > often {
		return None("has no break")
	}
	return c
}

func loopPanic(fresh func() Subject, over func(Subject) loop) Cell {
	return left(fresh, over, func(all loop) {
		panics(func() { all(func(any, uint64) bool { panic("out of it") }) })
	})
}

// often is the number of times that a loop is left.
const often = 3

// left leaves loops early by calling leave, and then checks every operation of the collection.
func left(fresh func() Subject, over func(Subject) loop, leave func(loop)) Cell {
	s := fresh()
	all := over(s)
	if all == nil {
		return None("")
	}
	hs := insertAll(s, 1, few)
	for range often {
		leave(all)
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

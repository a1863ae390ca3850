package freelist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed505807e1/berth/freelist"
)

// Each rule of the loops over Lowest has a test here, and the model checks them too.

func TestLowestLoopRule1(t *testing.T) {
	l := freelist.NewLowest(300)
	for range 300 {
		l.Take()
	}
	var seen []int
	for i := range l.Taken() {
		seen = append(seen, i)
		l.Free(i) // the current one
		if i%3 == 0 {
			l.Take() // takes the lowest again, which was visited already
		}
		if i == 150 {
			l.Grow(10_000) // during the walk over the words
		}
	}
	if len(seen) != 300 || !slices.IsSorted(seen) || seen[299] != 299 {
		t.Errorf("visited %d, want each of 300 once, in order", len(seen))
	}
}

func TestLowestLoopRule2(t *testing.T) {
	for _, up := range []bool{true, false} {
		l := freelist.NewLowest(200)
		for range 200 {
			l.Take()
		}
		seq, step := l.Backward(), -1
		if up {
			seq, step = l.Taken(), 1
		}
		n := 0
		for i := range seq {
			n++
			if l.IsFree(i) {
				t.Fatalf("visited %d, which is free", i)
			}
			l.Free(i + step) // the next one
		}
		if n != 100 || l.Len() != 99+1 {
			t.Errorf("up %t: visited %d of 200 while each freed the next, want 100; %d free", up, n, l.Len())
		}
	}
}

func TestLowestLoopRule3(t *testing.T) {
	l := freelist.NewLowest(1000)
	for range 500 {
		l.Take()
	}
	seen := map[int]bool{}
	for i := range l.Backward() {
		if seen[i] {
			t.Fatalf("visited %d twice", i)
		}
		seen[i] = true
		l.Free(i)
		l.TakeAt(i)   // the same again
		l.TakeAt(999) // behind
		l.Take()
	}
	for i := range 500 {
		if !seen[i] {
			t.Errorf("did not visit %d", i)
		}
	}
}

func TestLowestLoopRule4(t *testing.T) {
	for _, up := range []bool{true, false} {
		l := freelist.NewLowest(100)
		l.TakeAt(50)
		seq, n := l.Backward(), 0
		if up {
			seq = l.Taken()
		}
		for range seq {
			if n++; n > 10_000 {
				t.Fatalf("up %t: the loop does not end", up)
			}
			l.Grow(l.Len() + 64) // a new word, and something taken in it
			l.TakeAt(l.Cap() - 1)
			l.TakeAt(l.Cap() - 100)
			l.Take()
		}
	}
}

// Whole words are taken one by one, from either end, and the remaining indices are handed out in
// order.
func TestLowestTakeAtWholeWords(t *testing.T) {
	for _, down := range []bool{false, true} {
		l := freelist.NewLowest(200)
		for i := range 128 {
			if down {
				i = 127 - i
			}
			if !l.TakeAt(i) {
				t.Fatalf("TakeAt(%d) = false", i)
			}
			l.CheckInvariants()
		}
		for want := 128; want < 200; want++ {
			if i, ok := l.Take(); i != want || !ok {
				t.Fatalf("down %t: Take = %d, %t, want %d", down, i, ok, want)
			}
		}
		if i, ok := l.Take(); ok {
			t.Errorf("Take of nothing = %d", i)
		}
	}
}

// Clip removes the free indices at the end, also in a loop and down to none.
func TestLowestClip(t *testing.T) {
	for _, last := range []int{-1, 0, 1, 62, 63, 64, 65, 4095, 4096, 4999} {
		l := freelist.NewLowest(5000)
		for i := 0; i <= last; i += 3 {
			l.TakeAt(i)
		}
		if last >= 0 {
			l.TakeAt(last)
		}
		taken := slices.Collect(l.Taken())
		l.Clip()
		l.CheckInvariants()
		if got, ok := l.Last(); l.Cap() != last+1 || ok != (last >= 0) || ok && got != last {
			t.Errorf("after Clip behind %d: Cap %d, Last %d, %t", last, l.Cap(), got, ok)
		}
		if got := slices.Collect(l.Taken()); !slices.Equal(got, taken) {
			t.Errorf("Clip behind %d changed what is taken", last)
		}
		l.Grow(l.Len() + 100)
		l.CheckInvariants()
		if l.Cap() != last+101 || !l.IsFree(last+100) {
			t.Errorf("after Clip behind %d and Grow: Cap %d", last, l.Cap())
		}
	}
	for _, up := range []bool{true, false} {
		l := freelist.NewLowest(1000)
		for range 1000 {
			l.Take()
		}
		seq, n := l.Backward(), 0
		if up {
			seq = l.Taken()
		}
		for i := range seq {
			n++
			for k := range l.Cap() {
				if k >= i == up {
					l.Free(k) // this one, and all later ones
				}
			}
			l.Clip()
			l.CheckInvariants()
		}
		if n == 0 || n > 1000 {
			t.Errorf("up %t: %d turns", up, n)
		}
	}
}

// Leaving a loop by break or panic leaves the list usable, and loops may be nested.
func TestLowestLoopsNestAndBreak(t *testing.T) {
	l := freelist.NewLowest(100)
	for range 70 {
		l.Take()
	}
	pairs := 0
	for i := range l.Taken() {
		for j := range l.Backward() {
			if j <= i {
				break
			}
			pairs++
		}
	}
	if pairs != 70*69/2 {
		t.Errorf("%d pairs, want %d", pairs, 70*69/2)
	}
	mustPanic(t, func() {
		for range l.Taken() {
			l.Free(5)
			panic("from the body")
		}
	})
	l.CheckInvariants()
	if i, ok := l.Take(); i != 5 || !ok {
		t.Errorf("Take = %d, %t, want 5", i, ok)
	}
}

// The cost of a loop depends on the taken indices: a few among many are found without visiting each
// word.
func TestLowestLoopSkipsWhatIsFree(t *testing.T) {
	l := freelist.NewLowest(1 << 22)
	want := []int{0, 63, 64, 4095, 4096, 262_143, 262_144, 1<<22 - 1}
	for _, i := range want {
		if !l.TakeAt(i) || l.TakeAt(i) {
			t.Fatalf("TakeAt(%d) twice: want true, then false", i)
		}
	}
	if got := slices.Collect(l.Taken()); !slices.Equal(got, want) {
		t.Errorf("Taken = %v, want %v", got, want)
	}
	if i, _ := l.Take(); i != 1 {
		t.Errorf("Take = %d, want 1", i)
	}
}

// NextTaken and Word agree with IsFree, including at and beyond the ends.
func TestLowestNextTakenAndWord(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 200, 5000} {
		l := freelist.NewLowest(n)
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for i := range n {
			if n < 1000 && r.IntN(3) == 0 || r.IntN(500) == 0 {
				l.TakeAt(i)
			}
		}
		next, found := 0, false
		for i := n + 130; i >= -100; i-- {
			if i >= 0 && i < n && !l.IsFree(i) {
				next, found = i, true
			}
			if got, ok := l.NextTaken(i); ok != found || got != next {
				t.Fatalf("n %d: NextTaken(%d) = %d, %v, want %d, %v", n, i, got, ok, next, found)
			}
		}
		for k := -2; k < n/64+3; k++ {
			want := uint64(0)
			for b := range 64 {
				if i := 64*k + b; i >= 0 && i < n && !l.IsFree(i) {
					want |= 1 << b
				}
			}
			if got := l.Word(k); got != want {
				t.Errorf("n %d: Word(%d) = %x, want %x", n, k, got, want)
			}
		}
	}
}

// Init and TakeWord restore what Word has returned, in any memory, and take only what is free.
func TestLowestRestore(t *testing.T) {
	var to freelist.Lowest
	for i, n := range []int{0, 1, 63, 64, 65, 300, 5000, 64, 64 * 64, 64*64 + 1, 300_000, 0, 5000, 7} {
		from := freelist.NewLowest(n)
		for k := range n {
			from.Take()
			if k%7 == i || k%200 > 190 && k%200 < 2*i {
				from.Free(k)
			}
		}
		to.Init(n)
		to.CheckInvariants()
		if to.Len() != n || to.Cap() != n {
			t.Fatalf("Init(%d): %v", n, &to)
		}
		for k := (n + 63) / 64; k >= 0; k-- {
			if got := to.TakeWord(k, from.Word(k)); got != from.Word(k) {
				t.Fatalf("TakeWord(%d, %x) = %x", k, from.Word(k), got)
			}
			if got := to.TakeWord(k, from.Word(k)); got != 0 {
				t.Fatalf("TakeWord(%d, %x) again = %x", k, from.Word(k), got)
			}
		}
		to.CheckInvariants()
		if got := to.TakeWord(n>>6, 1<<(n&63)); got != 0 || to.Len() != from.Len() {
			t.Fatalf("%d: TakeWord behind the last = %x; %v, want %v", n, got, &to, from)
		}
		for range min(200, n) {
			a, ok := from.Take()
			if b, ok2 := to.Take(); a != b || ok != ok2 {
				t.Fatalf("Take = %d, %v, want %d, %v", b, ok2, a, ok)
			}
		}
	}
	if n := testing.AllocsPerRun(5, func() { to.Init(300_000); to.Init(64); to.Init(5000) }); n != 0 {
		t.Errorf("Init in memory that fits: %v allocations", n)
	}
	mustPanic(t, func() { to.Init(-1) })
}

// CopyFrom into memory that fits allocates nothing.
func TestLowestCopyFromAllocatesNothing(t *testing.T) {
	from, to := freelist.NewLowest(10_000), freelist.NewLowest(20_000)
	for range 5000 {
		from.Take()
	}
	if n := testing.AllocsPerRun(5, func() { to.CopyFrom(from) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if to.CheckInvariants(); to.Len() != 5000 || to.Cap() != 10_000 {
		t.Errorf("the copy is %v, want %v", to, from)
	}
}

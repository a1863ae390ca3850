package berth_test

import (
	"fmt"
	"sync/atomic"

	"github.com/seed505807e1/berth"
)

// upTo returns a Pool of the numbers below n.
func upTo(n int) *berth.Pool[int] {
	p := new(berth.Pool[int])
	for i := range n {
		p.Insert(i)
	}
	return p
}

func ExampleParallelSpans() {
	p := upTo(10_000)
	berth.ParallelSpans(p, 0, func(_ berth.Handle[int], span []int) {
		for i := range span {
			span[i] *= 2
		}
	})
	sum := 0
	for v := range p.Values() {
		sum += *v
	}
	fmt.Println(sum)
	// Output: 99990000
}

func ExampleParallelJoin() {
	p := upTo(10_000)
	halves := berth.NewColumn[float64](p)
	berth.SetAll(halves, 0.5)
	berth.ParallelJoin(halves, 0, func(v *int, half *float64) { *half *= float64(*v) })
	sum := 0.0
	for half := range halves.Values() {
		sum += *half
	}
	fmt.Println(sum)
	// Output: 2.49975e+07
}

func ExampleParallelRemoveFunc() {
	rest := func(_ berth.Handle[int], v *int) bool { return *v%10 > 0 }
	fmt.Println(berth.ParallelRemoveFunc(upTo(10_000), 0, rest))
	// Output: 9000
}

func ExampleParallelTraverse() {
	var pairs atomic.Int64
	berth.ParallelTraverse(upTo(100), 0, func(e berth.Entry[int], others berth.Others[int]) {
		for v := range others.Values() {
			if *v+*e.Value == 99 {
				pairs.Add(1)
			}
		}
	})
	fmt.Println(pairs.Load())
	// Output: 100
}

func ExampleParallelReduce() {
	sum := berth.ParallelReduce(upTo(10_000), 0, func(sum int, span []int) int {
		for _, v := range span {
			sum += v
		}
		return sum
	}, func(a, b int) int { return a + b })
	fmt.Println(sum)
	// Output: 49995000
}

func ExampleParallelSlice() {
	var d berth.Dense[int]
	squares := berth.NewDenseColumn[int](&d)
	for i := range 10_000 {
		d.Insert(i)
	}
	out := squares.Slice() // before the loop: it is a change
	berth.ParallelSlice(&d, 0, func(i int, part []int) {
		for k, v := range part {
			out[i+k] = v * v
		}
	})
	fmt.Println(squares.Slice()[99])
	// Output: 9801
}

package berth_test

import (
	"fmt"

	"github.com/seed505807e1/berth"
)

// A cache of the two pages that were used last. A handle that a program keeps finds nothing once
// its page was evicted.
func ExampleOrder() {
	var pages berth.Pool[string]
	recent := berth.NewOrder(&pages)
	index := map[string]berth.Handle[string]{}
	visit := func(name string) berth.Handle[string] {
		h := index[name]
		if recent.MoveToFront(h) != nil {
			return h
		}
		if recent.Len() < 2 {
			h = pages.Insert(name)
			recent.MoveToFront(h)
		} else {
			var page *string
			h, page = recent.Recycle() // still has the old name
			fmt.Println("evict", *page)
			delete(index, *page)
			*page = name
		}
		index[name] = h
		return h
	}
	about := visit("about")
	visit("blog")
	visit("about")
	visit("news")
	fmt.Println(pages.Contains(about), recent.Next(recent.Front()) == about)
	visit("blog")
	fmt.Println(pages.Contains(about), pages.Len())
	// Output:
	// evict blog
	// true true
	// evict about
	// false 2
}

// A queue that jobs can leave in the middle.
func ExampleNewOrder() {
	var jobs berth.Pool[string]
	queue := berth.NewOrder(&jobs)
	add := func(job string) berth.Handle[string] {
		h := jobs.Insert(job)
		queue.MoveToBack(h)
		return h
	}
	wash, dry, fold := add("wash"), add("dry"), add("fold")

	spin := jobs.Insert("spin")
	queue.InsertAfter(spin, wash)
	queue.InsertBefore(jobs.Insert("sort"), wash)
	for _, job := range queue.All() {
		fmt.Print(*job, " ")
	}
	fmt.Println(queue.Front() == wash, queue.Back() == fold, queue.Prev(fold) == dry)

	jobs.Delete(dry) // and it leaves the queue
	queue.Leave(spin)
	fmt.Println(queue.Len(), jobs.Len(), queue.Contains(spin))
	fmt.Println(queue.PopFront())
	fmt.Println(queue.PopBack())
	for h, job := range queue.Backward() {
		fmt.Println(*job, h == wash)
	}

	queue.Clear()
	fmt.Println(queue.Len(), jobs.Len())
	queue.Close()
	// Output:
	// sort wash spin dry fold false true true
	// 3 4 false
	// sort true
	// fold true
	// wash true
	// 0 2
}

package main

import "runtime"

// heapBytes returns what is reachable on the heap. It collects twice, since a finalizer's object
// only goes in the second round.
func heapBytes() float64 {
	runtime.GC()
	runtime.GC()
	return heapNow()
}

// heapNow returns what is on the heap, garbage included.
func heapNow() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

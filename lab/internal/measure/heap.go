package measure

import "runtime"

// HeapBytes returns what is reachable on the heap. It collects twice, since a finalizer's object
// only goes in the second round.
func HeapBytes() float64 {
	runtime.GC()
	runtime.GC()
	return HeapNow()
}

// HeapNow returns what is on the heap, garbage included.
func HeapNow() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

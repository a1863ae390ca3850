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

// Tread uses free memory of Go's heap, and gives it back to the heap. What is allocated next is
// then not fresh from the system: to touch that for the first time takes longer than most of what
// is measured, and which of those that are measured gets it is chance.
func Tread(bytes int) {
	const piece, page = 64 << 10, 4 << 10
	var pieces [][]byte
	for ; bytes > 0; bytes -= piece {
		p := make([]byte, piece)
		for i := 0; i < piece; i += page {
			p[i] = 1
		}
		pieces = append(pieces, p)
	}
	runtime.KeepAlive(pieces)
	runtime.GC()
}

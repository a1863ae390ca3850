package measure

import "runtime"

// HeapBytes returns the reachable bytes of the heap. It collects twice, since objects with
// finalizers go only in the second round.
func HeapBytes() float64 {
	runtime.GC()
	runtime.GC()
	return HeapNow()
}

// HeapNow returns the bytes on the heap, garbage included.
func HeapNow() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// Tread uses free memory of Go's heap and releases it to the heap. Later allocations then do not
// get fresh memory from the system, whose first touch takes longer than most of the measurements,
// and hits them at random.
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

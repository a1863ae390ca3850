package stable_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed505807e1/berth/stable"
)

// fill inserts the values 0 to n-1 and returns their keys.
func fill[I stable.Index, D stable.Identifier[D]](
	t testing.TB, l *stable.ListOf[int, I, D], n int,
) (ks []stable.Key[int, I, D]) {
	t.Helper()
	for i := range n {
		k, err := l.TryInsert(i)
		if err != nil {
			t.Fatalf("TryInsert of value %d: %v", i, err)
		}
		ks = append(ks, k)
	}
	return ks
}

// mustInsertAt fails unless l takes v at k.
func mustInsertAt[I stable.Index, D stable.Identifier[D]](
	t testing.TB, l *stable.ListOf[int, I, D], k stable.Key[int, I, D], v int,
) {
	t.Helper()
	if err := l.InsertAt(k, v); err != nil {
		t.Errorf("InsertAt(%v): %v", k, err)
	}
}

// panics returns the text with which f panics, or "" if it does not.
func panics(f func()) (msg string) {
	defer func() {
		if e := recover(); e != nil {
			msg = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}

// heap returns the bytes of live objects.
func heap() int {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

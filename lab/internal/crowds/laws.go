package crowds

import (
	"sync/atomic"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/lab/internal/laws"
)

// The laws are asked on one goroutine. Mutex+berth.Pool and RWMutex+map have those of what they
// lock, and cgo.Handle has no loop. The allocations of a sync.Map depend on the hash of that map,
// and an answer must not depend on chance.

func askConcurrent() laws.Subject {
	var p concurrent.Pool[uint64]
	return laws.Calls[berth.Handle[uint64]]{
		Insert: p.Insert, Get: p.Get, Remove: p.Delete, Len: p.Len,
		Loop: laws.Pairs(p.All), ByHand: laws.Pairs(p.All), Clear: p.Clear,
		Objects: func() laws.Objects {
			var p concurrent.Pool[*laws.Object]
			return laws.Holds(&p, p.Insert, func(h berth.Handle[*laws.Object]) { p.Delete(h) })
		},
	}.Subject()
}

func askXsync() laws.Subject {
	m, insert := xsyncOf[uint64]()
	return laws.Calls[uint64]{
		Insert: insert, Get: m.Load, Len: m.Size,
		Remove: func(key uint64) bool { _, ok := m.LoadAndDelete(key); return ok },
		Loop:   func(body func(uint64, uint64) bool) { m.Range(body) },
		ByHand: func(body func(uint64, uint64) bool) { m.Range(body) },
		Clear:  m.Clear,
		Objects: func() laws.Objects {
			m, insert := xsyncOf[*laws.Object]()
			return laws.Holds(m, insert, m.Delete)
		},
	}.Subject()
}

// xsyncOf makes a Map whose keys are a counter.
func xsyncOf[V any]() (m *xsync.Map[uint64, V], insert func(v V) uint64) {
	var last atomic.Uint64
	m = xsync.NewMap[uint64, V]()
	return m, func(v V) uint64 {
		key := last.Add(1)
		m.Store(key, v)
		return key
	}
}

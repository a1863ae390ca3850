package crowds

import (
	"sync"
	"sync/atomic"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Kit holds the constructor of an implementation, and that of its Subjects, or nil.
type Kit struct {
	Table func() Table
	Ask   func() laws.Subject
}

// Asker returns the constructor of Subjects.
func (k Kit) Asker() func() laws.Subject { return k.Ask }

// Family compares the collections that a program may share between goroutines.
var Family = &measure.Family{
	ID:        "crowds",
	Workloads: []*measure.Workload{shared, held},
	Title:     "Many goroutines",
	Stale:     "A key of a removed value",
	Impls: append([]measure.Impl{
		concurrentImpl, leasedImpl, lockedPoolImpl, lockedMapImpl, xsyncImpl, syncMapImpl,
	}, cgoImpls...),
	Baseline: lockedPoolImpl.Name,
	Subjects: []string{concurrentImpl.Name},
	Usual:    syncMapImpl.Name,
}

const (
	staleNever   = "finds nothing, ever"
	staleCounter = "finds nothing: the numbers are not reused"
)

var concurrentImpl = measure.Impl{
	Name: "concurrent.Pool",
	About: "shards of a mutex and a berth.Pool; Get copies the value under the lock. Its handle " +
		"is berth.Handle, of 8 bytes.",
	Stale: staleNever,
	Safe:  true, Ours: true,
	Kit: Kit{Table: func() Table { return new(pool) }, Ask: askConcurrent},
}

var leasedImpl = measure.Impl{
	Name: "concurrent.Pool Use",
	About: "the same; Use reads the value under a lease, so that it may take longer than a lock " +
		"may be held",
	Stale: staleNever,
	Safe:  true, Ours: true,
	Kit: Kit{Table: func() Table { return new(leasedPool) }},
}

var lockedPoolImpl = measure.Impl{
	Name:  "Mutex+berth.Pool",
	About: "a sync.Mutex beside a berth.Pool. A program may hold it only for short operations.",
	Stale: staleNever,
	Safe:  true, Ours: true,
	Kit: Kit{Table: func() Table { return new(lockedPool) }},
}

var lockedMapImpl = measure.Impl{
	Name:  "RWMutex+map",
	About: "a sync.RWMutex beside a map from a counter to a pointer",
	Stale: staleCounter,
	Safe:  true,
	Kit:   Kit{Table: func() Table { return &lockedMap{m: map[uint64]*words{}} }},
}

var xsyncImpl = measure.Impl{
	Name:  "xsync.Map",
	About: "puzpuzpuz/xsync's Map from an atomic counter to a pointer",
	Stale: staleCounter,
	Safe:  true,
	Kit: Kit{
		Table: func() Table { return &xsyncMap{m: xsync.NewMap[uint64, *words]()} },
		Ask:   askXsync,
	},
}

var syncMapImpl = measure.Impl{
	Name:  "sync.Map",
	About: "a sync.Map from an atomic counter to a pointer",
	Stale: staleCounter,
	Safe:  true,
	Kit:   Kit{Table: func() Table { return new(syncMap) }},
}

type handle = berth.Handle[words]

func handleOf(key uint64) handle { return berth.HandleFromUint64[words](key) }

type pool struct{ p concurrent.Pool[words] }

func (t *pool) Insert(v words) uint64  { return t.p.Insert(v).Uint64() }
func (t *pool) Remove(key uint64) bool { return t.p.Delete(handleOf(key)) }

func (t *pool) Get(key uint64) words {
	v, _ := t.p.Get(handleOf(key))
	return v
}

// leasedPool is a pool that reads by a lease.
type leasedPool struct{ pool }

func (t *leasedPool) Get(key uint64) (v words) {
	t.p.Use(handleOf(key), func(x *words) { v = *x })
	return v
}

type lockedPool struct {
	mu sync.Mutex
	p  berth.Pool[words]
}

func (t *lockedPool) Insert(v words) uint64 {
	t.mu.Lock()
	h := t.p.Insert(v)
	t.mu.Unlock()
	return h.Uint64()
}

func (t *lockedPool) Get(key uint64) words {
	t.mu.Lock()
	v, _ := t.p.Get(handleOf(key))
	t.mu.Unlock()
	return v
}

func (t *lockedPool) Remove(key uint64) bool {
	t.mu.Lock()
	ok := t.p.Delete(handleOf(key))
	t.mu.Unlock()
	return ok
}

type lockedMap struct {
	mu   sync.RWMutex
	m    map[uint64]*words
	last uint64
}

func (t *lockedMap) Insert(v words) uint64 {
	t.mu.Lock()
	t.last++
	key := t.last
	t.m[key] = &v
	t.mu.Unlock()
	return key
}

func (t *lockedMap) Get(key uint64) words {
	t.mu.RLock()
	v := t.m[key]
	t.mu.RUnlock()
	return orZero(v)
}

func (t *lockedMap) Remove(key uint64) bool {
	t.mu.Lock()
	_, ok := t.m[key]
	delete(t.m, key)
	t.mu.Unlock()
	return ok
}

// orZero returns *v, or the zero value if v is nil.
func orZero(v *words) words {
	if v == nil {
		return words{}
	}
	return *v
}

type xsyncMap struct {
	m    *xsync.Map[uint64, *words]
	last atomic.Uint64
}

func (t *xsyncMap) Insert(v words) uint64 {
	key := t.last.Add(1)
	t.m.Store(key, &v)
	return key
}

func (t *xsyncMap) Get(key uint64) words {
	v, _ := t.m.Load(key)
	return orZero(v)
}

func (t *xsyncMap) Remove(key uint64) bool {
	_, ok := t.m.LoadAndDelete(key)
	return ok
}

type syncMap struct {
	m    sync.Map
	last atomic.Uint64
}

func (t *syncMap) Insert(v words) uint64 {
	key := t.last.Add(1)
	t.m.Store(key, &v)
	return key
}

func (t *syncMap) Get(key uint64) words {
	v, _ := t.m.Load(key)
	p, _ := v.(*words)
	return orZero(p)
}

func (t *syncMap) Remove(key uint64) bool {
	_, ok := t.m.LoadAndDelete(key)
	return ok
}

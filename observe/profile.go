package observe

import (
	"io"
	"math/rand/v2"
	"reflect"
	"runtime/pprof"
	"slices"
	"strconv"
	"sync"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// Holder is a container of values of T. [berth.Pool], [berth.Dense], concurrent.Pool and
// concurrent.Members are Holders.
type Holder[T any] interface {
	Contains(h berth.Handle[T]) bool
}

// Profile tells which code inserted the values that are still there. It is a profile of package
// runtime/pprof: /debug/pprof serves it under its name, and go tool pprof reads it. The stack of
// one in rate inserts is kept, so a value in the profile stands for about rate values.
//
// Call Inserted after each insert. Removals need no call: a handle whose value has gone is stale,
// and so is its sample. Count and WriteTo drop stale samples first, and are exact. So does each
// snapshot of the container by a [Registry], such as for the page or for metrics. A read by
// /debug/pprof does not, and may find values that were removed since. Their samples are also
// dropped when there are 64 new ones, and an eighth of the old.
//
// The zero Profile cannot be used. A nil Profile is empty and ignores Inserted, so that a program
// can be built with a profile and run without. A Profile of a container of package concurrent may
// be used by any number of goroutines at once. Any other is used as its container: Inserted is like
// a write, and Count, WriteTo and Close are like reads.
type Profile[T any] struct {
	left   int32 // inserts up to the next sample, if not shared
	rate   uint32
	shared bool // many goroutines call Inserted
	holder Holder[T]

	profile *pprof.Profile
	rng     *rand.Rand

	mu   sync.Mutex
	at   map[uint32]*sample[T] // nil once closed
	more int                   // new samples up to the next sweep
}

// sample is a key in the pprof.Profile.
type sample[T any] struct{ h berth.Handle[T] }

// profiles has the profiles that NewProfile has made.
var profiles = struct {
	mu   sync.Mutex
	made map[string]*pprof.Profile // by name
	open []sweeper                 // not closed yet
}{made: make(map[string]*pprof.Profile)}

// sweeper is any Profile.
type sweeper interface{ sweepOf(c Container) }

// sweepOf drops the stale samples of all profiles of c, which may be read.
func sweepOf(c Container) {
	if !reflect.ValueOf(c).Comparable() {
		return
	}
	profiles.mu.Lock()
	open := slices.Clone(profiles.open)
	profiles.mu.Unlock()
	for _, t := range open {
		t.sweepOf(c)
	}
}

// NewProfile returns a Profile of the values in c, that keeps one in rate inserts. A rate of 1
// keeps all. Use 1000 or more in production. Several Profiles may have one name: their samples are
// in one profile of runtime/pprof. NewProfile panics if c is nil, if rate is not positive, or if
// name is empty or the name of a profile that NewProfile has not made.
//
// Cost: O(1); the profile keeps c alive until Close.
func NewProfile[T any](name string, c Holder[T], rate int) *Profile[T] {
	const fn = "observe: NewProfile: "
	switch {
	case c == nil:
		panic(fn + "the container must not be nil")
	case rate < 1:
		panic(fn + "rate must be positive (got " + strconv.Itoa(rate) + ")")
	case name == "":
		panic(fn + "name must not be empty")
	}
	profiles.mu.Lock()
	defer profiles.mu.Unlock()
	p := profiles.made[name]
	if p == nil {
		if pprof.Lookup(name) != nil {
			panic(fn + "name must not be that of another profile (got " + strconv.Quote(name) + ")")
		}
		p = pprof.NewProfile(name)
		profiles.made[name] = p
	}
	t := &Profile[T]{
		rate: uint32(min(rate, 1<<30)), holder: c, profile: p,
		rng: rand.New(rand.NewPCG(1, 1)), at: make(map[uint32]*sample[T]), more: minSweep,
	}
	switch c.(type) {
	case *concurrent.Pool[T], *concurrent.Members[T]:
		t.shared = true
	}
	t.left = t.interval()
	profiles.open = append(profiles.open, t)
	return t
}

// minSweep is the least number of new samples between two sweeps.
const minSweep = 64

// interval returns the number of inserts up to the next sample. It varies, so that a regular order
// of inserts cannot hide one of them, and is rate on average.
func (t *Profile[T]) interval() int32 { return 1 + int32(t.rng.Uint32N(2*t.rate-1)) }

// Inserted records that h was just inserted, by the function that calls Inserted. It ignores a
// handle that finds nothing. If h was recorded before, only the latest call counts.
//
// Cost: a decrement, and a stack of calls for one insert in rate; allocates then. For a container
// of package concurrent, a random number in place of the decrement.
func (t *Profile[T]) Inserted(h berth.Handle[T]) {
	switch {
	case t == nil:
	case t.shared:
		t.draw(h)
	default:
		if t.left--; t.left <= 0 {
			t.left = t.interval()
			t.sample(h, 3)
		}
	}
}

// draw adds a sample for one call in rate. A count that goroutines share would cost more.
func (t *Profile[T]) draw(h berth.Handle[T]) {
	if t.rate == 1 || rand.Uint32N(t.rate) == 0 {
		t.sample(h, 4)
	}
}

// sample adds a sample, whose stack has all calls but the given number of the last ones.
func (t *Profile[T]) sample(h berth.Handle[T], skip int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil || !t.holder.Contains(h) {
		return
	}
	index := uint32(h.Uint64())
	if s := t.at[index]; s != nil { // of the slot's last value, or of h
		t.profile.Remove(s)
	}
	s := &sample[T]{h}
	t.at[index] = s
	t.profile.Add(s, skip)
	if t.more--; t.more <= 0 {
		t.sweep()
	}
}

// sweep drops the samples of values that have gone.
func (t *Profile[T]) sweep() {
	for i, s := range t.at {
		if !t.holder.Contains(s.h) {
			t.profile.Remove(s)
			delete(t.at, i)
		}
	}
	t.more = len(t.at)/8 + minSweep
}

// sweepOf is sweep if t is a profile of c.
func (t *Profile[T]) sweepOf(c Container) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if any(t.holder) == any(c) {
		t.sweep()
	}
}

// Count drops the samples of values that have gone, and returns the number of those that are left.
// With a rate of 1, it is the number of values that were recorded and are still there.
//
// Cost: O(samples).
func (t *Profile[T]) Count() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	return len(t.at)
}

// WriteTo drops the samples of values that have gone, and writes the profile as
// [pprof.Profile.WriteTo] does: compressed for go tool pprof, or with a debug of 1 or more as text.
// A nil Profile writes nothing. WriteTo returns the error of w.
//
// Cost: O(samples).
func (t *Profile[T]) WriteTo(w io.Writer, debug int) error {
	if t == nil {
		return nil
	}
	t.Count()
	return t.profile.WriteTo(w, debug)
}

// Close drops all samples, and lets go of the container. Inserted does nothing afterwards. A second
// Close does nothing.
//
// Cost: O(samples).
func (t *Profile[T]) Close() {
	if t == nil {
		return
	}
	profiles.mu.Lock()
	profiles.open = slices.DeleteFunc(profiles.open, func(x sweeper) bool { return x == t })
	profiles.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.at {
		t.profile.Remove(s)
	}
	t.at, t.holder = nil, nil
}

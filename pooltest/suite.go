package pooltest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"unsafe"
)

// Options configure a new container of the suite.
type Options struct {
	Capacity int    // slots to allocate in advance
	Limit    int    // maximum number of live values; 0 means no limit
	Seed     uint32 // the same Seed and calls make the same handles; 0 takes an unused seed
}

// Pointers specifies how long a pointer to a value is valid.
type Pointers uint8

const (
	// UntilRemove pointers are valid until their value is removed: values never move.
	UntilRemove Pointers = iota
	// UntilGrowth pointers also end when the container takes or releases memory.
	UntilGrowth
	// UntilChange pointers are valid until the next insert or removal.
	UntilChange
)

// String returns the name of the constant: "UntilRemove", "UntilGrowth" or "UntilChange".
func (p Pointers) String() string {
	if p > UntilChange {
		return fmt.Sprintf("Pointers(%d)", uint8(p))
	}
	return [...]string{"UntilRemove", "UntilGrowth", "UntilChange"}[p]
}

// Suite configures the tests for one kind of container. New is required. The other functions give
// access to features that have types of their own. A feature with a nil function is not tested. The
// methods do not change a Suite, so it may be reused.
type Suite[H comparable, V Item] struct {
	// New returns an empty container.
	New func(Options) Container[H, V]

	// Pointers is the container's guarantee for its pointers.
	Pointers Pointers
	// KeepsMemory is set if only Clip releases memory. Otherwise memory must follow the live
	// values.
	KeepsMemory bool
	// TidiesInLoops is set if memory is released when the next loop begins, not at once.
	TidiesInLoops bool
	// SpansEnd is set if Clip and Clear inside a loop end its span, because it lies in memory that
	// they release. Otherwise a removed value must read as zero there.
	SpansEnd bool
	// Most is the maximum number of values and vacant slots of the container; 0 means no maximum.
	Most int
	// Except maps the names of subtests that the container is not meant to pass, such as
	// "Law4Foreign/sameSeed", to the reason, which Run prints. Play does not make the calls of
	// these subtests either.
	Except map[string]string

	// Clone returns an independent copy in which the same handles find copies of the values.
	Clone func(Container[H, V]) Container[H, V]
	// InsertSeq inserts the values of a sequence, and takes none beyond Limit. It returns how many.
	InsertSeq func(Container[H, V], iter.Seq[V]) int
	// Drain returns an iterator that removes each value before it yields it.
	Drain func(Container[H, V]) iter.Seq2[H, V]
	// Backward returns an iterator in the reverse of the order of All.
	Backward func(Container[H, V]) iter.Seq2[H, *V]
	// Traverse returns an iterator over all values, each with a view of the others.
	Traverse func(Container[H, V]) iter.Seq2[Pivot[H, V], View[H, V]]
	// Apply calls f with one value and a view of the others. It reports false if h is not live.
	Apply func(c Container[H, V], h H, f func(*V, View[H, V])) bool
	// Save returns the state of a container as bytes, and Load replaces the state of a container by
	// one that was saved. The handles that were live when it was saved find the same values again,
	// stale handles find nothing, and inserts go on to issue the handles that the saved container
	// would issue. The Limit of c stays. Load must fail, and change nothing, if data is cut or has
	// more values than Limit. It may accept other damage that its format cannot detect, but must
	// leave c consistent. It must not keep data. If only one of the two is set, neither is tested.
	// [AppendItem] and [ReadItem] encode the values.
	Save func(c Container[H, V]) ([]byte, error)
	Load func(c Container[H, V], data []byte) error
	// FromBits makes a handle from any 64 bits, and Bits returns the bits of a handle.
	FromBits func(uint64) H
	Bits     func(H) uint64

	// Check panics if the container is inconsistent. It is called after each step.
	Check func(Container[H, V])
	// Bytes returns the memory that the container holds. Law 10 measures the heap in any case.
	Bytes func(Container[H, V]) int
	// Age gives the slots of c, which is new, only the given number of lives, since law 2 must also
	// hold when generations are used up.
	Age func(c Container[H, V], lives int)
	// Retired returns the number of slots that are used up.
	Retired func(Container[H, V]) int
}

// failer is the part of testing.TB that the checks use, so that a test can replace it.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// traits is a Suite without its type parameters.
type traits struct {
	pointers Pointers
	tidies   bool // TidiesInLoops
	ends     bool // SpansEnd
	most     int
	except   map[string]string
	size     int // of a V, in bytes
	open     func() func(Options) container
}

func traitsOf[H comparable, V Item](s *Suite[H, V]) *traits {
	return &traits{
		pointers: s.Pointers, tidies: s.TidiesInLoops, ends: s.SpansEnd, most: s.Most,
		except: s.Except, size: int(unsafe.Sizeof(*new(V))),
		open: func() func(Options) container { return opener(s) },
	}
}

// check is one subtest: a law, or a rule of it.
type check struct {
	law, name string
	needs     []string // features that the container must have
	run       func(r *run)
}

// run is the state of a check.
type run struct {
	*traits
	open func(Options) container // returns an empty container
	f    failer
	ids  uint64 // the last ID used
	rng  *rand.Rand
}

// allows reports whether the subtest of the given name is not excepted.
func (s *traits) allows(name string) bool {
	_, not := s.except[name]
	return !not
}

// count returns n, or less under the race detector or for a container with a Most.
func (r *run) count(n int) int { return r.room(max(n/scale, min(n, 100))) }

// room returns n, or less for a container with a Most.
func (r *run) room(n int) int {
	if r.most > 0 {
		n = min(n, r.most)
	}
	return n
}

func (r *run) newID() uint64 { r.ids++; return r.ids }

// sizes are numbers of values: zero, and at the edges of words and chunks.
var sizes = []int{0, 1, 2, 63, 64, 65, 127, 130, 257, 1025}

// bomb is the value of the suite's panics in callbacks.
type bomb struct{}

// panics reports whether f panics with a bomb. It passes other panics on.
func (r *run) panics(f func()) (yes bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, ours := e.(bomb); !ours {
				panic(e)
			}
			yes = true
		}
	}()
	f()
	return false
}

package berth_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/invariants"
	"github.com/seed505807e1/berth/internal/long"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/pooltest"
)

// errRefused is the error of a ledger's refusal.
var errRefused = errors.New("the ledger refuses")

// ledger is a Memory for tests. It takes its pieces from Go's heap, surrounds each with garbage
// that must be intact when the piece is freed, and poisons freed pieces. It panics if a piece is
// freed twice, or was never its own.
type ledger struct {
	out   map[*byte]piece
	bytes int // allocated and not freed
	calls int // of Alloc
	nos   int // refusals

	refuse func(call, size int) bool       // the first call is 1
	spoil  func(b []byte, call int) []byte // returns the bytes to use in place of b
}

type piece struct{ whole, b []byte }

func newLedger() *ledger { return &ledger{out: map[*byte]piece{}} }

const (
	guard  = 64
	filler = 0xDB
)

func (l *ledger) Alloc(size, align int) ([]byte, error) {
	l.calls++
	if size < 1 || align < 1 || align&(align-1) != 0 {
		panic(fmt.Sprintf("Alloc(%d, %d)", size, align))
	}
	if l.refuse != nil && l.refuse(l.calls, size) {
		l.nos++
		return nil, fmt.Errorf("call %d: %w", l.calls, errRefused)
	}
	whole := make([]byte, guard+align+size+guard)
	at := guard + (align-int(uintptr(unsafe.Pointer(&whole[guard]))&uintptr(align-1)))&(align-1)
	b := whole[at : at+size]
	if l.spoil != nil {
		b = l.spoil(b, l.calls)
	}
	if len(b) == 0 {
		return b, nil
	}
	l.bytes += len(b)
	p := piece{whole, b}
	l.out[&b[0]] = p
	for _, around := range p.around() {
		for i := range around {
			around[i] = filler
		}
	}
	return b, nil
}

// around returns the bytes before and after a piece.
func (p piece) around() [2][]byte {
	at := len(p.whole) - cap(p.b)
	return [2][]byte{p.whole[:at], p.whole[at+len(p.b):]}
}

func (l *ledger) Free(b []byte) {
	p, ok := l.out[&b[0]]
	if !ok || len(p.b) != len(b) || cap(p.b) != cap(b) {
		panic(fmt.Sprintf("Free of %d bytes that are not allocated", len(b)))
	}
	delete(l.out, &b[0])
	l.bytes -= len(b)
	for _, around := range p.around() {
		if slices.ContainsFunc(around, func(x byte) bool { return x != filler }) {
			panic(fmt.Sprintf("write outside a piece of %d bytes", len(b)))
		}
	}
	other := func(x byte) bool { return x != filler }
	if (invariants.On || poison.On) && l.spoil == nil && slices.ContainsFunc(b, other) {
		panic(fmt.Sprintf("%d bytes are freed unchanged, want poison", len(b)))
	}
	for i := range b {
		b[i] = filler
	}
}

// cannotHang ends the program, with the stacks of all goroutines, if t takes minutes.
func cannotHang(t testing.TB) {
	timer := time.AfterFunc(4*time.Minute, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() { timer.Stop() })
}

// panicsWith runs f, and fails unless it panics with a text that contains each of want.
func panicsWith(t testing.TB, f func(), want ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		for _, w := range want {
			if r == nil || !strings.Contains(fmt.Sprint(r), w) {
				t.Errorf("panic %v, want %q", r, w)
			}
		}
	}()
	f()
}

// allBack fails t if memory is not freed.
func (l *ledger) allBack(t testing.TB, when string) {
	t.Helper()
	if l.bytes != 0 || len(l.out) != 0 {
		t.Errorf("%s: %d bytes in %d pieces are not freed, want 0", when, l.bytes, len(l.out))
	}
}

// poolOnLedger returns the suite for Pools that take their memory from a ledger each.
func poolOnLedger(c berth.Config) pooltest.Suite[berth.Handle[pooltest.Plain], pooltest.Plain] {
	s := poolSuite[pooltest.Plain](c)
	const why = "with a Memory, only Clip and Clear give memory back"
	s.SpansEnd = true
	s.Except = map[string]string{
		"Law10CostFollows/firstSurvive":     why,
		"Law10CostFollows/lastSurvive":      why,
		"Law10CostFollows/scatteredSurvive": why,
	}
	s.New = func(o pooltest.Options) pooltest.Container[berth.Handle[pooltest.Plain], pooltest.Plain] {
		c := c
		c.Memory = newLedger()
		return poolSuite[pooltest.Plain](c).New(o)
	}
	return s
}

func denseOnLedger(
	of func(berth.DenseConfig) pooltest.Suite[berth.Handle[pooltest.Plain], pooltest.Plain],
	c berth.DenseConfig,
) pooltest.Suite[berth.Handle[pooltest.Plain], pooltest.Plain] {
	s := of(c)
	s.New = func(o pooltest.Options) pooltest.Container[berth.Handle[pooltest.Plain], pooltest.Plain] {
		c := c
		c.Memory = newLedger()
		return of(c).New(o)
	}
	return s
}

// The laws hold in every mode for memory outside Go's heap. It is poisoned when it is freed, so
// later reads of it fail.
func TestPoolMemoryLaws(t *testing.T) {
	cannotHang(t)
	t.Run("truncate=Memory", poolOnLedger(berth.Config{}).Run)
	if !long.On {
		return
	}
	t.Run("truncate=Length", poolOnLedger(berth.Config{
		Truncate: berth.TruncateLength, Capacity: 200, Limit: 1 << 20,
	}).Run)
	t.Run("truncate=Never", poolOnLedger(berth.Config{Truncate: berth.TruncateNever}).Run)
}

func TestDenseMemoryLaws(t *testing.T) {
	cannotHang(t)
	type config = berth.DenseConfig
	dense := denseSuite[pooltest.Plain]
	t.Run("defrag=Manual", denseOnLedger(dense, config{Defrag: berth.DefragManual, Capacity: 200}).Run)
	if !long.On {
		return
	}
	t.Run("defrag=Deferred", denseOnLedger(dense, config{}).Run)
	t.Run("defrag=Immediate, hooks",
		denseOnLedger(hookedDense[pooltest.Plain], config{Defrag: berth.DefragImmediate}).Run)
}

type (
	named struct {
		Health int
		Name   string
	}
	crew struct{ Who [3]named }
)

// Values that the collector must scan cannot lie in a Memory, and the panic names their type.
func TestMemoryRefusesPointers(t *testing.T) {
	cannotHang(t)
	l := newLedger()
	panicsWith(t, func() { berth.NewPool[named](berth.Config{Memory: l}) },
		"berth: NewPool: Memory cannot hold Go pointers: named.Name: string")
	panicsWith(t, func() { berth.NewDense[crew](berth.DenseConfig{Memory: l, Capacity: 1}) },
		"berth: NewDense: Memory cannot hold Go pointers: crew.Who[0].Name: string")
	panicsWith(t, func() { berth.NewPool[*int](berth.Config{Memory: l, Capacity: 10}) },
		"berth: NewPool: Memory cannot hold Go pointers: *int")
	if l.calls != 0 {
		t.Errorf("Alloc was called %d times, want 0", l.calls)
	}
	berth.NewPool[berth.Handle[named]](berth.Config{Memory: l}) // a number, whatever it refers to
	berth.NewPool[*int](berth.Config{})
}

// A slice of the wrong size or address is a mistake of the Memory's author. It is freed, and the
// container is unchanged.
func TestMemoryMisfits(t *testing.T) {
	cannotHang(t)
	for name, c := range map[string]struct {
		spoil func([]byte) []byte
		want  string
	}{
		"short":   {func(b []byte) []byte { return b[:len(b)-1] }, "returned "},
		"long":    {func(b []byte) []byte { return b[:len(b)+1] }, "returned "},
		"nothing": {func([]byte) []byte { return nil }, "returned 0 bytes"},
		"crooked": {func(b []byte) []byte { return b[1 : len(b)+1] }, "at another address"},
		"dirty":   {func(b []byte) []byte { b[len(b)-1] = 1; return b }, "not zero"},
	} {
		if name == "dirty" && !invariants.On {
			continue
		}
		t.Run(name, func(t *testing.T) {
			misfit(t, c.spoil, c.want)
		})
	}
}

// Values of size 0 lie in no piece of memory, so no pointer to one ends with a piece.
func TestDenseMemoryOfNothing(t *testing.T) {
	l := newLedger()
	d := berth.NewDense[struct{}](berth.DenseConfig{Memory: l})
	v := uintptr(unsafe.Pointer(d.Ptr(d.Insert(struct{}{}))))
	for first, p := range l.out {
		if v-uintptr(unsafe.Pointer(first)) < uintptr(len(p.b)) {
			t.Error("a value of size 0 lies in memory that can be freed")
		}
	}
}

func misfit(t *testing.T, spoil func([]byte) []byte, want string) {
	each(t, func(t *testing.T, n maker) {
		l := newLedger()
		bad := false
		l.spoil = func(b []byte, _ int) []byte {
			if bad {
				return spoil(b)
			}
			return b
		}
		c := n.make(l, 0)
		h := c.Insert(7)
		bad = true
		held := l.bytes
		panicsWith(t, func() { c.Grow(10_000) }, "berth: Memory.Alloc(", want)
		panicsWith(t, func() {
			for range 1000 {
				c.Insert(8)
			}
		}, "berth: Memory.Alloc(", want)
		panicsWith(t, func() { n.make(l, 100) }, "berth: Memory.Alloc(", want)
		if v, ok := c.Get(h); !ok || v != 7 {
			t.Errorf("Get = %v, %v after a misfit, want 7, true", v, ok)
		}
		c.CheckInvariants()
		if l.bytes < held || l.bytes > c.Stats().Bytes {
			t.Errorf("%d bytes are not freed, want at least %d, and at most Stats().Bytes = %d",
				l.bytes, held, c.Stats().Bytes)
		}
		bad = false
		c.Clear()
		c.Clip()
		l.allBack(t, "after Clear and Clip")
	})
}

// box is the interface that both containers have.
type box interface {
	Insert(v int) berth.Handle[int]
	InsertFunc(f func(berth.Handle[int], *int)) berth.Handle[int]
	Remove(h berth.Handle[int]) (int, bool)
	Clear()
	Clip()
	Grow(n int)
	Cap() int
	Stats() berth.Stats
	CheckInvariants()
	berth.View[int]
}

// maker makes one kind of container.
type maker struct {
	name string
	make func(m berth.Memory, capacity int) box
}

// makers returns makers of both containers in all modes.
func makers() (ms []maker) {
	for _, tr := range []berth.Truncate{berth.TruncateMemory, berth.TruncateLength, berth.TruncateNever} {
		ms = append(ms, maker{"Pool/" + tr.String(), func(m berth.Memory, n int) box {
			return berth.NewPool[int](berth.Config{Capacity: n, Truncate: tr, Memory: m})
		}})
	}
	for _, df := range []berth.Defrag{berth.DefragDeferred, berth.DefragImmediate, berth.DefragManual} {
		ms = append(ms, maker{"Dense/" + df.String(), func(m berth.Memory, n int) box {
			return berth.NewDense[int](berth.DenseConfig{Capacity: n, Defrag: df, Memory: m, ShrinkAbove: 32})
		}})
	}
	return ms
}

func each(t *testing.T, f func(*testing.T, maker)) {
	for _, m := range makers() {
		t.Run(m.name, func(t *testing.T) { f(t, m) })
	}
}

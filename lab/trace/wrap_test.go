package trace_test

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/lab/trace"
	"github.com/seed505807e1/berth/stable"
)

// recording is a recorder of one track, and its output.
type recording struct {
	bytes.Buffer
	*trace.Recorder
	track *trace.Track
	t     testing.TB
	want  []string // the ops by did
}

func record(t testing.TB) *recording {
	t.Helper()
	r := recording{t: t}
	var err error
	if r.Recorder, err = trace.NewRecorder(&r.Buffer); err != nil {
		t.Fatal(err)
	}
	r.track = r.Track("values", 8)
	return &r
}

// text closes the recording, and returns its ops as "i0 r0 g0 m0 p f", whatever their track.
func (r *recording) text() string {
	r.t.Helper()
	if err := r.Close(); err != nil {
		r.t.Fatal(err)
	}
	ops := trace.MustRead(r.t, r.Bytes())
	for i := range ops {
		ops[i].Track = 0
	}
	return trace.Text(ops)
}

// check closes the recording, and checks its ops.
func (r *recording) check(want string) {
	r.t.Helper()
	if got := r.text(); got != want {
		r.t.Errorf("recorded\n%s\nwant\n%s", got, want)
	}
}

// did notes the ops that a call must have recorded, and whether it did what it should.
func (r *recording) did(ops string, ok bool, what string) {
	r.t.Helper()
	r.want = append(r.want, strings.Fields(ops)...)
	if !ok {
		r.t.Errorf("%s: wrong answer", what)
	}
}

// checkWrapped wraps an empty container after an insert, calls all methods, and checks the answers
// and the recording.
func checkWrapped[H comparable](t *testing.T, c trace.Container[int, H]) {
	rec := record(t)
	c.Insert(5)
	w := trace.Wrap(rec.track, c)
	if w.Len() != 1 {
		t.Fatalf("%d values once wrapped, want 1", w.Len())
	}
	did := rec.did
	did("i0", true, "Wrap")
	var none H
	a := w.Insert(1)
	b, err := w.TryInsert(2)
	did("i1 i2", err == nil && c.Contains(a) && c.Contains(b) && w.Len() == 3, "Insert")
	v, ok := w.Get(a)
	did("g1", ok && v == 1, "Get")
	did("g2", *w.Ptr(b) == 2, "Ptr")
	did("g2", w.Contains(b), "Contains")
	did("", w.Ptr(none) == nil && !w.Contains(none), "the zero handle")

	v, ok = w.Remove(a)
	did("r1", ok && v == 1 && !c.Contains(a), "Remove")
	_, ok = w.Remove(a)
	did("m1", !ok, "Remove again")
	_, ok = w.Get(a)
	did("m1", !ok, "Get of a stale handle")
	d := w.Insert(3)
	did("i1", w.Len() == 3, "Insert where one has gone")
	did("m1 g1", w.Ptr(a) == nil && *w.Ptr(d) == 3, "Ptr of both of a name")
	w.Remove(d)
	e := w.Insert(4)
	did("r1 i1", true, "one more of the name")
	did("g1 m1 m1", w.Contains(e) && !w.Contains(d) && !w.Contains(a), "all three of a name")
	w.Remove(b)
	did("r2 m2", w.Ptr(a) == nil, "a handle that is forgotten is the last that has gone")

	sum := 0
	for h, v := range w.All() {
		if c.Ptr(h) != v {
			t.Error("All: a handle of another value")
		}
		sum += *v
	}
	did("p", sum == 9, "All")
	for v := range w.Values() {
		sum += *v
		break
	}
	did("p", sum > 9, "Values, with a break")
	n := 0
	for _, s := range w.Spans() {
		n += len(s)
	}
	did("p", n == 2, "Spans")

	w.Grow(100)
	did("", w.Cap() >= 102 && w.Cap() == c.Cap(), "Grow")
	w.Clip()
	did("", w.Cap() < 102 || w.Cap() == c.Cap(), "Clip")
	n = w.RemoveFunc(func(h H, v *int) bool {
		if *v == 4 {
			if x, ok := w.Remove(h); !ok || x != 4 {
				t.Error("RemoveFunc: its body cannot remove")
			}
		}
		return true
	})
	did("p r0 r1", n == 1 && w.Len() == 0, "RemoveFunc")
	got := rec.text()
	// The order of the two removals depends on the container.
	got = strings.Replace(got, "p r1 r0", "p r0 r1", 1)
	if all := strings.Join(rec.want, " "); got != all {
		t.Errorf("recorded\n%s\nwant\n%s", got, all)
	}
}

// checkEmptied checks the methods that empty a container of three values, and Insert after them.
func checkEmptied[H comparable](t *testing.T, c trace.Container[int, H]) {
	rec := record(t)
	w := trace.Wrap(rec.track, c)
	var hs []H
	for i := range 3 {
		hs = append(hs, w.Insert(i))
	}
	w.Clear()
	w.Contains(hs[1])
	if c.Len() != 0 {
		t.Error("Clear leaves something")
	}
	w.Insert(3)
	w.Insert(4)
	for _, v := range berth.Drain(w) {
		if v != 3 && v != 4 {
			t.Errorf("Drain hands out %d", v)
		}
		break
	}
	if w.Len() != 1 {
		t.Errorf("after a break, %d values are left, want 1", w.Len())
	}
	for range berth.Drain(w) {
	}
	if w.Track() != rec.track {
		t.Error("Track is another")
	}
	w.Pass()
	// The last name given back is issued first, so 2 and 1 are drained, in either order.
	got := rec.text()
	const head = "i0 i1 i2 r0 r1 r2 m1 i2 i1 p "
	if got != head+"r2 p r1 p" && got != head+"r1 p r2 p" {
		t.Errorf("recorded %s", got)
	}
}

func TestWrapPool(t *testing.T) {
	checkWrapped(t, new(berth.Pool[int]))
	checkEmptied(t, new(berth.Pool[int]))
}

func TestWrapDense(t *testing.T) {
	for _, d := range []berth.Defrag{berth.DefragDeferred, berth.DefragImmediate, berth.DefragManual} {
		checkWrapped(t, berth.NewDense[int](berth.DenseConfig{Defrag: d}))
		checkEmptied(t, berth.NewDense[int](berth.DenseConfig{Defrag: d}))
	}
}

func TestWrapList(t *testing.T) {
	for _, p := range []stable.Placement{stable.Quartered, stable.FirstFree, stable.FirstFreeHeap} {
		checkWrapped(t, stable.New[int](stable.Config{Placement: p}))
		checkEmptied(t, stable.New[int](stable.Config{Placement: p}))
	}
	checkEmptied(t, stable.NewOf[int, uint16, stable.Counter64](stable.Config{}))
}

// TestWrapWrapped checks that a wrapped container can be wrapped again.
func TestWrapWrapped(t *testing.T) {
	outer := record(t)
	checkWrapped(t, trace.Wrap(outer.track, new(berth.Pool[int])))
	if got, want := outer.text(), "i0 p i1 i2 g1 "; !strings.HasPrefix(got, want) {
		t.Errorf("recorded %s, want %s...", got, want)
	}
}

// TestWrapBehind bypasses the recording, which detects the changes at lookups.
func TestWrapBehind(t *testing.T) {
	rec := record(t)
	var p berth.Pool[int]
	w := trace.Wrap(rec.track, &p)
	a, b := w.Insert(1), w.Insert(2)
	hidden, lost := p.Insert(3), p.Insert(4)
	if !w.Contains(hidden) {
		t.Error("what is in the pool is not found")
	}
	if _, ok := w.Remove(hidden); !ok || !w.Delete(lost) {
		t.Error("what is in the pool is not removed")
	}
	p.Remove(a)
	if w.Ptr(a) != nil || w.Contains(a) {
		t.Error("what is gone is found")
	}
	w.Remove(b)
	if w.Ptr(a) != nil || w.Ptr(hidden) != nil || w.Ptr(lost) != nil {
		t.Error("what is gone is found")
	}
	// lost has the name of hidden, so the second last miss is one of b.
	rec.check("i0 i1 i2 g2 r2 i2 r2 r0 m0 m0 r1 m0 m1 m2")
}

// TestWrapMore checks the later methods, and hooks that use their container.
func TestWrapMore(t *testing.T) {
	rec := record(t)
	var w *trace.Wrapped[int, handle]
	d := berth.NewDense[int](berth.DenseConfig{Limit: 4})
	berth.DenseSetHooks(d, berth.Hooks[int]{
		OnInsert: func(h handle, v *int) {
			switch *v {
			case 1:
				w.Contains(h)
			case 2:
				w.Delete(h)
			}
		},
		OnRemove: func(h handle, v *int) {
			switch *v {
			case 1:
				w.Contains(h)
			case 3:
				w.Clear()
			}
		},
	})
	w = trace.Wrap(rec.track, d)
	a := w.Insert(1)
	b := w.Insert(2)
	if !d.Contains(a) || d.Contains(b) {
		t.Error("what is recorded is not what the hooks do")
	}
	_, _ = w.TryInsert(2)
	h, v := w.New()
	if *v != 0 || w.Insert(1).IsZero() || w.Insert(2).IsZero() || w.Insert(3).IsZero() || !w.Insert(4).IsZero() {
		t.Error("New or Insert: wrong answer")
	}
	if w.String() != d.String() {
		t.Errorf("String is %q, want %q", w.String(), d.String())
	}
	for x := range berth.Handles(w) {
		if x != a {
			t.Error("Handles: another")
		}
		break
	}
	if !w.Delete(h) || w.Delete(h) {
		t.Error("Delete: wrong answer")
	}
	w.InsertFunc(func(h handle, v *int) { *v = 3; w.Contains(h) })
	w.Clear()
	// A 1 is found by its hook, so it is recorded; a 2 is inserted and removed in its hook. The
	// last but one is removed in a nested Clear, before the one whose hook calls that.
	rec.check("i0 g0 i1 r1 i1 r1 i1 i2 g2 i3 r3 i3 p r1 m1 m1 i1 r0 m0 r2 m2 r3 r1")
}

// TestWrapHookLooks checks a removal that its hook has recorded by a lookup.
func TestWrapHookLooks(t *testing.T) {
	rec := record(t)
	var w *trace.Wrapped[int, handle]
	d := new(berth.Dense[int])
	berth.DenseSetHooks(d, berth.Hooks[int]{OnRemove: func(h handle, _ *int) { w.Contains(h) }})
	w = trace.Wrap(rec.track, d)
	w.Remove(w.Insert(1))
	w.Delete(w.Insert(2))
	rec.check("i0 r0 m0 i0 r0 m0")
}

// restored is a Pool that is reset to an earlier state.
type restored struct{ *berth.Pool[int] }

// TestWrapRestored checks that a reissued handle is a new value.
func TestWrapRestored(t *testing.T) {
	rec := record(t)
	r := &restored{new(berth.Pool[int])}
	w := trace.Wrap(rec.track, r)
	saved := r.Clone()
	a := w.Insert(1)
	w.Remove(a)
	r.Pool = saved
	if b := w.Insert(2); a != b || !r.Contains(a) {
		t.Fatalf("set back, a pool issues %v, and %v before", b, a)
	}
	rec.check("i0 r0 i0")
}

// TestWrapInsertFunc checks the panic for a container without InsertFunc.
func TestWrapInsertFunc(t *testing.T) {
	w := trace.Wrap(record(t).track, stable.New[int](stable.Config{}))
	defer func() {
		const want = "trace: Wrapped.InsertFunc: *stable.ListOf["
		if e := fmt.Sprint(recover()); !strings.HasPrefix(e, want) {
			t.Errorf("InsertFunc of a list: %s, want %s...", e, want)
		}
	}()
	w.InsertFunc(nil)
}

// TestWrapForgets checks that the map of handles does not grow with time.
func TestWrapForgets(t *testing.T) {
	rec := record(t)
	var p berth.Pool[int]
	w := trace.Wrap(rec.track, &p)
	live := []berth.Handle[int]{}
	for i := range 100 {
		live = append(live, w.Insert(i))
	}
	for i := range 20_000 {
		k := i * 7 % 100
		w.Remove(live[k])
		live[k] = w.Insert(i)
	}
	if n := trace.BookLen(w); n > 200 {
		t.Errorf("%d handles are kept for 100 values, want 200 at most", n)
	}
}

// TestWrapStopped checks that a container works after the end of its recording, and that nothing is
// kept then.
func TestWrapStopped(t *testing.T) {
	rec := record(t)
	var p berth.Pool[int]
	w := trace.Wrap(rec.track, &p)
	a := w.Insert(1)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	b := w.Insert(2)
	if v, ok := w.Get(a); v != 1 || !ok || *w.Ptr(b) != 2 {
		t.Error("a value is lost")
	}
	var vs []int
	for _, v := range w.All() {
		vs = append(vs, *v)
	}
	if _, ok := w.Remove(a); !ok || w.Contains(a) || w.Len() != 1 || !slices.Equal(vs, []int{1, 2}) {
		t.Errorf("not as a Pool: %v, %d left", vs, w.Len())
	}
	if n := trace.BookLen(w); n != 0 {
		t.Errorf("%d handles are kept, want 0", n)
	}
}

func TestWrapResources(t *testing.T) {
	rec := record(t)
	hs := arena.NewHandles[int, arena.Handle32[int]](arena.NewFixed(1<<16), arena.HandlesConfig{})
	if _, err := hs.Insert(5); err != nil {
		t.Fatal(err)
	}
	w := trace.WrapResources(rec.track, hs)
	a, err := w.Insert(1)
	b, _ := w.Insert(2)
	if v, ok := w.Get(a); err != nil || !ok || v != 1 || *w.Ptr(b) != 2 || !w.Contains(b) || w.Contains(0) {
		t.Error("a value is not found")
	}
	if !w.Delete(a) || w.Delete(a) || w.Ptr(a) != nil || w.Len() != 2 {
		t.Error("a value is not destroyed")
	}
	c, _ := w.Insert(3)
	if w.Contains(a) || !w.Contains(c) || !w.Grow(10) || w.Cap() != hs.Cap() {
		t.Error("a slot is not reused as it should be")
	}
	n := visits(w.All(), w.Values(), w.Spans(), hs.Ptr)
	w.Clear()
	if n != 6 || hs.Len() != 0 {
		t.Errorf("%d values were visited twice, want 3; %d are left", n, hs.Len())
	}
	rec.check("i0 i1 i2 g1 g2 g2 r1 m1 m1 i1 m1 g1 p p p r0 r1 r2")
}

func TestWrapIndexed(t *testing.T) {
	rec := record(t)
	p := arena.NewPool[int](arena.NewFixed(1 << 16))
	p.Insert(5)
	w := trace.WrapIndexed(rec.track, p)
	a, ok := w.Insert(1)
	b, _ := w.Insert(2)
	if v, found := w.Get(a); !ok || !found || v != 1 || *w.Ptr(b) != 2 || !w.Contains(0) || w.Contains(99) {
		t.Error("a value is not found")
	}
	if v, ok := w.Remove(a); !ok || v != 1 || w.Contains(a) || w.Len() != 2 {
		t.Error("a value is not removed")
	}
	if _, ok := w.Remove(a); ok {
		t.Error("a value is removed twice")
	}
	c, _ := w.Insert(3)
	if c != a || !w.Contains(a) || !w.Grow(10) || w.Cap() != p.Cap() {
		t.Error("a slot is not reused as it should be")
	}
	n := visits(w.All(), w.Values(), w.Spans(), p.Ptr)
	w.Remove(b)
	w.Remove(0)
	w.Insert(6) // at 0, with the name 0
	w.Contains(b)
	w.Clear()
	if n != 6 || p.Len() != 0 {
		t.Errorf("%d values were visited twice, want 3; %d are left", n, p.Len())
	}
	rec.check("i0 i1 i2 g1 g2 g0 r1 m1 m1 i1 g1 p p p r2 r0 i0 m2 r0 r1")
	if e := arenaFull(t); e != "" {
		t.Errorf("recorded %q of a pool without memory, want nothing", e)
	}
}

// TestWrapIndexedAgain checks that an index removed twice under the same name is not forgotten: its
// next miss is one of that name, whatever was removed since.
func TestWrapIndexedAgain(t *testing.T) {
	rec := record(t)
	w := trace.WrapIndexed(rec.track, arena.NewPool[int](arena.NewFixed(1<<16)))
	a, _ := w.Insert(1)
	b, _ := w.Insert(2)
	w.Remove(a)
	w.Insert(3) // at a, with the name of a
	w.Remove(a)
	w.Remove(b)
	w.Contains(a)
	w.Contains(b)
	rec.check("i0 i1 r0 i0 r0 r1 m0 m1")
}

// visits counts the values that All and Spans visit. It leaves Values at once.
func visits[H, I any](
	all iter.Seq2[H, *int], values iter.Seq[*int], spans iter.Seq2[I, []int], ptr func(H) *int,
) (n int) {
	for h, v := range all {
		if ptr(h) == v {
			n++
		}
	}
	for range values {
		break
	}
	for _, s := range spans {
		n += len(s)
	}
	return n
}

// arenaFull inserts where there is no memory.
func arenaFull(t *testing.T) string {
	rec := record(t)
	w := trace.WrapIndexed(rec.track, new(arena.Pool[int]))
	h := trace.WrapResources(rec.track, new(arena.Handles[int, arena.Handle64[int]]))
	if _, ok := w.Insert(1); ok {
		t.Error("a pool without an arena takes a value")
	}
	if _, err := h.Insert(1); err == nil {
		t.Error("handles without an arena take a value")
	}
	return rec.text()
}

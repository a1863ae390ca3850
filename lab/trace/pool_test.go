package trace_test

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
	"github.com/seed505807e1/berth/stable"
)

var errPanic = errors.New("panic")

type handle = berth.Handle[int]

// methods returns the signatures of T's methods by name, with b replaced by a.
func methods[T any](a, b string) map[string]string {
	m := make(map[string]string)
	const path = "github.com/seed505807e1/"
	short := strings.NewReplacer(path+"berth/lab/", "", path+"berth/", "", path, "")
	for method := range reflect.TypeFor[T]().Methods() {
		in := []string{}
		for i := range method.Type.NumIn() - 1 {
			in = append(in, method.Type.In(i+1).String())
		}
		for i := range method.Type.NumOut() {
			in = append(in, "returns", method.Type.Out(i).String())
		}
		is := short.Replace(strings.Join(in, ", "))
		m[method.Name] = strings.ReplaceAll(is, short.Replace(a), b)
	}
	return m
}

// TestPoolMethods checks that a Pool has all methods of a berth.Pool, Record, and those that are
// functions of berth.
func TestPoolMethods(t *testing.T) {
	want := methods[*berth.Pool[int]]("*berth.Pool[int]", "*trace.Pool[int]")
	got := methods[*trace.Pool[int]]("H", "H")
	for name, is := range want {
		if got[name] != is {
			t.Errorf("%s is %q, want %q", name, got[name], is)
		}
		delete(got, name)
	}
	delete(got, "Record")
	for _, name := range []string{"Traverse", "Apply", "Pairs", "ReadOnly", "ParallelSpans",
		"ParallelRemoveFunc", "ParallelTraverse", "Encode", "Decode", "AppendBinary", "Backward", "InsertSeq",
		"InsertAt", "SetHooks"} {
		delete(got, name)
	}
	if len(got) != 0 {
		t.Errorf("a Pool has more than a berth.Pool: %v", got)
	}
}

// TestWrappedMethods checks that a Wrapped has all methods that a Pool shares with a Dense or a
// list, except those with types of their packages, and those that know slots and so no values.
func TestWrappedMethods(t *testing.T) {
	pools := methods[*berth.Pool[int]]("berth.Handle[int]", "H")
	got := methods[*trace.Wrapped[int, handle]]("berth.Handle[int]", "H")
	delete(pools, "At")
	delete(pools, "Span")
	key := reflect.TypeFor[stable.Key[int, uint32, stable.Counter32]]().String()
	for what, others := range map[string]map[string]string{
		"Dense": methods[*berth.Dense[int]]("berth.Handle[int]", "H"),
		"List":  methods[*stable.List[int]](key, "H"),
	} {
		n := 0
		for name, is := range pools {
			if others[name] != is || strings.Contains(is, "berth.") {
				continue
			}
			n++
			if got[name] != is {
				t.Errorf("%s is %q, and %q for a Pool and a %s", name, got[name], is, what)
			}
		}
		if n < 20 {
			t.Errorf("a Pool and a %s share %d verbs, want more", what, n)
		}
	}
}

// TestPoolRecorded calls all methods of a Pool, and checks the recording.
func TestPoolRecorded(t *testing.T) {
	rec := record(t)
	var p trace.Pool[int]
	p.Remove(p.Insert(0))
	five := p.Insert(5)
	if track := p.Record(rec.Recorder, "pool"); track == nil || track.Len() != 1 {
		t.Fatalf("Record returns %v", track)
	}
	did := rec.did
	did("i0", p.Len() == 1, "Record")
	a := p.Insert(1)
	b, err := p.TryInsert(2)
	c, v := p.New()
	did("i1 i2 i3", err == nil && *v == 0, "Insert, TryInsert, New")
	n := p.InsertSeq(func(yield func(int) bool) { _ = yield(6) && yield(7) })
	did("i4 i5", n == 2, "InsertSeq")
	d := p.InsertFunc(func(h handle, v *int) {
		*v = 8
		if p.Contains(h) || !p.Delete(a) {
			t.Error("InsertFunc: wrong inside")
		}
	})
	did("r1 i1", *trace.Unrecorded(&p).Ptr(d) == 8, "InsertFunc: its own handle is no Miss")
	x, ok := p.Get(five)
	did("g0", ok && x == 5, "Get")
	did("g2 g3 m1", *p.Ptr(b) == 2 && p.Contains(c) && p.IndexOf(a) == -1, "Ptr, Contains, IndexOf")
	x, ok = p.Remove(b)
	did("r2", ok && x == 2, "Remove")
	_, ok = p.Remove(b)
	did("m2 m2", !ok && !p.Delete(b), "Remove and Delete of what is gone")
	did("r3 g0", p.Delete(c) && p.IndexOf(five) >= 0, "Delete")
	did("", p.Ptr(handle{}) == nil, "the zero handle")

	ok = p.Apply(five, func(v *int, others berth.Others[int]) {
		did("g0", *v == 5 && others.Contains(d) && !others.Contains(five), "Apply")
		p.Get(d)
	})
	did("g1 m2", ok && !p.Apply(b, nil), "Apply of what is gone")
	n = 0
	for e, others := range p.Traverse() {
		for h := range others.All() {
			if n++; n == 1 {
				p.Contains(e.Handle)
				p.Contains(h)
			}
		}
	}
	did("p g0 g4", n == 12, "Traverse")
	n = 0
	for range p.Pairs() {
		n++
	}
	did("p", n == 6, "Pairs")
	for range berth.Handles(&p) {
		p.At(0)
	}
	for span, at := p.Span(0); span != nil; span, at = p.Span(at) {
		n += len(span)
	}
	did("p", len(p.String()) > 0 && p.Stats().Live == 4, "Handles, At, Span, String, Stats")
	for range p.Slots() {
		p.Grow(p.Cap() + 1)
	}
	p.Clip()
	q := p.Clone()
	q.Clear()
	did("", p.Len() == 4 && q.Len() == 0, "Slots, Grow, Clip, Clone")
	n = p.RemoveFunc(func(h handle, v *int) bool { return *v == 5 || *v == 6 && p.Delete(h) })
	did("p r0 r4", n == 1, "RemoveFunc")
	for _, v := range berth.Drain(&p) {
		did("p r5", v == 7, "Drain")
		break
	}
	p.Clear()
	p.Clear()
	did("r1", p.Len() == 0, "Clear")
	rec.check(strings.Join(rec.want, " "))
	if h := p.Insert(9); !p.Contains(h) {
		t.Error("a pool whose recording has ended keeps nothing")
	}
}

// seen returns what a loop yields, as text, until most values came.
func seen[K, V any](loop iter.Seq2[K, V], most int) (all []string) {
	for k, v := range loop {
		if all = append(all, fmt.Sprint(k, v)); len(all) == most {
			break
		}
	}
	return all
}

// TestPoolLoops compares the loops of a recorded Pool with those of the pool inside it. Each is one
// Pass, even if it is left at once.
func TestPoolLoops(t *testing.T) {
	rec := record(t)
	var p trace.Pool[int]
	for i := range 10 {
		p.Insert(i)
	}
	p.RemoveFunc(func(_ handle, v *int) bool { return *v%4 == 1 })
	p.Record(rec.Recorder, "pool")
	q := trace.Unrecorded(&p)
	one := func(loop iter.Seq[*int]) iter.Seq2[*int, int] {
		return func(yield func(*int, int) bool) { loop(func(v *int) bool { return yield(v, *v) }) }
	}
	entries := func(loop iter.Seq2[berth.Entry[int], berth.Others[int]]) iter.Seq2[berth.Entry[int], []string] {
		return func(yield func(berth.Entry[int], []string) bool) {
			loop(func(e berth.Entry[int], others berth.Others[int]) bool { return yield(e, seen(others.All(), 100)) })
		}
	}
	for _, most := range []int{100, 1} {
		for name, both := range map[string][2][]string{
			"All":      {seen(p.All(), most), seen(q.All(), most)},
			"Values":   {seen(one(p.Values()), most), seen(one(q.Values()), most)},
			"Backward": {seen(p.Backward(), most), seen(berth.Backward(q), most)},
			"Spans":    {seen(p.Spans(), most), seen(q.Spans(), most)},
			"Pairs":    {seen(p.Pairs(), most), seen(berth.Pairs(q), most)},
			"Traverse": {seen(entries(p.Traverse()), most), seen(entries(berth.Traverse(q)), most)},
		} {
			if !slices.Equal(both[0], both[1]) || len(both[0]) == 0 {
				t.Errorf("%s yields %q, and that of the pool %q", name, both[0], both[1])
			}
		}
	}
	rec.check("i0 i1 i2 i3 i4 i5 i6" + strings.Repeat(" p", 12))
}

// TestPoolParallel checks that a parallel loop is one Pass for any number of goroutines, and that
// removals are recorded in slot order.
func TestPoolParallel(t *testing.T) {
	const values = 10_000 // in 3 parts
	var first string
	for n := 1; n <= 3; n++ {
		rec := record(t)
		var p trace.Pool[int]
		for i := range values {
			p.Insert(i)
		}
		p.Record(rec.Recorder, "pool")
		var sum, pivots atomic.Int64
		p.ParallelSpans(n, func(_ handle, span []int) {
			for _, v := range span {
				sum.Add(int64(v))
			}
		})
		removed := p.ParallelRemoveFunc(n, func(_ handle, v *int) bool { return *v%100 != 50 })
		p.ParallelTraverse(n, func(_ berth.Entry[int], others berth.Others[int]) {
			pivots.Add(int64(others.Len()))
		})
		if sum.Load() != values*(values-1)/2 || removed != values*99/100 || pivots.Load() != 9900 {
			t.Errorf("%d goroutines: sum %d, %d removed, %d others", n, sum.Load(), removed,
				pivots.Load())
		}
		text := rec.text()
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("the recording of %d goroutines differs from that of one", n)
		}
		ops := strings.Fields(text)[values:]
		if len(ops) != 1+1+removed+1 || ops[0] != "p" || ops[1] != "p" || ops[len(ops)-1] != "p" ||
			ops[2] != "r0" || ops[len(ops)-2] != "r9999" {
			t.Errorf("%d goroutines: recorded %d ops, from %s to %s", n, len(ops), ops[:3],
				ops[len(ops)-2:])
		}
	}
}

// TestPoolRecordAgain checks the recordings of a Pool that is recorded twice, no longer, or cloned.
func TestPoolRecordAgain(t *testing.T) {
	one, two := record(t), record(t)
	inserted := 0
	p := trace.NewPool[int](berth.Config{})
	p.SetHooks(berth.Hooks[int]{OnInsert: func(handle, *int) { inserted++ }})
	if p.Record(nil, "none") != nil {
		t.Error("a track without a recorder")
	}
	p.Insert(1)
	p.Record(one.Recorder, "pool")
	p.Insert(2)
	q := p.Clone()
	q.Insert(3)
	p.Record(two.Recorder, "pool")
	h := p.Insert(4)
	q.Record(one.Recorder, "clone")
	if p.Record(nil, "none") != nil {
		t.Error("a track without a recorder")
	}
	p.Remove(h)
	for range p.All() {
	}
	q.Insert(5)
	if inserted != 5 {
		t.Errorf("the hook was called %d times, want 5", inserted)
	}
	q.SetHooks(berth.Hooks[int]{})
	q.Clear()
	if inserted != 5 {
		t.Errorf("a hook that was taken away was called")
	}
	one.check("i0 i1 i0 i1 i2 i3 r0 r1 r2 r3")
	two.check("i0 i1 i2")
}

// TestPoolHooks checks the position of hooks in the stream: after the op that calls them.
func TestPoolHooks(t *testing.T) {
	rec := record(t)
	var p trace.Pool[int]
	p.Record(rec.Recorder, "pool")
	p.SetHooks(berth.Hooks[int]{
		OnInsert: func(h handle, v *int) {
			switch *v {
			case 1:
				p.Insert(10)
			case 2:
				p.Delete(h)
			case 3:
				panic(errPanic)
			}
		},
		OnRemove: func(h handle, v *int) {
			if p.Contains(h) {
				t.Error("what is gone is found")
			}
		},
	})
	p.Insert(1)
	p.Insert(2)
	func() {
		defer func() { _ = recover() }()
		p.Insert(3)
	}()
	if n := p.RemoveFunc(func(h handle, _ *int) bool { return true }); n != 2 {
		t.Errorf("%d values are removed, want 2", n)
	}
	rec.check("i0 i1 i2 r2 m2 i2 r2 p r0 m0 r1 m1")
}

// TestPoolAllocates checks that loops over an unrecorded Pool allocate nothing, and that one
// through a View allocates at most twice as often as that of a berth.Pool.
func TestPoolAllocates(t *testing.T) {
	var p trace.Pool[int]
	for i := range 100 {
		p.Insert(i)
	}
	n := 0
	body := func() { n++ }
	for name, loop := range map[string]func(){
		"All": func() { loopOver(p.All(), body) },
		"Values": func() {
			for range p.Values() {
				body()
			}
		},
		"Backward": func() { loopOver(p.Backward(), body) },
		"Spans":    func() { loopOver(p.Spans(), body) },
		"Pairs":    func() { loopOver(p.Pairs(), body) },
		"Traverse": func() { loopOver(p.Traverse(), body) },
	} {
		if got := testing.AllocsPerRun(10, loop); got != 0 || n == 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
	var view berth.View[int] = &p
	loop := func() {
		for range view.All() {
			body()
		}
	}
	if got := testing.AllocsPerRun(10, loop); got > 6 {
		t.Errorf("All of a View allocates %v times, want 6 at most", got)
	}
}

// loopOver is small enough to be inlined.
func loopOver[K, V any](loop iter.Seq2[K, V], body func()) {
	for range loop {
		body()
	}
}

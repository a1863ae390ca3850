package trace_test

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/trace"
	"github.com/seed505807e1/berth/stable"
)

const intBytes = int(4 << (^uint(0) >> 63))

// stream closes the recording and returns it.
func (r *recording) stream(t testing.TB) []byte {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.Bytes()
}

// ops returns the ops of a recording.
func ops(t testing.TB, stream []byte) []trace.Op {
	t.Helper()
	rd, err := trace.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	var ops []trace.Op
	for {
		op, err := rd.Next()
		if errors.Is(err, io.EOF) {
			return ops
		}
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
}

// kinds returns the first letters of the kinds of ops.
func kinds(ops []trace.Op) string {
	var b []byte
	for _, op := range ops {
		b = append(b, op.Kind.String()[0])
	}
	return string(b)
}

// checkLiving checks that the names of the n values of a pool are the live ones after the
// recording.
func checkLiving(t testing.TB, ops []trace.Op, names map[handle]uint32, n int) {
	t.Helper()
	live := make(map[uint32]bool)
	for _, op := range ops {
		switch op.Kind {
		case trace.Insert:
			live[op.Value] = true
		case trace.Remove:
			delete(live, op.Value)
		default:
		}
	}
	if len(live) != n || len(names) != n {
		t.Fatalf("%d values, of which %d have a name; %d live in the recording", n, len(names),
			len(live))
	}
	for h, x := range names {
		if !live[x] {
			t.Fatalf("%v has the name %d, which does not live in the recording", h, x)
		}
		delete(live, x)
	}
}

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
		"ParallelRemoveFunc", "ParallelTraverse", "Encode", "Decode", "Backward", "InsertSeq"} {
		delete(got, name)
	}
	if len(got) != 0 {
		t.Errorf("a Pool has more than a berth.Pool: %v", got)
	}
}

// TestWrappedMethods checks that a Wrapped has all methods that a Pool shares with a Dense or a
// list, except those with types of their packages.
func TestWrappedMethods(t *testing.T) {
	pools := methods[*berth.Pool[int]]("berth.Handle[int]", "H")
	got := methods[*trace.Wrapped[int, handle]]("berth.Handle[int]", "H")
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
		text := rec.text(t)
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
	if got, want := one.text(t), "i0 i1 i0 i1 i2 i3 r0 r1 r2 r3"; got != want {
		t.Errorf("recorded first %s, want %s", got, want)
	}
	if got, want := two.text(t), "i0 i1 i2"; got != want {
		t.Errorf("recorded then %s, want %s", got, want)
	}
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

package berth_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/costtest"
)

// costWorld holds the containers that costRows uses.
type costWorld struct {
	p   *berth.Pool[int]
	d   *berth.Dense[int]
	ph  berth.Handle[int]                         // of p
	ss  map[*berth.History[int]]berth.Handle[int] // with a handle of each
	dh  berth.Handle[int]                         // of d
	po  berth.Others[int]
	do  berth.DenseOthers[int]
	ref berth.Ref[int]
	ca  *berth.Column[int, int] // of p
	cb  *berth.Column[int, int] // of p
	dc  *berth.DenseColumn[int, int]
	o   *berth.Order[int]
	oh  berth.Handle[int] // in o
	sum int
}

// newCostWorld returns a world with 1000 values in each container.
func newCostWorld() *costWorld {
	w := &costWorld{p: new(berth.Pool[int]), d: new(berth.Dense[int])}
	for i := range 1000 {
		w.ph, w.dh = w.p.Insert(i), w.d.Insert(i)
	}
	for e, o := range berth.Traverse(w.p) {
		w.po = o
		w.sum += *e.Value
		break
	}
	for e, o := range berth.DenseTraverse(w.d) {
		w.do = o
		w.sum += *e.Value
		break
	}
	w.ref = berth.NewRef(w.d, w.dh)
	w.ca, w.cb = berth.NewColumn[int](w.p), berth.NewColumn[int](w.p)
	for h, v := range w.p.All() {
		w.ca.Set(h, *v)
	}
	w.cb.Set(w.ph, 1)
	w.dc = berth.NewDenseColumn[int](w.d)
	q := berth.NewPool[int](berth.Config{Capacity: 200})
	w.o = berth.NewOrder(q)
	for i := range 100 {
		w.oh = q.Insert(i)
		w.o.MoveToFront(w.oh)
	}
	w.oh = w.o.Back()
	rp, rd := w.p.Clone(), w.d.Clone()
	w.ss = map[*berth.History[int]]berth.Handle[int]{
		berth.NewHistory(rp, berth.HistoryConfig{Frames: 2}):      w.ph,
		berth.NewDenseHistory(rd, berth.HistoryConfig{Frames: 2}): w.dh,
	}
	for range 4 { // so that the memory of each frame has been around
		for s := range w.ss {
			editAll(s)
			s.Mark()
		}
	}
	return w
}

func editAll(s *berth.History[int]) {
	for _, v := range s.EditAll() {
		*v++
	}
}

func (w *costWorld) got(v int, ok bool) { w.sum += v; _ = ok }

// costRows are the calls that allocate nothing, by name. They are all functions whose Cost line
// does not mention allocation. If a call returns an iterator, the row loops over it.
var costRows = map[string]func(w *costWorld){
	"HandleFromUint64": func(w *costWorld) {
		w.ph = berth.HandleFromUint64[int](w.ph.Uint64())
	},
	"Handle.Uint64": func(w *costWorld) { w.sum += int(w.ph.Uint64()) },
	"Handle.IsZero": func(w *costWorld) { w.got(0, w.ph.IsZero()) },
	"Handle.UnmarshalText": func(w *costWorld) {
		var h berth.Handle[int]
		w.got(int(h.Uint64()), h.UnmarshalText(handleText) == nil)
	},
	"Handle.UnmarshalBinary": func(w *costWorld) {
		var h berth.Handle[int]
		w.got(int(h.Uint64()), h.UnmarshalBinary(handleBytes) == nil)
	},
	"Truncate.String": func(w *costWorld) { w.sum += len(berth.TruncateNever.String()) },
	"Defrag.String":   func(w *costWorld) { w.sum += len(berth.DefragManual.String()) },

	"Change.String": func(w *costWorld) { w.sum += len(berth.ChangeEdited.String()) },

	"History.Mark": func(w *costWorld) {
		for s, h := range w.ss {
			*s.Edit(h)++
			w.sum += int(s.Mark())
		}
	},
	"History.Edit": func(w *costWorld) {
		for s, h := range w.ss {
			*s.Edit(h)++
			s.Mark()
		}
	},
	"History.EditAll": func(w *costWorld) {
		for s := range w.ss {
			editAll(s)
			s.Mark()
		}
	},
	"History.EditSpans": func(w *costWorld) {
		for s := range w.ss {
			for _, span := range s.EditSpans() {
				span[0]++
			}
			s.Mark()
		}
	},
	"History.Rewind": func(w *costWorld) {
		for s := range w.ss {
			editAll(s)
			f := s.Mark()
			editAll(s)
			w.got(0, s.Rewind(f-1) == nil)
		}
	},
	"History.Now": func(w *costWorld) {
		for s := range w.ss {
			w.sum += int(s.Now())
		}
	},
	"History.Oldest": func(w *costWorld) {
		for s := range w.ss {
			w.sum += int(s.Oldest())
		}
	},
	"History.Close": func(w *costWorld) {
		for s := range w.ss {
			if w.sum < 0 { // only once, and the other rows need it
				s.Close()
			}
		}
	},

	"Pool.Len":      func(w *costWorld) { w.sum += w.p.Len() },
	"Pool.Cap":      func(w *costWorld) { w.sum += w.p.Cap() },
	"Pool.Stats":    func(w *costWorld) { w.sum += w.p.Stats().Bytes },
	"Pool.Ptr":      func(w *costWorld) { w.sum += *w.p.Ptr(w.ph) },
	"Pool.Get":      func(w *costWorld) { w.got(w.p.Get(w.ph)) },
	"Pool.Contains": func(w *costWorld) { w.got(0, w.p.Contains(w.ph)) },
	"Pool.At":       func(w *costWorld) { w.ph, _ = w.p.At(w.p.IndexOf(w.ph)) },
	"Pool.Span": func(w *costWorld) {
		for span, at := w.p.Span(0); span != nil; span, at = w.p.Span(at) {
			w.sum += len(span)
		}
	},
	"Pool.Insert": func(w *costWorld) { w.p.Remove(w.p.Insert(1)) },
	"Pool.TryInsert": func(w *costWorld) {
		h, _ := w.p.TryInsert(1)
		w.p.Remove(h)
	},
	"Pool.Delete":  func(w *costWorld) { w.got(0, w.p.Delete(w.p.Insert(1))) },
	"Pool.IndexOf": func(w *costWorld) { w.sum += w.p.IndexOf(w.ph) },
	"Pool.New": func(w *costWorld) {
		h, v := w.p.New()
		*v = 1
		w.p.Delete(h)
	},
	"Compact": func(w *costWorld) {
		c, ok := berth.Compact(w.p, w.ph, 20)
		w.got(int(c), ok)
	},
	"Expand": func(w *costWorld) { w.got(0, berth.Expand(w.p, 1, 20).IsZero()) },
	"Cancel": func(w *costWorld) { w.got(0, berth.Cancel(w.p, berth.Reserve(w.p))) },
	"Fill": func(w *costWorld) {
		h := berth.Reserve(w.p)
		w.got(0, berth.Fill(w.p, h, 1) && w.p.Delete(h))
	},
	"InsertErr": func(w *costWorld) {
		h, _ := berth.InsertErr(w.p, func(_ berth.Handle[int], v *int) error { *v = 1; return nil })
		w.p.Delete(h)
	},
	"DenseInsertErr": func(w *costWorld) {
		h, _ := berth.DenseInsertErr(w.d, func(_ berth.Handle[int], v *int) error { *v = 1; return nil })
		w.d.Delete(h)
	},
	"Pool.InsertFunc": func(w *costWorld) {
		w.p.Remove(w.p.InsertFunc(func(h berth.Handle[int], v *int) { *v = int(h.Uint64()) }))
	},
	"Pool.Remove": func(w *costWorld) {
		for h := range w.p.All() {
			v, _ := w.p.Remove(h)
			w.p.Insert(v)
		}
		w.ph = w.p.Insert(1)
	},
	"Pool.RemoveFunc": func(w *costWorld) {
		limit, n := w.sum&1-1, 0 // variables that f reads and changes stay off the heap
		w.p.RemoveFunc(func(_ berth.Handle[int], v *int) bool { n++; return *v < limit })
		w.sum += n
	},
	"Pool.All": func(w *costWorld) {
		for h, v := range w.p.All() {
			w.sum += int(h.Uint64()) + *v
		}
	},
	"Pool.Values": func(w *costWorld) {
		for v := range w.p.Values() {
			w.sum += *v
		}
	},
	"Backward": func(w *costWorld) {
		for _, v := range berth.Backward(w.p) {
			w.sum += *v
		}
	},
	"Pool.Spans": func(w *costWorld) {
		for _, s := range w.p.Spans() {
			w.sum += s[0]
		}
	},
	"Traverse": func(w *costWorld) {
		for e, o := range berth.Traverse(w.p) {
			w.sum += *e.Value + o.Len()
		}
	},
	"Apply": func(w *costWorld) {
		for h := range w.p.All() {
			berth.Apply(w.p, h, func(v *int, o berth.Others[int]) { w.sum += *v + o.Len() })
		}
	},
	"Pairs": func(w *costWorld) {
		for a, b := range berth.Pairs(w.p) {
			w.sum += *a - *b
		}
	},

	"Column.Close": func(w *costWorld) {
		if w.sum < 0 { // only once, and the other rows need it
			w.ca.Close()
		}
	},
	"DenseColumn.Close": func(w *costWorld) {
		if w.sum < 0 { // likewise
			w.dc.Close()
		}
	},
	"Column.Len":       func(w *costWorld) { w.sum += w.ca.Len() },
	"Column.Stats":     func(w *costWorld) { w.sum += w.ca.Stats().Bytes },
	"Column.Ptr":       func(w *costWorld) { w.sum += *w.ca.Ptr(w.ph) },
	"Column.Get":       func(w *costWorld) { w.got(w.ca.Get(w.ph)) },
	"Column.Edit":      func(w *costWorld) { w.sum += *w.ca.Edit(w.ph) },
	"DenseColumn.Edit": func(w *costWorld) { w.sum += *w.dc.Edit(w.dh) },
	"DenseColumn.EditAt": func(w *costWorld) {
		w.sum += *w.dc.EditAt(w.d.PlaceOf(w.dh))
	},
	"Column.Contains": func(w *costWorld) {
		w.got(0, w.ca.Contains(w.ph))
	},
	"Column.Delete": func(w *costWorld) {
		w.got(0, w.ca.Delete(w.ph))
		w.ca.Set(w.ph, 1)
	},
	"Column.Clear": func(w *costWorld) {
		w.cb.Clear()
		w.cb.Set(w.ph, 1)
	},
	"Column.CopyFrom": func(w *costWorld) { w.cb.CopyFrom(w.ca) },
	"Column.All": func(w *costWorld) {
		for h, v := range w.ca.All() {
			w.sum += int(h.Uint64()) + *v
		}
	},
	"Column.Values": func(w *costWorld) {
		for v := range w.ca.Values() {
			w.sum += *v
		}
	},
	"Column.Join": func(w *costWorld) {
		for v, x := range w.ca.Join() {
			w.sum += *v + *x
		}
	},
	"Column.JoinSpans": func(w *costWorld) {
		for v, x := range w.ca.JoinSpans() {
			w.sum += v[0] + x[0]
		}
	},
	"Join2": func(w *costWorld) {
		for v, x := range berth.Join2(w.ca, w.cb) {
			w.sum += *v + *x
		}
	},
	"Join3": func(w *costWorld) {
		for v, x := range berth.Join3(w.ca, w.cb) {
			w.sum += *v + *x.A + *x.B
		}
	},
	"SetAll": func(w *costWorld) {
		berth.SetAll(w.cb, 1)
		w.cb.Clear()
		w.cb.Set(w.ph, 1)
	},
	"Without": func(w *costWorld) {
		for _, x := range berth.Without(w.ca, w.cb) {
			w.sum += *x
		}
	},

	"Order.Len":      func(w *costWorld) { w.sum += w.o.Len() },
	"Order.Contains": func(w *costWorld) { w.got(0, w.o.Contains(w.oh)) },
	"Order.Front":    func(w *costWorld) { w.got(0, w.o.Front() == w.oh) },
	"Order.Back":     func(w *costWorld) { w.got(0, w.o.Back() == w.oh) },
	"Order.Next":     func(w *costWorld) { w.got(0, w.o.Next(w.oh).IsZero()) },
	"Order.Prev":     func(w *costWorld) { w.got(0, w.o.Prev(w.oh).IsZero()) },
	"Order.Leave": func(w *costWorld) {
		w.got(0, w.o.Leave(w.oh))
		w.sum += *w.o.MoveToFront(w.oh)
		w.sum += *w.o.MoveToBack(w.oh)
		w.got(0, w.o.InsertBefore(w.oh, w.o.Back()))
		w.got(0, w.o.InsertAfter(w.oh, w.o.Back()))
	},
	"Order.Close": func(w *costWorld) {
		if w.sum < 0 { // only once, and the other rows need it
			w.o.Close()
		}
	},
	"Order.Clear": func(w *costWorld) {
		w.o.Clear()
		w.sum += *w.o.MoveToFront(w.oh)
	},
	"Order.PopFront": func(w *costWorld) { popOrder(w, w.o.PopFront) },
	"Order.PopBack":  func(w *costWorld) { popOrder(w, w.o.PopBack) },
	"Order.All": func(w *costWorld) {
		for h, v := range w.o.All() {
			w.sum += int(h.Uint64()) + *v
		}
	},
	"Order.Backward": func(w *costWorld) {
		for h, v := range w.o.Backward() {
			for _, x := range w.o.All() {
				w.sum += *v + *x
			}
			_, v = w.o.Recycle()
			w.sum += *v + int(h.Uint64())
		}
	},

	"ParallelSpans": func(w *costWorld) { berth.ParallelSpans(w.p, 1, addSpan) },
	"ParallelJoin":  func(w *costWorld) { berth.ParallelJoin(w.ca, 1, addPair) },
	"ParallelRemoveFunc": func(w *costWorld) {
		w.sum += berth.ParallelRemoveFunc(w.p, 1, isNegative)
	},
	"ParallelTraverse": func(w *costWorld) { berth.ParallelTraverse(w.p, 1, addEntry) },
	"ParallelReduce":   func(w *costWorld) { w.sum += berth.ParallelReduce(w.p, 1, sumSpan, plus) },
	"ParallelSlice":    func(w *costWorld) { berth.ParallelSlice(w.d, 1, addPart) },

	"Others.Len":      func(w *costWorld) { w.sum += w.po.Len() },
	"Others.Ptr":      func(w *costWorld) { w.sum += *w.po.Ptr(w.ph) },
	"Others.Get":      func(w *costWorld) { w.got(w.po.Get(w.ph)) },
	"Others.Contains": func(w *costWorld) { w.got(0, w.po.Contains(w.ph)) },
	"Others.All": func(w *costWorld) {
		for _, v := range w.po.All() {
			w.sum += *v
		}
	},
	"Others.Values": func(w *costWorld) {
		for v := range w.po.Values() {
			w.sum += *v
		}
	},
	"Others.Spans": func(w *costWorld) {
		for _, s := range w.po.Spans() {
			w.sum += s[0]
		}
	},

	"Dense.Len":      func(w *costWorld) { w.sum += w.d.Len() },
	"Dense.Cap":      func(w *costWorld) { w.sum += w.d.Cap() },
	"Dense.Holes":    func(w *costWorld) { w.sum += w.d.Holes() },
	"Dense.Stats":    func(w *costWorld) { w.sum += w.d.Stats().Bytes },
	"Dense.Ptr":      func(w *costWorld) { w.sum += *w.d.Ptr(w.dh) },
	"Dense.Get":      func(w *costWorld) { w.got(w.d.Get(w.dh)) },
	"Dense.Contains": func(w *costWorld) { w.got(0, w.d.Contains(w.dh)) },
	"Dense.At": func(w *costWorld) {
		h, v := w.d.At(7)
		w.got(*v, h.IsZero())
	},
	"Dense.PlaceOf": func(w *costWorld) { w.sum += w.d.PlaceOf(w.dh) },
	"NewRef": func(w *costWorld) {
		r := berth.NewRef(w.d, w.dh)
		w.sum += *r.Ptr()
	},
	"Ref.Ptr":    func(w *costWorld) { w.sum += *w.ref.Ptr() },
	"Ref.Get":    func(w *costWorld) { w.got(w.ref.Get()) },
	"Ref.Handle": func(w *costWorld) { w.got(0, w.ref.Handle().IsZero()) },
	"Dense.TryInsert": func(w *costWorld) {
		h, _ := w.d.TryInsert(1)
		w.d.Remove(h)
	},
	"Dense.Delete": func(w *costWorld) { w.got(0, w.d.Delete(w.d.Insert(1))) },
	"Dense.New": func(w *costWorld) {
		h, v := w.d.New()
		*v = 1
		w.d.Delete(h)
	},
	"Dense.InsertFunc": func(w *costWorld) {
		w.d.Remove(w.d.InsertFunc(func(h berth.Handle[int], v *int) { *v = int(h.Uint64()) }))
	},
	"Dense.Slice": func(w *costWorld) {
		for _, v := range w.d.Slice() {
			w.sum += v
		}
	},
	"Dense.Defrag": func(w *costWorld) {
		for i := range 100 {
			h, _ := w.d.At(i)
			w.d.Remove(h)
		}
		w.sum += w.d.Defrag()
		for i := range 100 {
			w.dh = w.d.Insert(i)
		}
		w.ref = berth.NewRef(w.d, w.dh)
	},
	"Dense.All": func(w *costWorld) {
		for h, v := range w.d.All() {
			w.sum += int(h.Uint64()) + *v
		}
	},
	"Dense.Values": func(w *costWorld) {
		for v := range w.d.Values() {
			w.sum += *v
		}
	},
	"DenseBackward": func(w *costWorld) {
		for _, v := range berth.DenseBackward(w.d) {
			w.sum += *v
		}
	},
	"Dense.Spans": func(w *costWorld) {
		for _, s := range w.d.Spans() {
			w.sum += s[0]
		}
	},
	"Each": func(w *costWorld) {
		berth.Each(w.d, func(_ berth.Handle[int], v *int) berth.Control { w.sum += *v; return berth.LoopContinue })
	},
	"Dense.RemoveFunc": func(w *costWorld) {
		limit, n := w.sum&1-1, 0
		w.d.RemoveFunc(func(_ berth.Handle[int], v *int) bool { n++; return *v < limit })
		w.sum += n
	},
	"DenseTraverse": func(w *costWorld) {
		for e, o := range berth.DenseTraverse(w.d) {
			w.sum += *e.Value + o.Len()
		}
	},
	"DenseApply": func(w *costWorld) {
		for h := range w.d.All() {
			berth.DenseApply(w.d, h, func(v *int, o berth.DenseOthers[int]) { w.sum += *v + o.Len() })
		}
	},
	"DensePairs": func(w *costWorld) {
		for a, b := range berth.DensePairs(w.d) {
			w.sum += *a - *b
		}
	},

	"NewReadOnly": func(w *costWorld) {
		w.got(berth.NewReadOnly[int](w.p).Get(w.ph))
		w.got(berth.NewReadOnly[int](w.d).Get(w.dh))
	},
	"ReadOnly.Len":      func(w *costWorld) { w.sum += berth.NewReadOnly[int](w.p).Len() },
	"ReadOnly.Get":      func(w *costWorld) { w.got(berth.NewReadOnly[int](w.p).Get(w.ph)) },
	"ReadOnly.Contains": func(w *costWorld) { w.got(0, berth.NewReadOnly[int](w.p).Contains(w.ph)) },

	"DenseOthers.Len":      func(w *costWorld) { w.sum += w.do.Len() },
	"DenseOthers.Ptr":      func(w *costWorld) { w.sum += *w.do.Ptr(w.dh) },
	"DenseOthers.Get":      func(w *costWorld) { w.got(w.do.Get(w.dh)) },
	"DenseOthers.Contains": func(w *costWorld) { w.got(0, w.do.Contains(w.dh)) },
	"DenseOthers.All": func(w *costWorld) {
		for _, v := range w.do.All() {
			w.sum += *v
		}
	},
	"DenseOthers.Values": func(w *costWorld) {
		for v := range w.do.Values() {
			w.sum += *v
		}
	},
	"DenseOthers.Spans": func(w *costWorld) {
		for _, s := range w.do.Spans() {
			w.sum += s[0]
		}
	},
}

// popOrder pops a value, and puts another one in its place.
func popOrder(w *costWorld, pop func() (int, bool)) {
	w.got(pop())
	_, v := w.o.Recycle()
	*v++
}

// The bodies of the parallel loops above.
var costSum int

func addSpan(_ berth.Handle[int], span []int)               { costSum += span[0] }
func addPair(v, x *int)                                     { costSum += *v + *x }
func isNegative(_ berth.Handle[int], v *int) bool           { return *v < 0 }
func addEntry(e berth.Entry[int], others berth.Others[int]) { costSum += *e.Value + others.Len() }
func sumSpan(sum int, span []int) int                       { return sum + span[0] }
func plus(a, b int) int                                     { return a + b }
func addPart(i int, part []int)                             { costSum += i + part[0] }

// Functions that are documented not to allocate do not allocate.
func TestCostNeverAllocates(t *testing.T) {
	for name, f := range costRows {
		w := newCostWorld()
		f(w)
		if n := testing.AllocsPerRun(5, func() { f(w) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

var handleText, handleBytes = []byte("4294967295:4294967295"), []byte("01234567")

// costRows has each exported function whose Cost line does not mention allocation.
func TestCostRowsAreComplete(t *testing.T) {
	denied := regexp.MustCompile(`(?i)\bnever allocates|\ballocates nothing`)
	found := 0
	for name, doc := range costtest.Docs(t) {
		_, cost, ok := strings.Cut(doc, "Cost:")
		if !ok {
			t.Errorf("%s has no Cost line", name)
		}
		cost, _, _ = strings.Cut(cost, "\nEnds:")
		if strings.Contains(denied.ReplaceAllString(cost, ""), "allocates") &&
			!denied.MatchString(cost) {
			continue
		}
		found++
		if costRows[name] == nil {
			t.Errorf("%s is not in costRows, but its Cost line does not mention allocation:%s", name, cost)
		}
	}
	if found < 60 {
		t.Errorf("only %d functions found", found)
	}
}

// If the compiler does not inline an iterator, a loop makes as many allocations as documented.
func TestCostNotInlined(t *testing.T) {
	w := newCostWorld()
	for i, v := range []berth.View[int]{w.p, w.d, w.po, w.do} {
		values := testing.AllocsPerRun(5, func() {
			for x := range v.Values() {
				w.sum += *x
			}
		})
		all := testing.AllocsPerRun(5, func() {
			for _, x := range v.All() {
				w.sum += *x
			}
		})
		if values > 3 || all > 6+costtest.Older || i < 2 && all > 3 {
			t.Errorf("view %d: Values makes %v allocations, All %v", i, values, all)
		}
	}
	for loop, want := range []float64{3, 1003, 3, 1003, 0, 0, 0, 0} {
		if n := testing.AllocsPerRun(5, func() { w.sum += large(w.p, w.d, loop, 1) }); n > want {
			t.Errorf("loop %d in a large function: %v allocations, want %v", loop, n, want)
		}
	}
}

//go:build berth_poison

package stable_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/internal/poison"
	"github.com/seed505807e1/berth/stable"
)

// thing has memory with and without pointers.
type thing struct {
	n    int
	name string
	next *thing
}

type thingKey = stable.ListKey[thing]

// things returns a list of ten, their keys and pointers to them.
func things(t *testing.T, c stable.Config) (l *stable.List[thing], ks []thingKey, ps []*thing) {
	t.Helper()
	c.Seed = 1
	l = stable.New[thing](c)
	for i := range 10 {
		ks = append(ks, l.Insert(thing{n: i, name: "n", next: &thing{}}))
	}
	for _, k := range ks {
		ps = append(ps, l.Ptr(k))
	}
	return l, ks, ps
}

// eachList runs f for each placement and each Truncate.
func eachList(t *testing.T, f func(t *testing.T, c stable.Config)) {
	for _, p := range placements {
		for tr := berth.TruncateMemory; tr <= berth.TruncateNever; tr++ {
			t.Run(p.String()+"/"+tr.String(), func(t *testing.T) {
				f(t, stable.Config{Placement: p, Truncate: tr})
			})
		}
	}
}

// mustFind fails unless f panics with the text for k, leaves the list whole, and later calls find
// no more stale writes.
func mustFind(t *testing.T, l *stable.List[thing], k thingKey, what string, f func()) {
	t.Helper()
	if msg, want := panics(f), "stable: write through a stale pointer to the value of "+k.String(); msg != want {
		t.Errorf("%s: %q, want %q", what, msg, want)
	}
	l.CheckInvariants()
	for range 20 {
		l.New()
	}
	l.Clear()
	l.Clip()
	l.New()
	l.CheckInvariants()
}

// writes are the kinds of writes through a stale pointer.
var writes = map[string]func(p *thing){
	"number":  func(p *thing) { p.n = 0 },
	"string":  func(p *thing) { p.name = "late" },
	"pointer": func(p *thing) { p.next = p },
}

// uses are calls that use a slot again or release its memory, after the value of slot 3 or all
// values were removed.
var uses = map[string]func(l *stable.List[thing]){
	"Insert": func(l *stable.List[thing]) {
		for range 10 {
			l.Insert(thing{})
		}
	},
	"New": func(l *stable.List[thing]) {
		for range 10 {
			l.New()
		}
	},
	"InsertSeq": func(l *stable.List[thing]) {
		stable.InsertSeq(l, func(yield func(thing) bool) {
			for range 10 {
				yield(thing{})
			}
		})
	},
	"Grow":  func(l *stable.List[thing]) { l.Grow(1000) },
	"Clear": func(l *stable.List[thing]) { l.Clear(); l.Clip() },
	"Clip":  func(l *stable.List[thing]) { l.Clip(); l.Delete(stable.KeyAt(l, 0)); l.New() },
	"truncation": func(l *stable.List[thing]) {
		for i := uint32(9); i > 0; i-- {
			l.Delete(stable.KeyAt(l, i))
		}
		l.Delete(stable.KeyAt(l, 0))
		for range 10 {
			l.New()
		}
	},
}

// A write to a slot whose value was removed is found when the slot is used again, or its memory
// released.
func TestStaleWriteAfterRemove(t *testing.T) {
	eachList(t, func(t *testing.T, c stable.Config) {
		for write, f := range writes {
			for use, g := range uses {
				l, ks, ps := things(t, c)
				if l.Delete(ks[3]); *ps[3] == (thing{}) || !poison.Intact(ps[3]) || ps[3].next != nil {
					t.Errorf("a removed value reads as %+v", *ps[3])
				}
				f(ps[3])
				mustFind(t, l, ks[3], write+", "+use, func() { g(l) })
			}
		}
	})
}

// The same for values removed together: by Clear, truncation, RemoveFunc or Drain.
func TestStaleWriteAfterTheLast(t *testing.T) {
	eachList(t, func(t *testing.T, c stable.Config) {
		for gone, f := range map[string]func(l *stable.List[thing]){
			"Clear": func(l *stable.List[thing]) { l.Clear() },
			"Clip": func(l *stable.List[thing]) {
				if l.Clear(); c.Truncate != berth.TruncateMemory { // Clear has left the memory then
					l.Clip()
				}
			},
			"RemoveFunc": func(l *stable.List[thing]) { l.RemoveFunc(func(thingKey, *thing) bool { return true }) },
			"hooked Clear": func(l *stable.List[thing]) {
				l.SetHooks(stable.ListHooks[thing]{OnRemove: func(thingKey, *thing) {}})
				l.Clear()
			},
			"Drain": func(l *stable.List[thing]) {
				for range berth.Drain(l) {
				}
			},
		} {
			l, ks, ps := things(t, c)
			if f(l); !poison.Intact(ps[7]) {
				t.Errorf("%s: a removed value reads as %+v", gone, *ps[7])
			}
			ps[7].n++
			mustFind(t, l, ks[7], gone, func() { uses["New"](l) })
		}
	})
}

// A list that moves keeps its old memory until the next change, and then finds a write to it,
// whether the value had moved or was removed before.
func TestStaleWriteAfterMove(t *testing.T) {
	eachList(t, func(t *testing.T, c stable.Config) {
		for move, f := range map[string]func(l *stable.List[thing]){
			"Grow": func(l *stable.List[thing]) { l.Grow(1000) },
			"Clip": func(l *stable.List[thing]) { l.Clip() },
			"Insert": func(l *stable.List[thing]) {
				for was := l.Ptr(stable.KeyAt(l, 0)); l.Ptr(stable.KeyAt(l, 0)) == was; {
					l.New()
				}
			},
		} {
			for change, g := range map[string]func(l *stable.List[thing]){
				"Insert": func(l *stable.List[thing]) { l.New() },
				"Delete": func(l *stable.List[thing]) { l.Delete(stable.KeyAt(l, 0)) },
				"Remove": func(l *stable.List[thing]) { l.Remove(stable.KeyAt(l, 1)) },
				"Grow":   func(l *stable.List[thing]) { l.Grow(0) },
				"Clip":   func(l *stable.List[thing]) { l.Clip() },
				"Clear":  func(l *stable.List[thing]) { l.Clear() },
			} {
				for _, i := range []int{3, 5} {
					l, ks, ps := things(t, c)
					l.Delete(ks[5])
					f(l)
					if p := l.Ptr(ks[3]); p == ps[3] || p.n != 3 || !poison.Intact(ps[3]) {
						t.Fatalf("%s: value 3 is %+v, and its former memory %+v", move, *p, *ps[3])
					}
					ps[i].name = "late"
					k := ks[i]
					if move == "Insert" {
						k = stable.KeyAt(l, uint32(i)) // the last value there: slot 5 has had two
					}
					mustFind(t, l, k, move+", "+change, func() { g(l) })
				}
			}
		}
	})
}

// A write to memory that Remove has released, under TruncateMemory, is found.
func TestStaleWriteAfterTruncation(t *testing.T) {
	for _, p := range placements {
		l, ks, ps := things(t, stable.Config{Placement: p, Truncate: berth.TruncateMemory})
		for i := 9; l.Ptr(ks[0]) == ps[0]; i-- {
			l.Delete(ks[i])
		}
		ps[1].n = 7
		mustFind(t, l, ks[1], p.String(), func() { l.Delete(ks[0]) })
	}
}

// No valid use of a list is taken for a stale write.
func TestNoStaleWrite(t *testing.T) {
	eachList(t, func(t *testing.T, c stable.Config) {
		l, ks, ps := things(t, c)
		for i, k := range ks {
			if ps[i].n = -1; i%3 == 0 {
				l.Delete(k)
			}
		}
		d := l.Clone()
		for _, l := range []*stable.List[thing]{l, d} {
			for use, f := range uses {
				if msg := panics(func() { f(l) }); msg != "" {
					t.Errorf("%s: %s", use, msg)
				}
				for _, v := range l.All() {
					v.n++
				}
				l.CheckInvariants()
			}
		}
	})
}

// A clone does not inherit the stale writes to its list, and finds its own.
func TestStaleWriteAndClone(t *testing.T) {
	eachList(t, func(t *testing.T, c stable.Config) {
		l, ks, ps := things(t, c)
		l.Delete(ks[4])
		ps[4].n = 1
		d := l.Clone()
		if msg := panics(func() { uses["New"](d) }); msg != "" {
			t.Errorf("clone: %s", msg)
		}
		mustFind(t, l, ks[4], "list", func() { uses["New"](l) })
		p := d.Ptr(ks[6])
		d.Delete(ks[6])
		p.n = 1
		mustFind(t, d, ks[6], "clone", func() { uses["New"](d) })
	})
}

// InsertAt and CopyFrom find stale writes to the memory that they use again, and CopyFrom those to
// memory that it leaves.
func TestStaleWriteAndCopyFrom(t *testing.T) {
	eachList(t, func(t *testing.T, c stable.Config) {
		l, ks, ps := things(t, c)
		l.Delete(ks[4])
		ps[4].n = 1
		mustFind(t, l, ks[4], "InsertAt", func() { l.InsertAt(ks[4], thing{}) })

		l, ks, ps = things(t, c)
		l.Delete(ks[9])
		ps[9].n = 1
		far := stable.KeyForTest[thing](uint32(9), ks[9].ID()+1)
		mustFind(t, l, ks[9], "InsertAt behind the end", func() { l.InsertAt(far, thing{}) })

		for _, n := range []int{2, 10, 200} {
			q := stable.New[thing](c)
			for range n {
				q.Insert(thing{n: -1, name: "q"})
			}
			q.Delete(stable.KeyAt(q, 1))
			l, ks, ps = things(t, c)
			l.Delete(ks[5])
			ps[5].n = 1
			mustFind(t, l, ks[5], "CopyFrom", func() { l.CopyFrom(q) })

			l, ks, ps = things(t, c)
			l.CopyFrom(q)
			l.CheckInvariants()
			for k, v := range l.All() {
				if v.n != -1 || !q.Contains(k) {
					t.Errorf("CopyFrom of %d: %v finds %+v", n, k, *v)
				}
			}
			ps[1].n = 1 // vacant in q
			if n == 200 {
				ps[7].n = 1 // the memory was left
				ks[1] = ks[7]
				ps[1].n = ps[0].n
			}
			if n < 200 {
				mustFind(t, l, ks[1], "after CopyFrom", func() { uses["New"](l) })
			} else if msg := panics(func() { uses["New"](l) }); !strings.Contains(msg, "stale pointer") {
				t.Errorf("after CopyFrom into other memory: %q", msg)
			}
		}
	})
}

// Loads find stale writes to the memory that they use again or leave, and poison what they empty.
func TestStaleWriteAndLoad(t *testing.T) {
	for _, way := range []string{"UnmarshalBinary", "Decode"} {
		eachConfig(func(c stable.Config) {
			load := func(l *stable.List[padded], n int) {
				q := stable.New[padded](stable.Config{Placement: (c.Placement + 1) % 5})
				for i := range n {
					q.Insert(paddedOf(i))
				}
				q.Delete(stable.KeyAt(q, 1))
				b, err := q.MarshalBinary()
				if way == "UnmarshalBinary" {
					mustUnmarshal(t, l, b, err)
				} else if err := l.Decode(bytes.NewReader(b), nil); err != nil {
					t.Error(err)
				}
				l.CheckInvariants()
				same(t, way, l, q)
			}
			for _, n := range []int{2, 10, 200} {
				l := stable.New[padded](c)
				var ps []*padded
				for i := range 10 {
					ps = append(ps, l.Ptr(l.Insert(paddedOf(i))))
				}
				if l.Cap() < 10 {
					t.Fatal(l)
				}
				for i := range ps {
					ps[i] = l.Ptr(stable.KeyAt(l, uint32(i)))
				}
				for range 3 {
					load(l, n)
				}
				l = stable.New[padded](c)
				k := l.Insert(padded{})
				p := l.Ptr(k)
				l.Delete(k)
				p.B = 1
				want := "stable: write through a stale pointer to the value of " + k.String()
				if msg := panics(func() { load(l, n) }); msg != want {
					t.Errorf("%+v, %s of %d: %q, want %q", c, way, n, msg, want)
				}
				l.CheckInvariants()
				load(l, n)
				fillPadded(l)
			}
		})
	}
}

// fillPadded uses each slot of l again, and releases the memory.
func fillPadded(l *stable.List[padded]) {
	for range 300 {
		l.New()
	}
	l.Clear()
	l.Clip()
	l.New()
	l.CheckInvariants()
}

// The copy that OnRemove receives is poison once OnRemove has returned.
func TestHookCopyIsPoisoned(t *testing.T) {
	l, ks, _ := things(t, stable.Config{})
	var kept *thing
	l.SetHooks(stable.ListHooks[thing]{OnRemove: func(_ thingKey, v *thing) {
		if v.name != "n" || v.next == nil {
			t.Errorf("OnRemove called with %+v", *v)
		}
		kept = v
	}})
	if l.Delete(ks[2]); !poison.Intact(kept) {
		t.Errorf("after OnRemove, the copy is %+v", *kept)
	}
	l.Delete(ks[3])
}

// A value that is removed while its span is handed out reads as poison.
func TestSpanShowsPoison(t *testing.T) {
	l, ks, _ := things(t, stable.Config{})
	for _, s := range l.Spans() {
		l.Delete(ks[1])
		if !poison.Intact(&s[1]) || s[0].n != 0 || s[2].n != 2 {
			t.Errorf("the span is %+v", s[:3])
		}
	}
}

// The check of invariants that follows every change panics with the same text.
func TestStaleWriteText(t *testing.T) {
	l, ks, ps := things(t, stable.Config{})
	l.Delete(ks[0])
	ps[0].n = 1
	if msg := panics(l.CheckInvariants); !strings.HasSuffix(msg, " the value of "+ks[0].String()) {
		t.Error(msg)
	}
}

package laws

import (
	"fmt"
	"maps"
	"testing"

	"github.com/seed505807e1/berth"
)

// sound are the calls of a Subject that keeps all laws. Each broken one is a copy with one defect.
type sound = Calls[berth.Handle[uint64]]

// newSound returns those of a new Pool.
func newSound() *sound { return soundOf(berth.Config{}) }

func soundOf(conf berth.Config) *sound {
	p := berth.NewPool[uint64](conf)
	return &sound{
		Insert: p.Insert, Get: p.Get, Remove: Second(p.Remove), Len: p.Len,
		Loop: Pairs(p.All), ByHand: Pairs(p.All),
		Ptr: p.Ptr, Clear: p.Clear, Clip: p.Clip,
		Objects: func() Objects {
			p := new(berth.Pool[*Object])
			return Holds(p, p.Insert, func(h berth.Handle[*Object]) { p.Remove(h) })
		},
	}
}

type soundHandle = berth.Handle[uint64]

// remembers makes s find removed values, once when returns true.
func remembers(s *sound, when func() bool) {
	get, remove, old := s.Get, s.Remove, map[soundHandle]uint64{}
	s.Remove = func(h soundHandle) bool {
		if v, ok := get(h); ok {
			old[h] = v
		}
		return remove(h)
	}
	s.Get = func(h soundHandle) (uint64, bool) {
		if v, ok := get(h); ok {
			return v, true
		}
		v, ok := old[h]
		return v, ok && when()
	}
}

// otherLoop makes s loop over handles collected when the loop begins.
func otherLoop(s *sound, loop func(hs []soundHandle, body func(soundHandle, uint64) bool)) {
	all := s.Loop
	s.Loop = func(body func(soundHandle, uint64) bool) {
		var hs []soundHandle
		all(func(h soundHandle, _ uint64) bool {
			hs = append(hs, h)
			return true
		})
		loop(hs, body)
	}
	s.ByHand = nil
}

// locks makes s refuse changes after an unfinished loop.
func locks(s *sound, when func(ended, panicked bool) bool) {
	locked, all, insert := false, s.Loop, s.Insert
	s.Loop = func(body func(soundHandle, uint64) bool) {
		ended, panicked := true, true
		defer func() { locked = locked || when(ended, panicked) }()
		all(func(h soundHandle, v uint64) bool {
			ended = body(h, v)
			return ended
		})
		panicked = false
	}
	s.Insert = func(v uint64) soundHandle {
		if locked {
			panic("locked")
		}
		return insert(v)
	}
	s.ByHand = nil
}

// copies makes s return pointers to copies.
func copies(s *sound) {
	get := s.Get
	s.Ptr = func(h soundHandle) *uint64 {
		v, _ := get(h)
		return &v
	}
}

// beginsAnew makes s reissue the same handles after each restart, and returns the restart.
func beginsAnew(s *sound) (begin func()) {
	var p *sound
	begin = func() { p = soundOf(berth.Config{Seed: 1}) }
	begin()
	s.Insert = func(v uint64) soundHandle { return p.Insert(v) }
	s.Get = func(h soundHandle) (uint64, bool) { return p.Get(h) }
	s.Remove = func(h soundHandle) bool { return p.Remove(h) }
	s.Len = func() int { return p.Len() }
	s.Loop = func(body func(soundHandle, uint64) bool) { p.Loop(body) }
	return begin
}

// anyOf returns a handle of a live value.
func anyOf(s *sound) (some soundHandle) {
	s.Loop(func(h soundHandle, _ uint64) bool {
		some = h
		return false
	})
	return some
}

// broken maps a question to Subjects that fail it, by their defect.
var broken = map[string]map[string]func(*sound){
	"live": {
		"finds another": func(s *sound) {
			get := s.Get
			s.Get = func(h soundHandle) (uint64, bool) {
				v, ok := get(h)
				return v + 1, ok
			}
		},
		"finds nothing": func(s *sound) { s.Get = func(soundHandle) (uint64, bool) { return 0, false } },
	},
	"stale": {
		"resolves": func(s *sound) { remembers(s, func() bool { return true }) },
		"panics": func(s *sound) {
			get := s.Get
			s.Get = func(h soundHandle) (uint64, bool) {
				v, ok := get(h)
				if !ok {
					panic("stale")
				}
				return v, true
			}
		},
	},
	"reused": {
		"after 256": func(s *sound) {
			n, insert := 0, s.Insert
			s.Insert = func(v uint64) soundHandle { n++; return insert(v) }
			remembers(s, func() bool { return n > 256 })
		},
		"after 65 536": func(s *sound) {
			n, insert := 0, s.Insert
			s.Insert = func(v uint64) soundHandle { n++; return insert(v) }
			remembers(s, func() bool { return n > 65_536 })
		},
		"the last": func(s *sound) {
			n, insert := 0, s.Insert
			s.Insert = func(v uint64) soundHandle { n++; return insert(v) }
			remembers(s, func() bool { return n == 3+reuses })
		},
	},
	"cleared": {
		"begins anew": func(s *sound) { s.Clear = beginsAnew(s) },
	},
	"back": {
		"begins anew": func(s *sound) { s.Clip = beginsAnew(s) },
	},
	"zero": {
		"resolves": func(s *sound) {
			get := s.Get
			s.Get = func(h soundHandle) (uint64, bool) {
				if h.IsZero() && s.Len() > 0 {
					return get(anyOf(s))
				}
				return get(h)
			}
		},
		"removes": func(s *sound) {
			remove := s.Remove
			s.Remove = func(h soundHandle) bool {
				if h.IsZero() {
					return remove(anyOf(s))
				}
				return remove(h)
			}
		},
	},
	"twin": {
		"resolves": func(s *sound) { *s = *soundOf(berth.Config{Seed: 1}) },
	},
	"twice": {
		"removes another": func(s *sound) {
			remove := s.Remove
			s.Remove = func(h soundHandle) bool { return remove(h) || remove(anyOf(s)) }
		},
		"says true": func(s *sound) {
			remove := s.Remove
			s.Remove = func(h soundHandle) bool { remove(h); return true }
		},
		"counts wrong": func(s *sound) {
			remove, length, off := s.Remove, s.Len, 0
			s.Remove = func(h soundHandle) bool {
				ok := remove(h)
				if !ok {
					off++
				}
				return ok
			}
			s.Len = func() int { return length() - off }
		},
		"counts wrong after Clear": func(s *sound) {
			remove, length, clear, cleared, off := s.Remove, s.Len, s.Clear, false, 0
			s.Clear = func() { clear(); cleared = true }
			s.Remove = func(h soundHandle) bool {
				ok := remove(h)
				if !ok && cleared {
					off++
				}
				return ok
			}
			s.Len = func() int { return length() - off }
		},
		"panics": func(s *sound) {
			remove := s.Remove
			s.Remove = func(h soundHandle) bool {
				if !remove(h) {
					panic("stale")
				}
				return true
			}
		},
	},
	"collected": {
		"keeps": func(s *sound) {
			make := s.Objects
			s.Objects = func() Objects {
				o := make()
				var kept []*Object
				insert := o.insert
				o.insert = func(v *Object) any { kept = append(kept, v); return insert(v) }
				o.all = func() int { return len(kept) }
				return o
			}
		},
		"keeps while its handle is there": func(s *sound) {
			s.Objects = func() Objects {
				insert := func(v *Object) *Object { return v }
				return Holds(nil, insert, func(*Object) {})
			}
		},
	},
	"removing": {
		"skips the next": func(s *sound) {
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				for i := 0; i < len(hs); i++ {
					v, _ := s.Get(hs[i])
					body(hs[i], v)
					if _, ok := s.Get(hs[i]); !ok {
						i++
					}
				}
			})
		},
		"visits again": func(s *sound) {
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				for _, h := range append(hs, hs[0]) {
					v, _ := s.Get(h)
					body(h, v)
				}
			})
		},
		"loses another": func(s *sound) {
			remove := s.Remove
			s.Remove = func(h soundHandle) bool {
				ok := remove(h)
				if s.Len() == 700 {
					remove(anyOf(s))
				}
				return ok
			}
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				for i, h := range hs {
					body(h, uint64(i+1))
				}
			})
		},
	},
	"inserting": {
		"never ends": func(s *sound) {
			var come []soundHandle
			insert := s.Insert
			s.Insert = func(v uint64) soundHandle {
				come = append(come, insert(v))
				return come[len(come)-1]
			}
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				for i := 0; i < len(come); i++ {
					if v, _ := s.Get(come[i]); !body(come[i], v) {
						return
					}
				}
			})
		},
		"visits what comes twice": func(s *sound) {
			inLoop := false
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				for i, h := range hs {
					v, _ := s.Get(h)
					body(h, v)
					if i == 0 && !inLoop {
						inLoop = true
						body(h, 101)
						body(h, 101)
					}
				}
			})
		},
		"skips one": func(s *sound) {
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				for _, h := range hs[1:] {
					v, _ := s.Get(h)
					body(h, v)
				}
			})
		},
		"loses what comes": func(s *sound) {
			insert := s.Insert
			s.Insert = func(v uint64) soundHandle {
				if v == 150 {
					return soundHandle{}
				}
				return insert(v)
			}
		},
	},
	"break": {
		"locks":     func(s *sound) { locks(s, func(ended, panicked bool) bool { return !ended && !panicked }) },
		"no length": func(s *sound) { s.Len = func() int { return few + 1 } },
	},
	"panic": {
		"locks": func(s *sound) { locks(s, func(_, panicked bool) bool { return panicked }) },
	},
	"order": {
		"of a map": func(s *sound) {
			otherLoop(s, func(hs []soundHandle, body func(soundHandle, uint64) bool) {
				all := map[soundHandle]bool{}
				for _, h := range hs {
					all[h] = true
				}
				for h := range maps.Keys(all) {
					if v, _ := s.Get(h); !body(h, v) {
						return
					}
				}
			})
		},
	},
	"come": {"copies": copies},
	"go":   {"copies": copies},
	"steady": {
		"allocates": func(s *sound) {
			insert := s.Insert
			s.Insert = func(v uint64) soundHandle { sink = new([2]uint64); return insert(v) }
		},
		"allocates now and then": func(s *sound) {
			insert, n := s.Insert, 0
			s.Insert = func(v uint64) soundHandle {
				if n++; n%500 == 0 {
					sink = new([2]uint64)
				}
				return insert(v)
			}
		},
		"allocates in Get": func(s *sound) {
			get := s.Get
			s.Get = func(h soundHandle) (uint64, bool) { sink = new([2]uint64); return get(h) }
		},
	},
	"spike": {"hoards": hoards},
	"clip":  {"hoards": hoards},
}

// sink prevents the compiler from removing allocations.
var sink *[2]uint64

// hoards makes s keep memory for each value ever inserted.
func hoards(s *sound) {
	insert, hoard := s.Insert, []uint64(nil)
	s.Insert = func(v uint64) soundHandle { hoard = append(hoard, v); return insert(v) }
	length := s.Len
	s.Len = func() int { return length() + 0*len(hoard) }
}

// A question that nothing fails is useless.
func TestLawsFindWhatIsBroken(t *testing.T) {
	for _, q := range Questions() {
		if q.ID == "handle" {
			continue // it is not a law
		}
		if got := q.of(func() Subject { return newSound().Subject() }); got.Kept != "yes" {
			t.Errorf("%s: a sound one answers %q", q.ID, got)
		}
		if len(broken[q.ID]) == 0 {
			t.Errorf("%s: nothing is broken so that it finds it", q.ID)
		}
		for name, ruin := range broken[q.ID] {
			got := q.of(func() Subject {
				s := newSound()
				ruin(s)
				return s.Subject()
			})
			if got.Kept == "yes" || got.Kept == "-" || got.Text == "" {
				t.Errorf("%s, one that %s: answers %q", q.ID, name, got)
			}
		}
	}
}

// A law that only the hand-written loop keeps is kept in part.
func TestLawsLoopByHand(t *testing.T) {
	for id, name := range map[string]string{"removing": "skips the next", "inserting": "never ends"} {
		got := questionOf(t, id).of(func() Subject {
			s := newSound()
			byHand := s.Loop
			broken[id][name](s)
			s.ByHand = byHand
			return s.Subject()
		})
		if got.Kept != "partly" {
			t.Errorf("%s, one that %s, with a loop by hand: %q", id, name, got)
		}
	}
}

// questionOf returns the question with that id.
func questionOf(t *testing.T, id string) Question {
	t.Helper()
	for _, q := range Questions() {
		if q.ID == id {
			return q
		}
	}
	t.Fatalf("no question %q", id)
	return Question{}
}

func TestLawsHandleBytes(t *testing.T) {
	s := newSound()
	s.Least = 2
	if got, want := askHandle(func() Subject { return s.Subject() }), None("8, or 2 as an option"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInWords(t *testing.T) {
	for _, c := range []struct {
		said any
		want string
	}{
		{fmt.Errorf("runtime error: index out of range [3] with length 2"), "index out of range"},
		{"runtime error: invalid memory address or nil pointer dereference", "nil pointer dereference"},
		{"it is locked: unlock it\nand more", "it is locked"},
		{7, "7"},
	} {
		if got := inWords(c.said); got != c.want {
			t.Errorf("inWords(%v) = %q, want %q", c.said, got, c.want)
		}
	}
}

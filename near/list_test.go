package near_test

import (
	"testing"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/stable"
)

// listed is a list as a container with handles. The grid is given its HandleView.
type listed struct {
	stable.HandleView[dot]
	l *stable.List[dot]
}

var lists = map[string]func() container{
	"List":           func() container { return list(stable.Config{Truncate: berth.TruncateMemory}) },
	"List quartered": func() container { return list(stable.Config{Placement: stable.Quartered}) },
}

func list(c stable.Config) container {
	l := stable.New[dot](c)
	return listed{stable.ByHandle(l), l}
}

func (v listed) Insert(d dot) handle              { return stable.HandleOf(v.l.Insert(d)) }
func (v listed) Remove(h handle) (d dot, ok bool) { return v.l.Remove(stable.KeyOf(h)) }
func (v listed) Clear()                           { v.l.Clear() }

// viewOf returns the view of a container that a grid is given.
func viewOf(v container) berth.View[dot] {
	if l, ok := v.(listed); ok {
		return l.HandleView
	}
	return v
}

// The list moves its values to other memory in a loop, and back. Entries have current pointers, and
// handles that convert to the list's keys.
func TestListMovesInLoops(t *testing.T) {
	inEach(t, lists, func(t *testing.T, l looping, v container, c *crowd, g searcher) {
		list := v.(listed)
		n, moved := 0, 0
		at0 := v.Ptr(c.hs[0])
		l.loop(g, func(at ...entry) bool {
			if l.name == "Others" { // the pivot was handed out before
				at = at[1:]
			}
			for _, e := range at {
				if k := stable.KeyOf(e.Handle); list.l.Ptr(k) != e.Value || e.Value.id >= 1000 {
					t.Fatalf("visits %v with %v, want %v", k, e.Value, list.l.Ptr(k))
				}
			}
			if p := v.Ptr(c.hs[0]); p != at0 {
				at0 = p
				moved++
			}
			switch n++; {
			case n%8 == 1 && n < 40:
				list.l.Grow(list.l.Cap() + 1 - list.l.Len())
			case n%8 == 5:
				list.l.Clip()
			}
			return true
		})
		if n > 8 && moved == 0 {
			t.Errorf("the values did not move in memory in %d turns", n)
		}
	})
}

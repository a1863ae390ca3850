package stable

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/internal/poison"
)

// Each invariant check fires on a list damaged by hand.
func TestInvariantsAreChecked(t *testing.T) {
	type list = List[int]
	firstFree, quartered := Config{}, Config{Placement: Quartered}
	heaped := Config{Placement: FirstFreeHeap}
	for i, c := range []struct {
		config Config
		damage func(l *list)
		want   string
	}{
		{quartered, func(l *list) { l.vals = l.vals[:9] }, "ListOf invariant 1"},
		{quartered, func(l *list) { l.size = 8 }, "ListOf invariant 1"},
		{quartered, func(l *list) { l.ids[:20][18] = 7 }, "ListOf invariant 1"},
		{quartered, func(l *list) { l.vals[:20][18] = 7 }, "ListOf invariant 1"},
		{quartered, func(l *list) { l.vals[3] = 7 }, "ListOf invariant 2"},
		{quartered, func(l *list) { l.n++ }, "ListOf invariant 2"},
		{quartered, func(l *list) { l.q.next = l.q.next[:4] }, "ListOf invariant 3"},
		{quartered, func(l *list) { l.size, l.quick = 24, 0 }, "ListOf invariant 3"},
		{quartered, func(l *list) { l.q.ends[0] = 4 }, "quarters invariant 1"},
		{quartered, func(l *list) { l.q.head[0] = 4 }, "quarters invariant 3"},
		{quartered, func(l *list) { l.q.head[0] = 400 }, "quarters invariant 3"},
		{quartered, func(l *list) { l.q.vac[0]-- }, "quarters invariant 2"},
		{quartered, func(l *list) { l.q.room = 0 }, "quarters invariant 2"},
		{quartered, func(l *list) { l.q.left[0], l.q.cursor[0] = 1, 4 }, "quarters invariant 3"},
		{quartered, func(l *list) { l.q.next[6] = 6 }, "quarters invariant 3"},
		{quartered, func(l *list) { l.q.bands[1]++ }, "quarters invariant 4"},
		{firstFree, func(l *list) { l.firstID = 0 }, "ListOf invariant 5"},
		{firstFree, func(l *list) { l.quick = l.size + 1 }, "ListOf invariant 6"},
		{firstFree, func(l *list) { l.hooks = &hooks[int, uint32, Counter32]{} }, "ListOf invariant 6"},
		{firstFree, func(l *list) { l.low.Take() }, "ListOf invariant 3"},
		{firstFree, func(l *list) { l.low.Free(2) }, "ListOf invariant 3"},
		{firstFree, func(l *list) { l.low = *New[int](firstFree).low.Clone() }, "ListOf invariant 3"},
		{heaped, func(l *list) { l.heap.queue[0] = 9 }, "heap invariant 1"},
		{heaped, func(l *list) { l.heap.queue = l.heap.queue[:1] }, "heap invariant 2"},
		{heaped, func(l *list) { l.heap.queue[1] = 4 }, "heap invariant 2"},
		{heaped, func(l *list) { l.heap.ends[3] = 4 }, "heap invariant 3"},
		{heaped, func(l *list) { l.heap.ends[5] = 5 }, "heap invariant 3"},
		{heaped, func(l *list) {
			l.ids, l.vals = append(l.ids, 0), append(l.vals, 0)
			heapPush(&l.heap, len(l.ids)-1)
			heapJoinRuns(&l.heap, len(l.ids)-1, false, false)
		}, "ListOf invariant 4"},
	} {
		c.config.Capacity = 32 // 17 touched: 3 and 5 to 7 vacant
		l := New[int](c.config)
		for v := range 17 {
			l.Insert(v)
		}
		for _, slot := range []uint32{3, 5, 7, 6} {
			l.Remove(KeyAt(l, slot))
		}
		listCheckInvariants(look(l))
		c.damage(l)
		got := func() (msg string) {
			defer func() { msg = fmt.Sprint(recover()) }()
			listCheckInvariants(look(l))
			return ""
		}()
		if poison.On && strings.HasPrefix(got, "stable: write through a stale pointer") {
			continue // found before the invariant that it breaks
		}
		if !strings.HasPrefix(got, "stable: "+c.want) {
			t.Errorf("damage %d: %q, want %s", i, got, c.want)
		}
	}
}

// A clone has its own scratch memory for hooks, so that two goroutines may use the two lists.
func TestCloneHasItsOwnScratch(t *testing.T) {
	var l List[int]
	l.SetHooks(ListHooks[int]{OnRemove: func(Key[int, uint32, Counter32], *int) {}})
	if c := l.Clone(); c.hooks == l.hooks || c.hooks.OnRemove == nil {
		t.Error("the clone shares the scratch memory of its list, or has no hooks")
	}
}

// Package answers tests what collections answer to the questions of package laws.
package answers

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

// The questions force garbage collections, which may spin for long on several processors.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}

// askedAll is the table of all collections, computed once for all tests.
var askedAll = sync.OnceValue(func() *laws.Table { return laws.AskAll(catalogue.All.Impls()) })

// by returns the implementation with that name.
func by(name string) measure.Impl {
	for _, im := range catalogue.All.Impls() {
		if im.Name == name {
			return im
		}
	}
	panic("no implementation " + name)
}

// cellOf returns the answer of im to the question with that id.
func cellOf(t *testing.T, im measure.Impl, id string) laws.Cell {
	t.Helper()
	if testing.Short() {
		t.Skip("asks all, which takes seconds")
	}
	tab := askedAll()
	q := slices.IndexFunc(laws.Questions(), func(q laws.Question) bool { return q.ID == id })
	r := slices.IndexFunc(tab.Rows, func(r laws.Row) bool { return r.Impl == im.Name })
	if q < 0 || r < 0 {
		t.Fatalf("%s was not asked %q", im.Name, id)
	}
	return tab.Rows[r].Cells[q]
}

// The documentation names the laws that containers of this library do not keep.
func TestLawsOfOurs(t *testing.T) {
	for _, c := range []struct{ names, not, none string }{
		{"berth.Pool", "", ""}, {"Pool length|Pool never", "spike", ""},
		{"berth.Dense|Dense immediate", "come go", ""}, {"Dense manual", "come spike", ""},
		{"stable.List|Quartered|Quartered stepwise|FirstFree|FirstFreeHeap|FirstFreeHeap walk|Quartered 16-bit|Quartered 64-bit",
			"come spike clip", ""},
		{"arena.Pool", "stale reused cleared back zero twin twice spike", "collected clip"},
		{"arena.Handles|arena.Handles 32-bit", "spike", "collected clip"},
	} {
		for name := range strings.SplitSeq(c.names, "|") {
			checkLaws(t, by(name), strings.Fields(c.not), strings.Fields(c.none))
		}
	}
}

// checkLaws checks which questions im answers with no, and which do not apply. It answers all others
// with yes.
func checkLaws(t *testing.T, im measure.Impl, not, none []string) {
	t.Helper()
	for _, q := range laws.Questions() {
		want := "yes"
		switch {
		case slices.Contains(not, q.ID):
			want = "no"
		case slices.Contains(none, q.ID), q.ID == "handle":
			want = "-"
		}
		if got := cellOf(t, im, q.ID); got.Kept != want {
			t.Errorf("%s, %s: %q (%s), want %q", im.Name, q.ID, got.Kept, got.Text, want)
		}
	}
}

func TestLawsKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		im   measure.Impl
		id   string
		want laws.Cell
	}{
		{by("berth.Pool"), "handle", laws.None("8")},
		{by("arena.Handles"), "handle", laws.None("8, or 4 as an option")},
		{by("arena.Handles 32-bit"), "handle", laws.None("4")},
		{by("Quartered 64-bit"), "handle", laws.None("16, or 4 as an option")},
		{by("berth.Pool"), "order", laws.Yes("slot order: an insert takes a vacant slot")},
		{by("berth.Dense"), "order", laws.Yes("position order: a removal moves others")},
		{by("arena.Pool"), "zero", laws.No(laws.Another)},
		{by("stable.List"), "come", laws.No("a write through it is lost")},

		{by("[]T"), "live", laws.No(laws.Another)},
		{by("[]T"), "stale", laws.No(laws.Another)},
		{by("[]T"), "reused", laws.No(laws.Another)},
		{by("[]T"), "zero", laws.No(laws.Another)},
		{by("[]T"), "twice", laws.No("removes another value")},
		{by("[]T"), "collected", laws.No("keeps 64 of 64 reachable")},
		{by("[]T"), "removing", laws.Partly("panics: index out of range; a hand-written loop is right")},
		{by("[]T"), "come", laws.No("a write through it is lost")},
		{by("[]T"), "go", laws.No("a write through it is lost")},
		{by("[]T"), "spike", laws.No("keeps all")},
		{by("[]T"), "clip", laws.Yes("keeps under 1 %")},
		{by("[]T in order"), "order", laws.Yes("insertion order")},
		{by("[]T in order"), "collected", laws.Yes("at once")},

		{by("[]*T"), "live", laws.Yes("finds its value")},
		{by("[]*T"), "stale", laws.No(laws.TheOld)},
		{by("[]*T"), "zero", laws.Partly("panics: nil pointer dereference")},
		{by("[]*T"), "twice", laws.No("removes another value")},
		{by("[]*T"), "collected", laws.Partly("only when its handle is gone too")},
		{by("[]*T"), "come", laws.Yes("valid")},

		{by("map[uint64]*T"), "stale", laws.Yes(laws.Nothing)},
		{by("map[uint64]*T"), "twin", laws.No(laws.Another)},
		{by("map[uint64]*T"), "order", laws.No("differs each time")},
		{by("map[uint64]*T"), "steady", laws.No("8 bytes, in 1 allocation, for each insert")},
		{by("map[uint64]*T"), "go", laws.Yes("valid")},
		{by("map[uint64]T"), "stale", laws.Yes(laws.Nothing)},
		{by("map[uint64]T"), "go", laws.None(laws.NoPointers)},
		{by("map[uint64]T"), "spike", laws.No("keeps all")},
		{by("map[uint64]T"), "clip", laws.None("has no such call")},

		{by("genpool"), "stale", laws.Yes(laws.Nothing)},
		{by("genpool"), "twin", laws.No(laws.Another)},
		{by("genpool"), "cleared", laws.None("has no Clear")},
		{by("genpool"), "come", laws.No("a write through it is lost")},
		{by("genpool"), "spike", laws.No("keeps all, and grows")},
		{by("dense+sparse"), "removing", laws.Partly("panics: index out of range; a hand-written loop is right")},
		{by("dense+sparse"), "twice", laws.Yes("returns false")},

		{by("ark"), "stale", laws.Yes(laws.Nothing)},
		{by("ark"), "cleared", laws.No(laws.Another)},
		{by("ark"), "twin", laws.No(laws.Another)},
		{by("ark"), "break", laws.Partly("panics: cannot modify a locked world; a hand-written loop is right")},
	} {
		if got := cellOf(t, c.im, c.id); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.im.Name, c.id, got, c.want)
		}
	}
}

// power matches the number of reuses that a slot's generations allow, in a text.
var power = regexp.MustCompile(`2\^(\d+)`)

// The hand-written texts about stale handles must agree with the tests.
func TestLawsAgreeWithStale(t *testing.T) {
	words := map[string]string{
		laws.Nothing: "finds nothing",
		laws.TheOld:  "reads the removed value",
		laws.Another: "reads whichever value",
	}
	for _, im := range catalogue.All.Impls() {
		if laws.AskerOf(im) == nil {
			continue
		}
		safe := true
		for _, id := range []string{"stale", "reused", "back"} {
			c := cellOf(t, im, id)
			safe = safe && c.Text == laws.Nothing
			if w := words[c.Text]; w == "" || !strings.Contains(im.Stale, w) {
				t.Errorf("%s, %s: %s; its text does not say %q: %s", im.Name, id, c.Text, w, im.Stale)
			}
		}
		// Clear invalidates handles that were not removed. The text of a collection that fails only
		// there must mention it.
		if c := cellOf(t, im, "cleared"); c.Kept == "no" && safe &&
			!strings.Contains(im.Stale, "Clear") && !strings.Contains(im.Stale, "Reset") {
			t.Errorf("%s: its text does not say that after Clear, a stale handle %s", im.Name, c.Text)
		}
		// A limit that takes seconds to reach is too long to test, and too short for a program.
		for _, m := range power.FindAllStringSubmatch(im.Stale, -1) {
			n, err := strconv.Atoi(m[1])
			safe = safe && err == nil && n >= 31
		}
		if im.Safe != safe {
			t.Errorf("%s: safe is %v; asked: %v", im.Name, im.Safe, safe)
		}
	}
}

// Answers do not change, not even those about maps, which loop in random order.
func TestLawsAskTwice(t *testing.T) {
	var ims []measure.Impl
	for _, name := range []string{"berth.Pool", "[]T", "map[uint64]*T", "map[uint64]T", "ark"} {
		ims = append(ims, by(name))
	}
	for i, r := range laws.AskAll(ims).Rows {
		for k, q := range laws.Questions() {
			if got := cellOf(t, ims[i], q.ID); got != r.Cells[k] {
				t.Errorf("%s, %s: %q, and then %q", r.Impl, q.ID, got, r.Cells[k])
			}
		}
	}
}

func TestLawsAskOnlyWhoCanBe(t *testing.T) {
	tab := laws.AskAll([]measure.Impl{{Name: "mute"}, {Name: "it", Kit: by("berth.Pool").Kit}})
	if len(tab.Rows) != 1 || tab.Rows[0].Impl != "it" {
		t.Errorf("rows %v, want it alone", tab.Rows)
	}
	if n, want := len(tab.Rows[0].Cells), len(laws.Questions()); n != want || len(tab.Questions) != want {
		t.Errorf("%d cells and %d questions, want %d", n, len(tab.Questions), want)
	}
}

func TestPrintLawsFits(t *testing.T) {
	if testing.Short() {
		t.Skip("asks all, which takes seconds")
	}
	var out strings.Builder
	laws.Print(&out, askedAll())
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(line)); n > laws.Width+1 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed505807e1/berth"
)

// askedAll is the table of all, asked once for all tests.
var askedAll = sync.OnceValue(func() *lawTable { return askAll(allImpls()) })

// cellOf returns what im answers to the question of that id.
func cellOf(t *testing.T, im impl, id string) lawCell {
	t.Helper()
	if testing.Short() {
		t.Skip("asks all, which takes seconds")
	}
	tab := askedAll()
	q := slices.IndexFunc(questions(), func(q question) bool { return q.id == id })
	r := slices.IndexFunc(tab.Rows, func(r lawRow) bool { return r.Impl == im.name })
	if q < 0 || r < 0 {
		t.Fatalf("%s was not asked %q", im.name, id)
	}
	return tab.Rows[r].Cells[q]
}

// What containers of this library do not keep is in their documentation.
func TestLawsOfOurs(t *testing.T) {
	moves := []string{"come", "go"}
	list := []string{"come", "spike", "clip"}
	for _, c := range []struct {
		im   impl
		not  []string // the questions that are not answered by yes
		none []string // and those that have no sense
	}{
		{poolImpl, nil, nil},
		{poolLengthImpl, []string{"spike"}, nil},
		{poolNeverImpl, []string{"spike"}, nil},
		{denseImpl, moves, nil},
		{denseNowImpl, moves, nil},
		{denseManualImpl, []string{"come", "spike"}, nil},
		{stableImpl, list, nil},
		{quarteredImpl, list, nil},
		{quarteredStepwiseImpl, list, nil},
		{firstFreeImpl, list, nil},
		{firstFreeHeapImpl, list, nil},
		{firstFreeHeapWalkImpl, list, nil},
		{quartered16Impl, list, nil},
		{quartered64Impl, list, nil},
		{
			arenaPoolImpl,
			[]string{"stale", "reused", "cleared", "back", "zero", "twin", "twice", "spike"},
			[]string{"collected", "clip"},
		},
		{arenaHandlesImpl, []string{"spike"}, []string{"collected", "clip"}},
		{arenaNarrowImpl, []string{"spike"}, []string{"collected", "clip"}},
	} {
		for _, q := range questions() {
			want := "yes"
			switch {
			case slices.Contains(c.not, q.id):
				want = "no"
			case slices.Contains(c.none, q.id), q.id == "handle":
				want = "-"
			}
			if got := cellOf(t, c.im, q.id); got.Kept != want {
				t.Errorf("%s, %s: %q (%s), want %q", c.im.name, q.id, got.Kept, got.Text, want)
			}
		}
	}
}

func TestLawsKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		im   impl
		id   string
		want lawCell
	}{
		{poolImpl, "handle", none("8")},
		{arenaHandlesImpl, "handle", none("8, or 4 where one chooses")},
		{arenaNarrowImpl, "handle", none("4")},
		{quartered64Impl, "handle", none("16, or 4 where one chooses")},
		{poolImpl, "order", yes("by slot: who comes takes a vacant one")},
		{denseImpl, "order", yes("by place: removing moves others")},
		{arenaPoolImpl, "zero", no(another)},
		{stableImpl, "come", no("what is written through it is lost")},

		{sliceImpl, "live", no(another)},
		{sliceImpl, "stale", no(another)},
		{sliceImpl, "reused", no(another)},
		{sliceImpl, "zero", no(another)},
		{sliceImpl, "twice", no("removes somebody else's value")},
		{sliceImpl, "collected", no("keeps 64 of 64 reachable")},
		{sliceImpl, "removing", partly("panics: index out of range; written by hand, it is right")},
		{sliceImpl, "come", no("what is written through it is lost")},
		{sliceImpl, "go", no("what is written through it is lost")},
		{sliceImpl, "spike", no("keeps all")},
		{sliceImpl, "clip", yes("keeps under 1 %")},
		{orderedImpl, "order", yes("as they came")},
		{orderedImpl, "collected", yes("at once")},

		{ptrSliceImpl, "live", yes("finds its value")},
		{ptrSliceImpl, "stale", no(theOld)},
		{ptrSliceImpl, "zero", partly("panics: nil pointer dereference")},
		{ptrSliceImpl, "twice", no("removes somebody else's value")},
		{ptrSliceImpl, "collected", partly("when its handle is gone too")},
		{ptrSliceImpl, "come", yes("good")},

		{ptrMapImpl, "stale", yes(nothing)},
		{ptrMapImpl, "twin", no(another)},
		{ptrMapImpl, "order", no("another one each time")},
		{ptrMapImpl, "steady", no("8 bytes, in 1 allocation, for each insert")},
		{ptrMapImpl, "go", yes("good")},
		{mapImpl, "stale", yes(nothing)},
		{mapImpl, "go", none(noPointers)},
		{mapImpl, "spike", no("keeps all")},
		{mapImpl, "clip", none("has no such call")},

		{listImpl, "stale", no(theOld)},
		{listImpl, "twin", no("reads the value, which is the other's")},
		{listImpl, "twice", no("after Clear: counts wrong from then on")},
		{listImpl, "removing", partly("skips some; written by hand, it is right")},
		{listImpl, "inserting", partly("never ends; written by hand, it is right")},
		{listImpl, "order", yes("as they came")},
		{listImpl, "spike", yes("keeps under 1 %")},

		{genpoolImpl, "stale", yes(nothing)},
		{genpoolImpl, "twin", no(another)},
		{genpoolImpl, "cleared", none("has no Clear")},
		{genpoolImpl, "come", no("what is written through it is lost")},
		{genpoolImpl, "spike", no("keeps all, and takes more")},
		{sparsesetImpl, "removing", partly("panics: index out of range; written by hand, it is right")},
		{sparsesetImpl, "twice", yes("says false")},

		{arkImpl, "stale", yes(nothing)},
		{arkImpl, "cleared", no(another)},
		{arkImpl, "twin", no(another)},
		{arkImpl, "break", partly("panics: cannot modify a locked world; written by hand, it is right")},
		{donburiImpl, "twice", partly("changes nothing, and does not say so")},
		{donburiImpl, "collected", no("keeps 64 of 64 reachable")},
		{ecsImpl, "collected", no("keeps 64 of 64 reachable")},
		{ecsImpl, "break", none("cannot be left")},
	} {
		if got := cellOf(t, c.im, c.id); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.im.name, c.id, got, c.want)
		}
	}
}

// power finds how many reuses of a slot a text says that generations last.
var power = regexp.MustCompile(`2\^(\d+)`)

// What is written about stale handles by hand must be what they do.
func TestLawsAgreeWithStale(t *testing.T) {
	words := map[string]string{
		nothing: "finds nothing",
		theOld:  "reads the removed value",
		another: "reads whichever value",
	}
	for _, im := range allImpls() {
		if askerOf(im) == nil {
			continue
		}
		safe := true
		for _, id := range []string{"stale", "reused", "back"} {
			c := cellOf(t, im, id)
			safe = safe && c.Text == nothing
			if w := words[c.Text]; w == "" || !strings.Contains(im.stale, w) {
				t.Errorf("%s, %s: %s; its text does not say %q: %s", im.name, id, c.Text, w, im.stale)
			}
		}
		// Clear ends handles that nobody has removed. Who fails there alone must say so.
		if c := cellOf(t, im, "cleared"); c.Kept == "no" && safe &&
			!strings.Contains(im.stale, "Clear") && !strings.Contains(im.stale, "Reset") {
			t.Errorf("%s: its text does not say that after Clear, a stale handle %s", im.name, c.Text)
		}
		// What takes seconds is too long to ask for, and too short for a program.
		for _, m := range power.FindAllStringSubmatch(im.stale, -1) {
			n, err := strconv.Atoi(m[1])
			safe = safe && err == nil && n >= 31
		}
		if im.safe != safe {
			t.Errorf("%s: safe is %v; asked: %v", im.name, im.safe, safe)
		}
	}
}

func TestLawsAskAllTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("asks all a second time")
	}
	a, b := askedAll(), askAll(allImpls())
	for i, r := range a.Rows {
		for k, c := range r.Cells {
			if d := b.Rows[i].Cells[k]; c != d {
				t.Errorf("%s, %s: %q, and then %q", r.Impl, a.Questions[k], c, d)
			}
		}
	}
	if !reflect.DeepEqual(a.Questions, b.Questions) || len(a.Rows) != len(b.Rows) {
		t.Errorf("%d questions, %d rows; and then %d, %d",
			len(a.Questions), len(a.Rows), len(b.Questions), len(b.Rows))
	}
}

func TestLawsAskOnlyWhoCanBe(t *testing.T) {
	tab := askAll([]impl{{name: "mute"}, {name: "it", ask: askPool(berth.Config{})}})
	if len(tab.Rows) != 1 || tab.Rows[0].Impl != "it" {
		t.Errorf("rows %v, want it alone", tab.Rows)
	}
	if n, want := len(tab.Rows[0].Cells), len(questions()); n != want || len(tab.Questions) != want {
		t.Errorf("%d cells and %d questions, want %d", n, len(tab.Questions), want)
	}
}

func TestPrintLaws(t *testing.T) {
	tab := &lawTable{
		Questions: []string{"is it so?", "and that?"},
		Rows: []lawRow{
			{"one", []lawCell{yes("always"), none("cannot be had")}},
			{"another", []lawCell{no("never"), partly("on Mondays")}},
			{"third", []lawCell{yes("always"), no(strings.Repeat("word ", 30) + "end")}},
		},
	}
	var out strings.Builder
	printLaws(&out, tab)
	want := `
         1  2
one      y  -
another  N  ~
third    y  N

y, yes: kept; ~: in part; N, NO: not; -: nothing to keep. All was asked, and nothing looked up:

1. is it so?
   yes  always: one, third
    NO  never: another

2. and that?
     ~  on Mondays: another
    NO  word word word word word word word word word word word word word word word word word word
        word word word word word word word word word word word word end: third
     -  cannot be had: one
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestPrintLawsFits(t *testing.T) {
	if testing.Short() {
		t.Skip("asks all, which takes seconds")
	}
	var out strings.Builder
	printLaws(&out, askedAll())
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(line)); n > lawsWidth+1 {
			t.Errorf("%d columns: %s", n, line)
		}
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

package laws

import (
	"strings"
	"testing"
)

func TestPrintLaws(t *testing.T) {
	tab := &Table{
		Questions: []string{"is it so?", "and that?"},
		Rows: []Row{
			{"one", []Cell{Yes("always"), None("cannot be had")}},
			{"another", []Cell{No("never"), Partly("on Mondays")}},
			{"third", []Cell{Yes("always"), No(strings.Repeat("word ", 30) + "end")}},
		},
	}
	var out strings.Builder
	Print(&out, tab)
	want := `
         1  2
one      y  -
another  N  ~
third    y  N

y, yes: kept; ~: in part; N, NO: not kept; -: not applicable. All answers are test results:

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

package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// call returns the n-th call of a text.
func call(n token.Pos) *ast.CallExpr {
	return &ast.CallExpr{Fun: &ast.Ident{NamePos: n}, Rparen: n}
}

// TestMerge merges two loans, each before the other. The result is the same, and it has ended on
// every path only if both have.
func TestMerge(t *testing.T) {
	lent, again, ended := call(1), call(2), call(5)
	freed := func(at *ast.CallExpr) Loan { return Loan{From: at, End: at, Strict: true} }
	for _, c := range []struct {
		name       string
		a, b, want Loan
	}{
		{"ended on one path, not strictly",
			Loan{From: lent}, Loan{From: lent, End: ended}, Loan{From: lent, End: ended}},
		{"ended on one path",
			Loan{From: lent}, Loan{From: lent, End: ended, Strict: true},
			Loan{From: lent, End: ended, Strict: true, Partly: true}},
		{"ended on both",
			Loan{From: lent, End: call(7), Strict: true}, Loan{From: lent, End: ended, Strict: true},
			Loan{From: lent, End: ended, Strict: true}},
		{"two loans, one ended",
			Loan{From: lent}, Loan{From: again, End: ended, Strict: true},
			Loan{From: again, End: ended, Strict: true}},
		{"two loans, one given back",
			Loan{From: lent}, freed(ended), Loan{From: ended, End: ended, Strict: true, Partly: true}},
		{"two loans, the first ended on some paths",
			Loan{From: lent, End: ended, Strict: true, Partly: true}, freed(ended),
			Loan{From: lent, End: ended, Strict: true, Partly: true}},
		{"two loans, the second ended on some paths",
			Loan{From: lent, End: ended, Strict: true}, Loan{From: ended, End: ended, Partly: true},
			Loan{From: lent, End: ended, Strict: true, Partly: true}},
	} {
		for _, got := range []Loan{c.a.Merge(c.b), c.b.Merge(c.a)} {
			if got != c.want {
				t.Errorf("%s: lent at %d, ended %t, partly %t",
					c.name, got.From.Pos(), got.End != nil, got.Partly)
			}
		}
	}
}

// TestSorted sorts calls by position.
func TestSorted(t *testing.T) {
	want := []*ast.CallExpr{call(1), call(2), call(3), call(4), call(5)}
	m := map[*ast.CallExpr]bool{}
	for _, c := range want {
		m[c] = true
	}
	if got := Sorted(m); !slices.Equal(got, want) {
		t.Errorf("first at %d, last at %d", got[0].Pos(), got[len(got)-1].Pos())
	}
}

// TestAnother assigns the variable whose handle others have copied. The loan is then known by the
// least of those, whatever the order of the map.
func TestAnother(t *testing.T) {
	var all []Place
	for i := range 20 {
		all = append(all, Place{Obj: types.NewVar(token.Pos(i+1), nil, "h"+strconv.Itoa(i), nil)})
	}
	ids := func(a, b Place) int { return strings.Compare(a.Id(), b.Id()) }
	for range 20 {
		s := &State{}
		for _, p := range all[1:] {
			Put(&s.Same, p, all[0])
		}
		e := Place{Obj: types.NewVar(100, nil, "e", nil)}
		Put(&s.Loans, e, Loan{From: call(1), Root: e, By: all[0]})
		s.Kill(all[0])
		if got, want := s.Loans[e].By, slices.MinFunc(all[1:], ids); got != want {
			t.Fatalf("known by %v, want %v", got, want)
		}
	}
}

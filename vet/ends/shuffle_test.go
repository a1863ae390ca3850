package ends

import (
	"go/ast"
	"go/token"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOrder shuffles the declarations of packages. The reports must stay the same but for lines.
func TestOrder(t *testing.T) {
	numbers := regexp.MustCompile(`on line \d+`)
	k := newKit()
	reports := func(text string) string {
		p, err := k.parse("shuffled", text)
		if err != nil {
			t.Fatal(err)
		}
		ds, err := k.analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, d := range ds {
			lines = append(lines, numbers.ReplaceAllString(d.Message, ""))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	for _, pkg := range []string{"paths", "ended", "programs"} {
		text := source(t, pkg)
		p, err := k.load(pkg)
		if err != nil {
			t.Fatal(err)
		}
		offset := func(pos token.Pos) int { return k.fset.Position(pos).Offset }
		var head, decls []string
		for _, d := range p.Syntax[0].Decls {
			from, to := offset(d.Pos()), offset(d.End())
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
				from = offset(fn.Doc.Pos()) // it may have directives
			}
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				head = append(head, text[from:to])
			} else {
				decls = append(decls, text[from:to])
			}
		}
		want := reports(text)
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 0))
			r.Shuffle(len(decls), func(i, j int) { decls[i], decls[j] = decls[j], decls[i] })
			shuffled := "package " + pkg + "\n" + strings.Join(append(slices.Clip(head), decls...), "\n")
			if got := reports(shuffled); got != want {
				t.Errorf("%s, seed %d: reports\n%s\nwant\n%s", pkg, seed, got, want)
			}
		}
	}
}

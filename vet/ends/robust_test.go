package ends

import (
	"go/ast"
	"go/types"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/seed505807e1/berth/vet/ends/internal/rule"
)

// odd are packages of the standard library with all kinds of code.
var odd = []string{
	"container/list", "encoding/json", "fmt", "go/printer", "iter", "maps", "reflect", "regexp",
	"slices", "sort", "strconv", "sync", "text/template", "time",
}

// TestStandardLibrary analyzes code without directives as if any function had some. Nothing may
// panic, and two runs report the same.
func TestStandardLibrary(t *testing.T) {
	names, least := odd, 100
	load := public
	if testing.Short() {
		least, names = 10, []string{"container/list", "encoding/json", "slices", "strconv"}
		load = func() ([]*packages.Package, error) {
			return packages.Load(&packages.Config{Mode: packages.LoadSyntax}, names...)
		}
	}
	pkgs, err := load()
	if err != nil {
		t.Fatal(err)
	}
	guess = anything
	reportSome, reportNil = true, true
	defer func() { guess, reportSome, reportNil = nil, false, false }()
	total := 0
	for _, p := range pkgs {
		if !slices.Contains(names, p.PkgPath) {
			continue
		}
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		alone := *p
		alone.Imports = nil
		k := &kit{fset: p.Fset}

		first, err := k.analyze(&alone)
		if err != nil {
			t.Fatalf("%s: %v", p.PkgPath, err)
		}
		second, err := k.analyze(&alone)
		if err != nil || k.messages(first) != k.messages(second) {
			t.Errorf("%s: %v: two runs report different things", p.PkgPath, err)
		}
		total += len(first)
	}
	if total < least {
		t.Errorf("%d reports: the functions were not followed", total)
	}
}

// anything returns a summary that depends only on the name and the type of a function.
func anything(fn *types.Func) *rule.Summary {
	h := fnv.New32a()
	h.Write([]byte(fn.Name()))
	n := h.Sum32()
	sig := fn.Signature()
	of := rule.Receiver
	if sig.Recv() == nil {
		if of = rule.Param; sig.Params().Len() == 0 {
			return nil
		}
	}
	s := &rule.Summary{Declared: n%3 == 0}
	kinds := []rule.Kind{rule.EndsBy, rule.EndsAll, rule.EndsEmptied, rule.EndsSince, rule.EndsSome}
	verbs := slices.Sorted(maps.Keys(rule.Words))
	for i := range n % 4 {
		s.Add(rule.Effect{
			Verb: verbs[(n>>i)%uint32(len(verbs))], Kind: kinds[(n>>3>>i)%5], Of: of,
			What: rule.Result + rule.Port(n>>i)%2 + 100*rule.Port(n>>5%2), By: rule.Port(n >> 7 % 4), Maybe: n>>9%2 == 0,
			Strict: n>>10%2 == 0,
		})
	}
	if n%5 == 0 && sig.Results().Len() > 0 {
		s.Add(rule.Effect{Verb: rule.Lends, What: rule.Result, Of: of})
	}
	return s
}

// FuzzStatements deletes, repeats, swaps and wraps statements of correct and incorrect code. It
// analyzes the code if it still compiles.
func FuzzStatements(f *testing.F) {
	names := []string{"programs", "ended", "good", "other", "table/sync", "table/bufio"}
	for i, p := range names {
		f.Add(uint8(i), []byte{1, 1, 2, 2, 3, 3, 4, 4, 5, 5})
		f.Add(uint8(i), []byte(p+p+p))
	}
	k := newKit()
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		name := names[int(which)%len(names)]
		text := source(t, name)
		for edits = edits[:min(len(edits), 15)]; len(edits) >= 3; edits = edits[3:] {
			p, err := k.parse("edited", text)
			if err != nil {
				t.Fatal(err)
			}
			next := edit(k, p, text, edits[0], edits[1], edits[2])
			if q, err := k.parse("edited", next); err == nil && q != nil {
				text = next
			}
		}
		p, err := k.parse("edited", text)
		if err != nil {
			t.Fatal(err)
		}
		first, err := k.analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := k.analyze(p); err != nil || k.messages(first) != k.messages(second) {
			t.Errorf("%v: two runs report different things of\n%s", err, text)
		}
	})
}

// edit changes one statement of a text.
func edit(k *kit, p *packages.Package, text string, a, b, how byte) string {
	var all []ast.Stmt
	ast.Inspect(p.Syntax[0], func(n ast.Node) bool {
		if list, ok := n.(*ast.BlockStmt); ok {
			all = append(all, list.List...)
		}
		return true
	})
	st := all[(int(a)<<8|int(b))%len(all)]
	from, to := k.fset.Position(st.Pos()).Offset, k.fset.Position(st.End()).Offset
	before, is, after := text[:from], text[from:to], text[to:]
	switch how % 8 {
	case 0:
		is = ""
	case 1:
		is += "\n" + is
	case 2:
		is = "if use != nil {\n" + is + "\n}"
	case 3:
		is = "for range 3 {\n" + is + "\n}"
	case 4:
		is = "func() {\n" + is + "\n}()"
	case 5:
		is = "defer func() {\n" + is + "\n}()"
	case 6:
		is = "{\n" + is + "\n}"
	case 7:
		lines := strings.SplitN(after, "\n", 3)
		if len(lines) == 3 {
			return before + strings.TrimSpace(lines[1]) + "\n" + is + "\n" + lines[2]
		}
	}
	return before + is + after
}

package rule

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"testing"
)

// TestParse parses directives of a method and of a function.
func TestParse(t *testing.T) {
	const (
		method   = "func (c *C) M(h H, i int) (*int, error)"
		function = "func F(a *A, m, n Mark) *int"
	)
	for _, c := range []struct{ decl, directive, want string }{
		{method, "lends r0", "lends r0"},
		{method, "lends y1 by y0", "lends y1 by y0"},
		{method, "lends r1 by r0", "lends r1 by r0"},
		{method, "lends r0 by i", "lends r0 by p1"},
		{method, "issues y0 of h", "issues y0 of p0"},
		{method, "asks h", "asks by p0"},
		{method, "clones", "clones"},
		{method, "clones r0", "clones r0"},
		{method, "must r1", "must r1"},
		{method, "begins", "begins"},
		{method, "revives", "revives"},
		{method, "ends by c", "ends by recv"},
		{method, "ends all", "ends all"},
		{method, "ends all by h", "ends all by p0"},
		{method, "ends by h of i", "ends by p0 of p1"},
		{method, "ends of i by h", "ends by p0 of p1"},
		{method, "ends emptied", "ends emptied"},
		{method, "ends lent", "ends lent"},
		{method, "ends some", "ends some"},
		{method, "ends other", "ends other"},
		{function, "ends since n of a", "ends since p2 of p0"},
		{function, "lends r0 by m of a", "lends r0 by p1 of p0"},
		{function, "copies r0", "copies r0 of none"},
		{function, "must r0", "must r0 of none"},

		{method, "", "no verb"},
		{method, "lend r0", `unknown verb "lend"`},
		{method, "lends", "lends needs a result, such as r0"},
		{method, "lends by h", "lends needs a result, such as r0"},
		{method, "lends r0 by", "by needs a name"},
		{method, "lends r0 by k", `no parameter is called "k"`},
		{method, "lends r0 r1", `unexpected "r1"`},
		{method, "lends rx", `unexpected "rx"`},
		{method, "lends r/", `unexpected "r/"`},
		{method, "lends r:", `unexpected "r:"`},
		{method, "lends r00", `unexpected "r00"`},
		{method, "lends p0", `unexpected "p0"`},
		{method, "lends r0 by p0", `no parameter is called "p0"`},
		{method, "copies y0", `unexpected "y0"`},
		{method, "begins r0", `unexpected "r0"`},
		{method, "asks", "asks needs a parameter"},
		{method, "asks k", `no parameter is called "k"`},
		{method, "asks h i", `unexpected "i"`},
		{method, "ends", "ends needs by, all, emptied, lent, since, some or other"},
		{method, "ends all emptied", `unexpected "emptied"`},
		{method, "ends more", `unexpected "more"`},
		{function, "lends r0", `a function needs "of" and a parameter`},
		{function, "ends all", `a function needs "of" and a parameter`},
	} {
		text := "package p\n\n// F is a function.\n//\n" +
			"//berth:" + c.directive + "\n" + c.decl + " { panic(1) }\n"
		fset := token.NewFileSet()
		file, err := goparser.ParseFile(fset, "p.go", text, goparser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		d := file.Decls[0].(*ast.FuncDecl)
		sum, bad := Parse(d.Doc, d.Recv, d.Type, d.Recv != nil)
		got, want := sum.String(), c.want
		if len(bad) > 0 {
			got, want = bad[0].Text, "//berth:"+c.directive+": "+c.want
			if line := fset.Position(bad[0].Pos).Line; line != 5 {
				t.Errorf("%s: reported in line %d, not in that of the directive", c.directive, line)
			}
		}
		if got != want {
			t.Errorf("%s\n%q: %s\nwant %s", c.decl, c.directive, got, want)
		}
	}
}

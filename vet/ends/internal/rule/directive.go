package rule

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// prefix begins a directive. Directives stand at the end of a doc comment.
const prefix = "//berth:"

// A mistake is an invalid directive.
type mistake struct {
	Pos  token.Pos
	Text string
}

// HasDirectives reports whether f has a directive.
func HasDirectives(f *ast.File) bool {
	return slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
		return slices.ContainsFunc(g.List, isDirective)
	})
}

func isDirective(c *ast.Comment) bool { return strings.HasPrefix(c.Text, prefix) }

// Parse returns the summary that the directives of a doc comment declare, or nil if there are none.
// recv is nil for functions and interface methods. method is true for methods of either kind.
func Parse(
	doc *ast.CommentGroup, recv *ast.FieldList, ft *ast.FuncType, method bool,
) (*Summary, []mistake) {
	if doc == nil || !slices.ContainsFunc(doc.List, isDirective) {
		return nil, nil
	}
	p := parser{names: map[string]Port{}, method: method}
	p.name(recv, Receiver)
	p.name(ft.Params, Param)
	s := &Summary{Declared: true}
	var bad []mistake
	for _, c := range doc.List {
		text, ok := strings.CutPrefix(c.Text, prefix)
		if !ok {
			continue
		}
		e, err := p.effect(strings.Fields(text))
		if err != nil {
			bad = append(bad, mistake{c.Pos(), fmt.Sprintf("%s: %v", c.Text, err)})
			continue
		}
		s.Add(e)
	}
	return s, bad
}

// A parser parses the directives of one function.
type parser struct {
	names  map[string]Port
	method bool
}

// name numbers the names in fields from first on.
func (p *parser) name(fields *ast.FieldList, first Port) {
	if fields == nil {
		return
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			p.names[n.Name] = first
			first++
		}
	}
}

// Words maps each verb to its arguments: a result (r), a value yielded by a loop (y), an operand
// (o), an operand that the receiver may stand for (p).
var Words = map[verb]string{
	Lends: "ry", Ends: "", Begins: "", Issues: "ry", Asks: "o", Clones: "r?", Housed: "r",
	Revives: "", Shares: "ry", Marks: "r", Copies: "r", Must: "r",
	Frees: "p",
}

// kinds are the kinds that take no argument.
var kinds = []Kind{EndsAll, EndsEmptied, EndsLent, EndsSome, EndsOther}

// effect parses one directive.
func (p *parser) effect(f []string) (Effect, error) {
	if len(f) == 0 {
		return Effect{}, fmt.Errorf("no verb")
	}
	e := Effect{Verb: verb(f[0])}
	e.Strict = e.Verb == Frees
	needs, ok := Words[e.Verb]
	if !ok {
		return e, fmt.Errorf("unknown verb %q", f[0])
	}
	if p.method {
		e.Of = Receiver
	}
	for f = f[1:]; len(f) > 0; {
		n, err := p.word(&e, f, needs)
		if err != nil {
			return e, err
		}
		f = f[n:]
	}
	switch {
	case needs == "p" && !e.Of.IsOperand():
		return e, fmt.Errorf("%s needs a parameter", e.Verb)
	case e.Of == 0 && e.Verb != Copies && e.Verb != Must:
		return e, fmt.Errorf("a function needs \"of\" and a parameter")
	case e.Verb == Ends && e.Kind == "":
		return e, fmt.Errorf("ends needs by, all, emptied, lent, since, some or other")
	case needs == "o" && e.By == 0:
		return e, fmt.Errorf("%s needs a parameter", e.Verb)
	case e.What == 0 && strings.HasPrefix(needs, "r") && needs != "r?":
		return e, fmt.Errorf("%s needs a result, such as r0", e.Verb)
	}
	return e, nil
}

// word parses the next argument of a directive into e and returns the number of its words.
func (p *parser) word(e *Effect, f []string, needs string) (int, error) {
	switch w := f[0]; {
	case w == "by" || w == "of" || w == "since":
		if len(f) < 2 {
			return 0, fmt.Errorf("%s needs a name", w)
		}
		at, err := p.operand(f[1])
		if err != nil {
			return 0, err
		}
		switch {
		case w == "of":
			e.Of = at
		case e.Verb == Ends && e.Kind == "":
			e.Kind, e.By = Kind(w), at
		default:
			e.By = at
		}
		return 2, nil
	case e.Verb == Ends:
		k := Kind(w)
		if e.Kind != "" || !slices.Contains(kinds, k) {
			return 0, fmt.Errorf("unexpected %q", w)
		}
		e.Kind = k
		return 1, nil
	case needs == "o" && e.By == 0:
		at, err := p.operand(w)
		e.By = at
		return 1, err
	case needs == "p" && (e.Of == 0 || e.Of == Receiver):
		at, err := p.operand(w)
		e.Of = at
		return 1, err
	case e.What == 0 && len(w) == 2 && strings.Contains(needs, w[:1]) && '0' <= w[1] && w[1] <= '9':
		e.What = Result + Port(w[1]-'0')
		if w[0] == 'y' {
			e.What = Yielded + Port(w[1]-'0')
		}
		return 1, nil
	default:
		return 0, fmt.Errorf("unexpected %q", w)
	}
}

// operand returns the port of a parameter or of a result.
func (p *parser) operand(name string) (Port, error) {
	if at, ok := p.names[name]; ok {
		return at, nil
	}
	switch name {
	case "r0", "r1":
		return Result + Port(name[1]-'0'), nil
	case "y0", "y1":
		return Yielded + Port(name[1]-'0'), nil
	}
	if p.names == nil && len(name) == 2 && name[0] == 'p' && '0' <= name[1] && name[1] <= '9' {
		return Param + Port(name[1]-'0'), nil // a table does not know the names
	}
	return 0, fmt.Errorf("no parameter is called %q", name)
}

package rule

import (
	_ "embed"
	"fmt"
	"go/types"
	"os"
	"strings"

	"github.com/seed505807e1/berth/vet/ends/internal/syntax"
)

// A table has the directives of packages that have none in their doc comments, such as sync. A line
// "package PATH VERSION" begins a package. Each line below it has the name of a function, a method
// or a type, and its directives.
type table struct {
	Calls map[string]map[string]*Summary // by package path and name
	lent  map[string]map[string]bool     // types: a parameter is valid until the function returns
}

//go:embed table.txt
var builtin string

// Known is the table of this analysis: the built-in one, and the files of the flag -table.
var Known = func() table {
	t := newTable()
	if err := t.add("table.txt", builtin); err != nil {
		panic(err)
	}
	return t
}()

func newTable() table {
	return table{map[string]map[string]*Summary{}, map[string]map[string]bool{}}
}

// AddFile adds the lines of a file, by which a user extends the table.
func (t table) AddFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return t.add(name, string(text))
}

// add adds the lines of text. A name that the table has gets these directives instead.
func (t table) add(file, text string) error {
	path := ""
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case words[0] == "package" && len(words) > 1:
			path = words[1]
			continue
		case path == "":
			return fmt.Errorf("%s:%d: no package above %q", file, i+1, words[0])
		}
		if err := t.addLine(path, words[0], strings.Join(words[1:], " ")); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", file, i+1, words[0], err)
		}
	}
	return nil
}

// addLine adds the directives of one name.
func (t table) addLine(path, name, directives string) error {
	if t.Calls[path] == nil {
		t.Calls[path], t.lent[path] = map[string]*Summary{}, map[string]bool{}
	}
	if directives == "lent" {
		t.lent[path][name] = true
		return nil
	}
	p := parser{method: strings.Contains(name, ".")}
	s := &Summary{Declared: true}
	for d := range strings.SplitSeq(directives, ";") {
		e, err := p.effect(strings.Fields(d))
		if err != nil {
			return err
		}
		e.Strict = true
		s.Add(e)
	}
	t.Calls[path][name] = s
	return nil
}

// Summary returns the entry of fn, or nil.
func (t table) Summary(fn *types.Func) *Summary {
	if fn.Pkg() == nil {
		return nil
	}
	of := t.Calls[fn.Pkg().Path()]
	if of == nil {
		return nil
	}
	name := fn.Name()
	if recv := syntax.ReceiverType(fn); recv != nil {
		name = recv.Name() + "." + name
	}
	return of[name]
}

// IsLent reports whether a parameter of type t is valid only until the function returns.
func (t table) IsLent(x types.Type) bool {
	n, ok := types.Unalias(syntax.Deref(x)).(*types.Named)
	return ok && n.Obj().Pkg() != nil && t.lent[n.Obj().Pkg().Path()][n.Obj().Name()]
}

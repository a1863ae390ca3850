package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
)

// write makes verbs write its page.
var write = flag.Bool("write", false, "write docs/verbs.md")

// A container is a column of the tables, or has a list of its verbs below them.
type container struct{ head, dir, name string }

// An act is a table. Its verbs are the rows.
type act struct{ title, verbs string }

// A row has adjacent verbs of an act with equal cells.
type row struct{ verbs, cells string }

// A reason explains cells without a verb, by what does the act instead (in code or italics), or by
// a sentence, which the page refers to by a letter. The verb * stands for all others that at most
// half of the containers have.
type reason struct{ heads, verbs, text string }

// verbs compares docs/verbs.md with the containers, or writes it.
func verbs([]file) []string {
	const name = "docs/verbs.md"
	text, found, err := verbTables()
	if *write && err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		return []string{err.Error()}
	}
	if old, _ := os.ReadFile(name); string(old) != text {
		found = append(found, name+" is not what the code says: go run ./tools/check -write verbs")
	}
	return found
}

// verbTables returns a page that says which containers have which verb. It finds cells without a
// verb that have no reason, and reasons for verbs that are there.
func verbTables() (text string, found []string, err error) {
	has := map[string]map[string]string{} // by head and verb, how a cell shows the verb
	pkgs := map[string]*types.Package{}
	heads, rule := "", "|---|"
	for _, c := range slices.Concat(containers, listed) {
		if has[c.head], err = verbsOf(c, pkgs); err != nil {
			return "", nil, err
		}
	}
	for _, c := range containers {
		heads, rule = heads+" `"+c.head+"` |", rule+"---|"
	}
	instead, notes, found := explain(has)
	var everywhere []string // the verbs that all containers have as methods
	var page strings.Builder
	page.WriteString(intro)
	for _, a := range acts {
		fmt.Fprintf(&page, "\n## %s\n\n| |%s\n%s\n", a.title, heads, rule)
		var rows []row
		for verb := range strings.FieldsSeq(a.verbs) {
			cells, count := "", 0
			for _, c := range containers {
				if has[c.head][verb] != "" {
					count++
				}
			}
			for _, c := range containers {
				cell := cmp.Or(has[c.head][verb], instead[c.head+verb])
				if cell == "" && 2*count <= len(containers) {
					cell = instead[c.head+"*"]
				}
				if cell == "" {
					found = append(found, c.head+"."+verb+
						" is missing: give a reason in tools/check/verbs_table.go")
				}
				delete(has[c.head], verb)
				cells += " " + cell + " |"
			}
			last := len(rows) - 1
			switch {
			case cells == strings.Repeat(" "+method+" |", len(containers)):
				everywhere = append(everywhere, "`"+verb+"`")
			case last >= 0 && rows[last].cells == cells:
				rows[last].verbs += ", `" + verb + "`"
			default:
				rows = append(rows, row{"`" + verb + "`", cells})
			}
		}
		for _, r := range rows {
			fmt.Fprintf(&page, "| %s |%s\n", r.verbs, r.cells)
		}
	}
	page.WriteString("\n## Reasons\n\n" + notes + "\n## All other verbs\n\n")
	fmt.Fprintf(&page, "- all above: %s\n", strings.Join(everywhere, ", "))
	for i, c := range slices.Concat(containers, listed) {
		var names []string
		for _, verb := range slices.Sorted(maps.Keys(has[c.head])) {
			names = append(names, strings.Replace(has[c.head][verb], method, "`"+verb+"`", 1))
		}
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(&page, "- `%s`: %s", c.head, strings.Join(names, ", "))
		if i >= len(containers) {
			if page.WriteString(". " + others[c.head]); others[c.head] == "" {
				found = append(found, c.head+
					": say where its other verbs are, in tools/check/verbs_table.go")
			}
		}
		page.WriteString("\n")
	}
	return page.String(), found, nil
}

// explain returns what cells without a verb show, by head and verb, the sentences, and the reasons
// for verbs that are there.
func explain(has map[string]map[string]string) (
	cells map[string]string, notes string, found []string,
) {
	cells = map[string]string{}
	letters := map[string]string{}
	for _, r := range reasons {
		cell := r.text
		if cell[0] != '`' && cell[0] != '*' {
			if letters[cell] == "" {
				letters[cell] = string(rune('a' + len(letters)))
				notes += "- " + letters[cell] + ": " + cell + ".\n"
			}
			cell = letters[cell]
		}
		for head := range strings.FieldsSeq(r.heads) {
			for verb := range strings.FieldsSeq(r.verbs) {
				if cells[head+verb] != "" || has[head][verb] != "" {
					found = append(found, head+"."+verb+" needs no reason")
				}
				cells[head+verb] = cell
			}
		}
	}
	return cells, notes, found
}

// method is how a cell shows a method.
const method = "✓"

// verbsOf returns the exported methods of c, and the functions that take it, of its package and
// the root. A function's verb is its name without "Dense". Imports are not read, so their types are
// unknown. No container is one of them.
func verbsOf(c container, pkgs map[string]*types.Package) (map[string]string, error) {
	for _, dir := range []string{c.dir, "."} {
		if pkgs[dir] != nil {
			continue
		}
		set := token.NewFileSet()
		files, err := parse(set, dir, false)
		if err != nil {
			return nil, err
		}
		conf := types.Config{IgnoreFuncBodies: true, Error: func(error) {}}
		pkgs[dir], _ = conf.Check(dir, set, files, nil)
	}
	typ := pkgs[c.dir].Scope().Lookup(c.name)
	if typ == nil {
		return nil, fmt.Errorf("%s: no type %s", c.dir, c.name)
	}
	out := map[string]string{}
	for f := range types.NewMethodSet(types.NewPointer(typ.Type())).Methods() {
		if f.Obj().Exported() {
			out[f.Obj().Name()] = method
		}
	}
	for _, dir := range []string{c.dir, "."} {
		scope := pkgs[dir].Scope()
		for _, name := range scope.Names() {
			f, ok := scope.Lookup(name).(*types.Func)
			verb := strings.Replace(name, "Dense", "", 1)
			if !ok || !f.Exported() || out[verb] != "" || !takes(f, typ, out) {
				continue
			}
			if dir != c.dir {
				name = "berth." + name
			}
			out[verb] = "*" + name + "*"
		}
	}
	return out, nil
}

// takes reports whether f has a parameter for the container typ with these methods: a pointer to
// it, or an interface that f writes out.
func takes(f *types.Func, typ types.Object, methods map[string]string) bool {
	for v := range f.Signature().Params().Variables() {
		switch p := v.Type().(type) {
		case *types.Pointer:
			if n, ok := p.Elem().(*types.Named); ok && n.Obj() == typ {
				return true
			}
		case *types.Interface:
			ok := p.NumMethods() > 0
			for m := range p.Methods() {
				ok = ok && methods[m.Name()] == method
			}
			if ok {
				return true
			}
		}
	}
	return false
}

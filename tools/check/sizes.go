package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The maximum numbers of lines of a file, a test file and a function, and of columns of a line.
const (
	maxLines     = 600
	maxTestLines = 800
	maxFunction  = 80
	maxColumns   = 100
)

// The line that marks a generated file for Go tools.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// directive is one of berthvet, and the empty line above the first of them. It does not count.
var directive = regexp.MustCompile(`(?m)^(//\n)?\t?//berth:.*\n`)

// sizes finds files, lines and functions that are too long in Go files that are not generated. A
// table of cases reads best with one case a line, so lines and functions of tests may be longer.
func sizes(files []file) (found []string) {
	for _, f := range files {
		if f.ext != ".go" || generated.MatchString(f.text) {
			continue
		}
		test := strings.HasSuffix(f.name, "_test.go")
		limit := maxLines
		if test {
			limit = maxTestLines
		}
		if n := strings.Count(directive.ReplaceAllString(f.text, ""), "\n"); n > limit {
			found = append(found, fmt.Sprintf("%s: %d lines, %d allowed", f.name, n, limit))
		}
		if !test {
			found = append(found, wide(f)...)
			found = append(found, tall(f)...)
		}
	}
	return found
}

// wide finds lines that are too long, but for those with a link, which cannot be broken.
func wide(f file) (found []string) {
	n := 0
	for l := range strings.Lines(f.text) {
		n++
		l = strings.ReplaceAll(strings.TrimRight(l, "\r\n"), "\t", "    ")
		if c := utf8.RuneCountInString(l); c > maxColumns && !strings.Contains(l, "://") {
			found = append(found,
				fmt.Sprintf("%s:%d: %d columns, %d allowed", f.name, n, c, maxColumns))
		}
	}
	return found
}

// tall finds functions that are too long. Lines with only a comment do not count.
func tall(f file) (found []string) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.name, f.text, parser.ParseComments)
	if err != nil {
		return nil // the compiler reports it
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		n := line(fn.Body.Rbrace) - line(fn.Body.Lbrace) - 1
		for _, c := range tree.Comments {
			at := fset.Position(c.Pos())
			if c.Pos() > fn.Body.Lbrace && c.End() < fn.Body.Rbrace && alone(f.text, at.Offset) {
				n -= line(c.End()) - at.Line + 1
			}
		}
		if n > maxFunction {
			found = append(found, fmt.Sprintf("%s:%d: %s has %d lines, %d allowed",
				f.name, line(fn.Pos()), fn.Name.Name, n, maxFunction))
		}
	}
	return found
}

// alone reports whether there are only tabs before offset in its line.
func alone(text string, offset int) bool {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	return strings.Trim(text[start:offset], "\t") == ""
}

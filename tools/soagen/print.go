package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"
)

//go:embed soa.tmpl
var text string

var code = template.Must(template.New("soa.tmpl").Parse(text))

// print returns the generated file.
func (s *soa) print() ([]byte, error) {
	var b bytes.Buffer
	if err := code.Execute(&b, s); err != nil {
		return nil, err
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated code does not parse: %w", err)
	}
	return wrap(out), nil
}

// width is the maximum length of a line of a comment.
const width = 100

// wrap fills the lines of the comments, whose lengths depend on names. Examples, directives and
// comments behind code stay as they are.
func wrap(code []byte) []byte {
	var out, words []string
	flush := func() {
		for line := ""; len(words) > 0; words = words[1:] {
			if line == "" {
				line = "//"
			}
			if line += " " + words[0]; len(words) == 1 || len(line)+1+len(words[1]) > width {
				out = append(out, line)
				line = ""
			}
		}
	}
	for line := range strings.SplitSeq(string(code), "\n") {
		text, ok := strings.CutPrefix(line, "// ")
		begins := func(s string) bool { return strings.HasPrefix(text, s) }
		if !ok || slices.ContainsFunc(starts, begins) {
			flush()
		}
		if !ok || strings.HasPrefix(text, "Code generated") {
			out = append(out, line)
			continue
		}
		words = append(words, strings.Fields(text)...)
	}
	flush()
	return []byte(strings.Join(out, "\n"))
}

// starts are the beginnings of lines that do not continue a paragraph.
var starts = []string{"Code generated", "# ", "Cost:", "Ends:"}

// The rest is for the template.

// Std returns the imports from the standard library, and Others the rest.
func (s *soa) Std() []importLine    { return s.imports.lines(true) }
func (s *soa) Others() []importLine { return s.imports.lines(false) }

// Berth, Iter and Strconv return the names of packages in the generated file.
func (s *soa) Berth() string   { return s.imports.names[berthPath] }
func (s *soa) Iter() string    { return s.imports.names["iter"] }
func (s *soa) Strconv() string { return s.imports.names["strconv"] }

// First returns the first field, whose column exists once there is any.
func (s *soa) First() field { return s.Fields[0] }

// Second returns the second field, if there is one, and else the first.
func (s *soa) Second() field { return s.Fields[min(1, len(s.Fields)-1)] }

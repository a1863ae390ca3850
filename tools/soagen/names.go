package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names are the identifiers that the generated file declares.
type names struct {
	Type      string // the struct
	Container string
	Row       string // the type of the rows of the Dense
	Handle    string
	Cols      string
	Config    string
	New       string
}

// namesFor returns the names for a struct and its container. Names are exported as these are.
func namesFor(typ, container string) names {
	n := names{
		Type: typ, Container: container,
		Row:    lower(typ) + "Row",
		Handle: typ + "Handle",
		Cols:   typ + "Cols",
		Config: container + "Config",
		New:    "New" + container,
	}
	if !ast.IsExported(container) {
		n.New = "new" + upper(container)
	}
	return n
}

// declared returns the names that the generated file declares in the package.
func (n names) declared() []string {
	return []string{n.Row, n.Handle, n.Cols, n.Config, n.Container, n.New}
}

// methods are the methods of the container, and fields the names of its fields.
var (
	methods = []string{
		"Insert", "Get", "Set", "Remove", "Delete", "Contains", "Len", "Cap", "String", "PlaceOf",
		"HandleAt", "Cols", "All", "Handles", "RemoveFunc", "Sort", "Defrag", "Grow", "Clip",
		"Clear", "CopyFrom", "Clone", "open", "removeAll",
	}
	fields = []string{"rows", "cols", "dead"}
)

// locals are the identifiers that the generated code declares in its functions. Neither an import
// nor a type may have the name of one.
var locals = []string{
	"a", "c", "cmp", "dead", "f", "h", "i", "k", "n", "ok", "q", "removed", "s", "v", "yield",
}

// predeclared are the identifiers of Go that the generated code uses.
var predeclared = []string{
	"append", "bool", "false", "int", "len", "nil", "string", "true", "uint32",
}

// checkIdent returns an error if name is not an identifier that may name a type.
func checkIdent(flag, name string) error {
	switch {
	case !token.IsIdentifier(name) || name == "_":
		return fmt.Errorf("-%s %s: must be an identifier", flag, name)
	case slices.Contains(locals, name) || slices.Contains(predeclared, name):
		return fmt.Errorf("-%s %s: the generated code uses this name", flag, name)
	}
	return nil
}

// plural returns the plural of a name that ends in an English noun.
func plural(name string) string {
	low := strings.ToLower(name)
	switch {
	case hasSuffix(low, "s", "x", "z", "ch", "sh"):
		return name + "es"
	case strings.HasSuffix(low, "y") && !hasSuffix(low, "ay", "ey", "iy", "oy", "uy"):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

func hasSuffix(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

func lower(s string) string { return first(s, unicode.ToLower) }
func upper(s string) string { return first(s, unicode.ToUpper) }

// first returns s with its first letter changed by f.
func first(s string, f func(rune) rune) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(f(r)) + s[n:]
}

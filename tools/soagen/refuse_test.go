package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refused are packages that soagen refuses, each with the flags, and what the error says.
var refused = []struct {
	name, code, flags, want string
}{
	{"embedded", "type E struct{ A int }\n\ntype T struct {\n\tB int\n\tE\n}", "",
		"p.go:7: field E of T is embedded: give it a name"},
	{"embedded pointer", "type E struct{ A int }\n\ntype T struct{ *E }", "",
		"p.go:5: field E of T is embedded: give it a name"},
	{"zero size", "type T struct {\n\tA int\n\tB struct{}\n}", "",
		"p.go:5: field B of T has size zero, so there is nothing for a column to hold"},
	{"zero size array", "type T struct{ A [0]int }", "", "p.go:3: field A of T has size zero"},
	{"zero size of another package", "import \"structs\"\n\ntype T struct{ A structs.HostLayout }", "",
		"p.go:5: field A of T has size zero"},
	{"zero size behind names", "type T struct{ A b }\n\ntype b [2]c\n\ntype c struct{ d [0]int }", "",
		"p.go:3: field A of T has size zero"},
	{"blank", "type T struct {\n\tA int\n\t_ int\n}", "", "p.go:5: field _ of T is blank"},
	{"generic", "type T[A any] struct{ B A }", "", "p.go:3: T is generic"},
	{"alias", "type T = struct{ A int }", "", "p.go:3: T is an alias"},
	{"missing", "type U struct{ A int }", "", ": package p has no type T"},
	{"inside a function", "func f() {\n\ttype T struct{ A int }\n}", "", ": package p has no type T"},
	{"no struct", "type T []int", "", "p.go:3: T is no struct"},
	{"pointer", "type T *struct{ A int }", "", "p.go:3: T is no struct"},
	{"interface", "type T interface{ A() int }", "", "p.go:3: T is no struct"},
	{"empty", "type T struct{}", "", "p.go:3: T has no fields"},
	{"mutex", "import \"sync\"\n\ntype T struct {\n\tA int\n\tMu sync.Mutex\n}", "",
		"p.go:7: field Mu of T must not be copied: its type has a method Lock"},
	{"mutex inside", "import \"sync/atomic\"\n\ntype T struct{ B [2]struct{ C atomic.Int64 } }", "",
		"p.go:5: field B of T must not be copied"},
	{"undefined", "type T struct{ A Missing }", "",
		"p.go:3: field A of T has a type that is not known: undefined: Missing"},
	{"undefined inside", "type T struct{ A map[string][]chan *b }\n\ntype b struct{ c func(Missing) }", "",
		"p.go:3: field A of T has a type that is not known"},
	{"no such package", "import \"example.invalid/missing\"\n\ntype T struct{ A missing.B }", "",
		"p.go:5: field A of T has a type that is not known: could not import example.invalid/missing"},
	{"fields of another package", "import \"time\"\n\ntype T time.Time", "",
		"of T is unexported in package time"},
	{"container", "type T struct{ A int }\n\nvar Ts int", "", "p.go:5: Ts is declared here"},
	{"handle", "type T struct{ A int }\n\ntype (\n\tB int\n\tTHandle int\n)", "",
		"p.go:7: THandle is declared here, and would be generated"},
	{"row", "type T struct{ A int }\n\nconst B, tRow = 1, 2", "", "p.go:5: tRow is declared here"},
	{"cols", "type T struct{ A int }\n\nfunc TCols() {}", "", "p.go:5: TCols is declared here"},
	{"config", "type T struct{ A int }\n\ntype TsConfig int", "", "p.go:5: TsConfig is declared here"},
	{"constructor", "type T struct{ A int }\n\nfunc NewTs() {}", "", "p.go:5: NewTs is declared here"},
	{"other constructor", "type t struct{ A int }\n\nfunc newTs() {}", "-type t",
		"p.go:5: newTs is declared here"},
	{"method", "type T struct{ A int }\n\nfunc (s *Ts) Len() int { return 0 }", "",
		"p.go:5: Ts.Len is declared here, and would be generated"},
	{"method of a value", "type T struct{ A int }\n\nfunc (Ts) open() {}", "",
		"p.go:5: Ts.open is declared here"},
	{"method with the name of a field", "type T struct{ A int }\n\nfunc (s *(Ts)) rows() {}", "",
		"p.go:5: Ts.rows is declared here"},
	{"itself", "type T struct{ A int }", "-name T", "p.go:3: T is declared here"},
	{"predeclared", "type T struct{ A int }\n\nfunc len(x any) int { return 0 }", "",
		"p.go:5: len is declared here, but the generated code needs Go's len"},
	{"name of a local", "type T struct{ A int }", "-name s", "-name s: the generated code uses this name"},
	{"name of Go's", "type T struct{ A int }", "-name int", "-name int: the generated code uses this"},
	{"no identifier", "type T struct{ A int }", "-name A.B", "-name A.B: must be an identifier"},
	{"keyword", "type T struct{ A int }", "-type func", "-type func: must be an identifier"},
	{"syntax", "type T struct{ A int", "", "p.go:"},
	{"output elsewhere", "type T struct{ A int }", "-output ../x.go", "must be the name of a Go file"},
	{"output is a test", "type T struct{ A int }", "-output x_test.go", "must be the name of a Go file"},
	{"argument", "type T struct{ A int }", "T", `unexpected argument "T"`},
	{"flag", "type T struct{ A int }", "-color", "flag provided but not defined: -color"},
}

func TestRefuse(t *testing.T) {
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "p.go"), "package p\n\n"+tt.code+"\n")
			args := append([]string{"-dir", dir, "-type", "T"}, strings.Fields(tt.flags)...)
			err := run(args, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
				t.Errorf("it has written %v", names)
			}
		})
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Files that are not part of the package do not matter: those for other systems, of tests outside
// the package, and the output itself. Those of tests inside it do.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.go":         "package p\n\ntype T struct{ A int }\n",
		"p_plan9.go":   "package p\n\ntype Ts int\n",
		"ignored.go":   "//go:build ignore\n\npackage main\n\ntype Ts int\n",
		"out_test.go":  "package p_test\n\ntype Ts int\n",
		"t_soa.go":     "this is no Go",
		"_hidden.go":   "package q",
		"notes.txt":    "package q",
		"functions.go": "package p\n\nfunc f() { undefined(Missing{}) }\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	args := []string{"-dir", dir, "-type", "T"}
	if err := run(args, io.Discard); err != nil {
		t.Error(err)
	}
	writeFile(t, filepath.Join(dir, "in_test.go"), "package p\n\ntype Ts int\n")
	err := run(args, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "in_test.go:3: Ts is declared here") {
		t.Errorf("with a test that declares Ts: %v", err)
	}
	writeFile(t, filepath.Join(dir, "q.go"), "package q\n")
	if err = run(args, io.Discard); err == nil || !strings.Contains(err.Error(), "package q, but p") {
		t.Errorf("with two packages: %v", err)
	}
	if err = run([]string{"-dir", t.TempDir(), "-type", "T"}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "no Go files") {
		t.Errorf("without files: %v", err)
	}
	if err = run(args[:2], io.Discard); err == nil || err.Error() != "-type is missing" {
		t.Errorf("without -type: %v", err)
	}
}

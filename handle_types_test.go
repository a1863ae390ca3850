package berth_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/seed505807e1/berth"

// house imports the packages of this module from their sources, without the bodies of functions.
// Every other package is an empty one: what comes from there does not matter to handles.
type house struct {
	set  *token.FileSet
	have map[string]*types.Package
}

func (h *house) Import(path string) (*types.Package, error) {
	if p := h.have[path]; p != nil {
		return p, nil
	}
	if path != module && !strings.HasPrefix(path, module+"/") {
		p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
		p.MarkComplete()
		h.have[path] = p
		return p, nil
	}
	dir := filepath.FromSlash("." + strings.TrimPrefix(path, module))
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		ours, err := build.Default.MatchFile(dir, filepath.Base(name))
		if err != nil {
			return nil, err
		}
		if !ours || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(h.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	loose := types.Config{Importer: h, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := loose.Check(path, h.set, files, nil) // errors come from the empty packages
	p.MarkComplete()
	h.have[path] = p
	return p, nil
}

// check returns the first error of a function body that uses the packages.
func (h *house) check(body string) error {
	src := fmt.Sprintf(`package p
import ("%[1]s"; "%[1]s/arena"; "%[1]s/stable")
type (A struct{ x int }; B struct{ x int }; D uint32)
var _ berth.Handle[A]; var _ arena.Handle32[A]; var _ stable.ListKey[A]
func f() { %[2]s }`, module, body)
	f, err := parser.ParseFile(h.set, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	_, err = (&types.Config{Importer: h}).Check("p", h.set, []*ast.File{f}, nil)
	return err
}

// Handles of one type are no handles of another: neither assignment nor conversion compiles. Those
// of package arena are numbers, which can be converted; they are not assigned by mistake.
func TestHandlesDoNotConvert(t *testing.T) {
	h := &house{set: token.NewFileSet(), have: map[string]*types.Package{}}
	narrow := "stable.Key[A, uint16, stable.Counter32]"
	for _, c := range []struct{ from, to string }{
		{"berth.Handle[A]", "berth.Handle[B]"},
		{"berth.Handle[A]", "berth.Handle[*A]"},
		{"berth.Handle[int]", "berth.Handle[int64]"},
		{"arena.Handle32[A]", "arena.Handle32[B]"},
		{"arena.Handle64[A]", "arena.Handle64[B]"},
		{"arena.Handle32[A]", "arena.Handle64[A]"},
		{"arena.Handle64[A]", "berth.Handle[A]"},
		{"berth.Ref[A]", "berth.Ref[B]"},
		{"berth.Others[A]", "berth.Others[B]"},
		{"berth.DenseOthers[A]", "berth.Others[A]"},
		{"stable.ListKey[A]", "stable.ListKey[B]"},
		{"stable.ListKey[A]", "berth.Handle[A]"},
		{narrow, "stable.ListKey[A]"},
		{narrow, "stable.Key[B, uint16, stable.Counter32]"},
		{"uint64", "berth.Handle[A]"},
		{"berth.Handle[A]", "uint64"},
	} {
		for form, want := range map[string]string{
			"var x %s; var y %s = x; _ = y": "cannot use x",
			"var x %s; _ = (%s)(x)":         "cannot convert x",
		} {
			if err := h.check(fmt.Sprintf(form, c.from, c.from)); err != nil {
				t.Errorf("%s to itself: %v", c.from, err) // so that an error below means something
			}
			if strings.HasPrefix(c.from, "arena.") && strings.HasPrefix(c.to, "arena.") &&
				want == "cannot convert x" {
				continue
			}
			err := h.check(fmt.Sprintf(form, c.from, c.to))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, want)
			}
		}
	}
}

// Command typecheck checks the types of packages and their tests for other systems.
//
//	typecheck -for windows/amd64,js/wasm package...
//
// It finds the type errors of a build for these systems in a fraction of the time. It reads the
// dependencies from their source, without the bodies of their functions, and compiles nothing. Cgo
// is off.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	systems := flag.String("for", "", "`GOOS/GOARCH` of each system, with commas between them")
	flag.Parse()
	if err := checkAll(strings.Split(*systems, ","), flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
}

// checkAll checks the packages for all systems and prints the number of packages in each. It
// returns the errors of all systems. A system without a package is an error too.
func checkAll(systems, patterns []string, out io.Writer) error {
	var failed []error
	for _, system := range systems {
		n, err := check(system, patterns)
		if err == nil && n == 0 {
			err = errors.New("no packages")
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", system, err))
			continue
		}
		fmt.Fprintf(out, "%s: %d packages, tests included\n", system, n)
	}
	return errors.Join(failed...)
}

// listed is a package as go list -json prints it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // from the path in the source to ImportPath
	Standard        bool
	Module          *struct {
		Main      bool
		GoVersion string
	}
}

// ours reports whether the package belongs to the workspace.
func (l *listed) ours() bool { return l.Module != nil && l.Module.Main }

// check checks the packages that match patterns for one system, and returns their number. A
// package's tests count as a package.
func check(system string, patterns []string) (n int, err error) {
	goos, goarch, _ := strings.Cut(system, "/")
	sizes := types.SizesFor("gc", goarch)
	if sizes == nil {
		return 0, errors.New("unknown architecture")
	}
	list := exec.Command("go", append([]string{"list", "-deps", "-test",
		"-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module", "--"}, patterns...)...)
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	data, err := list.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	p := &packages{sizes, map[string]*listed{}, map[string]*types.Package{}, nil}
	var ours []*listed
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var l listed
		if err := dec.Decode(&l); err != nil {
			return 0, err
		}
		p.listed[l.ImportPath] = &l
		if l.ours() && !strings.HasSuffix(l.ImportPath, ".test") { // a generated main package
			ours = append(ours, &l)
		}
	}
	for _, l := range ours {
		p.check(l)
	}
	return len(ours), errors.Join(p.failed...)
}

// packages are those of one system, under their ImportPath.
type packages struct {
	sizes   types.Sizes
	listed  map[string]*listed
	checked map[string]*types.Package
	failed  []error
}

// check checks l, and before it what l imports, unless that is done.
func (p *packages) check(l *listed) *types.Package {
	if done := p.checked[l.ImportPath]; done != nil {
		return done
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range l.GoFiles {
		name = filepath.Join(l.Dir, name)
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			p.failed = append(p.failed, err)
			continue
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer:         importer{p, l.ImportMap},
		IgnoreFuncBodies: !l.ours(),
		Sizes:            p.sizes,
		Error:            func(err error) { p.failed = append(p.failed, err) },
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		conf.GoVersion = "go" + l.Module.GoVersion
	}
	path, _, _ := strings.Cut(l.ImportPath, " ") // without the [test] suffix
	done, _ := conf.Check(path, set, files, nil)
	p.checked[l.ImportPath] = done
	return done
}

// importer resolves the imports of one package.
type importer struct {
	from  *packages
	paths map[string]string
}

func (i importer) Import(path string) (*types.Package, error) {
	if p, ok := i.paths[path]; ok {
		path = p
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if l := i.from.listed[path]; l != nil {
		return i.from.check(l), nil
	}
	return nil, errors.New("not found: " + path)
}

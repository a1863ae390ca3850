// Command sizes finds Go files that are too long.
//
//	sizes [-max 600] [-maxtest 800] dir
//
// It ignores generated files, hidden directories, testdata and node_modules, and does not count the
// directives of berthvet.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	most := flag.Int("max", 600, "the maximum number of lines of a file")
	mostTest := flag.Int("maxtest", 800, "the maximum number of lines of a test file")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: sizes [-max n] [-maxtest n] dir")
		os.Exit(2)
	}
	found, err := check(os.DirFS(flag.Arg(0)), *most, *mostTest)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		fmt.Fprintf(os.Stderr, "sizes: %d files are too long\n", len(found))
		os.Exit(1)
	}
}

// The line that marks a generated file for Go tools.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// directive is one of berthvet, and the empty line above the first of them.
var directive = regexp.MustCompile(`(?m)^(//\n)?\t?//berth:.*\n`)

// count returns the number of lines that count.
func count(data []byte) int {
	return bytes.Count(directive.ReplaceAll(data, nil), []byte("\n"))
}

// check returns a line for each file of fsys that is too long.
func check(fsys fs.FS, most, mostTest int) (found []string, err error) {
	err = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			hidden := strings.HasPrefix(name, ".") && name != "."
			if hidden || name == "testdata" || name == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		data, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		limit := most
		if strings.HasSuffix(name, "_test.go") {
			limit = mostTest
		}
		if n := count(data); n > limit && !generated.Match(data) {
			found = append(found, fmt.Sprintf("%s: %d lines, %d allowed", path, n, limit))
		}
		return nil
	})
	return found, err
}

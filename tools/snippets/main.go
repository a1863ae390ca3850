// Command snippets compares the code in Markdown with the sources that the project compiles.
//
//	snippets root file...
//
// Each fenced block of Go or Rust in the Markdown files must be consecutive lines of one source
// file below root. The block may be indented less than the source. Directories named testdata,
// and those whose names begin with "." or "_", are skipped.
//
// For each block that is in no source, it prints the line that differs and the source that agrees
// the longest. Then it exits with status 1.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: snippets root file...")
		os.Exit(2)
	}
	found, err := check(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "snippets:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		fmt.Fprintf(os.Stderr, "snippets: %d blocks are in no source\n", len(found))
		os.Exit(1)
	}
}

// extensions are those of the languages, by the names that follow the fence.
var extensions = map[string]string{"go": ".go", "rust": ".rs"}

// A block is the code between two fences.
type block struct {
	ext   string
	line  int // the number of its first line
	lines []string
}

// A source is a file of code.
type source struct {
	name  string
	lines []string
}

// check returns the blocks of the Markdown files that are in no source below root.
func check(root string, files []string) (found []string, err error) {
	all, err := sources(root)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks(string(data)) {
			best, where := 0, "no source has its first line"
			for _, s := range all[b.ext] {
				if n, at := s.agrees(b); n > best {
					best, where = n, fmt.Sprintf("%s:%d agrees up to there", s.name, at)
				}
			}
			if best < len(b.lines) {
				found = append(found, fmt.Sprintf("%s:%d: %s", file, b.line+best, where))
			}
		}
	}
	return found, nil
}

// sources returns the files of code below root, by extension.
func sources(root string) (map[string][]source, error) {
	all := map[string][]source{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base, ext := d.Name(), filepath.Ext(name)
		if d.IsDir() {
			if name != root && (base == "testdata" || strings.HasPrefix(base, ".") ||
				strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if ext != ".go" && ext != ".rs" {
			return nil
		}
		data, err := os.ReadFile(name)
		all[ext] = append(all[ext], source{name, strings.Split(string(data), "\n")})
		return err
	})
	return all, err
}

// blocks returns the blocks of text in the languages of extensions. A block without code or without
// an end has one empty line, which is in no source.
func blocks(text string) (out []block) {
	var open *block
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && fenced:
			if open != nil {
				if len(open.lines) == 0 {
					open.lines = []string{""}
				}
				out = append(out, *open)
			}
			open, fenced = nil, false
		case fence:
			fenced = true
			if ext, ok := extensions[strings.TrimSpace(line[3:])]; ok {
				open = &block{ext: ext, line: i + 2}
			}
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	if open != nil {
		open.lines = []string{""} // without an end
		out = append(out, *open)
	}
	return out
}

// agrees returns the largest number of b's first lines that are consecutive lines of s, and the
// number of the last of them.
func (s source) agrees(b block) (best, at int) {
	for from, line := range s.lines {
		indent, ok := strings.CutSuffix(line, b.lines[0])
		if !ok || strings.Trim(indent, " \t") != "" || b.lines[0] == "" {
			continue
		}
		n := 1
		for n < len(b.lines) && from+n < len(s.lines) && same(s.lines[from+n], indent, b.lines[n]) {
			n++
		}
		if n > best {
			best, at = n, from+n
		}
	}
	return best, at
}

// same reports whether line is the line of a block behind indent. Empty lines have no indent.
func same(line, indent, of string) bool {
	if of == "" {
		return line == ""
	}
	return line == indent+of
}

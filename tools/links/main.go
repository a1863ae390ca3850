// Command links finds dead relative links in Markdown.
//
//	links path...
//
// A path is a file, or a directory whose .md files are all checked. A link is dead if it points to
// no file, or to a Markdown file without a heading of the link's #fragment. Links with a scheme or
// a host are ignored, since the gate must pass offline.
package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: links path...")
		os.Exit(2)
	}
	dead := 0
	for _, path := range os.Args[1:] {
		found, err := check(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "links:", err)
			os.Exit(2)
		}
		for _, f := range found {
			fmt.Println(f)
		}
		dead += len(found)
	}
	if dead > 0 {
		fmt.Fprintf(os.Stderr, "links: %d dead\n", dead)
		os.Exit(1)
	}
}

// check returns the dead links of the file at path, or of each .md file under it.
func check(path string) (found []string, err error) {
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name != path && filepath.Ext(name) != ".md" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for i, line := range prose(string(data)) {
			for _, target := range targets(line) {
				if why := dead(name, target); why != "" {
					found = append(found, fmt.Sprintf("%s:%d: %s: %s", name, i+1, target, why))
				}
			}
		}
		return nil
	})
	return found, err
}

var codeSpan = regexp.MustCompile("`[^`]*`")

// prose returns the lines of text, with fenced code and code spans blanked.
func prose(text string) []string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		trim := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trim, fence) {
				fence = ""
			}
			line = ""
		case strings.HasPrefix(trim, "```"), strings.HasPrefix(trim, "~~~"):
			fence, line = trim[:3], ""
		}
		lines[i] = codeSpan.ReplaceAllString(line, "")
	}
	return lines
}

// The forms of a link target in Markdown and its HTML.
var forms = []*regexp.Regexp{
	regexp.MustCompile(`\]\(\s*<?([^)\s>]+)`),              // [text](target "title")
	regexp.MustCompile(`^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)`), // [name]: target
	regexp.MustCompile(`\b(?:src|href)="([^"]+)"`),
}

// targets returns the link targets of line.
func targets(line string) (out []string) {
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// dead returns why target, found in the file from, is dead, or "".
func dead(from, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	file := from
	if u.Path != "" {
		file = filepath.Join(filepath.Dir(from), filepath.FromSlash(u.Path))
	}
	if _, err := os.Stat(file); err != nil {
		return "no such file"
	}
	if u.Fragment == "" || filepath.Ext(file) != ".md" {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	if !anchors(string(data))[u.Fragment] {
		return "no such heading"
	}
	return ""
}

var (
	heading = regexp.MustCompile(`^#{1,6}\s+(.*?)[\s#]*$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// anchors returns the fragments of the headings in text by GitHub's rule: lower case, no
// punctuation, hyphens for spaces, and a number after a repeated one.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	fenced := prose(text)
	for i, line := range strings.Split(text, "\n") {
		for _, m := range anchor.FindAllStringSubmatch(line, -1) {
			out[m[1]] = true
		}
		m := heading.FindStringSubmatch(line)
		if m == nil || fenced[i] == "" {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, linked.ReplaceAllString(m[1], "$1"))
		name := slug
		for n := 1; out[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		out[name] = true
	}
	return out
}

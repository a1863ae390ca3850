package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// A block is fenced code in Markdown.
type block struct {
	lang  string
	line  int      // the number of its first line
	lines []string // none if the block has no end
}

// codeSpan is code within a line.
var codeSpan = regexp.MustCompile("`[^`]*`")

// markdown returns the lines of text, with fenced code and code spans blanked, and the fenced code.
func markdown(text string) (prose []string, code []block) {
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		trim := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(trim, "```") || strings.HasPrefix(trim, "~~~")):
			fence, line = trim[:3], ""
			code = append(code, block{lang: strings.TrimSpace(trim[3:]), line: i + 2})
		case fence != "" && strings.HasPrefix(trim, fence):
			fence, line = "", ""
		case fence != "":
			b := &code[len(code)-1]
			b.lines, line = append(b.lines, line), ""
		}
		prose = append(prose, codeSpan.ReplaceAllString(line, ""))
	}
	if fence != "" {
		code[len(code)-1].lines = nil
	}
	return prose, code
}

// command returns the line that follows "# title" in the blocks of sh of a file. There must be one.
func command(file, title string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	line := regexp.MustCompile(`(?m)^# ` + regexp.QuoteMeta(title) + `\n([^#\s].*)$`)
	var found [][]string
	_, code := markdown(string(data))
	for _, b := range code {
		if b.lang == "sh" {
			found = append(found, line.FindAllStringSubmatch(strings.Join(b.lines, "\n"), -1)...)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s: %d commands under %q, want one", file, len(found), "# "+title)
	}
	return found[0][1], nil
}

// target is a link target: [text](target "title"), [name]: target, or an attribute of HTML.
var target = regexp.MustCompile(
	`\]\(\s*<?([^)\s>]+)|^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)|\b(?:src|href)="([^"]+)"`)

// links finds dead relative links in Markdown files. A link is dead if it points to no file, or to
// a Markdown file without a heading of the link's #fragment. Links with a scheme or a host are
// ignored, since the gate must pass offline.
func links(files []file) (found []string) {
	for _, f := range files {
		if f.ext != ".md" {
			continue
		}
		prose, _ := markdown(f.text)
		for i, line := range prose {
			for _, m := range target.FindAllStringSubmatch(line, -1) {
				to := m[1] + m[2] + m[3]
				if why := dead(f.name, to); why != "" {
					found = append(found, fmt.Sprintf("%s:%d: %s: %s", f.name, i+1, to, why))
				}
			}
		}
	}
	return found
}

// dead returns why the link in the file from is dead, or "".
func dead(from, to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	name := from
	if u.Path != "" {
		name = filepath.Join(filepath.Dir(from), filepath.FromSlash(u.Path))
	}
	if _, err := os.Stat(name); err != nil {
		return "no such file"
	}
	data, _ := os.ReadFile(name)
	if u.Fragment != "" && filepath.Ext(name) == ".md" && !anchors(string(data))[u.Fragment] {
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
	prose, _ := markdown(text)
	for i, line := range strings.Split(text, "\n") {
		for _, m := range anchor.FindAllStringSubmatch(line, -1) {
			out[m[1]] = true
		}
		m := heading.FindStringSubmatch(line)
		if m == nil || prose[i] == "" {
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

// compiled are the Markdown files whose code must be in a source.
var compiled = []string{"README.md", "docs/migrating.md", "docs/recipes.md"}

// snippets finds code that the project does not compile. Each block of Go in the files of compiled
// must be consecutive lines of one source. It may be indented less than the source. Each mistake is
// the first line that differs from the source that agrees the longest.
func snippets(files []file) (found []string) {
	lines := make([][]string, len(files))
	for i, f := range files {
		lines[i] = strings.Split(f.text, "\n")
	}
	for _, name := range compiled {
		data, err := os.ReadFile(name)
		if err != nil {
			found = append(found, err.Error())
		}
		_, code := markdown(string(data))
		for _, b := range code {
			if b.lang != "go" {
				continue
			}
			best, where := 0, "no source has its first line"
			for i, f := range files {
				if f.ext != ".go" {
					continue
				}
				if n, at := agree(lines[i], b.lines); n > best {
					best, where = n, fmt.Sprintf("%s:%d agrees up to there", f.name, at)
				}
			}
			if best < max(1, len(b.lines)) {
				found = append(found, fmt.Sprintf("%s:%d: %s", name, b.line+best, where))
			}
		}
	}
	return found
}

// agree returns the largest number of the first lines of block that are consecutive in source, and
// the number of the last of them there. A block whose first line is empty has none.
func agree(source, block []string) (best, at int) {
	if len(block) == 0 || block[0] == "" {
		return 0, 0
	}
	for from, line := range source {
		indent, ok := strings.CutSuffix(line, block[0])
		if !ok || strings.Trim(indent, " \t") != "" {
			continue
		}
		n := 1
		for ; n < len(block) && from+n < len(source); n++ {
			want := block[n]
			if want != "" {
				want = indent + want
			}
			if source[from+n] != want {
				break
			}
		}
		if n > best {
			best, at = n, from+n
		}
	}
	return best, at
}

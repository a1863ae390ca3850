package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const code = `package p

func f(n int) int {
	if n > 0 {
		return n

	}
	return 0
}

func g(n int) int {
	if n > 0 {
		return 1
	}
	return 2
}
`

// tree writes files below a new directory, and returns its path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCheck(t *testing.T) {
	root := tree(t, map[string]string{
		"a/p.go":          code,
		"a/p.rs":          "fn f() {}\n",
		"a/q.rs":          "\ta\n\t\n\tb\n",
		"testdata/q.go":   "package q\n",
		".hidden/q.go":    "package hidden\n",
		"_left/q.go":      "package left\n",
		"a/not-source.md": "package md\n",
	})
	block := func(lang, body string) string { return "text\n\n```" + lang + "\n" + body + "```\n" }
	tests := []struct{ name, text, want string }{
		{"no block", "func h() {}\n", ""},
		{"whole lines", block("go", "func f(n int) int {\n"), ""},
		{"indented in the source", block("go", "if n > 0 {\n\treturn n\n\n}\nreturn 0\n"), ""},
		{"to the last line", block("go", "\treturn 2\n}\n"), ""},
		{"the second place", block("go", "if n > 0 {\n\treturn 1\n}\n"), ""},
		{"an empty line with an indent", block("rust", "a\n\nb\n"), ":5: a/q.rs:1 agrees up to there"},
		{"other language", block("sh", "func h() {}\n"), ""},
		{"rust", block("rust", "fn f() {}\n"), ""},
		{"rust in go", block("go", "fn f() {}\n"), ":4: no source has its first line"},
		{"another word", block("go", "if n > 0 {\n\treturn n+1\n"), ":5: a/p.go:4 agrees up to there"},
		{"the best place", block("go", "if n > 0 {\n\treturn 1\n}\nx\n"), ":7: a/p.go:14 agrees up to there"},
		{"part of a line", block("go", "n > 0 {\n"), ":4: no source has its first line"},
		{"begins as a line", block("go", "return\n"), ":4: no source has its first line"},
		{"more indented", block("go", "func g(n int) int {\n\t\tif n > 0 {\n"), ":5: a/p.go:11 agrees up to there"},
		{"less indented", block("go", "func g(n int) int {\nif n > 0 {\n"), ":5: a/p.go:11 agrees up to there"},
		{"an empty line more", block("go", "return 0\n\n}\n"), ":5: a/p.go:8 agrees up to there"},
		{"an empty line less", block("go", "return n\n}\n"), ":5: a/p.go:5 agrees up to there"},
		{"lines left out", block("go", "func f(n int) int {\n\treturn 0\n"), ":5: a/p.go:3 agrees up to there"},
		{"no code", block("go", ""), ":4: no source has its first line"},
		{"no end", "```go\nfunc f(n int) int {\n", ":2: no source has its first line"},
		{"the second block", block("go", "return 0\n") + block("go", "x\n"), ":9: no source has its first line"},
		{"testdata", block("go", "package q\n"), ":4: no source has its first line"},
		{"hidden", block("go", "package hidden\n"), ":4: no source has its first line"},
		{"left out", block("go", "package left\n"), ":4: no source has its first line"},
		{"Markdown", block("go", "package md\n"), ":4: no source has its first line"},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "x.md")
		if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		found, err := check(root, []string{file})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tt.want != "" {
			want = []string{tt.want}
		}
		for i, f := range found {
			f = strings.TrimPrefix(f, file)
			found[i] = filepath.ToSlash(strings.ReplaceAll(f, root+string(filepath.Separator), ""))
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s: found %q, want %q", tt.name, found, want)
		}
	}
}

func TestCheckFails(t *testing.T) {
	if _, err := check(t.TempDir(), []string{"no such.md"}); err == nil {
		t.Error("no error for a file that is not there")
	}
	if _, err := check("no such directory", nil); err == nil {
		t.Error("no error for a root that is not there")
	}
}

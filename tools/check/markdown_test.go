package main

import "testing"

func TestLinks(t *testing.T) {
	t.Chdir("testdata/links")
	want := []string{
		"bad.md:3: none.md: no such file",
		"bad.md:4: none.svg: no such file",
		"bad.md:5: #none: no such heading",
		"bad.md:5: good.md#not-a-heading: no such heading",
		"bad.md:6: none/: no such file",
		"bad.md:8: ../none.md: no such file",
		"bad.md:13: gone.md: no such file",
	}
	expect(t, "a file", "links bad.md", want...)
	expect(t, "a directory", "links", want...) // with good.md, which must add nothing
}

func TestCommand(t *testing.T) {
	block := func(kind, body string) string { return "text\n```" + kind + "\n" + body + "```\ntext\n" }
	for _, tt := range []struct{ name, text, want string }{
		{"found", block("sh", "# the tests\ngo test work\n"), "go test work"},
		{"among others", block("sh", "a\n# b\nc\n# the tests\ngo test work\nd\n"), "go test work"},
		{"second block", block("sh", "a\n") + block("sh", "# the tests\ngo test work\n"), "go test work"},
		{"no block", "# the tests\ngo test work\n", ""},
		{"block of something else", block("go", "# the tests\ngo test work\n"), ""},
		{"other title", block("sh", "# the test\ngo test work\n"), ""},
		{"nothing below", block("sh", "# the tests\n") + "go test work\n", ""},
		{"a comment below", block("sh", "# the tests\n# more\ngo test work\n"), ""},
		{"an empty line below", block("sh", "# the tests\n\ngo test work\n"), ""},
		{"twice", block("sh", "# the tests\na\n# the tests\nb\n"), ""},
	} {
		tree(t, map[string]string{"x.md": tt.text})
		got, err := command("x.md", "the tests")
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: command = %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

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

func TestSnippets(t *testing.T) {
	block := func(lang, body string) string { return "text\n\n```" + lang + "\n" + body + "```\n" }
	for _, tt := range []struct{ name, text, want string }{
		{"no block", "func h() {}\n", ""},
		{"whole lines", block("go", "func f(n int) int {\n"), ""},
		{"indented in the source", block("go", "if n > 0 {\n\treturn n\n\n}\nreturn 0\n"), ""},
		{"to the last line", block("go", "\treturn 2\n}\n"), ""},
		{"the second place", block("go", "if n > 0 {\n\treturn 1\n}\n"), ""},
		{"an empty line with an indent", block("go", "a\n\nb\n"), ":5: a/q.go:1 agrees up to there"},
		{"other language", block("sh", "func h() {}\n"), ""},
		{"another language's source", block("go", "fn f() {}\n"), ":4: no source has its first line"},
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
	} {
		want := tt.want
		if want != "" {
			want = "docs/recipes.md" + want
		}
		tree(t, map[string]string{
			"a/p.go": code, "a/p.rs": "fn f() {}\n", "a/q.go": "\ta\n\t\n\tb\n", "testdata/q.go": "package q\n",
			".hidden/q.go": "package hidden\n", "_left/q.go": "package left\n", "a/not-source.md": "package md\n",
			"README.md": "", "docs/migrating.md": block("go", "package p\n"), "docs/recipes.md": tt.text,
		})
		expect(t, tt.name, "snippets", want)
	}
	tree(t, map[string]string{"README.md": block("go", "x\n"), "docs/migrating.md": block("go", "x\n")})
	expect(t, "each file", "snippets", "README.md:4: no source has its first line",
		"docs/migrating.md:4: no source has its first line", "open docs/recipes.md: no such file or directory")
}

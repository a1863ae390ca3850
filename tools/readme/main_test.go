package main

import "testing"

func TestCommand(t *testing.T) {
	block := func(kind, body string) string { return "text\n```" + kind + "\n" + body + "```\ntext\n" }
	tests := []struct{ name, text, want string }{
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
	}
	for _, tt := range tests {
		got, err := command(tt.text, "the tests")
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: command = %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

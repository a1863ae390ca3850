package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestPattern(t *testing.T) {
	tests := []struct {
		want, got string
		match     bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb", "a\r\nb\r\n", true},
		{"a\nb\n", "a\n", false},
		{"a\n", "a\nb\n", false},
		{"a.c\n", "abc\n", false},
		{"took ... ms\n", "took 1.5 ms\n", true},
		{"took ... ms\n", "took\n1 ms\n", false},
		{"a\n...\nc\n", "a\nb\nb\nc\n", true},
		{"a\n...\nc\n", "a\nc\n", true},
		{"a\n...\nc\n", "a\nb\n", false},
		{"...\n", "", true},
		{"", "a\n", false},
	}
	for _, tt := range tests {
		if got := pattern(tt.want).MatchString(lines(tt.got)); got != tt.match {
			t.Errorf("pattern(%q) matches %q: got %v, want %v", tt.want, tt.got, got, tt.match)
		}
	}
}

func TestShows(t *testing.T) {
	const want = "one ... two\nthree\n"
	tests := []struct{ readme, wrong string }{
		{"# x\n\n```\none and two\nthree\n```\nmore\n", ""},
		{"```text\r\none and two\r\nthree\r\n```", ""},
		{"```go\nx := 1\n```\n\n```\none and two\nthree\n```\n", ""},
		{"```\none ... two\n...\n```\n", ""},
		{"```\n...\nthree\n```\n", "README.md does not show"},
		{"```\none ... two\n...\nfour\n```\n", "README.md differs from expect.txt"},
		{"```\none and two\n```\n", "README.md differs from expect.txt"},
		{"```\none and two\nfour\n```\n", "README.md differs from expect.txt"},
		{"```\none and two\nthree\n```\nbut also\n```\none or two\nfour\n```\n", "README.md differs from expect.txt"},
		{"one and two\nthree\n", "README.md does not show"},
		{"```go\nx := 1\n```\none and two\nthree\n```sh\nls\n```\n", "README.md does not show"},
		{"", "README.md does not show"},
	}
	for _, tt := range tests {
		got := ""
		if err := shows(tt.readme, want); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.wrong) || (got == "") != (tt.wrong == "") {
			t.Errorf("shows(%q): got error %q, want %q", tt.readme, got, tt.wrong)
		}
	}
}

func TestRunAll(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, tt := range []struct{ dirs, want string }{
		{"good silent differs fails hangs misread library", `differs: output differs from expect.txt
fails: exit status 3
hangs: still running after 2s
misread: README.md differs from expect.txt:
hello
moon
`},
		{"library", "no examples"},
	} {
		dirs := strings.Fields(tt.dirs)
		for i := range dirs {
			dirs[i] = "./testdata/" + dirs[i]
		}
		got := ""
		if err := runAll(dirs, 2*time.Second, io.Discard); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("runAll(%s): got error\n%s\nwant\n%s", tt.dirs, got, tt.want)
		}
	}
}

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// toy is a project of two modules, in which all is right.
var toy = map[string]string{
	"go.mod":           "module example.com/toy\n\ngo 1.24.0\n",
	"toy.go":           "package toy\n\nimport _ \"embed\"\n\n//go:embed toy.txt\nvar Text string\n",
	"toy.txt":          "toy",
	"internal/in/i.go": "package in\n",
	"cmd/main.go":      "package main\n\nfunc main() {}\n",
	"sub/go.mod": "module example.com/toy/sub\n\ngo 1.25.0\n\n" +
		"require example.com/toy v0.1.0\n\nreplace example.com/toy => ../\n",
	"sub/sub.go":       "package sub\n\nimport _ \"example.com/toy\"\n",
	"sub/deep/deep.go": "package deep\n",
}

var toys = []module{{dir: ".", goes: "1.24.0", command: "cmd"}, {dir: "sub", goes: "1.25.0"}}

func TestCheck(t *testing.T) {
	trim = ""
	tests := []struct {
		name  string
		files map[string]string // in place of those of toy; without text, there is no such file
		want  string            // in the error
	}{
		{"all is right", nil, ""},
		{"another version", map[string]string{
			"sub/go.mod": strings.Replace(toy["sub/go.mod"], "v0.1.0", "v0.2.0", 1),
		}, "sub: go run .: exit status 1"},
		{"only a replacement", map[string]string{
			"go.mod": toy["go.mod"] + "require example.com/other v0.1.0\n" +
				"replace example.com/other => ./other\n",
			"toy.go":         "package toy\n\nimport _ \"example.com/other\"\n",
			"other/go.mod":   "module example.com/other\n",
			"other/other.go": "package other\n",
		}, ".: go run .: exit status 1"},
		{"no requirement", map[string]string{
			"sub/go.mod": "module example.com/toy/sub\n\ngo 1.25.0\n",
			"sub/sub.go": "package sub\n\nimport _ \"example.com/other\"\n",
		}, "no required module provides package"},
		{"a newer Go", map[string]string{
			"go.mod": "module example.com/toy\n\ngo 1.25.0\n",
		}, ".: a user with Go 1.24.0 cannot build it"},
		{"a newer Go below", map[string]string{
			"sub/go.mod": strings.Replace(toy["sub/go.mod"], "1.25.0", "1.26.0", 1),
		}, "sub: a user with Go 1.25.0 cannot build it"},
		{"a file is missing", map[string]string{"toy.txt": ""}, "no matching files found"},
		{"does not compile", map[string]string{
			"sub/deep/deep.go": "package deep\n\nvar x int = `s`\n",
		}, "deep.go:3:"},
		{"only a test", map[string]string{
			"sub/sub.go": "", "sub/deep/deep.go": "", "sub/a_test.go": "package sub\n",
		}, "sub: no package can be imported"},
		{"a replacement beside a command", map[string]string{
			"go.mod": toy["go.mod"] + "replace example.com/other => ./other\n",
		}, ".: go install example.com/toy/cmd@v0.1.0: exit status 1"},
		{"no command", map[string]string{"cmd/main.go": ""}, ".: go install example.com/toy/cmd@"},
		{"a name that Windows cannot have", map[string]string{"aux.go": "package toy\n"}, "aux.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			project := maps.Clone(toy)
			maps.Copy(project, tt.files)
			maps.DeleteFunc(project, func(_, text string) bool { return text == "" })
			root := t.TempDir()
			write(t, root, project)
			err := check(root, slices.Sorted(maps.Keys(project)), toys, "v0.1.0")
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// write writes files below root.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPackagesOf(t *testing.T) {
	root := t.TempDir()
	write(t, root, toy)
	got, err := packagesOf(root)
	if want := []string{"example.com/toy"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("packages %q, %v; want %q", got, err, want)
	}
}

func TestInModule(t *testing.T) {
	files := []string{"go.mod", "a.go", "in/b.go", "sub/go.mod", "sub/c.go", "sub/in/d.go", "other/x/go.mod", "other/x/e.go", "other/f.go"}
	for dir, want := range map[string]map[string]string{
		".":       {"go.mod": "go.mod", "a.go": "a.go", "in/b.go": "in/b.go", "other/f.go": "other/f.go"},
		"sub":     {"go.mod": "sub/go.mod", "c.go": "sub/c.go", "in/d.go": "sub/in/d.go"},
		"other/x": {"go.mod": "other/x/go.mod", "e.go": "other/x/e.go"},
	} {
		if got := inModule(files, dir); !maps.Equal(got, want) {
			t.Errorf("inModule(%q) = %q, want %q", dir, got, want)
		}
	}
}

func TestTracked(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": "", "new.go": "", "gone.go": "", "lost.txt": "", ".gitignore": "*.txt\n"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "a.go", "gone.go"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	if err := os.Remove(filepath.Join(root, "gone.go")); err != nil {
		t.Fatal(err)
	}
	got, err := tracked(root)
	slices.Sort(got)
	if want := []string{".gitignore", "a.go", "new.go"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("tracked = %q, %v; want %q", got, err, want)
	}
}

func TestFirstVersion(t *testing.T) {
	for changes, want := range map[string]string{
		"# Changelog\n\n## 0.2.0\n\n## 0.1.0\n": "v0.2.0",
		"## v1.0.0, 1 January\n":                "v1.0.0",
		"## Unreleased\n\n## 0.1.0\n":           "v0.1.0",
		"## Unreleased\n":                       "",
		"text ## 0.1.0\n### 0.1.0\n":            "",
	} {
		if got, err := firstVersion(changes); got != want || (err == nil) != (want != "") {
			t.Errorf("firstVersion(%q) = %q, %v; want %q", changes, got, err, want)
		}
	}
}

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/vet.svg")

const misuse = "../../example/testdata/misuse"

// want is what the command prints for it.
const want = `main.go:15:2: p is stale: g.sprites.Add on line 14 may move the values of g.sprites
main.go:14:2: 	p ends here
main.go:13:7: 	p comes from here
main.go:22:2: s is stale: g.sprites.Delete on line 21 removes its value
main.go:21:2: 	s ends here
main.go:20:7: 	s comes from here
main.go:36:2: boss is stale: g.spawn on line 35 may move the values of g.sprites
main.go:35:2: 	boss ends here
main.go:34:10: 	boss comes from here
main.go:42:3: the change of s.Y is lost: the loop copies each value
main.go:50:2: p is stale: s.Add on line 49 may move the values of s
main.go:49:2: 	p ends here
main.go:48:7: 	p comes from here
`

// build returns the path of the command.
func build(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "berthvet")
	if runtime.GOOS == "windows" {
		tool += ".exe"
	}
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// TestCommand runs the command as a user does, by go vet and by itself.
func TestCommand(t *testing.T) {
	tool := build(t)
	commands := [][]string{{"go", "vet", "-vettool=" + tool}, {tool}}
	for _, c := range commands {
		cmd := exec.Command(c[0], append(c[1:], ".")...)
		cmd.Dir = misuse
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s: no error", c[0])
		}
		if got := clean(string(out)); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", c[0], got, want)
		}
	}
	cmd := exec.Command(tool, "-table=absent.txt", ".")
	cmd.Dir = misuse
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "needs an absolute name") {
		t.Errorf("a table that does not exist: %v\n%s", err, out)
	}
	testFlags(t, append(commands[0], "-some", "-berthends.nil", "."))
	testFlags(t, append(commands[1], "-nil", "-berthends.some", "."))
}

// testFlags runs a command with both flags of the analyzer, on its corpus.
func testFlags(t *testing.T, command []string) {
	gopath, err := filepath.Abs("../../ends/testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(gopath, "src", "flags")
	text, err := os.ReadFile(filepath.Join(dir, "flags.go"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "// want") {
			want = append(want, strconv.Itoa(i+1))
		}
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GO111MODULE=off", "GOPATH="+gopath)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%s: no error", command)
	}
	var got []string
	for _, m := range position.FindAllStringSubmatch(string(out), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: reports in lines %v, want %v\n%s", command, got, want, out)
	}
}

// position is that of a report in the corpus. Lines that explain it have a tab behind it.
var position = regexp.MustCompile(`flags\.go:(\d+):\d+: [^\t]`)

// clean removes from the lines of reports what depends on where the checkout is. Other lines are
// those of the go command.
func clean(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		if _, rest, ok := strings.Cut(line, "main.go:"); ok {
			lines = append(lines, "main.go:"+rest)
		}
	}
	return strings.Join(lines, "")
}

// TestPicture checks that docs/vet.svg shows what the command prints. Outside of a checkout of
// berth there is no such file.
func TestPicture(t *testing.T) {
	const name = "../../../docs/vet.svg"
	picture := draw("$ go vet -vettool=$(which berthvet) .\n" + want)
	if *update {
		if err := os.WriteFile(name, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no", name)
	}
	if err != nil || !bytes.Equal(got, picture) {
		t.Errorf("%s differs from the output, or cannot be read (%v): run the test with -update", name, err)
	}
}

// draw draws lines as a terminal shows them. Reports are brighter than the lines that explain them.
func draw(text string) []byte {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var b bytes.Buffer
	height := 20*len(lines) + 24
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 %d" width="800" height="%[1]d">
<rect width="800" height="%[1]d" rx="8" fill="#1e2430"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
`, height)
	for i, line := range lines {
		color := "#ffd580"
		switch {
		case i == 0:
			color = "#a6e3a1"
		case strings.Contains(line, "\t"):
			color = "#98a2b3"
		}
		fmt.Fprintf(&b, `<text x="16" y="%d" fill="%s" xml:space="preserve">%s</text>`+"\n",
			20*i+28, color, html.EscapeString(strings.ReplaceAll(line, "\t", "  ")))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

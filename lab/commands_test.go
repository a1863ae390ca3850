package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/measure"
	"github.com/seed505807e1/berth/lab/internal/replay"
	"github.com/seed505807e1/berth/lab/internal/replay/sizes"
	"github.com/seed505807e1/berth/lab/internal/testkit"
)

var must = testkit.Must

// lab runs the command and returns its output.
func lab(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return labOf(t, catalogue.All, args...)
}

// labOf is lab with another catalogue.
func labOf(t *testing.T, all measure.Catalogue, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, bad bytes.Buffer
	code = run(t.Context(), all, args, &out, &bad)
	return code, out.String(), bad.String()
}

// smallModel are the flags of a stream that replays quickly.
var smallModel = []string{"model", "-live", "50", "-burst", "200/100ms", "-size", "80", "-lifetime", "exp:100ms", "-lookups", "2", "-misses", "0.1", "-for", "250ms"}

func writeSmallModel(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "my.trace")
	code, stdout, stderr := lab(t, append(smallModel, "-o", path)...)
	if code != exitOK || stdout != "" || !strings.Contains(stderr, "lab replay "+path) {
		t.Fatalf("model: exit code %d, %q, %q", code, stdout, stderr)
	}
	return path
}

func TestModelIsReplayed(t *testing.T) {
	path := writeSmallModel(t)
	code, stdout, stderr := lab(t, "trace", path)
	if code != exitOK || !strings.Contains(stdout, "15 frames") {
		t.Errorf("trace: exit code %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, stderr = lab(t, "replay", "-rounds", "2", path)
	if code != exitOK {
		t.Fatalf("replay: exit code %d, %q", code, stderr)
	}
	if few := len(sizes.All) == len(replay.Few); strings.Contains(stdout, "(replayed as") != few {
		t.Errorf("80 bytes are not replayed as they are:\n%s", stdout)
	}
	for _, want := range []string{"berth.Pool", "berth.Dense", "stable Quartered", "stable FirstFree", "map[uint64]*T", "[]*T", "p50", "p99", "worst", "one GC", "values of 80 bytes"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("replay does not mention %s:\n%s", want, stdout)
		}
	}
	for line := range strings.SplitSeq(stdout, "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("line of %d columns:\n%s", len([]rune(line)), line)
		}
	}
	code, stdout, stderr = lab(t, "replay", "-rounds", "1", "-json", path)
	var res map[string]any
	if err := json.Unmarshal([]byte(stdout), &res); code != exitOK || err != nil || len(res) == 0 {
		t.Errorf("replay -json: exit code %d, %v, %q", code, err, stderr)
	}
}

// The same flags write the same bytes, to a file and to standard output.
func TestModelToStandardOutput(t *testing.T) {
	file, err := os.ReadFile(writeSmallModel(t))
	must(t, err)
	code, stdout, stderr := lab(t, smallModel...)
	if code != exitOK || stdout != string(file) {
		t.Errorf("exit code %d, %d bytes, want %d; %q", code, len(stdout), len(file), stderr)
	}
}

func TestDamagedStreams(t *testing.T) {
	whole, err := os.ReadFile(writeSmallModel(t))
	must(t, err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 0x40
	for _, tc := range []struct {
		name string
		data []byte
		want string
	}{
		{"truncated", whole[:len(whole)-3], "truncated"},
		{"corrupt", flipped, "corrupt"},
		{"foreign", []byte("GIF89a and so on, which is no stream of ours"), "not a trace"},
		{"empty", nil, "truncated"},
	} {
		path := filepath.Join(t.TempDir(), tc.name)
		must(t, os.WriteFile(path, tc.data, 0o600))
		for _, command := range [][]string{{"trace"}, {"replay", "-rounds", "1"}} {
			code, _, stderr := lab(t, append(command, path)...)
			if code != exitFailed || !strings.Contains(stderr, path+": ") || !strings.Contains(stderr, tc.want) || !strings.Contains(stderr, "byte ") {
				t.Errorf("%s of a %s stream: exit code %d, %q, want the file, %q and the byte", command, tc.name, code, stderr, tc.want)
			}
		}
	}
}

func TestCommandErrors(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		args string
		code int
		want string
	}{
		{"replay", exitUsage, "replay: FILE is missing"},
		{"replay a b", exitUsage, `unexpected argument "b"`},
		{"replay " + dir + "/none", exitFailed, "none"},
		{"replay -rounds 0 x", exitUsage, "-rounds, -budget and -frame: must be above 0"},
		{"replay -rounds 100 x", exitUsage, "rounds at most 99"},
		{"replay -budget -3s x", exitUsage, "must be above 0"},
		{"replay -frame never x", exitUsage, "invalid value"},
		{"replay -nope x", exitUsage, "not defined: -nope"},
		{"trace", exitUsage, "trace: FILE is missing"},
		{"trace " + dir, exitFailed, dir},
		{"model -live -5", exitUsage, "Live is -5"},
		{"model -size -1", exitUsage, "Bytes is -1"},
		{"model -lifetime often", exitUsage, "-lifetime: "},
		{"model -burst 20000", exitUsage, "-burst 20000: must be a number and how often"},
		{"model -burst x/10s", exitUsage, "-burst x/10s: must be a number and how often"},
		{"model -burst 5/0s", exitUsage, ""},
		{"model -live 1000000000", exitUsage, ""},
		{"model -lookups NaN", exitUsage, ""},
		{"model -o " + dir + "/none/x", exitFailed, "cannot write"},
		{"laws -impl nope", exitUsage, `-impl: unknown name "nope"`},
		{"laws -impl Lowest", exitUsage, "none of them is a collection"},
		{"laws x", exitUsage, `unexpected argument "x"`},
		{"docs x", exitUsage, `unexpected argument "x"`},
		{"docs -kept", exitFailed, filepath.Join("docs", "figures.tsv")}, // not in the root
		{"picture", exitUsage, "picture: FILE.svg is missing"},
		{"picture -reps 0 x.svg", exitUsage, "-reps 0: must be between 1 and"},
		{"picture -impl Lowest x.svg", exitUsage, `-impl: unknown name "Lowest"`},
		{"picture -reps 1 -impl []T,berth.Pool " + dir + "/none/x.svg", exitFailed, "cannot write"},
		{"lst", exitUsage, `unexpected argument "lst"; there is a command list`},
		{"list basic", exitUsage, `unexpected argument "basic"`},
		{"nonsense", exitUsage, "unexpected argument \"nonsense\"\nlab: -help"}, // no similar name exists
		{"", exitUsage, `unexpected argument ""`},
		{"list ", exitUsage, `unexpected argument ""`},
		{"list -json", exitUsage, "not defined: -json"},
		{"replay -full x", exitUsage, "not defined: -full"},
		{"-elem 8 -workload cross", exitUsage, "-elem 8: no chosen workload lets its elements be chosen"},
		{"-json -bench", exitUsage, "-json and -bench: choose one"},
		{"-full -quick", exitUsage, "-full and -quick: choose one"},
	} {
		code, _, stderr := lab(t, strings.Split(tc.args, " ")...)
		if code != tc.code || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: exit code %d, %q, want %d and %q", tc.args, code, stderr, tc.code, tc.want)
		}
		if strings.Contains(stderr, "panic") || strings.Count(stderr, "\n") > 3 {
			t.Errorf("%s: stderr is %q", tc.args, stderr)
		}
	}
}

func TestLaws(t *testing.T) {
	code, stdout, _ := lab(t, "laws", "-impl", "berth.Pool,[]T,map[uint64]*T")
	if code != exitOK || !strings.Contains(stdout, "berth.Pool") || !strings.Contains(stdout, "NO") {
		t.Errorf("laws: exit code %d,\n%s", code, stdout)
	}
	code, stdout, _ = lab(t, "laws", "-json", "-impl", "berth.Pool")
	var table laws.Table
	if err := json.Unmarshal([]byte(stdout), &table); code != exitOK || err != nil || len(table.Rows) != 1 || len(table.Rows[0].Cells) != len(table.Questions) {
		t.Errorf("laws -json: exit code %d, %v,\n%s", code, err, stdout)
	}
}

func TestPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spike.svg")
	code, stdout, stderr := lab(t, "picture", "-reps", "1", "-impl", "[]T,berth.Pool,genpool", path)
	if code != exitOK || !strings.Contains(stdout, "berth.Pool") {
		t.Fatalf("picture: exit code %d, %q", code, stderr)
	}
	drawing, err := os.ReadFile(path)
	must(t, err)
	for _, want := range []string{"<svg", "berth.Pool", "genpool", "<title"} {
		if !bytes.Contains(drawing, []byte(want)) {
			t.Errorf("the picture has no %s", want)
		}
	}
}

// The pages can be written without measuring.
func TestDocsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, errors.Join(os.Mkdir("docs", 0o755), os.MkdirAll("tools/weight", 0o755)))
	must(t, os.WriteFile("tools/weight/table.txt", []byte("P, first 1 2 3\n"), 0o600))
	figures := "date\t1 May\nmachine\tm\nfigure\tvalue\tunit\tratio\tspread\tratio spread\nw\t1.50\tns\t0\t0\t0\n"
	must(t, os.WriteFile("docs/figures.tsv", []byte(figures), 0o600))
	must(t, os.WriteFile("docs/p.md.tmpl", []byte(`{{.Date}}: {{num "w"}} ns, {{num "weight/P, first:functions"}}`), 0o600))
	if code, _, stderr := lab(t, "docs", "-kept"); code != exitOK {
		t.Fatalf("exit code %d, %q", code, stderr)
	}
	if page, err := os.ReadFile("docs/p.md"); err != nil || string(page) != "1 May: 1.50 ns, 1" {
		t.Errorf("the page is %q, %v", page, err)
	}
}

// An interrupt ends each command quickly, at any step.
func TestCommandsEndWithTheirContext(t *testing.T) {
	path := writeSmallModel(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"replay", path}, {"trace", path}, {"laws", "-impl", "berth.Pool"},
		append(smallModel, "-o", filepath.Join(dir, "x")), {"picture", "-reps", "1", filepath.Join(dir, "x.svg")},
		{"-workload", "cross", "-out", dir},
	} {
		var stderr bytes.Buffer
		if code := run(ctx, catalogue.All, args, io.Discard, &stderr); code != exitInterrupted {
			t.Errorf("%s: exit code %d, %q", args, code, &stderr)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("what is left behind: %v (%v)", files, err)
	}
}

// A source that never delivers does not block the command.
func TestPatientReader(t *testing.T) {
	silent, said, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(said.Close(), silent.Close()); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := replay.Run(ctx, &patientReader{ctx, silent}, replay.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("replay of nothing: %v", err)
	}
	r := &patientReader{t.Context(), strings.NewReader("abc")}
	if got, err := io.ReadAll(r); string(got) != "abc" || err != nil {
		t.Errorf("a patient reader reads %q (%v), want abc", got, err)
	}
}

// A pipe is written to, not replaced by a file.
func TestModelIntoPipe(t *testing.T) {
	if _, err := os.Stat("/dev/null"); err != nil {
		t.Skip("this system has no /dev/null")
	}
	before, _ := os.Stat("/dev/null")
	if code, _, stderr := lab(t, append(smallModel, "-o", "/dev/null")...); code != exitOK {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if after, err := os.Stat("/dev/null"); err != nil || after.Mode() != before.Mode() {
		t.Errorf("/dev/null is %v now (%v)", after.Mode(), err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if code, _, stderr := lab(t, append(smallModel, "-o", "/dev/full")...); code != exitFailed || !strings.Contains(stderr, "no space") {
			t.Errorf("a full disk: exit code %d, %q", code, stderr)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		if code, stdout, _ := lab(t, "completion", shell); code != exitOK || !strings.Contains(stdout, "--generate-shell-completion") {
			t.Errorf("completion %s: exit code %d, %d bytes", shell, code, len(stdout))
		}
	}
	cmd := exec.Command(os.Args[0], "--generate-shell-completion") // it inspects its process
	cmd.Env = append(os.Environ(), asCommand+"=1")
	if stdout, err := cmd.Output(); err != nil || !bytes.Contains(stdout, []byte("replay")) {
		t.Errorf("what completes a command does not know replay: %q (%v)", stdout, err)
	}
}

// Every command has help, with its flags. That of the lab itself has examples and exit codes.
func TestHelp(t *testing.T) {
	root := command(catalogue.All, nil, io.Discard, io.Discard)
	for _, c := range append(root.Commands, root) {
		args := []string{c.Name, "-h"}
		if c == root {
			args = args[1:]
		}
		code, stdout, stderr := lab(t, args...)
		if c == root && (!strings.Contains(stdout, "Examples:") || !strings.Contains(stdout, "Exit codes")) {
			t.Errorf("the help is\n%s", stdout)
		}
		if code != exitOK || !strings.Contains(stdout, c.Usage) {
			t.Errorf("%s -h: exit code %d, %q, %q", c.Name, code, stdout, stderr)
		}
		for _, f := range c.Flags {
			if !strings.Contains(stdout, "-"+f.Names()[0]) {
				t.Errorf("%s -h does not mention -%s", c.Name, f.Names()[0])
			}
		}
	}
}

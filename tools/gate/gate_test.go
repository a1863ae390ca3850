// Package gate has no code. Its tests check that the Makefile, the gate, the workflow and
// CONTRIBUTING.md agree.
package gate

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// read returns the text of a file of the project.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// matches returns the matches of pattern's first group in text. It fails if there are none.
func matches(t *testing.T, text, pattern string) (found []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?m)"+pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	if len(found) == 0 {
		t.Fatalf("nothing matches %s", pattern)
	}
	return found
}

// steps returns the steps of the gate in order.
func steps(t *testing.T) []string {
	list := matches(t, read(t, "Makefile"), `^STEPS := ((?:.*\\\n)*.*)$`)[0]
	return strings.Fields(strings.ReplaceAll(list, "\\\n", " "))
}

func TestWorkflowMakesAllSteps(t *testing.T) {
	parts := matches(t, read(t, ".github/workflows/ci.yml"), `^ +steps: (\w.*)$`)
	made := strings.Fields(strings.Join(parts, " "))
	want := steps(t)
	slices.Sort(made)
	slices.Sort(want)
	if !slices.Equal(made, want) {
		t.Errorf("the workflow makes %q, want each step once: %q", made, want)
	}
}

// A job's limit is that of what it runs plus time to set up, so that what it runs can name what
// hangs: five minutes for the gate, and half an hour for a go test that also compiles.
func TestWorkflowLimit(t *testing.T) {
	limit, err := strconv.Atoi(matches(t, read(t, ".ci/run"), `^limit=\$\{CI_LIMIT:-(\d+)\}$`)[0])
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := strings.Cut(read(t, ".github/workflows/ci.yml"), "\njobs:\n")
	names := matches(t, all, `^  (\w+):$`)
	jobs := regexp.MustCompile(`(?m)^  \w+:$`).Split(all, -1)[1:]
	for i, job := range jobs {
		want := limit/60 + 5
		if hours := regexp.MustCompile(`-timeout (\d+)h`).FindStringSubmatch(job); hours != nil {
			n, _ := strconv.Atoi(hours[1]) // digits
			want = n*60 + 30
		}
		if got := matches(t, job, `^    timeout-minutes: (\d+)\b`)[0]; got != strconv.Itoa(want) {
			t.Errorf("job %s: timeout-minutes: %s, want %d", names[i], got, want)
		}
	}
}

func TestWorkflowPinsActions(t *testing.T) {
	for _, use := range matches(t, read(t, ".github/workflows/ci.yml"), `uses: (.*)$`) {
		if !regexp.MustCompile(`^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`).MatchString(use) {
			t.Errorf("%s: want a commit, and its version as a comment", use)
		}
	}
}

func TestContributingExplainsSteps(t *testing.T) {
	got := matches(t, read(t, "CONTRIBUTING.md"), "^\\| `([a-z0-9-]+)` \\|")
	if want := steps(t); !slices.Equal(got, want) {
		t.Errorf("CONTRIBUTING.md explains the steps %q, want %q", got, want)
	}
}

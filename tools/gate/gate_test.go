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

// A job's limit is that of the gate plus five minutes of setup, so that the gate can name the step
// that hangs.
func TestWorkflowLimit(t *testing.T) {
	limit, err := strconv.Atoi(matches(t, read(t, ".ci/run"), `^limit=\$\{CI_LIMIT:-(\d+)\}$`)[0])
	if err != nil {
		t.Fatal(err)
	}
	want := strconv.Itoa(limit/60 + 5)
	workflow := read(t, ".github/workflows/ci.yml")
	minutes := matches(t, workflow, `^    timeout-minutes: (\d+)\b`)
	for _, m := range minutes {
		if m != want {
			t.Errorf("timeout-minutes: %s, want %s for a gate of %d s", m, want, limit)
		}
	}
	if jobs := matches(t, workflow, `^    (runs-on): `); len(jobs) != len(minutes) {
		t.Errorf("%d jobs have %d limits", len(jobs), len(minutes))
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

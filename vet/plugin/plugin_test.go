package plugin

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/seed505807e1/berth/vet/ends"
)

func TestNew(t *testing.T) {
	build, err := register.GetPlugin("berthends")
	if err != nil {
		t.Fatal(err)
	}
	var l register.LinterPlugin
	var as []*analysis.Analyzer
	table := filepath.Join(dir(t), "user.txt")
	if l, err = build(map[string]any{"table": table}); err != nil {
		t.Fatal(err)
	}
	if as, err = l.BuildAnalyzers(); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(t, dir(t), as[0], "user")
	if l, err = build(map[string]any{"table": table + ".absent"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.BuildAnalyzers(); err == nil {
		t.Error("a table that does not exist is no error")
	}
	for _, on := range []string{"some", "nil"} {
		if l, err = build(map[string]any{on: true}); err != nil {
			t.Fatal(err)
		}
		as, err = l.BuildAnalyzers()
		if err != nil || len(as) != 1 || as[0].Name != "berthends" {
			t.Fatalf("BuildAnalyzers = %v, %v", as, err)
		}
		for _, name := range []string{"some", "nil"} {
			got, want := ends.Analyzer.Flags.Lookup(name).Value.String(), strconv.FormatBool(name == on)
			if got != want {
				t.Errorf("%s: flag %s is %s, want %s", on, name, got, want)
			}
		}
		if err := ends.Analyzer.Flags.Set(on, "false"); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range analysistest.Run(t, dir(t), as[0], "facts") {
		for _, d := range r.Diagnostics {
			if len(d.Related) > 0 {
				t.Errorf("%s has related information, which golangci-lint reports by itself", d.Message)
			}
		}
	}
	if l.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("GetLoadMode = %q: the analyzer needs types", l.GetLoadMode())
	}
	if _, err := build("text"); err == nil {
		t.Error("settings that are a text are no error")
	}
}

// dir returns the corpus of the analyzer.
func dir(t *testing.T) string {
	t.Helper()
	d, err := filepath.Abs("../ends/testdata")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

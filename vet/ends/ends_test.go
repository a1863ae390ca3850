package ends

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestCorpus runs the corpus, with that of the table: misuses that are reported, and look-alikes that
// are not. A package of the table itself may do with its values what others must not.
func TestCorpus(t *testing.T) {
	paths := append(corpus(t), "go.uber.org/zap/buffer",
		"ended", "good", "programs", "misses", "other", "world", "facts", "directive", "paths")
	analysistest.Run(t, analysistest.TestData(), Analyzer, paths...)
}

func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "fixes")
}

func TestFlags(t *testing.T) {
	for _, name := range []string{"some", "nil"} {
		if err := Analyzer.Flags.Set(name, "true"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = Analyzer.Flags.Set(name, "false") }()
	}
	analysistest.Run(t, analysistest.TestData(), Analyzer, "flags")
}

// TestRelated checks that a report names the lines at which a pointer begins and ends.
func TestRelated(t *testing.T) {
	k := newKit()
	p, err := k.load("fixes")
	if err != nil {
		t.Fatal(err)
	}
	ds, err := k.analyze(p)
	if err != nil || len(ds) == 0 {
		t.Fatal(err, ds)
	}
	var got []string
	for _, r := range ds[0].Related {
		at := k.fset.Position(r.Pos)
		got = append(got, strings.TrimSpace(strings.Split(source(t, "fixes"), "\n")[at.Line-1])+": "+r.Message)
	}
	want := "d.Insert(E{}): e ends here; e := d.Ptr(h): e comes from here"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("related: %s\nwant: %s", s, want)
	}
}

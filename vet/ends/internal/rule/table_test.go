package rule

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// TestTable adds lines of a user's table.
func TestTable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# nothing\n\npackage a v1 # a comment\nP.Free frees p0\nF lends r0 of p1; ends all of p0\nT lent", ""},
		{"P.Free frees p0", `t.txt:1: no package above "P.Free"`},
		{"package a\n\nP.Free fres p0", `t.txt:3: P.Free: unknown verb "fres"`},
		{"package a\nP.Free frees p10", `t.txt:2: P.Free: no parameter is called "p10"`},
		{"package a\nP.Free", "t.txt:2: P.Free: no verb"},
		{"package a\nP.Free frees p0;", "t.txt:2: P.Free: no verb"},
		{"package a\nF frees", "t.txt:2: F: frees needs a parameter"},
		{"package a\nF frees r0", "t.txt:2: F: frees needs a parameter"},
		{"package a\nF lends r0", `t.txt:2: F: a function needs "of" and a parameter`},
		{"package a\nT lent p0", `t.txt:2: T: unknown verb "lent"`},
	} {
		got := ""
		if err := newTable().add("t.txt", c.text); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	err := newTable().AddFile(filepath.Join(t.TempDir(), "absent.txt"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a table that does not exist: %v", err)
	}
}

// TestOverride adds a name that the table has.
func TestOverride(t *testing.T) {
	table := newTable()
	for _, want := range []string{"frees of p0", "lends r0 of p1"} {
		text := "package a\nF frees p0"
		if want != "frees of p0" {
			text = "package a\nF lends r0 of p1"
		}
		if err := table.add("t.txt", text); err != nil {
			t.Fatal(err)
		}
		if got := table.Calls["a"]["F"].String(); got != want {
			t.Errorf("F has the directives %s, want %s", got, want)
		}
	}
}

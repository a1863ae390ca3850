package main

import (
	"slices"
	"testing"
)

func TestCheck(t *testing.T) {
	want := []string{
		"testdata/bad.md:3: none.md: no such file",
		"testdata/bad.md:4: none.svg: no such file",
		"testdata/bad.md:5: #none: no such heading",
		"testdata/bad.md:5: good.md#not-a-heading: no such heading",
		"testdata/bad.md:6: none/: no such file",
		"testdata/bad.md:8: ../none.md: no such file",
		"testdata/bad.md:13: gone.md: no such file",
	}
	// good.md is in the directory too, and must add nothing.
	for _, path := range []string{"testdata", "testdata/bad.md"} {
		found, err := check(path)
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("check(%s), %v:\n got %q\nwant %q", path, err, found, want)
		}
	}
	if _, err := check("testdata/none.md"); err == nil {
		t.Error("check of a file that does not exist: no error")
	}
}

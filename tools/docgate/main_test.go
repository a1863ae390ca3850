package main

import (
	"slices"
	"testing"
)

func TestCheckGood(t *testing.T) {
	found, err := check("testdata/good")
	if err != nil || len(found) > 0 {
		t.Errorf("check(good) = %q, %v; want nothing", found, err)
	}
}

func TestCheckBad(t *testing.T) {
	found, err := check("testdata/bad")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"testdata/bad: package bad has no doc comment",
		"testdata/bad/bad.go:5: Limit has no doc comment",
		"testdata/bad/bad.go:31: Fast has no doc comment",
		"testdata/bad/bad.go:33: Usual has no doc comment",
		"testdata/bad/bad.go:14: New has no Example",
		"testdata/bad/bad.go:7: Pool has no doc comment",
		`testdata/bad/bad.go:26: Pool.Clear has "Ends:" but no directive //berth:ends in its doc comment`,
		"testdata/bad/bad.go:26: Pool.Clear has no Example with an Output comment",
		"testdata/bad/bad.go:11: Pool.Insert has no doc comment",
		"testdata/bad/bad.go:11: Pool.Insert has no Example",
		`testdata/bad/bad.go:19: Pool.Len has a directive //berth:ends but no line "Ends:"`,
		`testdata/bad/bad.go:19: Pool.Len has no line "Cost:" in its doc comment`,
	}
	// The order is that of the index, which go/doc chooses.
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("check(bad):\n got %q\nwant %q", found, want)
	}
}

func TestCheckNoPackage(t *testing.T) {
	if _, err := check("testdata"); err == nil {
		t.Error("check(testdata) = nil error; want one, since it holds no package")
	}
}

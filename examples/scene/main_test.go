package main

import (
	"os"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	want, err := os.ReadFile("expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := run(&got, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

package main

import (
	"os"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	want, err := os.ReadFile("expect.txt")
	must(t, err)
	var got strings.Builder
	must(t, run(&got, t.TempDir()))
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

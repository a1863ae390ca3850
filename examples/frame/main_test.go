package main

import (
	"io"
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
	if err := run(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// Each level and each frame begins at the same place, whatever was there before.
func TestLifetimes(t *testing.T) {
	g, err := newGame(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	game := g.memory.Used()
	used := map[int]int{}
	for _, n := range []int{100, 1000, 100, 1000} {
		if err := g.load(n); err != nil {
			t.Fatal(err)
		}
		if u, ok := used[n]; ok && u != g.memory.Used() {
			t.Errorf("a level of %d uses %d bytes, want %d as before", n, u, g.memory.Used())
		}
		used[n] = g.memory.Used()
		for range 100 {
			g.step()
			if u := g.frame.Used(); u != 0 {
				t.Fatalf("%d bytes of a frame are left", u)
			}
			if g.enemies.Len() > n {
				t.Fatalf("%d enemies in a level of %d", g.enemies.Len(), n)
			}
		}
	}
	g.memory.Rewind(g.start)
	if u := g.memory.Used(); u != game {
		t.Errorf("the game uses %d bytes at first, and %d afterwards", game, u)
	}
	if err := g.memory.Release(); err != nil {
		t.Error(err)
	}
}

// A level that is too large is an error, and the game can play another one.
func TestNoSpace(t *testing.T) {
	g, err := newGame(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.play("world", 10_000_000); err == nil {
		t.Error("a level of 10 000 000 enemies fits")
	}
	if _, _, err := g.play("yard", 100); err != nil {
		t.Error(err)
	}
	if err := g.memory.Release(); err != nil {
		t.Error(err)
	}
}

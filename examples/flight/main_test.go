package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/trace"
)

func TestRun(t *testing.T) {
	want, err := os.ReadFile("expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	run(&got)
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestRecord makes the recording again that the tests and the figures of the lab use.
func TestRecord(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other architectures round distances differently, and values have other sizes")
	}
	const kept = "../../lab/trace/testdata/missiles.trace"
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "missiles.trace")
	if err := (battle{frames: 3600, enemies: 1000}).record(name); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("a new recording has %d bytes, which differ from the %d of %s; it is:\n%s\nwant:\n%s",
			len(got), len(want), kept, summary(t, got), summary(t, want))
	}
}

func summary(t *testing.T, b []byte) trace.Summary {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	s, err := trace.Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRecordRefuses checks that numbers out of range are refused before a file is created.
func TestRecordRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	for _, b := range []battle{
		{frames: 0, enemies: 1}, {frames: mostFrames + 1, enemies: 1},
		{frames: 1, enemies: 0}, {frames: 1, enemies: mostEnemies + 1},
	} {
		if b.record(name) == nil {
			t.Errorf("%+v was recorded", b)
		}
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("a file was created")
	}
	if (battle{frames: 1, enemies: 1}).record(filepath.Join(name, "y")) == nil {
		t.Error("no error for a file in a directory that does not exist")
	}
}

// TestRecordedWorldIsTheSame checks that recording does not change a battle.
func TestRecordedWorldIsTheSame(t *testing.T) {
	r, err := trace.NewRecorder(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b := battle{frames: 700, enemies: 200}
	plain, rec := newWorld(io.Discard), recorded(r)
	b.fight(plain, func() error { return nil })
	b.fight(rec, r.Frame)
	if plain.retarget != rec.retarget || plain.retarget == 0 {
		t.Errorf("%d targets were lost, %d when recorded", plain.retarget, rec.retarget)
	}
	if p, r := plain.enemies.Len(), rec.enemies.Len(); p != r || p == 0 {
		t.Errorf("%d enemies are left, %d when recorded", p, r)
	}
}

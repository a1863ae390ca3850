package recipes

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed505807e1/berth"
)

func TestSave(t *testing.T) {
	name := filepath.Join(t.TempDir(), "world")
	world, other := berth.NewPool[Body](berth.Config{Seed: 1}), new(berth.Pool[Body])
	h := world.Insert(Body{X: 1})
	if err := save(name, world); err != nil {
		t.Fatal(err)
	}
	if err := load(name, other); err != nil {
		t.Fatal(err)
	}
	if v, ok := other.Get(h); !ok || v.X != 1 {
		t.Error(v, ok)
	}
	if err := os.Truncate(name, 40); err != nil {
		t.Fatal(err)
	}
	if err := load(name, other); !errors.Is(err, berth.ErrCorrupt) || !other.Contains(h) {
		t.Error(err)
	}
	if files, _ := os.ReadDir(filepath.Dir(name)); len(files) != 1 {
		t.Error(files)
	}
}

func TestRollback(t *testing.T) {
	world := berth.NewPool[Body](berth.Config{Seed: 1})
	history := berth.NewHistory(world, berth.HistoryConfig{Frames: 9})
	h := world.Insert(Body{DX: 1})
	frame := history.Mark()
	for range 20 {
		frame = step(history)
	}
	if err := back(history, frame); err != nil || world.Ptr(h).X != 12 {
		t.Error(err, world.Ptr(h).X)
	}
}

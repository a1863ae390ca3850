package recipes

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"

	"github.com/seed505807e1/berth"
	_ "github.com/seed505807e1/berth/save"
)

// Body is a value without pointers, and is saved as it lies in memory.
type Body struct{ X, DX float32 }

func save(name string, world *berth.Pool[Body]) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name))
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // fails once it is renamed
	if err := berth.Encode(world, f, nil); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name) // the old file, or all of the new one
}

func load(name string, world *berth.Pool[Body]) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	err = berth.Decode(world, bufio.NewReader(f), nil)
	return err // errors.Is(err, berth.ErrCorrupt): damaged, and world is as it was
}

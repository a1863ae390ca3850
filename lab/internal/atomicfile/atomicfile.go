// Package atomicfile writes files atomically.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CanWrite returns an error if no file can be created in dir.
func CanWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".lab-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write is Replace for data in memory.
func Write(path string, data []byte) error {
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Replace writes a temporary file beside path and renames it, so that no reader sees a partial
// file. If path is not a regular file, such as a pipe, Replace writes to it directly.
func Replace(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeInto(path, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".lab-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	b := bufio.NewWriter(f)
	err = write(b)
	// A temporary file is private to its owner; a report is for everyone who may read the folder.
	if err = errors.Join(err, b.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func writeInto(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	b := bufio.NewWriter(f)
	err = write(b)
	if err = errors.Join(err, b.Flush(), f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

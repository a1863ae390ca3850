//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// syncDir waits until the names in a directory are on the disk. Some file systems cannot do this,
// and refuse. That is no error, because there is no more to do.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // only read
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

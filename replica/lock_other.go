//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package replica

import (
	"errors"
	"os"
)

func unlock(*os.File) {}

// lock fails: without locks, two servers could share a directory and damage it.
func lock(string) (*os.File, error) {
	return nil, errors.New("replica: this system has no file locks; leave Dir empty, or use a URL")
}

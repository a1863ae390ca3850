// Package table uses mappings after Munmap.
package table

import "golang.org/x/sys/unix"

type file struct{ data []byte }

// bad: golang.org/x/sys/unix.Munmap
func head(fd int) ([]byte, error) {
	data, err := unix.Mmap(fd, 0, 4096, 1, 1)
	if err != nil {
		return nil, err
	}
	defer unix.Munmap(data)
	return data[:16], nil // want `is returned, but the deferred unix.Munmap on line \d+`
}

// good: golang.org/x/sys/unix.Munmap
func headCopied(fd int) (string, error) {
	data, err := unix.Mmap(fd, 0, 4096, 1, 1)
	if err != nil {
		return "", err
	}
	defer unix.Munmap(data)
	return string(data[:16]), nil
}

// good: golang.org/x/sys/unix.Munmap
func (f *file) close() error {
	if f.data == nil {
		return nil
	}
	data := f.data
	f.data = nil
	return unix.Munmap(data)
}

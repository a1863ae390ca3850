package replica

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is the error of opening a file that another handle does not share.
const sharingViolation syscall.Errno = 32

// unlock ends the lock.
func unlock(f *os.File) { _ = f.Close() }

// lock opens the file without sharing it. That ends with the file or the process.
func lock(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}

// Package table uses mappings after Unmap.
package table

import (
	"os"

	"github.com/edsrzf/mmap-go"
)

// bad: github.com/edsrzf/mmap-go.MMap.Unmap
func header(f *os.File) ([]byte, error) {
	m, err := mmap.Map(f, 0, 0)
	if err != nil {
		return nil, err
	}
	head := m[:16]
	err = m.Unmap()
	return head, err // want `head is stale: m.Unmap on line \d+ gave it back`
}

// good: github.com/edsrzf/mmap-go.MMap.Unmap
func headerCopied(f *os.File) ([]byte, error) {
	m, err := mmap.Map(f, 0, 0)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 16)
	copy(head, m)
	return head, m.Unmap()
}

// bad: github.com/edsrzf/mmap-go.MMap.Unmap
func deferred(f *os.File) ([]byte, error) {
	m, err := mmap.Map(f, 0, 0)
	if err != nil {
		return nil, err
	}
	defer m.Unmap()
	return m[4:8], nil // want `is returned, but the deferred m.Unmap on line \d+ gives it back`
}

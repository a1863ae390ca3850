// Package table uses memory of mcache after Free.
package table

import (
	"io"

	"github.com/bytedance/gopkg/lang/mcache"
)

// bad: github.com/bytedance/gopkg/lang/mcache.Free
func read(r io.Reader) ([]byte, error) {
	buf := mcache.Malloc(4096)
	n, err := r.Read(buf)
	data := buf[:n]
	mcache.Free(buf)
	return data, err // want `data is stale: mcache.Free on line \d+ gave it back`
}

// good: github.com/bytedance/gopkg/lang/mcache.Free
func readCopied(r io.Reader) ([]byte, error) {
	buf := mcache.Malloc(4096)
	defer mcache.Free(buf)
	n, err := r.Read(buf)
	data := make([]byte, n)
	copy(data, buf)
	return data, err
}

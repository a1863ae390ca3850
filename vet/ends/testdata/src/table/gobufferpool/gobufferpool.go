// Package table uses slices of libp2p's pool after Put.
package table

import (
	"io"

	pool "github.com/libp2p/go-buffer-pool"
)

// bad: github.com/libp2p/go-buffer-pool.Put github.com/libp2p/go-buffer-pool.BufferPool.Put
func read(r io.Reader, own *pool.BufferPool) (string, error) {
	buf := pool.Get(512)
	n, err := io.ReadFull(r, buf)
	pool.Put(buf)
	if err != nil {
		return string(buf[:n]), err // want `buf is stale: pool.Put on line \d+ gave it back`
	}
	tail := own.Get(16)
	defer own.Put(tail)
	go r.Read(tail) // want `tail is used in a goroutine, but own.Put on line \d+ gives it back`
	return "", nil
}

// good: github.com/libp2p/go-buffer-pool.Put github.com/libp2p/go-buffer-pool.BufferPool.Put
func readFirst(r io.Reader, own *pool.BufferPool) (string, error) {
	buf := pool.Get(512)
	n, err := io.ReadFull(r, buf)
	if err != nil {
		pool.Put(buf)
		return "", err
	}
	s := string(buf[:n])
	pool.Put(buf)
	tail := own.Get(16)
	defer own.Put(tail)
	_, err = r.Read(tail)
	return s + string(tail), err
}

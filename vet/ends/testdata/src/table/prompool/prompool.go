// Package table uses slices of the pool of Prometheus after Put.
package table

import (
	"io"

	"github.com/prometheus/prometheus/util/pool"
)

// bad: github.com/prometheus/prometheus/util/pool.Pool.Put
func scrape(p *pool.Pool, r io.Reader) ([]byte, error) {
	b := p.Get(1024).([]byte)
	defer p.Put(b)
	n, err := r.Read(b[:cap(b)])
	return b[:n], err // want `is returned, but the deferred p.Put on line \d+ gives it back`
}

// good: github.com/prometheus/prometheus/util/pool.Pool.Put
func scrapeCopied(p *pool.Pool, r io.Reader) (int, error) {
	b := p.Get(1024).([]byte)
	n, err := r.Read(b[:cap(b)])
	p.Put(b)
	b = nil
	return n + len(b), err
}

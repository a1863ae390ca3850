// Package table reads a bufio.Reader through the functions of io.
package table

import (
	"bufio"
	"bytes"
	"io"
)

func use(...any) {}

// bad: io.ReadFull io.ReadAtLeast
func record(r *bufio.Reader) ([]byte, error) {
	size, err := r.Peek(1)
	if err != nil {
		return nil, err
	}
	body := make([]byte, size[0])
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	use(size) // want `size is stale: io.ReadFull on line \d+ ended it`

	name, err := r.ReadSlice(0)
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadAtLeast(r, body, 4); err != nil {
		return nil, err
	}
	return name, nil // want `name is stale: io.ReadAtLeast on line \d+ ended it`
}

// good: io.ReadFull io.ReadAtLeast
func recordCopied(r *bufio.Reader) ([]byte, error) {
	size, err := r.Peek(1)
	if err != nil {
		return nil, err
	}
	n := int(size[0])
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	line, err := r.ReadSlice(0)
	name := bytes.Clone(line)
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadAtLeast(r, body, 4); err != nil {
		return nil, err
	}
	use(n)
	return name, nil
}

// bad: io.ReadAll
func page(r *bufio.Reader) (title, rest []byte, err error) {
	title, err = r.ReadSlice('\n')
	if err != nil {
		return nil, nil, err
	}
	rest, err = io.ReadAll(r)
	return title, rest, err // want `title is stale: io.ReadAll on line \d+ ended it`
}

// good: io.ReadAll
func pageOf(r *bufio.Reader, other io.Reader) (title, rest []byte, err error) {
	title, err = r.ReadSlice('\n')
	if err != nil {
		return nil, nil, err
	}
	rest, err = io.ReadAll(other)
	return title, rest, err
}

// bad: io.Copy io.CopyN
func copies(w io.Writer, r *bufio.Reader) {
	kind, _ := r.Peek(2)
	io.CopyN(w, r, 10)
	use(kind) // want `kind is stale: io.CopyN on line \d+ ended it`

	magic, _ := r.Peek(4)
	io.Copy(w, r)
	if string(magic) == "\x1f\x8b" { // want `magic is stale: io.Copy on line \d+ ended it`
		use(w)
	}
}

// good: io.Copy io.CopyN
func copiesOfAnother(w *bufio.Writer, r *bufio.Reader, other io.Reader) {
	kind, _ := r.Peek(2)
	io.Copy(w, other)
	io.CopyN(w, other, 10)
	use(kind)
	io.CopyN(w, r, 2)
	kind, _ = r.Peek(2)
	gzipped := string(kind) == "\x1f\x8b"
	io.Copy(w, r)
	use(gzipped)
}

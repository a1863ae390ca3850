// Package table keeps keys and values of pebble's iterators.
package table

import (
	"bytes"

	"github.com/cockroachdb/pebble"
)

func use(...any) {}

// bad: github.com/cockroachdb/pebble.Iterator.Key github.com/cockroachdb/pebble.Iterator.Next
func keys(it *pebble.Iterator) (all [][]byte) {
	for it.First(); it.Valid(); it.Next() {
		all = append(all, it.Key())
	}
	return all // want `all is stale: it.Next on line \d+ ended it`
}

// good: github.com/cockroachdb/pebble.Iterator.Key github.com/cockroachdb/pebble.Iterator.Next
func keysCopied(it *pebble.Iterator) (all [][]byte) {
	for it.First(); it.Valid(); it.Next() {
		all = append(all, append([]byte(nil), it.Key()...))
	}
	return all
}

// bad: github.com/cockroachdb/pebble.Iterator.Value github.com/cockroachdb/pebble.Iterator.SeekGE
// bad: github.com/cockroachdb/pebble.Iterator.ValueAndErr
func move(it *pebble.Iterator, from, to []byte) bool {
	it.SeekGE(from)
	v := it.Value()
	it.SeekGE(to)
	if bytes.Equal(v, it.Value()) { // want `v is stale: it.SeekGE on line \d+ ended it`
		return true
	}
	w, err := it.ValueAndErr()
	it.Next()
	return err == nil && len(w) > 0 && w[0] == 1 // want `w is stale: it.Next on line \d+ ended it`
}

// good: github.com/cockroachdb/pebble.Iterator.Value github.com/cockroachdb/pebble.Iterator.SeekGE
// good: github.com/cockroachdb/pebble.Iterator.ValueAndErr
func moveCopied(it *pebble.Iterator, from, to []byte) bool {
	it.SeekGE(from)
	v := bytes.Clone(it.Value())
	it.SeekGE(to)
	if bytes.Equal(v, it.Value()) {
		return true
	}
	w, err := it.ValueAndErr()
	ok := err == nil && len(w) > 0 && w[0] == 1
	it.Next()
	w, err = it.ValueAndErr()
	return ok && err == nil && len(w) > 0
}

// bad: github.com/cockroachdb/pebble.Iterator.Close
func count(db *pebble.DB) (n int, err error) {
	it, err := db.NewIter(&pebble.IterOptions{})
	if err != nil {
		return 0, err
	}
	for it.First(); it.Valid(); it.Next() {
		n++
	}
	it.Close()
	return n, it.Error() // want `it is stale: it.Close on line \d+ gave it back`
}

// good: github.com/cockroachdb/pebble.Iterator.Close
func countFirst(db *pebble.DB) (n int, err error) {
	it, err := db.NewIter(&pebble.IterOptions{})
	if err != nil {
		return 0, err
	}
	defer it.Close()
	for it.First(); it.Valid(); it.Next() {
		n++
	}
	return n, it.Error()
}

// bad: github.com/cockroachdb/pebble.Iterator.Close
func seek(db *pebble.DB, key []byte) ([]byte, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	defer it.Close()
	it.SeekGE(key)
	return it.Value(), nil // want `it.Value\(\) is returned, but the deferred it.Close on line \d+`
}

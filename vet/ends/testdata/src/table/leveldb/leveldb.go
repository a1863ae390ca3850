// Package table keeps keys and values of goleveldb's iterators.
package table

import (
	"bytes"

	"github.com/syndtr/goleveldb/leveldb/iterator"
)

func use(...any) {}

// bad: github.com/syndtr/goleveldb/leveldb/iterator.Iterator.Key
// bad: github.com/syndtr/goleveldb/leveldb/iterator.IteratorSeeker.Next
func keys(it iterator.Iterator) (all [][]byte) {
	defer it.Release()
	for it.Next() {
		key := it.Key()
		all = append(all, key[1:])
	}
	return all // want `all is stale: it.Next on line \d+ ended it`
}

// good: github.com/syndtr/goleveldb/leveldb/iterator.Iterator.Key
// good: github.com/syndtr/goleveldb/leveldb/iterator.IteratorSeeker.Next
func keysCopied(it iterator.Iterator) (all []string, err error) {
	defer it.Release()
	for it.Next() {
		key := it.Key()
		all = append(all, string(key[1:]))
	}
	return all, it.Error()
}

// bad: github.com/syndtr/goleveldb/leveldb/iterator.Iterator.Value
// bad: github.com/syndtr/goleveldb/leveldb/iterator.IteratorSeeker.Seek
func compare(it iterator.Iterator, a, b []byte) bool {
	it.Seek(a)
	v := it.Value()
	return it.Seek(b) && bytes.Equal(v, it.Value()) // want `v is stale: it.Seek on line \d+`
}

// good: github.com/syndtr/goleveldb/leveldb/iterator.Iterator.Value
// good: github.com/syndtr/goleveldb/leveldb/iterator.IteratorSeeker.Seek
func compareCopied(it iterator.Iterator, a, b []byte) bool {
	it.Seek(a)
	v := append([]byte(nil), it.Value()...)
	return it.Seek(b) && bytes.Equal(v, it.Value())
}

// Package table keeps items of badger's iterators and transactions.
package table

import "github.com/dgraph-io/badger/v4"

func use(...any) {}

// bad: github.com/dgraph-io/badger/v4.Item.Key github.com/dgraph-io/badger/v4.Iterator.Item
// bad: github.com/dgraph-io/badger/v4.Iterator.Next
func keys(it *badger.Iterator) (all [][]byte) {
	var prev *badger.Item
	for it.Seek(nil); it.Valid(); it.Next() {
		if prev != nil {
			use(prev.Version()) // want `prev is stale: it.Next on line \d+ ended it`
		}
		prev = it.Item()
		all = append(all, it.Item().Key())
	}
	return all // want `all is stale: it.Next on line \d+ ended it`
}

// good: github.com/dgraph-io/badger/v4.Item.Key github.com/dgraph-io/badger/v4.Iterator.Item
// good: github.com/dgraph-io/badger/v4.Iterator.Next
func keysCopied(it *badger.Iterator) (all [][]byte) {
	for it.Seek(nil); it.Valid(); it.Next() {
		item := it.Item()
		use(item.Key())
		all = append(all, item.KeyCopy(nil))
	}
	return all
}

// bad: github.com/dgraph-io/badger/v4.Iterator.Seek github.com/dgraph-io/badger/v4.Item.Key
func skip(it *badger.Iterator, to []byte) {
	key := it.Item().Key()
	it.Seek(to)
	use(key) // want `key is stale: it.Seek on line \d+ ended it`
}

// good: github.com/dgraph-io/badger/v4.Iterator.Seek
func skipCopied(it *badger.Iterator, to []byte) {
	key := string(it.Item().Key())
	it.Seek(to)
	use(key, it.Item())
}

// bad: github.com/dgraph-io/badger/v4.Txn github.com/dgraph-io/badger/v4.Txn.Get
func get(db *badger.DB, key []byte) (*badger.Item, error) {
	var item *badger.Item
	err := db.View(func(txn *badger.Txn) error {
		found, err := txn.Get(key)
		item = found // want `found is kept, but is valid only until the function returns`
		return err
	})
	return item, err
}

// good: github.com/dgraph-io/badger/v4.Txn github.com/dgraph-io/badger/v4.Txn.Get
func getCopied(db *badger.DB, key []byte) ([]byte, error) {
	var value []byte
	err := db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key)
		if err != nil {
			return err
		}
		value, err = item.ValueCopy(nil)
		return err
	})
	return value, err
}

// good: github.com/dgraph-io/badger/v4.Txn github.com/dgraph-io/badger/v4.Txn.Get
func version(txn *badger.Txn, key []byte) (*badger.Item, error) {
	item, err := txn.Get(key)
	if err != nil {
		return nil, err
	}
	return item, nil // to the transaction's own function
}

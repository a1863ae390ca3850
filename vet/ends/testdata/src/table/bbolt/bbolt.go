// Package table keeps what a transaction of bbolt lends.
package table

import (
	"bytes"

	bolt "go.etcd.io/bbolt"
)

func use(...any) {}

var users = []byte("users")

// bad: go.etcd.io/bbolt.Tx go.etcd.io/bbolt.Tx.Bucket go.etcd.io/bbolt.Bucket.Get
func get(db *bolt.DB, key []byte) (value []byte, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		value = tx.Bucket(users).Get(key) // want `is kept, but is valid only until the function`
		return nil
	})
	return value, err
}

// good: go.etcd.io/bbolt.Tx go.etcd.io/bbolt.Tx.Bucket go.etcd.io/bbolt.Bucket.Get
func getCopied(db *bolt.DB, key []byte) (value []byte, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		value = bytes.Clone(tx.Bucket(users).Get(key))
		return nil
	})
	return value, err
}

// good: go.etcd.io/bbolt.Tx go.etcd.io/bbolt.Bucket.Get
func getString(db *bolt.DB, key []byte) (value string, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(users)
		v := b.Get(key)
		value = string(v)
		return nil
	})
	return value, err
}

// good: go.etcd.io/bbolt.Tx go.etcd.io/bbolt.Bucket.Get
func lookup(tx *bolt.Tx, key []byte) []byte {
	return tx.Bucket(users).Get(key) // to the transaction's own function
}

// bad: go.etcd.io/bbolt.Tx.Cursor go.etcd.io/bbolt.Cursor.First go.etcd.io/bbolt.Cursor.Next
func names(db *bolt.DB) (all [][]byte, first [2][]byte) {
	db.View(func(tx *bolt.Tx) error {
		c := tx.Cursor()
		k, v := c.First()
		first[0] = k // want `k is kept, but is valid only until the function returns`
		first[1] = v // want `v is kept, but is valid only until the function returns`
		for k, v = c.Next(); k != nil; k, v = c.Next() {
			all = append(all, k) // want `k is kept, but is valid only until the function returns`
			all = append(all, v) // want `v is kept, but is valid only until the function returns`
		}
		return nil
	})
	return all, first
}

// good: go.etcd.io/bbolt.Tx.Cursor go.etcd.io/bbolt.Cursor.First go.etcd.io/bbolt.Cursor.Next
func namesCopied(db *bolt.DB) (all []string, first []byte) {
	db.View(func(tx *bolt.Tx) error {
		c := tx.Cursor()
		k, v := c.First()
		first = append(first, v...)
		for ; k != nil; k, _ = c.Next() {
			all = append(all, string(k))
		}
		return nil
	})
	return all, first
}

// bad: go.etcd.io/bbolt.Bucket.Bucket go.etcd.io/bbolt.Bucket.Cursor go.etcd.io/bbolt.Cursor.Seek
func nested(db *bolt.DB, prefix []byte) (key, value []byte) {
	db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(users).Bucket([]byte("names"))
		k, v := b.Cursor().Seek(prefix)
		key = k   // want `k is kept, but is valid only until the function returns`
		value = v // want `v is kept, but is valid only until the function returns`
		return nil
	})
	return key, value
}

// good: go.etcd.io/bbolt.Bucket.Bucket go.etcd.io/bbolt.Bucket.Cursor go.etcd.io/bbolt.Cursor.Seek
func nestedCount(db *bolt.DB, prefix []byte) (n int) {
	db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(users).Bucket([]byte("names")).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			last := k
			n += len(last)
		}
		return nil
	})
	return n
}

// bad: go.etcd.io/bbolt.Tx.Rollback
func read(db *bolt.DB, key []byte) ([]byte, error) {
	tx, err := db.Begin(false)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	v := tx.Bucket(users).Get(key)
	return v, nil // want `v is returned, but the deferred tx.Rollback on line \d+ ends it`
}

// good: go.etcd.io/bbolt.Tx.Rollback
func readCopied(db *bolt.DB, key []byte) ([]byte, error) {
	tx, err := db.Begin(false)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	v := tx.Bucket(users).Get(key)
	return bytes.Clone(v), nil
}

// bad: go.etcd.io/bbolt.Tx.Commit
func swap(db *bolt.DB, key, value []byte) ([]byte, error) {
	tx, err := db.Begin(true)
	if err != nil {
		return nil, err
	}
	b := tx.Bucket(users)
	old := b.Get(key)
	b.Put(key, value)
	err = tx.Commit()
	return old, err // want `old is stale: tx.Commit on line \d+ ended it`
}

// good: go.etcd.io/bbolt.Tx.Commit
func swapCopied(db *bolt.DB, key, value []byte) (string, error) {
	tx, err := db.Begin(true)
	if err != nil {
		return "", err
	}
	b := tx.Bucket(users)
	old := string(b.Get(key))
	b.Put(key, value)
	return old, tx.Commit()
}

// good: go.etcd.io/bbolt.Tx go.etcd.io/bbolt.Tx.Rollback
func dump(tx *bolt.Tx) {
	go func() {
		defer tx.Rollback() // the goroutine owns tx
		use(tx.Bucket(users))
	}()
}

// bad: go.etcd.io/bbolt.Tx.Commit
func committed(tx *bolt.Tx) {
	b := tx.Bucket(users)
	tx.Commit()
	go use(b) // want `b is stale: tx.Commit on line \d+ ended it`
}

// good: go.etcd.io/bbolt.Tx.Bucket
func within(tx *bolt.Tx, b *bolt.Bucket) []byte {
	if b == nil {
		b = tx.Bucket(users)
	}
	return bytes.Clone(b.Get(nil))
}

// bad: go.etcd.io/bbolt.Tx.Bucket
func into(tx *bolt.Tx, b **bolt.Bucket) {
	*b = tx.Bucket(users) // want `tx.Bucket\(users\) is kept, but is valid only until into returns`
}

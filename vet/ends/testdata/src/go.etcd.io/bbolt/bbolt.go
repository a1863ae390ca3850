package bbolt

type DB struct{ n int }

func (db *DB) Begin(writable bool) (*Tx, error) { return nil, nil }
func (db *DB) View(fn func(*Tx) error) error    { return fn(new(Tx)) }
func (db *DB) Update(fn func(*Tx) error) error  { return fn(new(Tx)) }

type Tx struct{ n int }

func (tx *Tx) Bucket(name []byte) *Bucket { return nil }
func (tx *Tx) Cursor() *Cursor            { return nil }
func (tx *Tx) Commit() error              { return nil }
func (tx *Tx) Rollback() error            { return nil }

type Bucket struct{ n int }

func (b *Bucket) Bucket(name []byte) *Bucket  { return nil }
func (b *Bucket) Cursor() *Cursor             { return nil }
func (b *Bucket) Get(key []byte) []byte       { return nil }
func (b *Bucket) Put(key, value []byte) error { return nil }

type Cursor struct{ n int }

func (c *Cursor) First() (key, value []byte)           { return nil, nil }
func (c *Cursor) Next() (key, value []byte)            { return nil, nil }
func (c *Cursor) Seek(seek []byte) (key, value []byte) { return nil, nil }

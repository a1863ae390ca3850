package badger

type DB struct{ n int }

func (db *DB) View(fn func(txn *Txn) error) error { return fn(new(Txn)) }

type Txn struct{ n int }

func (txn *Txn) Get(key []byte) (*Item, error)             { return nil, nil }
func (txn *Txn) NewIterator(opt IteratorOptions) *Iterator { return nil }

type IteratorOptions struct{ Prefix []byte }

type Item struct{ n int }

func (item *Item) Key() []byte                           { return nil }
func (item *Item) KeyCopy(dst []byte) []byte             { return nil }
func (item *Item) ValueCopy(dst []byte) ([]byte, error)  { return nil, nil }
func (item *Item) Value(fn func(val []byte) error) error { return fn(nil) }
func (item *Item) Version() uint64                       { return 0 }

type Iterator struct{ n int }

func (it *Iterator) Item() *Item     { return nil }
func (it *Iterator) Valid() bool     { return false }
func (it *Iterator) Next()           {}
func (it *Iterator) Seek(key []byte) {}
func (it *Iterator) Rewind()         {}
func (it *Iterator) Close()          {}

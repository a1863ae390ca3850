package pebble

type DB struct{ n int }

type IterOptions struct{ LowerBound []byte }

func (d *DB) NewIter(o *IterOptions) (*Iterator, error) { return nil, nil }

type Iterator struct{ n int }

func (i *Iterator) First() bool                  { return false }
func (i *Iterator) Valid() bool                  { return false }
func (i *Iterator) Key() []byte                  { return nil }
func (i *Iterator) Value() []byte                { return nil }
func (i *Iterator) ValueAndErr() ([]byte, error) { return nil, nil }
func (i *Iterator) Next() bool                   { return false }
func (i *Iterator) Prev() bool                   { return false }
func (i *Iterator) SeekGE(key []byte) bool       { return false }
func (i *Iterator) SeekLT(key []byte) bool       { return false }
func (i *Iterator) Error() error                 { return nil }
func (i *Iterator) Close() error                 { return nil }

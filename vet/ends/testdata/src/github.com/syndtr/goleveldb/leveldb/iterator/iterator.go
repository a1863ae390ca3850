package iterator

type IteratorSeeker interface {
	First() bool
	Seek(key []byte) bool
	Next() bool
	Prev() bool
}

type CommonIterator interface {
	IteratorSeeker
	Release()
	Error() error
}

type Iterator interface {
	CommonIterator
	Key() []byte
	Value() []byte
}

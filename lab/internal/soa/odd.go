package soa

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Odd

// Odd has a field of each kind of memory, for tests: with and without pointers, of several sizes.
type Odd struct {
	Name  string
	Owner *int
	Next  OddHandle
	Any   any
	Sizes [3]uint16
	flag  bool
}

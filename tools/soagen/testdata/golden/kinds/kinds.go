// Package kinds has structs with fields of every kind of type.
package kinds

import "io"

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Entry -output entries.go
//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Box

// Entry refers to another Entry, and to a Box.
type Entry struct {
	Next   EntryHandle
	In     BoxHandle
	Kids   []EntryHandle
	ByName map[string]*Entry
	Do     func(n int, rest ...string) (err error)
	Done   chan<- struct{}
	Any    any
	Reader io.Reader
	Both   interface {
		io.Reader
		Close() error
	}
	Pair     pair[int, Text]
	Inner    struct{ A, B int }
	Grid     [4][2]byte
	Level    level
	Text     Text
	Complex  complex64
	Callback Callback
}

type (
	pair[A, B any] struct {
		a A
		b B
	}
	level uint8
	// Text is an alias.
	Text = string
	// Callback is a type of a function.
	Callback func(*Entries) bool
)

// Box is defined by another struct.
type Box size

type size struct{ W, H uint16 }

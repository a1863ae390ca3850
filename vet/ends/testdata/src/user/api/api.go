// Package api stands for a package without directives.
package api

type Buffer struct{ B []byte }

func Get() *Buffer  { return new(Buffer) }
func Free(*Buffer)  {}
func Other(*Buffer) {}

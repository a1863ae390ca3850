// Package user uses a package that a table of the user describes, and one with helpers.
package user

import (
	"user/api"
	"user/buffers"
	own2 "user/own"
)

func after() byte {
	b := api.Get()
	api.Free(b)
	return b.B[0] // want `b is stale: api.Free on line \d+ gave it back`
}

func good() byte {
	b := api.Get()
	api.Other(b)
	x := b.B[0]
	api.Free(b)
	return x
}

func helper() string {
	b := buffers.Get()
	buffers.Put(b)
	return b.String() // want `b is stale: buffers.Put on line \d+ gave it back`
}

func deferred() []byte {
	b := buffers.Get()
	defer buffers.Put(b)
	return b.Bytes() // want `b.Bytes\(\) is returned, but the deferred buffers.Put on line \d+ gives it back`
}

func copied() string {
	b := buffers.Get()
	defer buffers.Put(b)
	return b.String()
}

func reader(r *buffers.Reader) byte {
	head := r.Head()
	r.Skip()
	return head[0] // want `head is stale: r.Skip on line \d+ ended it`
}

func readerFirst(r *buffers.Reader) byte {
	head := r.Head()
	first := head[0]
	r.Skip()
	return first
}

func own() byte {
	p := own2.Take()
	own2.Give(p)
	return p.Data[0] // want `p is stale: own2.Give on line \d+ gave it back`
}

func ownDeferred() *own2.Page {
	p := own2.Take()
	defer p.Release()
	return p // want `p is returned, but the deferred p.Release on line \d+ gives it back`
}

func ownFirst() byte {
	p := own2.Take()
	defer p.Release()
	return p.Data[0]
}

// Package inline makes the compiler inline functions above its usual limit.
//
// The compiler inlines a function of up to 80 nodes of its syntax tree, but a closure of up to 800
// if it is called in only one place. So a verb is written as a small function that returns a
// closure, and a function of this package, which is also small, calls the closure:
//
//	func (c *Container) Insert(v int) Handle { return inline.Call(c.inserting(v)) }
//
//	func (c *Container) inserting(v int) func() Handle {
//		return func() Handle { ... }
//	}
//
// Iterators are inlined the same way. In a caller of more than 5000 nodes, Insert is an ordinary
// call, and the closure is inlined in Insert. A Call inside another Call of the same type is not
// inlined.
//
// Use it for the fast paths of a few verbs, each with a benchmark, since every call takes as much
// code as the closure. The slow path is a call at the end of the closure.
package inline

// Call returns f().
func Call[A any](f func() A) A { return f() }

// Package inline has the compiler inline what is too large for it.
//
// The compiler inlines a function of up to 80 nodes of its syntax tree, but a closure that is
// called at one place only, of up to 800. So what is to be inlined is written as a function that
// returns a closure, which is small, and called by a function of this package, which is small too:
//
//	func (c *Container) Insert(v int) Handle { return inline.Call(c.inserting(v)) }
//
//	func (c *Container) inserting(v int) func() Handle {
//		return func() Handle { ... }
//	}
//
// Iterators are inlined the same way. In a caller of more than 5000 nodes Insert is an ordinary
// call, and the closure is inlined in Insert. A Call inside another of the same type is not.
//
// It is for the fast paths of a few verbs, each with a benchmark: a call of them takes as much code
// as was inlined. What is slow is a call at the end of the closure.
package inline

// Call returns f().
func Call[A any](f func() A) A { return f() }

// Call2 returns f().
func Call2[A, B any](f func() (A, B)) (A, B) { return f() }
